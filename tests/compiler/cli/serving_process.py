"""``wfc serve`` in a process of its own, over specs that tests serve, and requests to it."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

DESK = """\
wfc: 1
workflow: desk
start: Wanted
end: Settled
events:
  Wanted: {what: string}
  Settled: {granted: boolean, why: string}
steps:
  ask:
    kind: human
    accepts: Wanted
    assign: ["user:eve"]
    title: May they have ${{ event.what }}?
    form: {granted: boolean, why: string}
    require: [{that: result.why != "", say: say why}]
    within: 4h
    on_timeout: {event: Settled, with: {granted: false, why: nobody answered}}
    emit: Settled
"""

COUNT = """\
wfc: 1
workflow: count
start: Begun
end: Over
events:
  Begun: {to: integer}
  Turn: {n: integer, to: integer}
  Over: {n: integer}
steps:
  begin:
    kind: transform
    accepts: Begun
    emit: {event: Turn, with: {n: 0}}
  turn:
    kind: transform
    accepts: Turn
    max_runs: 1000
    on_limit: {event: Over, with: {n: "${{ event.n }}"}}
    emit:
      - {event: Over, when: event.n >= event.to}
      - {event: Turn, with: {n: "${{ event.n + 1 }}"}}
"""

PROGRAM = "import sys; from wfc.compiler.cli import main; sys.exit(main())"


class Serving:
    """A server in a process of its own, and requests to it."""

    def __init__(self, folder: Path, *arguments: str, before: str = "", port: int = 0) -> None:
        command = [sys.executable, "-c", before + PROGRAM, "serve", *arguments, "--port", str(port)]
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.told = ""
        while "at http" not in self.told:
            line = self.process.stderr.readline()
            assert line, self.told
            self.told += line
        found = re.search(r"at http://127\.0\.0\.1:(\d+)/v1", self.told)
        assert found
        self.port = int(found[1])
        self.token = (folder / ".wfc/server.token").read_text()
        self.connections: list[http.client.HTTPConnection] = []

    def call(self, method: str, path: str, data: object = None, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        connection.request(method, path, None if data is None else json.dumps(data), sent)
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return reply.status, json.loads(body)

    def start(self, workflow: str, wait: int = 0, **inputs: object) -> dict[str, Any]:
        status, run = self.call("POST", f"/v1/workflows/{workflow}/runs?wait={wait}", {"inputs": inputs})
        assert status == 201, run
        return dict(run)

    def stream(self, run: str, since: str = "") -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = {"Authorization": f"Bearer {self.token}", **({"Last-Event-ID": since} if since else {})}
        connection.request("GET", f"/v1/runs/{run}/stream", headers=sent)
        reply = connection.getresponse()
        assert reply.status == 200
        self.connections.append(connection)
        return reply

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=120)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()
        for one in self.connections:
            one.close()

    def end(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGTERM)
        _, told = self.process.communicate(timeout=120)
        return self.process.returncode, told
