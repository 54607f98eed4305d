"""What agents are offered for a reply, what has to be called first, and what calls save."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from desk_flow import FindArgs, TurnModel, assert_valid, call, calls, desk, in_turn, saving, says

from wfc.runtime import Record, StepError
from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.agents.offers import offer_of
from wfc.runtime.calls.transcripts import CallAnswer, CallRequest, Said, TurnReply

GOOD = call("find", '{"order_id": "A"}', "a")


async def find(_context: Any, args: FindArgs) -> str:
    if args.order_id == "bad":
        raise StepError("tool", "it is gone")
    return f"{args.order_id} is here"


FIND = AgentTool("find", find, FindArgs, "Finds an order.")
KEEP = AgentTool("keep", find, FindArgs, "Keeps a parcel.")


def run(*replies: TurnReply, tools: Any = (FIND, KEEP), **more: Any) -> tuple[str, TurnModel]:
    model = TurnModel(in_turn(*replies))

    async def main() -> str:
        return str(
            (await desk(Agent("desk", model, tools=list(tools), **more))().run(question="where?")).text
        )

    found = asyncio.run(main())
    for request in model.asked:
        assert_valid(request.said)
    return found, model


def told(model: TurnModel) -> list[str]:
    return [each.text for one in model.asked[-1].said for each in one.answers]


def test_the_first_tool_comes_first() -> None:
    early = calls(call("keep", '{"order_id": "A"}', "k"))
    both = calls(GOOD, call("keep", '{"order_id": "A"}', "k2"))
    text, model = run(says("done"), early, both, says("done"), first_tool="find")
    assert text == "done"
    assert [each.must_call for each in model.asked] == ["find", "find", "find", ""]
    assert model.asked[1].said[-1].text == "First call the tool `find`."
    assert told(model) == [
        "Not made: first call the tool `find`.",
        "A is here",
        "Not made: first call the tool `find`.",
    ]


def test_a_call_of_the_first_tool_that_fails_has_been_made() -> None:
    _, model = run(calls(call("find", '{"order_id": "bad"}')), says("done"), first_tool="find")
    assert [each.must_call for each in model.asked] == ["find", ""]


@pytest.mark.parametrize("style", ["function", "react"])
def test_who_never_calls_the_first_tool_gives_no_answer(style: Any) -> None:
    text, model = run(says("Answer: I do not."), first_tool="find", max_turns=3, style=style)
    assert text.startswith("agent.turns")
    assert len(model.asked) == 3


def test_the_last_turn_calls_nothing_not_even_the_first_tool() -> None:
    text, model = run(says("done"), first_tool="find", max_turns=1, last_turn="answer")
    assert (text, model.asked[0].must_call) == ("done", "")


def test_what_calls_save_is_seen_by_the_next_reply_and_decides_what_is_offered() -> None:
    wanted = [call("find", f'{{"order_id": "{each}"}}', each) for each in "ABCD"]
    model = TurnModel(in_turn(calls(*wanted[:2]), calls(wanted[2]), calls(wanted[3]), says("done")))
    tool = AgentTool("find", find, FindArgs, saves=True, output=str)

    async def main() -> str:
        return str((await saving(Agent("desk", model, tools=[tool]))().run(question="where?")).text)

    assert asyncio.run(main()) == "A is here, B is here, C is here"
    assert [str(each.system) for each in model.asked] == [f"{count} are known." for count in (0, 2, 3, 3)]
    assert [len(each.tools) for each in model.asked] == [1, 1, 0, 0]
    assert told(model)[-1].startswith("error: there is no tool `find`")


def test_what_was_saved_stays_where_the_agent_fails() -> None:
    tool = AgentTool("find", find, FindArgs, saves=True, output=str)
    model = TurnModel(
        in_turn(calls(GOOD, call("find", '{"order_id": "bad"}', "b")), StepError("model", "no"))
    )

    async def main() -> str:
        return str((await saving(Agent("desk", model, tools=[tool]))().run(question="where?")).text)

    assert asyncio.run(main()) == "model: 1"


def test_a_result_that_is_saved_is_no_answer() -> None:
    tool = AgentTool("find", find, FindArgs, saves=True, output=str)
    model = TurnModel(in_turn(calls(GOOD), says("done")))
    agent = Agent("desk", model, tools=[tool])
    assert str(asyncio.run(as_text(agent))) == "done"


async def as_text(agent: Agent) -> str:
    return str((await desk(agent)().run(question="where?")).text)


class Nothing(Record):
    pass


def many(count: int, offer: int) -> Agent:
    tools = [AgentTool(f"tool_{at}", find, Nothing, f"About the word{at} of it.") for at in range(count)]
    return Agent("desk", TurnModel(in_turn(says(""))), tools=tools, offer=offer)


def shown(agent: Agent, said: list[Said]) -> list[str]:
    return offer_of(agent, said, said[1:], lambda tool: True).names


def test_of_many_tools_those_that_fit_are_offered() -> None:
    letters = AgentTool("send_letter", find, Nothing, "Writes to a customer by post.")
    prices = AgentTool("price_of", find, Nothing, "What an article costs.")
    parcels = AgentTool("track", find, Nothing, "Where a parcel is.")
    agent = Agent("desk", TurnModel(in_turn(says(""))), tools=[letters, prices, parcels], offer=1)
    assert shown(agent, [Said(role="user", text="Which parcels are late?")]) == ["track"]
    assert shown(agent, [Said(role="user", text="Post a letter to our customers")]) == ["send_letter"]
    assert shown(agent, [Said(role="user", text="Anything")]) == ["send_letter"]
    called = [
        Said(role="user", text="Which parcels are late?"),
        Said(role="model", calls=[CallRequest(id="1", tool="price_of", args="{}")]),
        Said(role="tools", answers=[CallAnswer(id="1", tool="price_of", text="12")]),
    ]
    assert shown(agent, called) == ["price_of"]


@pytest.mark.parametrize("seed", range(20))
def test_an_offer_is_as_large_as_it_may_be_and_keeps_what_was_used(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - it decides what a test does
    count, offer = chance.randint(1, 200), chance.randint(1, 20)
    used = [f"tool_{chance.randrange(count)}" for _ in range(chance.randint(0, 5))]
    said = [Said(role="user", text=f"word{chance.randrange(count)}")]
    for at, name in enumerate(used):
        said += [
            Said(role="model", calls=[CallRequest(id=str(at), tool=name, args="{}")]),
            Said(role="tools", answers=[CallAnswer(id=str(at), tool=name, text="so")]),
        ]
    found = shown(many(count, offer), said)
    assert len(found) == len(set(found)) == min(count, offer)
    assert set(list(dict.fromkeys(reversed(used)))[:offer]) <= set(found)
    assert found == [f"tool_{at}" for at in range(count) if f"tool_{at}" in found]
