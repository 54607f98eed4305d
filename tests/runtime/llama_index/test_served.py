"""A program that serves workflows for clients of llama-index-workflows: they see the same on both servers."""

from __future__ import annotations

import asyncio
import http.client
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kept_ports import kept_port
from served_ports import HOST, PORT, listens

from wfc.runtime.errors import SettingsError
from wfc.runtime.llama_index.server import (
    AbstractWorkflowStore,
    AgentDataStore,
    SqliteWorkflowStore,
    WorkflowServer,
)
from wfc.runtime.llama_index.server.__main__ import main

HERE = Path(__file__).parent / "served"


@contextmanager
def serving(module: str, program: Path) -> Iterator[int]:
    port = kept_port()
    process = subprocess.Popen(
        [sys.executable, "-m", module, program],
        env={**os.environ, HOST: "127.0.0.1", PORT: str(port)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(4000):
            assert process.poll() is None, process.communicate()[1]
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.communicate(timeout=120)


def on_ours(folder: Path) -> Path:
    """The program after the change of its imports."""
    text = (HERE / "program.py").read_text()
    ours = folder / "program.py"
    ours.write_text(
        text.replace("from llama_agents.server", "from wfc.runtime.llama_index.server").replace(
            "from workflows", "from wfc.runtime.llama_index"
        )
    )
    return ours


def seen(port: int) -> Any:
    """What the client of llama-index-workflows sees."""
    command = [sys.executable, HERE / "client.py", f"http://127.0.0.1:{port}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    found["events"] = sorted(
        set(found["events"])
    )  # an event that steps take already is there twice on theirs
    for schema in found["schema"].values():
        schema.pop("additionalProperties", None)  # ours say that further fields are taken, as they are
    return found


@pytest.mark.full
@pytest.mark.skipif(
    importlib.util.find_spec("llama_agents") is None,
    reason="pip install llama-agents-server llama-agents-client",
)
def test_a_client_sees_the_same_on_both_servers(tmp_path: Path) -> None:
    with serving("llama_agents.server", HERE / "program.py") as port:
        theirs = seen(port)
    with serving("wfc.runtime.llama_index.server", on_ours(tmp_path)) as port:
        assert seen(port) == theirs
        for headers, status in (
            ({"Host": "evil.example"}, 421),
            ({"Host": "127.0.0.1@evil.example"}, 421),
            ({"Origin": "https://evil.example"}, 403),
            ({}, 200),
        ):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("POST", "/workflows/plain/run", '{"start_event": {}}', headers)
            reply = connection.getresponse()
            reply.read()
            connection.close()
            assert reply.status == status
            assert not [name for name, _ in reply.getheaders() if name.lower().startswith("access-control")]


def derived() -> None:
    class OwnStore(AbstractWorkflowStore):
        pass


class DBOSRuntime:
    """Stands for that of llama-agents-dbos."""


@pytest.mark.parametrize(
    ("made", "name", "address"),
    [
        (lambda: SqliteWorkflowStore(db_path="w.db"), "SqliteWorkflowStore", "sqlite:///w.db"),
        (
            lambda: SqliteWorkflowStore("/a/w.db", poll_interval=2.0),
            "SqliteWorkflowStore",
            "sqlite:////a/w.db",
        ),
        (AgentDataStore, "AgentDataStore", "sqlite:///runs.db"),
        (derived, "OwnStore", "sqlite:///runs.db"),
        (lambda: WorkflowServer(workflow_store=object()), "object", "sqlite:///runs.db"),
        (lambda: WorkflowServer(runtime=DBOSRuntime()), "DBOSRuntime", "postgresql://"),
    ],
)
def test_a_store_that_is_not_taken_is_refused_with_what_to_write_instead(
    made: Callable[[], object], name: str, address: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        made()
    assert f"takes no {name}," in str(refused.value)
    assert f'Engine(store="{address}' in str(refused.value)
    assert f"wfc serve --store {address}" in str(refused.value)


MOUNTED = """\
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from wfc.runtime.llama_index import Workflow, step
from wfc.runtime.llama_index.events import StartEvent, StopEvent
from wfc.runtime.llama_index.server import MemoryWorkflowStore, WorkflowServer


class Sums(Workflow):
    @step
    async def add(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=getattr(ev, "a", 0) + getattr(ev, "b", 0))


async def own(request):
    return PlainTextResponse("own")


served = WorkflowServer(workflow_store=MemoryWorkflowStore(max_completed=2))
served.add_workflow("sums", Sums())
app = Starlette(routes=[Route("/own", own), Mount("/served", served.app)])
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
"""


def asked(port: int, method: str, path: str, body: str | None = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, body)
    reply = connection.getresponse()
    told = reply.read().decode()
    connection.close()
    return reply.status, json.loads(told) if told[:1] in "{[" else told


def test_a_server_is_mounted_in_another_application_and_forgets_what_is_over(tmp_path: Path) -> None:
    program = tmp_path / "mounted.py"
    program.write_text(MOUNTED)
    port = kept_port()
    process = subprocess.Popen([sys.executable, program, str(port)])
    try:
        assert listens(port)
        assert asked(port, "GET", "/own") == (200, "own")
        assert asked(port, "GET", "/served/workflows") == (200, {"workflows": ["sums"]})
        for number in range(5):
            status, told = asked(
                port, "POST", "/served/workflows/sums/run", f'{{"kwargs": {{"a": {number}, "b": 2}}}}'
            )
            assert (status, told["result"]["value"]) == (200, {"result": number + 2})
        kept = asked(port, "GET", "/served/handlers")[1]["handlers"]
        assert [one["result"]["value"]["result"] for one in kept] == [5, 6]
    finally:
        process.kill()
        process.wait()


def test_a_port_may_be_a_text() -> None:
    async def main(port: int) -> str:
        serving = asyncio.create_task(WorkflowServer().serve("127.0.0.1", str(port)))
        assert await asyncio.to_thread(listens, port)
        found = await asyncio.to_thread(asked, port, "GET", "/health")
        serving.cancel()
        await asyncio.wait([serving])
        return str(found[1]["status"])

    assert asyncio.run(main(kept_port())) == "healthy"


def test_what_is_not_served_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty.py"
    empty.write_text("")
    wrong = [([], "Usage"), ([str(tmp_path / "nope.py")], "no file"), ([str(empty)], "No WorkflowServer")]
    for arguments, said in wrong:
        assert main(arguments) == 1
        assert said in capsys.readouterr().err
    monkeypatch.setenv(PORT, "x")
    assert main([str(empty)]) == 1
    assert "is no port" in capsys.readouterr().err
