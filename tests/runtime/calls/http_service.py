"""A service in a thread that answers over real HTTP as it is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from wfc.runtime.calls.http import call_http
from wfc.runtime.plan.inputs import HttpResponse

__all__ = ["Reply", "Request", "Service", "ask", "gives", "serve", "text_reply"]


@dataclass
class Request:
    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    status: int = 200
    body: bytes = b"null"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    cut: bool = False


@dataclass
class Service:
    """A server that answers as it is told, and keeps what it was asked."""

    url: str = ""
    asked: list[Request] = field(default_factory=list)
    answer: Callable[[Request], Reply] = lambda _: Reply()

    @property
    def last(self) -> Request:
        return self.asked[-1]


def serve(service: Service) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            headers["x-port"] = str(self.client_address[1])  # by which the connection is known
            request = Request(self.command, parts.path, parse_qsl(parts.query, True), headers, body)
            service.asked.append(request)
            reply = service.answer(request)
            if reply.cut:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that has heard enough

    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.reply)
    server = Server(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server


def ask(method: str, url: str, **options: Any) -> tuple[Any, HttpResponse]:
    return asyncio.run(call_http(method, url, **options))


def gives(service: Service, *replies: Reply) -> None:
    left = list(replies)
    service.answer = lambda _: left.pop(0) if len(left) > 1 else left[0]


def text_reply(text: str, kind: str = "text/plain; charset=utf-8", **options: Any) -> Reply:
    return Reply(body=text.encode(), headers={"Content-Type": kind}, **options)
