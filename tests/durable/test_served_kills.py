"""Servers are killed in the middle of webhooks and answers: nothing that they acknowledged is lost, nothing is doubled.

Who sends does what senders do: he sends the same again until it is acknowledged, whatever has become of the server.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from kept_ports import kept_port
from served_program import TOKEN

PROGRAM = Path(__file__).with_name("served_program.py")
SECRET = "a-secret-of-the-shop"
PATIENCE = 400.0
SENDERS = 4


class Killed:
    """A server that is started anew whenever it has died."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.port = kept_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, crash_at: str = "") -> subprocess.Popen[bytes]:
        env = {**os.environ, "SHOP": SECRET, "WFC_CRASH_AT": crash_at}
        command = [sys.executable, str(PROGRAM), str(self.port), self.address]
        self.process = started = subprocess.Popen(command, env=env)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and started.poll() is None:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return started
            time.sleep(0.02)
        assert started.poll() is not None, "it does not listen"
        return started  # it has died already, as it was to

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, Any]:
        """Return the status and the data of a reply.

        Raises:
            OSError, http.client.HTTPException: The server has died meanwhile.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            shown = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers}
            connection.request(method, path, body or None, shown)
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or b"null")
        finally:
            connection.close()

    def insist(self, is_good: Callable[[int, Any], bool], *request: Any, **headers: str) -> tuple[int, Any]:
        """Send a request until it is acknowledged; what a living server may not say fails at once."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with suppress(OSError, http.client.HTTPException, ValueError):
                status, data = self.ask(*request, **headers)
                if is_good(status, data):
                    return status, data
                assert status in {200, 503}, data
            time.sleep(0.05)
        raise AssertionError("it was never acknowledged")


def under_fire(server: Killed, work: Callable[[int], None], count: int, crashes: list[str]) -> int:
    """Let senders do their work while the server dies again and again; return how often it did."""
    left, failures = iter(range(count)), []
    lock = threading.Lock()

    def send() -> None:
        try:
            while True:
                with lock:
                    number = next(left, None)
                if number is None:
                    return
                work(number)
        except BaseException as error:
            failures.append(error)

    chance = random.Random("kills")  # noqa: S311 - the same each time
    process = server.start(crashes[0])
    senders = [threading.Thread(target=send) for _ in range(SENDERS)]
    for one in senders:
        one.start()
    deaths = 0
    for crash_at in [*crashes[1:], ""]:
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.3, 1.5))
        process.kill()
        deaths += process.wait() == -signal.SIGKILL
        process = server.start(crash_at)
    for one in senders:
        one.join(PATIENCE)
    if failures:
        raise failures[0]
    assert not any(one.is_alive() for one in senders)
    return deaths


CRASHES = [
    "commit:7",
    "committed:9",
    "",
    "commit:12",
    "release:12",
    "commit:9",
    "",
    "advanced:15",
    "commit:16",
]
"""Where the servers die, one after the other; where nothing is said, by somebody who comes by."""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    address = f"sqlite:///{tmp_path}/runs.db"
    if request.param == "postgresql":
        address = request.getfixturevalue("postgres").new_database()
    found = Killed(address)
    yield found
    found.stop()


def runs_of(server: Killed, workflow: str, count: int) -> list[dict[str, Any]]:
    """All runs of a workflow, once they are over."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        _, told = server.ask("GET", f"/v1/runs?workflow={workflow}&most=500")
        found: list[dict[str, Any]] = told["runs"]
        if len(found) >= count and all(one["status"] == "done" for one in found):
            return found
        time.sleep(0.1)
    raise AssertionError(Counter(one["status"] for one in found))


def ticks_of(server: Killed, run: str) -> Counter[str]:
    _, told = server.ask("GET", f"/v1/runs/{run}/history?most=500")
    return Counter(one["kind"] for one in told["ticks"])


def test_each_webhook_that_was_acknowledged_is_one_run(server: Killed) -> None:
    count = 120
    promised: dict[int, str] = {}

    def deliver(number: int) -> None:
        body = json.dumps({"order": f"o{number}"}).encode()
        sign = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        for _ in range(1 + number % 2):  # some senders say it once more, though it was acknowledged
            _, data = server.insist(
                lambda status, _: status == 202, "POST", "/v1/hooks/orders", body, **{"X-Sign": sign}
            )
            assert promised.setdefault(number, data["run"]) == data["run"]
        time.sleep(0.05)

    assert under_fire(server, deliver, count, CRASHES) >= len(CRASHES) - 1
    runs = runs_of(server, "orders", count)
    assert sorted(one["run"] for one in runs) == sorted(promised.values())
    for number, run in promised.items():
        assert server.ask("GET", f"/v1/runs/{run}")[1]["result"]["with"] == {"told": f"o{number}"}
        assert ticks_of(server, run)["completed"] == 1


def test_each_answer_that_was_acknowledged_counts_once(server: Killed) -> None:
    count = 40
    said: dict[str, str] = {}

    def answer(number: int) -> None:
        body = json.dumps({"inputs": {"order": f"o{number}"}}).encode()
        _, told = server.insist(
            lambda status, _: status in {200, 201},
            "POST",
            "/v1/workflows/asks/runs",
            body,
            **{"Idempotency-Key": f"key-{number}"},
        )
        run = told["run"]
        _, listed = server.insist(lambda _, data: bool(data.get("tasks")), "GET", f"/v1/tasks?run={run}&all")
        (task,) = listed["tasks"]
        note = json.dumps({"answer": {"note": f"n{number}"}}).encode()
        server.insist(
            # another answer of the same person: the one before has arrived, though nobody has said so
            lambda status, data: status in {200, 202} or (status == 409 and data["code"].startswith("task.")),
            "POST",
            f"/v1/tasks/{task['task']}/answer",
            note,
        )
        said[run] = f"o{number}: n{number}"

    assert under_fire(server, answer, count, CRASHES) >= len(CRASHES) - 1
    runs = runs_of(server, "asks", count)
    assert sorted(one["run"] for one in runs) == sorted(said)
    for run, told in said.items():
        assert server.ask("GET", f"/v1/runs/{run}")[1]["result"]["with"] == {"told": told}
        assert ticks_of(server, run)["answered"] == 1
