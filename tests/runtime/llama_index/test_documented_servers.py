"""The examples of servers and clients in the documentation of llama-index-workflows, as they are but for their imports.

Each is a process of its own. The servers are changed in their imports and in the port, the clients in the port alone:
they are the other side, which knows nothing of us. What a client prints, and what a server answers to the documented
calls, is what it is with theirs.
"""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from served_ports import HOST, PORT, free_port, listens

FOLDER = Path(__file__).with_name("documented")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("llama_agents") is None or importlib.util.find_spec("fastapi") is None,
    reason="pip install llama-agents-server llama-agents-client fastapi",
)

BOTH = [pytest.param(False, id="theirs", marks=pytest.mark.full), pytest.param(True, id="ours")]


def at_port(name: str, port: int, folder: Path, *, is_ours: bool = False) -> Path:
    """An example at a port, after the change of its imports if it is to be ours."""
    text = (FOLDER / f"{name}.py").read_text()
    text = re.sub(r"(?<=[:=, ])8000\b", str(port), text)
    if is_ours:
        text = re.sub(
            r"^from llama_agents\.server\b", "from wfc.runtime.llama_index.server", text, flags=re.M
        )
        text = re.sub(r"^from workflows\b", "from wfc.runtime.llama_index", text, flags=re.M)
        assert not re.search(r"^(from|import) (workflows|llama_)", text, re.MULTILINE)
    path = folder / f"{name}.py"
    path.write_text(text)
    return path


