"""What watchers are told of an agent's calls and hand-overs, and that nobody is who has not asked."""

from __future__ import annotations

from typing import Any

from desk_flow import FindArgs, Task, TurnModel, as_tool, call, calls, desk, hand_over_to, in_turn, says

from wfc.runtime import CallAnswered, CallAsked, HandedOver, StepError, TokenText
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.testing import run_virtually

OF_CALLS = CallAsked | CallAnswered | HandedOver


async def find(_context: Any, args: FindArgs) -> str:
    if args.order_id == "X":
        raise StepError("http.503", "the shop is closed")
    return f"{args.order_id} is here"


def shown(kind: Any) -> list[str]:
    """What the watchers of a desk are told of calls, in short."""

    async def main() -> list[Any]:
        handler = kind().run(question="where?")
        return [each async for each in handler.stream_events() if isinstance(each, OF_CALLS)]

    found = run_virtually(main)
    assert {each.step for each in found} <= {"answer"}
    return [in_short(each) for each in found]


def in_short(event: Any) -> str:
    who = f"{event.agent} {event.turn}"
    if isinstance(event, CallAsked):
        return f"{who}: {event.tool} {event.args}"
    if isinstance(event, HandedOver):
        return f"{who}: to {event.to}"
    return f"{who}: {event.tool} {event.outcome}: {event.text}"


def test_calls_and_what_became_of_them() -> None:
    one, gone = call("find", '{"order_id": "A"}', "one"), call("find", '{"order_id": "X"}', "two")
    model = TurnModel(in_turn(calls(one, gone), calls(call("nope", "{}", "three")), says("done")))
    agent = Agent("desk", model, tools=[AgentTool("find", find, FindArgs)], shown=["calls"])
    assert shown(desk(agent)) == [
        "desk 1: find {'order_id': 'A'}",
        "desk 1: find {'order_id': 'X'}",
        "desk 1: find done: A is here",
        "desk 1: find failed: error: the shop is closed (http.503)",
        "desk 2: nope {}",
        "desk 2: nope failed: error: there is no tool `nope`; those that there are: `find` (agent.unknown_tool)",
    ]


def test_what_the_spec_binds_is_shown_to_nobody_and_a_refused_call_is_told() -> None:
    tool = AgentTool("find", find, FindArgs, bound=["order_id"], approve=lambda *_: Approval(within=60.0))
    model = TurnModel(in_turn(calls(call("find", "{}", "one")), says("done")))
    agent = Agent("desk", model, tools=[tool], shown=["calls"])
    found = shown(desk(agent, bound={"find": {"order_id": "canary"}}))
    assert found == ["desk 1: find {}", "desk 1: find refused: refused: nobody answered in time"]


def test_of_two_hand_overs_the_one_that_counts_is_told() -> None:
    names = "billing", "stock"
    others = [Agent(name, TurnModel(in_turn(says("done"))), args=Task) for name in names]
    wanted = [call(f"hand_over_to_{name}", '{"task": "look"}', name) for name in names]
    model = TurnModel(in_turn(calls(*wanted)))
    desk_agent = Agent("desk", model, tools=list(map(hand_over_to, names)), shown=["calls"])
    found = shown(desk(desk_agent, team=others))
    assert found[-1] == "desk 1: to billing"
    assert sum(": to " in each for each in found) == 1


def test_who_does_not_ask_is_told_nothing() -> None:
    model = TurnModel(in_turn(calls(call("find", '{"order_id": "A"}', "one")), says("done")))
    agent = Agent("desk", model, tools=[AgentTool("find", find, FindArgs)], shown=["text"])
    assert shown(desk(agent)) == []


class Speaking(TurnModel):
    """A model whose texts watchers are shown while they come."""

    async def take_turn(self, host: Any, request: Any) -> Any:
        reply = await super().take_turn(host, request)
        with host.answering() as tell:
            tell(reply.text or "I call.")
        return reply


def test_what_agents_say_is_shown_as_of_the_step_that_lets_them_work() -> None:
    parts: list[Any] = []
    below = as_tool(Agent("clerk", Speaking(in_turn(says("yes"))), args=Task), parts)
    lead = Speaking(in_turn(calls(call("clerk", '{"task": "A?"}', "a")), says("done")))
    kind = desk(Agent("desk", lead, tools=[below]), parts=parts)

    async def main() -> list[Any]:
        handler = kind().run(question="where?")
        return [each async for each in handler.stream_events() if isinstance(each, TokenText)]

    found = run_virtually(main)
    assert [each.text for each in found] == ["I call.", "yes", "done"]
    assert {(each.step, each.worker_id) for each in found} == {("answer", found[0].worker_id)}
    assert [each.reply for each in found] == [1, 2, 3]
