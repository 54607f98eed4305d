"""Programs for llama-index-workflows that serve workflows, and clients of its own, run here once their imports change.

They are of the kinds that its documentation shows, and make the calls that it names. Each is a process of its own. The
servers are changed in their imports and in the port, the clients in the port alone: they are the other side, which
knows nothing of us. What a client prints, and what a server answers, is what it is with theirs.
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
from kept_ports import kept_port
from served_ports import HOST, PORT, listens

FOLDER = Path(__file__).with_name("served_programs")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("llama_agents") is None or importlib.util.find_spec("fastapi") is None,
    reason="pip install llama-agents-server llama-agents-client fastapi",
)

BOTH = [pytest.param(False, id="theirs", marks=pytest.mark.full), pytest.param(True, id="ours")]


def at_port(name: str, port: int, folder: Path, *, is_ours: bool = False) -> Path:
    """A program at a port, after the change of its imports if it is to be ours."""
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
    port = kept_port()
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
        process.wait(120)


# the server, the client, what its person types, and what it prints
SESSIONS = {
    "a run that is followed": (
        "till_server",
        "till_client",
        "",
        r"""served: \['till'\]
Basket {'prices': \[250, 150\], 'voucher': 50}
Subtotal {'cents': 400}
Receipt {'text': 'to pay: 350'}
completed {'text': 'to pay: 350'}
""",
    ),
    "a person answers": (
        "porter_server",
        "porter_client",
        " room 12 \n",
        r"""Which room\? taken
completed {'output': 'Your bags are in room 12'}
""",
    ),
}


@pytest.mark.parametrize("is_ours", BOTH)
@pytest.mark.parametrize("session", SESSIONS)
def test_a_client_sees_the_same(session: str, is_ours: bool, tmp_path: Path) -> None:
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
    assert re.fullmatch(printed, done.stdout), done.stdout + done.stderr


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
    with served("ferry_fastapi", tmp_path, is_ours=is_ours) as port:
        below = "/workflows-of-the-ferry"
        assert json.loads(asked(port, "GET", "/piers/3")[1]) == {"number": 3, "name": "Pier 3"}
        assert json.loads(asked(port, "GET", f"{below}/health")[1])["status"] == "healthy"
        assert json.loads(asked(port, "GET", f"{below}/workflows")[1]) == {"workflows": ["fare", "departure"]}
        given = {"kwargs": {"passenger": {"name": "ada", "age": 9}}}
        status, told = asked(port, "POST", f"{below}/workflows/fare/run", given)
        assert (status, value(told)["result"]) == (200, {"name": "Ada", "pays": 3})


# the workflow, what it is given, and its result
CALLS = [
    ("marks", {"marks": [1, 2], "how": "best"}, {"how": "best", "mark": 2}),
    ("marks", {"marks": [1, 2]}, {"how": "mean", "mark": 1.5}),
    ("correcting", {"names": ["Cy"]}, {"corrected": ["CY"]}),
    ("welcome", {"age": 7, "knows_the_way": False}, "led to room 1"),
    ("welcome", {"age": 12, "knows_the_way": False}, "led to room 2"),
    ("welcome", {"age": 7, "knows_the_way": True}, "sent to room 1"),
]


@pytest.mark.parametrize("is_ours", BOTH)
def test_the_calls_of_a_server_of_several_workflows(is_ours: bool, tmp_path: Path) -> None:
    with served("school_server", tmp_path, is_ours=is_ours) as port:
        names = ["lessons", "marks", "correcting", "welcome", "excuses"]
        assert json.loads(asked(port, "GET", "/workflows")[1]) == {"workflows": names}
        for workflow, inputs, wanted in CALLS:
            status, told = asked(port, "POST", f"/workflows/{workflow}/run", {"kwargs": inputs})
            assert status == 200, told
            assert value(told)["result"] == wanted
        assert asked(port, "POST", "/workflows/lessons/run", {"kwargs": {"subject": "Art"}})[0] == 400

        whole = {"subject": "Art", "minutes": 45, "has_break": True}
        begun = asked(port, "POST", "/workflows/lessons/run-nowait", {"kwargs": whole})[1]
        handler = json.loads(begun)["handler_id"]
        lines = asked(port, "GET", f"/events/{handler}?sse=false&after_sequence=-1")[1].splitlines()
        told = [json.loads(line) for line in lines]
        assert [one["value"]["stroke"] for one in told if one["type"] == "Bell"] == [0, 1, 2]
        status, told_last = asked(port, "GET", f"/results/{handler}")
        assert (status, json.loads(told_last)["result"]) == (200, {"line": "Art: 55 min", "minutes": 55})

        begun = asked(port, "POST", "/workflows/excuses/run-nowait", {"kwargs": {"day": "Monday"}})[1]
        handler = json.loads(begun)["handler_id"]
        answer = {"event": {"type": "Said", "value": {"response": "ill"}}}
        time.sleep(0.5)  # until it has asked
        assert json.loads(asked(port, "POST", f"/events/{handler}", answer)[1]) == {"status": "sent"}
        for _ in range(100):
            status, last = asked(port, "GET", f"/handlers/{handler}")
            if status != 202:
                break
            time.sleep(0.1)
        assert value(last)["result"] == "noted: ill"


@pytest.mark.parametrize("is_ours", BOTH)
def test_a_program_that_the_module_serves(is_ours: bool, tmp_path: Path) -> None:
    with served("echo_program", tmp_path, is_ours=is_ours, by_module=True) as port:
        status, told = asked(port, "POST", "/workflows/echo/run", {"start_event": {"word": "hey"}})
        assert (status, value(told)) == (200, {"result": "hey and hey"})
        status, told = asked(
            port, "POST", "/workflows/echo/run-nowait", {"start_event": {}, "handler_id": "h1"}
        )
        assert json.loads(told)["handler_id"] == "h1"
        events = asked(port, "GET", "/events/h1?after_sequence=-1")[1]
        assert events.count("Heard") >= 3
        assert "oh and oh" in events
        status, told = asked(port, "POST", "/handlers/h1/cancel?purge=true")
        assert json.loads(told) == {"status": "deleted"}
        assert asked(port, "GET", "/handlers/h1")[0] == 404