@contextmanager
def served(name: str, folder: Path, *, is_ours: bool, by_module: bool = False) -> Iterator[int]:
    port = free_port()
    program = at_port(name, port, folder, is_ours=is_ours)
    module = "wfc.runtime.llama_index.server" if is_ours else "llama_agents.server"
    process = subprocess.Popen(
        [sys.executable, *(["-m", module] if by_module else []), program],
        env={**os.environ, HOST: "127.0.0.1", PORT: str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert listens(port)
        yield port
    finally:
        process.terminate()
        process.wait(20)


# the server, the client, what its person types, and what it prints
SESSIONS = {
    "a run that is followed": (
        "base_server",
        "base_client",
        "",
        r"""===== AVAILABLE WORKFLOWS ====
workflows=\['add_or_subtract'\]
==== STARTING THE WORKFLOW ===
Workflow running with handler ID: \S+
=== STREAMING EVENTS ===
Received event type=InputNumbers data={'a': 1, 'b': 3, 'operation': 'addition'}
Received event type=CalculationEvent data={'result': 4}
Received event type=OutputEvent data={'message': 'You addition operation \(addition\) between 1 and 3: 4'}
Final result: .*'message': 'You addition operation \(addition\) between 1 and 3: 4'.* \(status: completed\)
""",
    ),
    "a person answers": (
        "person_server",
        "person_client",
        " ada \n",
        r"""\S+
Workflow is requiring human input: What is your name\?
Reply here: Event has been sent
Workflow complete with status: completed\)
""",
    ),
}


@pytest.mark.parametrize("is_ours", BOTH)
@pytest.mark.parametrize("session", SESSIONS)
def test_a_documented_client_sees_what_its_documentation_says(
    session: str, is_ours: bool, tmp_path: Path
) -> None:
    server, client, typed, printed = SESSIONS[session]
    with served(server, tmp_path, is_ours=is_ours) as port:
        done = subprocess.run(
            [sys.executable, at_port(client, port, tmp_path)],
            input=typed,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert re.match(printed, done.stdout), done.stdout + done.stderr


def asked(port: int, method: str, path: str, data: object = None) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = None if data is None else json.dumps(data)
    connection.request(method, path, body, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    told = reply.read().decode()
    connection.close()
    return reply.status, told


def value(told: str) -> Any:
    return json.loads(told)["result"]["value"]


@pytest.mark.parametrize("is_ours", BOTH)
def test_the_server_within_an_application_of_fastapi(is_ours: bool, tmp_path: Path) -> None:
    with served("fastapi_server", tmp_path, is_ours=is_ours) as port:
        user = {"user_id": 123, "name": "User 123", "email": "user123@example.com"}
        assert json.loads(asked(port, "GET", "/users/123")[1]) == user
        assert json.loads(asked(port, "GET", "/wf-server/health")[1])["status"] == "healthy"
        assert json.loads(asked(port, "GET", "/wf-server/workflows")[1]) == {
            "workflows": ["user_processing", "notification"]
        }
        given = {"kwargs": {"user_data": {"name": "alice", "email": "alice@company.com"}}}
        status, told = asked(port, "POST", "/wf-server/workflows/user_processing/run", given)
        processed = {"processed_name": "ALICE", "domain": "company.com", "status": "processed"}
        assert (status, value(told)["result"]) == (200, processed)


# the calls of the notebook beside the example, and of the documentation
CALLS = [
    ("math", {"a": 10, "b": 5, "operation": "multiply"}, {"result": 50}),
    ("math", {"a": 100, "b": 25, "operation": "divide"}, {"result": 4.0}),
    ("processing", {"things": ["a"]}, {"processed_items": ["processed_a"], "total": 1}),
    ("complicated", {"age": 7, "name": "A", "terrestrian": True, "language": "en"}, "Hello back, old person"),
    (
        "complicated",
        {"age": 70, "name": "A", "terrestrian": True, "language": "en"},
        "Hello back, young fella",
    ),
    ("complicated", {"age": 7, "name": "A", "terrestrian": False, "language": "martian"}, "Ifmmp cbdl!"),
]


@pytest.mark.parametrize("is_ours", BOTH)
def test_the_calls_of_the_example_of_many_workflows(is_ours: bool, tmp_path: Path) -> None:
    with served("many_server", tmp_path, is_ours=is_ours) as port:
        names = ["greeting", "processing", "math", "complicated", "human_in_the_loop"]
        assert json.loads(asked(port, "GET", "/workflows")[1]) == {"workflows": names}
        for workflow, inputs, wanted in CALLS:
            status, told = asked(port, "POST", f"/workflows/{workflow}/run", {"kwargs": inputs})
            assert status == 200, told
            found = value(told)["result"]
            assert (found if isinstance(wanted, str) else {key: found[key] for key in wanted}) == wanted
        assert asked(port, "POST", "/workflows/greeting/run", {"kwargs": {"name": "Alice"}})[0] == 400

        whole = {"greeting": "Hi", "name": "Ada", "exclamation_marks": 2, "formal": False}
        begun = asked(port, "POST", "/workflows/greeting/run-nowait", {"kwargs": whole})[1]
        handler = json.loads(begun)["handler_id"]
        lines = asked(port, "GET", f"/events/{handler}?sse=false&after_sequence=-1")[1].splitlines()
        told = [json.loads(line) for line in lines]
        assert [one["value"]["sequence"] for one in told if one["type"] == "StreamEvent"] == [0, 1, 2]
        status, told_last = asked(port, "GET", f"/results/{handler}")
        greeted = {"full_greeting": "Hi, Ada!!", "is_formal": False, "length": 9}
        assert (status, json.loads(told_last)["result"]) == (200, greeted)

        begun = asked(
            port, "POST", "/workflows/human_in_the_loop/run-nowait", {"kwargs": {"input_str": "x"}}
        )[1]
        handler = json.loads(begun)["handler_id"]
        answer = {"event": {"type": "ResponseEvent", "value": {"response": "Ada"}}}
        time.sleep(1.5)  # as long as the example takes to ask
        assert json.loads(asked(port, "POST", f"/events/{handler}", answer)[1]) == {"status": "sent"}
        for _ in range(100):
            status, last = asked(port, "GET", f"/handlers/{handler}")
            if status != 202:
                break
            time.sleep(0.1)
        assert value(last)["result"] == "Nice to meet you, Ada!"


@pytest.mark.parametrize("is_ours", BOTH)
def test_a_program_that_the_module_serves(is_ours: bool, tmp_path: Path) -> None:
    with served("my_server", tmp_path, is_ours=is_ours, by_module=True) as port:
        status, told = asked(port, "POST", "/workflows/greet/run", {"start_event": {"name": "John"}})
        assert (status, value(told)) == (200, {"result": "Hello, John!"})
        status, told = asked(
            port, "POST", "/workflows/greet/run-nowait", {"start_event": {}, "handler_id": "h1"}
        )
        assert json.loads(told)["handler_id"] == "h1"
        events = asked(port, "GET", "/events/h1?after_sequence=-1")[1]
        assert events.count("StreamEvent") >= 3
        assert "Hello, World!" in events
        status, told = asked(port, "POST", "/handlers/h1/cancel?purge=true")
        assert json.loads(told) == {"status": "deleted"}
        assert asked(port, "GET", "/handlers/h1")[0] == 404
