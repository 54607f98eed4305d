"""Bad replies of models over real HTTP, to an agent of a spec, in the protocols of three providers.

Each comes to one clear end, within its bounds, and the same process is answered afterwards: nothing is left behind.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from model_wire import SHAPES, Asked, Call, Reply, Shape, answering_at, serving

from wfc.compiler.cli.programs import Program, compiled_here, load_compiled
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import load
from wfc.runtime.calls.transcripts import ANSWER_TOOL

SPEC = """\
wfc: 1
workflow: lost_desk
start: Asked
end: [Answered, GaveUp]
models:
  fast: {use: "openai:gpt-4o-mini", timeout: 20s}
retries:
  patient: {max_attempts: 2, retry_on: [http.429], delay: 10ms}
tools:
  find:
    python: "finding:find"
    description: Finds an order.
    args: {order_id: string, customer: string}
    output: string
agents:
  bills:
    description: Knows bills.
    model: fast
    args: {about: string}
    output: Told
  desk:
    model: fast
    args: {customer: string, text: string}
    prompt: ${{ args.text }}
    tools: [{tool: find, with: {customer: "${{ args.customer }}"}}]
    handoffs: [bills]
    output: Told
    max_turns: 6
types:
  Told: {item: string}
events:
  Asked: {customer: string, text: string}
  Answered: {item: string}
  GaveUp: {name: string, message: string}
steps:
  help:
    kind: agent
    accepts: Asked
    agent: desk
    with: {customer: "${{ event.customer }}", text: "${{ event.text }}"}
    retry: patient
    STREAM
    on_error:
      - errors: [agent, model, http, connection, timeout]
        event: GaveUp
        with: {name: "${{ error.name }}", message: "${{ error.message }}"}
    emit: {event: Answered, with: {item: "${{ result.item }}"}}
"""
TOOL = """\
CALLS = []
def find(order_id, customer):
    CALLS.append((order_id, customer))
    return f"{order_id} is here"
