"""A service with an OpenAPI description, which notes what it is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TICKET = {
    "type": "object",
    "required": ["id", "title"],
    "properties": {
        "id": {"type": "string"},
        "title": {"type": "string", "description": "In a few words."},
        "parent": {"$ref": "#/components/schemas/Ticket"},
        "notes": {
            "type": "array",
            "items": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        },
    },
}

NEW = {
    "type": "object",
    "required": ["title"],
    "properties": {
        "title": {"type": "string", "maxLength": 20},
        "urgency": {"enum": ["low", "high"]},
        "due-on": {"type": "string", "format": "date"},
        "owner": {"type": ["string", "null"]},
        "about": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
    },
}


def reply(schema: Any, status: str = "200") -> dict[str, Any]:
    return {status: {"description": "So.", "content": {"application/json": {"schema": schema}}}}


def description(address: str) -> dict[str, Any]:
    ticket = {"$ref": "#/components/schemas/Ticket"}
    number = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Desk", "version": "1"},
        "servers": [{"url": f"{address}/api"}],
        "paths": {
            "/tickets/{id}": {
                "parameters": [number],
                "get": {
                    "operationId": "getTicket",
                    "summary": "A ticket by its number.",
                    "parameters": [
                        {"name": "with-notes", "in": "query", "schema": {"type": "boolean"}},
                        {
                            "name": "tag",
                            "in": "query",
                            "schema": {"type": "array", "items": {"type": "string"}},
                        },
                        {"name": "X-Reader", "in": "header", "schema": {"type": "string"}},
                    ],
                    "responses": reply(ticket),
                },
            },
            "/tickets": {
                "post": {
                    "operationId": "createTicket",
                    "description": "Opens a ticket.",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": NEW}}},
                    "responses": reply(ticket, "201"),
                }
            },
        },
        "components": {"schemas": {"Ticket": TICKET}},
    }


class Desk(BaseHTTPRequestHandler):
    """Gives tickets."""

    asked: list[dict[str, Any]]

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        self.note(None)
        number = unquote(place.path.rpartition("/")[2])
        notes = [{"text": "late"}] if parse_qs(place.query).get("with-notes") == ["true"] else None
        data: dict[str, Any] = {"id": number, "title": "a pen", "more": 1}
        self.give(200, data if notes is None else {**data, "notes": notes})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.note(body)
        self.give(201, {"id": "T2", "title": body["title"], "parent": {"id": "T1", "title": "x"}})

    def note(self, body: object) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked.append({"method": self.command, "path": self.path, "headers": headers, "body": body})

    def give(self, status: int, data: object) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def desk() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a desk, and what it is asked."""
    asked: list[dict[str, Any]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OneDesk", (Desk,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
