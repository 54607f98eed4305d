"""A service that specs talk to for real, and specs compiled into a folder of their own."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.programs import execute

SPECS = Path(__file__).parents[2] / "specs"


@dataclass(frozen=True)
class Asked:
    """A request as the service got it."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class Service(ThreadingHTTPServer):
    """Answers each request, one after the other, as ``answer`` says: a status and what is sent, or ``None``.

    ``None`` is an answer that gets lost: the connection is cut instead.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], Any] = lambda asked: (404, None)
        self.turn = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    def reply(self) -> None:
        service = self.server
        assert isinstance(service, Service)
        address = urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(
            self.command,
            address.path,
            dict(parse_qsl(address.query)),
            headers,
            json.loads(content) if content else None,
        )
        with service.turn:
            service.asked.append(asked)
            answer = service.answer(asked)
        if answer is None:
            self.close_connection = True
            return
        status, value = answer
        text = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        if value is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = reply  # noqa: N815 - http.server calls them so

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def service() -> Iterator[Service]:
    """See ``Service``."""
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def compiled(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Compiles specs of the project beside each other; gives their classes.

    Words may be replaced before, such as waits by shorter ones.
    """
    before = set(sys.modules)

    def compile_them(*names: str, **replaced: str) -> Any:
        for name in names:
            text = (SPECS / f"{name}.yaml").read_text(encoding="utf-8")
            for old, new in replaced.items():
                line = f"{old}: "
                assert line in text
                start = text.index(line) + len(line)
                text = (
                    text[:start]
                    + new
                    + text[start + len(text[start:].partition(",")[0].partition("\n")[0]) :]
                )
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        assert main(["compile", str(tmp_path)]) == 0
        classes = []
        for name in names:
            path = tmp_path / f"{name}_workflow.py"
            module = execute(path.stem, str(path), path.read_text(encoding="utf-8"))
            classes.append(getattr(module, "".join(word.capitalize() for word in name.split("_"))))
        return classes if len(classes) > 1 else classes[0]

    yield compile_them
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
