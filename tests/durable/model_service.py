"""A service that answers as a model would, over HTTP and in OpenAI's protocol, and notes each question in a file.

What it says follows from what it is asked alone, so that a question which is asked again gets the same answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

__all__ = ["FAILS_AT", "serving_models"]

FAILS_AT: Final = 2
"""The number at which the model `first` is not there."""

_PROMPT: Final = re.compile(r"run (\S+) n (\d+)")
_CALLS: Final = 3
"""How often an agent's model calls its tool before it answers."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    effects: Path

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        if len(body := self.rfile.read(size)) < size:
            return  # who has asked was killed meanwhile
        asked = json.loads(body)
        run, number = next(found.groups() for found in map(_prompt_in, asked["messages"]) if found)
        results = sum(one["role"] == "tool" for one in asked["messages"])
        works = any(tool["function"]["name"] == "work" for tool in asked.get("tools", ()))
        n = results if works else int(number)
        self._note("begin", run, asked["model"], n)
        fails = asked["model"] == "first" and n == FAILS_AT and not works
        message = _calling(run, n) if works and n < _CALLS else _answering(asked, n + 1)
        self._note("end", run, asked["model"], n)
        answer = {"error": {"message": "not now"}} if fails else _completion(asked["model"], message)
        self._reply(503 if fails else 200, json.dumps(answer).encode())

    def _reply(self, status: int, body: bytes) -> None:
        with contextlib.suppress(ConnectionError):  # who has asked was killed meanwhile
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def _note(self, what: str, run: str, model: str, n: int) -> None:
        line = {
            "at": time.time_ns(),
            "what": what,
            "run": run,
            "call": model,
            "n": n,
            "key": f"{run} {model} {n}",
        }
        handle = os.open(self.effects, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, (json.dumps(line) + "\n").encode())
        os.close(handle)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _prompt_in(message: dict[str, Any]) -> re.Match[str] | None:
    return _PROMPT.search(json.dumps(message["content"])) if message["role"] == "user" else None


def _calling(run: str, n: int) -> dict[str, Any]:
    function = {"name": "work", "arguments": json.dumps({"run": run, "n": n})}
    return {
        "role": "assistant",
        "tool_calls": [{"id": f"call-{n}", "type": "function", "function": function}],
    }


def _answering(asked: dict[str, Any], n: int) -> dict[str, Any]:
    answer = json.dumps({"n": n})
    final = [
        tool["function"]["name"] for tool in asked.get("tools", ()) if tool["function"]["name"] != "work"
    ]
    if not final:
        return {"role": "assistant", "content": answer}
    function = {"name": final[0], "arguments": answer}
    return {"role": "assistant", "tool_calls": [{"id": "answer", "type": "function", "function": function}]}


def _completion(model: str, message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


@contextlib.contextmanager
def serving_models(effects: Path) -> Iterator[str]:
    """Serve models as long as the block; give their address."""
    handler = type("Handler", (_Handler,), {"effects": effects})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