"""
GOOD = Reply(calls=[Call(ANSWER_TOOL, {"item": "pen"}, "good")])
FIND = Call("find", {"order_id": "A"}, "a")


class Bad(NamedTuple):
    """What a model replies wrongly, and what comes of it.

    Args:
        replies: The replies in their order, of which the last one repeats.
        asked: How often the model is asked.
        error: The error's name where the agent gives up, or several, as clients see it otherwise; empty: it answers.
        told: A text that the model is told in its last request.
        calls: How many calls of the tool are made.
    """

    replies: tuple[Reply, ...]
    asked: int
    error: str = ""
    told: str = ""
    calls: int = 0


def calling(*calls: Call) -> Reply:
    return Reply(calls=calls)


BAD = {
    "loops for ever": Bad((calling(FIND),), 6, "agent.turns", "A is here", 6),
    "returns 10 MB": Bad((Reply(text="x" * 10_000_000), GOOD), 2, told="cannot be used"),
    "returns 17 MB": Bad((Reply(text="x" * 17 * 2**20),), 1, "model.too_large"),
    "gives 10 MB to a tool": Bad(
        (calling(Call("find", {"order_id": "x" * 10_000_000}, "a")), GOOD),
        2,
        told="no JSON record of at most 100,000",
    ),
    "says nothing": Bad((Reply(), GOOD), 2),
    "says nothing for ever": Bad((Reply(),), 6, "agent.turns"),
    "invents a tool": Bad((calling(Call("steal", {}, "a")), GOOD), 2, told="steal"),
    "sends what is bound": Bad(
        (calling(Call("find", {"order_id": "A", "customer": "mallory"}, "a")), GOOD), 2, told="customer"
    ),
    "hands over to itself": Bad((calling(Call("hand_over_to_desk", {}, "a")), GOOD), 2, told="desk"),
    "calls a thousand tools": Bad(
        (calling(*(Call("find", {"order_id": f"n{at}"}, f"c{at}") for at in range(1000))), GOOD),
        2,
        told="Not made: at most 32",
        calls=32,
    ),
    "sends no arguments": Bad((calling(Call("find", {}, "a")), GOOD), 2, told="order_id"),
    "answers outside the schema": Bad(
        (calling(Call(ANSWER_TOOL, {"thing": 1}, "a")), GOOD), 2, told="cannot be used"
    ),
    "answers outside the schema for ever": Bad(
        (calling(Call(ANSWER_TOOL, {"thing": 1}, "a")),), 6, "agent.turns", "cannot be used"
    ),
    "refuses": Bad((Reply(text="I will not.", reason="refused"),), 1, "model.refused"),
    "is cut at its limit": Bad((Reply(text="It is", reason="length"),), 1, "model.cut_off"),
    "has too many requests at first": Bad(
        (Reply(status=429, text="slow down", headers={"Retry-After": "1"}), GOOD), 2
    ),
    "has too many requests": Bad((Reply(status=429, text="slow down"),), 2, "http.429"),
    "fails": Bad((Reply(status=500, text="not now"),), 1, "http.500"),
    "is no JSON": Bad((Reply(raw=b"<html>lost</html>"),), 1, "model model.invalid_output"),
    "is an empty body": Bad((Reply(raw=b""),), 1, "model model.invalid_output agent.turns"),
    "breaks off in the middle": Bad((Reply(text="It is here. " * 50, cut_after=300),), 1, "model connection"),
}
"""By name: what a model does."""


@pytest.fixture(scope="module", params=["", "stream: {tokens: true}"], ids=["whole", "streamed"])
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, Path]:
    folder = tmp_path_factory.mktemp("bad_replies").resolve()
    (folder / "finding.py").write_text(TOOL)
    path = folder / "lost_desk.yaml"
    path.write_text(SPEC.replace("    STREAM\n", f"    {request.param}\n" if request.param else ""))
    source = load(str(path))
    project = project_of([source])
    found = load_compiled(compiled_here(source.raw, source.path, project), project)
    assert found is not None
    return found, folder


def cases() -> list[Any]:
    """Each reply in each protocol; the ordinary suite has one protocol for each."""
    found = []
    for number, name in enumerate(BAD):
        for at, shape in enumerate(SHAPES.values()):
            marks = [] if at == number % len(SHAPES) else [pytest.mark.full]
            found.append(pytest.param(name, shape, id=f"{name}-{shape.name}", marks=marks))
    return found


@pytest.mark.parametrize(("name", "shape"), cases())
def test_a_bad_reply(desk: tuple[Program, Path], name: str, shape: Shape) -> None:
    program, folder = desk
    bad, asked = BAD[name], list[Asked]()

    def answer(request: Asked) -> Reply:
        asked.append(request)
        return bad.replies[min(len(asked), len(bad.replies)) - 1]

    with serving(answer) as service, answering_at(service.url, shape):
        began = time.monotonic()
        ended = asyncio.run(one_run(program))
        took = time.monotonic() - began
        service.answer = lambda request: GOOD
        assert asyncio.run(one_run(program)).item == "pen"
    if bad.error:
        assert ended.name in bad.error.split()
        assert 0 < len(ended.message) < 1_000
    else:
        assert ended.item == "pen"
    # one client takes an empty body for a reply that says nothing, which costs turns
    assert len(asked) == (6 if bad.error and ended.name == "agent.turns" else bad.asked)
    assert bad.told in asked[-1].text
    assert len(asked[-1].text) < 1_500_000
    assert calls_of_tool(folder) == bad.calls
    assert took < 20
    if "Retry-After" in bad.replies[0].headers:
        assert took >= 1


async def one_run(program: Program) -> Any:
    return await program.workflow().run(customer="ann", text="Where is A?")


def calls_of_tool(folder: Path) -> int:
    """How many calls of the tool in a folder were made since somebody asked."""
    files = {str(getattr(module, "__file__", "")): module for module in list(sys.modules.values())}
    module = files.get(str(folder / "finding.py"))
    made: list[Any] = module.CALLS if module is not None else []
    count = len(made)
    assert {customer for _, customer in made} <= {"ann"}
    made.clear()
    return count
