"""`wfc run` shows what a model writes as it writes it, to people only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SPEC = """
wfc: 1
workflow: tell
start: Asked
end: Told
config: {url: {type: string, format: uri}}
models: {fast: {use: "openai:gpt-4o-mini", base_url: "${{ config.url }}"}}
events: {Asked: {}, Told: {text: string}}
steps:
  tell:
    kind: llm
    accepts: Asked
    model: fast
    prompt: Tell me a story.
    stream: {tokens: true, before: listen, after: the end}
    emit: Told
"""
PIECES = ["Once", " upon\n", "a \x1b[31mtime"]
TEXT = "".join(PIECES)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for text, finish in [*((piece, None) for piece in PIECES), ("", "stop")]:
            choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": finish}
            data = {
                "id": "1",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "m",
                "choices": [choice],
            }
            self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def spec(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("WFC_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        path = tmp_path / "tell.yaml"
        path.write_text(SPEC)
        yield str(path)
        server.shutdown()
        thread.join()


def test_a_file_gets_no_pieces(wfc: Any, spec: str) -> None:
    done = wfc("run", spec)
    assert done.status == 0, done.err
    assert [line.partition("s  ")[2] for line in done.err.splitlines()] == [
        "from outside -> Asked",
        "tell: started on Asked",
        "tell: listen",
        "tell: the end",
        "tell -> Told",
        "tell asked openai:gpt-4o-mini once, and was not told how many tokens that took",
    ]
    assert json.loads(done.out) == {"event": "Told", "with": {"text": TEXT}}


@pytest.mark.full
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_person_reads_along(spec: str) -> None:
    import pty

    ours, theirs = pty.openpty()
    code = "import sys; from wfc.compiler.cli import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", code, "run", spec], stdout=subprocess.PIPE, stderr=theirs
    ) as run:
        os.close(theirs)
        shown = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not more:
                break
            shown += more
        assert run.stdout is not None
        result = json.loads(run.stdout.read())
    os.close(ours)
    lines = shown.decode().replace("\r\n", "\n").splitlines()
    assert [line[10:] for line in lines] == [
        "from outside -> Asked",
        "tell: started on Asked",
        "tell: listen",
        "tell: Once upon",
        "a \\x1b[31mtime",
        "tell: the end",
        "tell -> Told",
        "tell asked openai:gpt-4o-mini once, and was not told how many tokens that took",
    ]
    assert result == {"event": "Told", "with": {"text": TEXT}}
