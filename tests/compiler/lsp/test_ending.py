"""The process ends when the editor says so or has gone, however busy the machine is, and leaves nothing behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

WAIT = 120
SLOW_END = """
import asyncio.runners, time
cancel = asyncio.runners._cancel_all_tasks
def late(loop):
    time.sleep(0.5)  # so that all that was to be done soon is due
    cancel(loop)
asyncio.runners._cancel_all_tasks = late
"""
"""A machine that is busy at the very end."""
HEAR = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
"""What a shell runs in the background ignores this signal, and so does all that it starts."""
MAIN = "from wfc.compiler.cli import main; raise SystemExit(main(['lsp']))"
WRONG = "wfc: 1\nworkflow: w\nstart: {}\n"


def message(method: str, params: object = None, ident: int | None = None) -> bytes:
    data = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    body = json.dumps(data if ident is None else {**data, "id": ident}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def typed(folder: Path, times: int) -> bytes:
    """A document that is opened and changed, with another mistake each time."""
    uri = (folder / "a.yaml").as_uri()
    begin = {"capabilities": {}, "processId": None, "rootUri": folder.as_uri()}
    item = {"uri": uri, "languageId": "yaml", "version": 1, "text": WRONG.format("A")}
    sent = message("initialize", begin, 1) + message("initialized")
    sent += message("textDocument/didOpen", {"textDocument": item})
    for version in range(2, times + 2):
        change = {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"text": WRONG.format(f"A{version}")}],
        }
        sent += message("textDocument/didChange", change)
    return sent


@pytest.fixture
def server() -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", SLOW_END + HEAR + "\n" + MAIN]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        yield process
        process.kill()


def talked(server: subprocess.Popen[bytes], sent: bytes) -> str:
    """Say something, close the input, and return what was said on the error output until the process has ended."""
    return server.communicate(sent, WAIT)[1].decode()


def test_exit_ends_it_without_a_word(server: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert server.stdin is not None  # which stays open
    server.stdin.write(typed(tmp_path, 3) + message("shutdown", ident=2) + message("exit"))
    server.stdin.flush()
    assert server.wait(WAIT) == 0
    assert talked(server, b"") == ""


def test_exit_without_shutdown_is_an_error(server: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert talked(server, typed(tmp_path, 3) + message("exit")) == ""
    assert server.returncode == 1


def test_so_does_an_editor_that_has_gone(server: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert server.stdout is not None
    server.stdout.close()  # what is told now finds no reader
    assert "Traceback" not in talked(server, typed(tmp_path, 3))
    assert server.returncode == 1


def test_in_the_middle_of_a_message(server: subprocess.Popen[bytes], tmp_path: Path) -> None:
    talked(server, typed(tmp_path, 1) + message("shutdown", ident=2)[:-5])
    assert server.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_reads(
    server: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals
) -> None:
    assert server.stdin is not None and server.stdout is not None  # both stay open
    server.stdin.write(typed(tmp_path, 0))
    server.stdin.flush()
    assert server.stdout.readline()  # it has begun
    server.send_signal(number)
    assert server.wait(WAIT) == 1
