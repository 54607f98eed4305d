"""What providers are sent after a hand-over, over real HTTP, judged by the rules that each has for transcripts."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from desk_flow import FindArgs, Task, call
from idle_host import Host
from provider_rules import JUDGES

from wfc.runtime import Model, Secret, StepError
from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.agents.events import AgentAtWork, AgentInput, LoopState
from wfc.runtime.agents.hand_overs import go_on
from wfc.runtime.agents.loop import AgentLoop
from wfc.runtime.calls.transcripts import CallAnswer, Said

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")]

USES = {"openai:gpt-4o-mini": "/v1", "anthropic:claude-haiku-4-5": "", "google:gemini-2.5-flash": ""}


class BegunHost(Host):
    """One of a run that no other has begun."""

    _run = SimpleNamespace(workflow=None)


@pytest.fixture
def asked() -> Iterator[tuple[str, list[Any]]]:
    """The address of a service that keeps what it is asked and says that it is out of order."""
    bodies: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(500)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    server.server_close()


async def find(_context: Any, args: FindArgs) -> str:
    return args.order_id


def answers(*ids: str) -> Said:
    return Said(
        role="tools", answers=[CallAnswer(id=each, tool="find", text=f"{each} is here") for each in ids]
    )


TOLD = CallAnswer(id="h", tool="hand_over_to_second", text="second goes on")
LOOKS = [call("find", '{"order_id": "A"}', "a"), call("find", "{}", "b")]
TALK = [
    Said(role="model", text="I look.", calls=LOOKS, raw="[]"),
    answers("a", "b"),
    Said(role="model", text=""),
    Said(role="user", text="Nothing was said. Give the answer."),
    Said(role="model", calls=[call("find", "", "c"), call("hand_over_to_second", '{"task": "go on"}', "h")]),
    Said(role="tools", answers=[*answers("c").answers, TOLD]),
]


@pytest.mark.parametrize("style", ["function", "react"])
@pytest.mark.parametrize("has_tools", [True, False])
@pytest.mark.parametrize("sees", ["said", "all", "nothing"])
@pytest.mark.parametrize("use", USES)
def test_a_transcript_that_was_handed_over_is_one_that_the_provider_takes(
    use: str,
    sees: Any,
    has_tools: bool,
    style: Any,
    asked: tuple[str, list[Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, bodies = asked
    monkeypatch.setenv("MODEL_KEY", "sk-none")
    model = Model(use, base_url=address + USES[use], api_key=Secret("MODEL_KEY"))
    tools = [AgentTool("find", find, FindArgs)] if has_tools else []
    second = Agent("second", model, tools=tools, args=Task, sees=sees, style=style)

    class Loop(AgentLoop, agent=Agent("first", model), team=[second], name="desk.first"):
        pass

    inputs, state = AgentInput(prompt="Where?"), LoopState(messages=TALK)
    go_on(second, AgentAtWork(agent="second", prompt="Go on."), inputs, state)
    loop, host = Loop(), BegunHost()
    request = loop.request(host, inputs, state, loop.offer(host, inputs, state, None))
    with pytest.raises(StepError) as told:
        asyncio.run(model.take_turn(host, request))
    assert bodies, told.value
    JUDGES[use.partition(":")[0]](bodies[0])
    assert not use.startswith("openai") or bodies[0]["messages"][-1]["role"] == "user"
