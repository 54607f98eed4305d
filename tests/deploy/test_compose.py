"""The parts of the compose file, as processes: what they are started with, their health, and what becomes of runs."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from kept_ports import kept_port

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "deploy/compose.yaml"
PROGRAM = "import sys; from wfc.compiler.cli import main; sys.exit(main())"
GIVEN = {
    "SPECS": "specs",
    "WFC_DB_PASSWORD": "not asked for here",
    "WFC_SERVER_TOKEN": "t" * 40,
    "WFC_SERVER_KEY": "k" * 40,
}
LONG = 120.0
"""So many seconds may what must come take on a busy machine."""

DESK = """\
wfc: 1
workflow: desk
start: Wanted
end: Settled
events:
  Wanted: {what: string}
  Settled: {granted: boolean}
steps:
  ask:
    kind: human
    accepts: Wanted
    assign: ["user:eve"]
    title: May they have ${{ event.what }}?
    form: {granted: boolean}
    within: 4h
    on_timeout: {event: Settled, with: {granted: false}}
    emit: Settled
"""


def services(given: Mapping[str, str]) -> dict[str, Any]:
    """Return the services of the file with its variables filled in, as `docker compose` does it."""

    def value_of(found: re.Match[str]) -> str:
        name, told = found[1], found[2]
        if not given.get(name):
            raise ValueError(f"{name}: {told}")
        return given[name]

    text = re.sub(r"\$\{(\w+):\?([^}]*)\}", value_of, COMPOSE.read_text())
    return dict(yaml.safe_load(text)["services"])


def test_it_is_a_compose_file_by_the_published_schema() -> None:
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        str(COMPOSE),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("left_out", sorted(GIVEN))
def test_it_does_not_start_without_what_must_be_given(left_out: str) -> None:
    with pytest.raises(ValueError, match=left_out):
        services({name: value for name, value in GIVEN.items() if name != left_out})


def test_its_parts_may_do_little() -> None:
    for name in ("server", "worker"):
        part = services(GIVEN)[name]
        assert part["read_only"] is True
        assert part["cap_drop"] == ["ALL"]
        assert [one for one in part["volumes"] if not one.endswith((":ro", "/.wfc"))] == []
    published = [port for part in services(GIVEN).values() for port in part.get("ports", ())]
    assert published == ["127.0.0.1:8470:8470"]


def test_the_image_installs_what_there_is() -> None:
    text = (ROOT / "deploy/Dockerfile").read_text()
    extras = re.search(r"^ARG EXTRAS=(.*)$", text, re.MULTILINE)
    assert extras is not None
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras[1].split(",")) <= known.keys()
    assert re.search(r"^USER (?!root|0)", text, re.MULTILINE)
    used = {one for part in services(GIVEN).values() if "command" in part for one in part["command"][:1]}
    assert used == {"serve", "worker"}


class Parts:
    """The parts as processes in one folder, which stands for the volumes that they share."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        (folder / "specs").mkdir()
        (folder / "specs/desk.yaml").write_text(DESK)
        self.services = services(GIVEN)
        self.database = database
        self.ports = {"8470": str(kept_port())}
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, name: str) -> subprocess.Popen[str]:
        """Start a part, and wait until it is healthy by its own check."""
        part = self.services[name]
        metrics = str(kept_port())
        ports = {**self.ports, "9464": metrics}
        given = {key: str(value) for key, value in part["environment"].items() if key != "PGPASSWORD"}
        given["WFC_STORE"] = self.database
        command = [sys.executable, "-c", PROGRAM, *(ports.get(one, one) for one in part["command"])]
        log = (self.folder / f"{name}{len(self.processes)}.txt").open("w")
        process = subprocess.Popen(
            command, cwd=self.folder, env={**os.environ, **given}, stderr=log, stdout=log, text=True
        )
        log.close()
        self.processes.append(process)
        kind, _, *check = part["healthcheck"]["test"]
        assert kind == "CMD"
        for old, new in ports.items():
            check = [one.replace(f":{old}/", f":{new}/") for one in check]
        until = time.monotonic() + LONG
        while subprocess.run([sys.executable, *check], capture_output=True, check=False).returncode:
            assert process.poll() is None and time.monotonic() < until, Path(log.name).read_text()
            time.sleep(0.1)
        return process

    def call(self, method: str, path: str, data: object = None, **more: str) -> tuple[int, Any]:
        """Ask the server, as people do under a name of this machine."""
        connection = http.client.HTTPConnection("127.0.0.1", int(self.ports["8470"]), timeout=LONG)
        headers = {
            "Host": "localhost:8470",
            "Authorization": f"Bearer {GIVEN['WFC_SERVER_TOKEN']}",
            "Content-Type": "application/json",
            **more,
        }
        connection.request(method, path, None if data is None else json.dumps(data), headers)
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return reply.status, json.loads(body)

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def parts(tmp_path: Path, database: str) -> Iterator[Parts]:
    found = Parts(tmp_path, database)
    yield found
    found.end()


@pytest.mark.full
def test_a_run_outlives_its_workers_and_ends_when_it_is_answered(parts: Parts) -> None:
    server = parts.start("server")
    workers = [parts.start("worker") for _ in range(parts.services["worker"]["deploy"]["replicas"])]
    status, run = parts.call("POST", "/v1/workflows/desk/runs", {"inputs": {"what": "tea"}})
    assert status == 201, run
    until = time.monotonic() + LONG
    while not (tasks := parts.call("GET", f"/v1/tasks?run={run['run']}")[1]["tasks"]):
        assert time.monotonic() < until
        time.sleep(0.1)
    for worker in workers:
        worker.kill()
    status, link = parts.call("POST", f"/v1/tasks/{tasks[0]['task']}/link", {"for": "user:eve"})
    assert status == 201, link
    answer = {"answer": {"granted": True}}
    status, told = parts.call("POST", "/v1/links/task", answer, Authorization=f"Link {link['token']}")
    assert status == 200, told
    last = parts.start("worker")
    while (shown := parts.call("GET", f"/v1/runs/{run['run']}")[1])["status"] != "done":
        assert time.monotonic() < until + LONG, shown
        time.sleep(0.1)
    assert shown["result"] == {"event": "Settled", "with": {"granted": True}}
    assert parts.call("GET", "/v1/me", Host="evil.example")[0] == 421
    for process in (last, server):
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 0
