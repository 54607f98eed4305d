"""Agents that work for each other: as tools, and by handing over; bounds are kept whatever their models do."""

from __future__ import annotations

import asyncio
import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from desk_flow import (
    FindArgs,
    Task,
    TurnModel,
    as_tool,
    assert_valid,
    call,
    calls,
    desk,
    hand_over_to,
    in_turn,
    says,
)

from wfc.runtime import Engine, Record, StepError
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.agents.loop import AgentLoop
from wfc.runtime.calls.transcripts import ANSWER_TOOL, TurnReply
from wfc.runtime.plan.pauses import QuestionAsked
from wfc.runtime.testing import run_virtually

GOOD = call("find", '{"order_id": "A"}', "good")


class Found(Record):
    item: str


async def find(_context: Any, args: FindArgs) -> str:
    await asyncio.sleep(1)
    return f"{args.order_id} is here"


FIND = AgentTool("find", find, FindArgs)


def answer_of(kind: Any) -> str:
    async def main() -> Any:
        return await kind().run(question="where?")

    return str(run_virtually(main).text)


def led(chief: TurnModel, member: Agent, **options: Any) -> str:
    """What a desk answers whose agent has another one as its tool."""
    parts: list[type[AgentLoop]] = []
    tool = as_tool(member, parts)
    text = answer_of(desk(Agent("chief", chief, tools=[tool, FIND], **options), parts=parts))
    for request in chief.asked:
        assert_valid(request.said)
    return text


def told(model: TurnModel) -> list[str]:
    return [each.text for one in model.asked[-1].said for each in one.answers]


def ask(task: str, known_as: str) -> Any:
    return call("helper", f'{{"task": "{task}"}}', known_as)


def test_an_agent_that_is_a_tool_is_asked_and_its_answer_told() -> None:
    chief = TurnModel(in_turn(calls(ask("one", "a"), GOOD, ask("two", "b")), says("done")))
    model = TurnModel(lambda request: calls(call(ANSWER_TOOL, f'{{"item": "{request.said[0].text}"}}', "x")))
    helper = Agent("helper", model, args=Task, output=Found, system=lambda args, _: f"Do {args.task}.")
    assert led(chief, helper) == "done"
    assert told(chief) == ['{"item":"one"}', "A is here", '{"item":"two"}']
    assert sorted(str(request.system) for request in model.asked) == ["Do one.", "Do two."]


BAD_HELPERS = {
    "never answers": (says(""), "has taken its 3 turns, and has given no answer (agent.turns)"),
    "fails": (StepError("http.503", "busy", also=("model",)), "error: busy (http.503)"),
    "calls for ever": (calls(GOOD), "(agent.turns)"),
    "invents tools": (calls(call("nope")), "(agent.turns)"),
}


@pytest.mark.parametrize("name", BAD_HELPERS)
def test_what_an_agent_does_wrong_is_told_to_the_one_that_has_asked_it(name: str) -> None:
    reply, said = BAD_HELPERS[name]
    chief = TurnModel(in_turn(calls(ask("x", "a")), says("done")))
    helper = Agent("helper", TurnModel(in_turn(reply)), tools=[FIND], args=Task, max_turns=3)
    assert led(chief, helper) == "done"
    assert said in told(chief)[0]
    chief = TurnModel(in_turn(calls(ask("x", "a")), says("done")))
    assert said.rpartition("(")[2].strip(")") in led(chief, helper, on_tool_error="fail")


def test_a_thousand_agents_in_one_reply_are_few() -> None:
    wanted = [ask(str(number), f"c{number}") for number in range(1_000)]
    chief = TurnModel(in_turn(calls(*wanted), says("done")))
    model = TurnModel(in_turn(says("yes")))
    assert led(chief, Agent("helper", model, args=Task), parallel_calls=3) == "done"
    assert len(model.asked) == 3
    assert sum(each.startswith("Not made") for each in told(chief)) == 997


def test_arguments_that_do_not_fit_begin_no_agent() -> None:
    chief = TurnModel(
        in_turn(calls(call("helper", '{"task": 3}', "a"), call("helper", "[]", "b")), says("x"))
    )
    model = TurnModel(in_turn(says("yes")))
    led(chief, Agent("helper", model, args=Task))
    assert not model.asked
    assert ["do not fit" in told(chief)[0], "no JSON record" in told(chief)[1]] == [True, True]


def test_the_tokens_of_an_agent_count_for_the_one_that_has_asked_it() -> None:
    chief = TurnModel(in_turn(calls(ask("x", "a"))))
    helper = Agent("helper", TurnModel(in_turn(calls(GOOD))), tools=[FIND], args=Task)
    assert led(chief, helper, tokens=100).startswith("agent.tokens: ")
    assert len(chief.asked) + len(helper.model.asked) == 7  # type: ignore[union-attr]


def handed(first: TurnModel, second: TurnModel, *, sees: Any = "said", **options: Any) -> str:
    """What a desk answers whose agent hands over to another one, which may hand back."""
    begins = Agent("first", first, tools=[FIND, hand_over_to("second")], args=Task, **options)
    goes_on = Agent("second", second, tools=[FIND, hand_over_to("first")], args=Task, sees=sees,
                    system=lambda args, _: f"You do {args.task}.")  # fmt: skip
    text = answer_of(desk(begins, team=[goes_on]))
    for request in [*first.asked, *second.asked]:
        assert_valid(request.said)
    return text


OVER = call("hand_over_to_second", '{"task": "the rest"}', "over")
SEEN = {
    "said": [("user", "where?"), ("model", "I look."), ("user", "the rest")],
    "nothing": [("user", "the rest")],
    "all": [("user", "where?"), ("model", "I look."), ("tools", ""), ("model", ""), ("tools", ""),
            ("user", "the rest")],
}  # fmt: skip


@pytest.mark.parametrize("sees", SEEN)
def test_who_is_handed_over_to_goes_on_with_what_it_may_see(sees: str) -> None:
    first = TurnModel(in_turn(TurnReply(text="I look.", calls=[GOOD]), calls(OVER)))
    second = TurnModel(in_turn(says("done")))
    assert handed(first, second, sees=sees) == "done"
    (asked,) = second.asked
    assert asked.system == "You do the rest."
    assert [(one.role, one.text) for one in asked.said] == SEEN[sees]


def test_the_first_hand_over_counts_and_calls_beside_it_are_done_before() -> None:
    again = call("hand_over_to_second", '{"task": "something else"}', "again")
    second = TurnModel(in_turn(says("done")))
    assert handed(TurnModel(in_turn(calls(GOOD, OVER, again))), second, sees="all") == "done"
    assert told(second) == ["A is here", "second goes on", "Not done: second goes on already."]
    assert second.asked[0].said[-1].text == "the rest"


def test_agents_that_hand_over_for_ever_are_stopped() -> None:
    number = iter(range(10_000))
    back = TurnModel(lambda _: calls(call("hand_over_to_first", '{"task": "x"}', f"b{next(number)}")))
    forth = TurnModel(lambda _: calls(call("hand_over_to_second", '{"task": "x"}', f"f{next(number)}")))
    assert handed(forth, back, max_turns=9).startswith("agent.turns: ")
    assert len(forth.asked) + len(back.asked) == 9


def test_a_hand_over_to_nobody_or_to_itself_is_told() -> None:
    first = TurnModel(
        in_turn(
            calls(call("hand_over_to_first", '{"task": "x"}', "a"), call("hand_over_to_nobody")), says("x")
        )
    )
    assert handed(first, TurnModel(in_turn(says("never")))) == "x"
    assert ["there is no tool" in each for each in told(first)] == [True, True]


def test_what_both_take_goes_on_and_is_not_the_model_s_to_choose() -> None:
    over = hand_over_to("second", bound=["task"])
    second = TurnModel(in_turn(calls(GOOD), says("done")))
    bad, good = (
        call("hand_over_to_second", '{"task": "mine"}', "bad"),
        call("hand_over_to_second", "{}", "good"),
    )
    first = TurnModel(in_turn(calls(bad), calls(good)))
    begins = Agent("first", first, tools=[over], args=Task)
    goes_on = Agent("second", second, args=Task, bind=lambda args, _: {"find": {"order_id": args.task}},
                    tools=[AgentTool("find", find, FindArgs, bound=["order_id"])])  # fmt: skip

    class Loop(AgentLoop, agent=begins, team=[goes_on], name="desk.alone"):
        pass

    async def main() -> Any:
        return await Loop().run(**begins.asked(Task(task="theirs")))

    assert run_virtually(main).answer == '"done"'
    assert "has no argument `task`" in told(first)[0]
    assert second.asked[0].said[-1].text.endswith("theirs")
    assert "has no argument `order_id`" in told(second)[-1]


def test_an_agent_s_own_approval_sees_its_arguments() -> None:
    seen: list[Any] = []

    def approve(args: Any, config: Any, of_call: Any) -> Approval | None:
        seen.append((args.task, config, of_call.order_id))
        return None

    tool = AgentTool("find", find, FindArgs, approve=approve)
    chief = TurnModel(in_turn(calls(ask("mine", "a")), says("done")))
    helper = Agent("helper", TurnModel(in_turn(calls(GOOD), says("x"))), tools=[tool], args=Task)
    assert led(chief, helper) == "done"
    assert seen == [("mine", None, "A")]


def by_chance(chance: random.Random) -> TurnModel:
    """A model that says and calls what chance says."""
    ids = itertools.count()
    tools = ["find", "hand_over_to_first", "hand_over_to_second", "nope", "helper"]
    args = ['{"task": "x"}', '{"order_id": "A"}', "[", ""]

    def reply(request: Any) -> TurnReply:
        assert_valid(request.said)
        count = chance.choice([0, 1, 1, 2, 5])
        wanted = [
            call(chance.choice(tools), chance.choice(args), f"{id(ids)}-{next(ids)}") for _ in range(count)
        ]
        return TurnReply(text=chance.choice(["", "I look.", "done"]), calls=wanted)

    return TurnModel(reply)


@pytest.mark.parametrize("seeds", [range(30), pytest.param(range(30, 400), marks=pytest.mark.full)])
def test_transcripts_stay_whole_whoever_is_at_work(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311 - it decides what a test does
        sees: list[Any] = [chance.choice(["said", "all", "nothing"]) for _ in range(2)]
        parts: list[type[AgentLoop]] = []
        helper = Agent("helper", by_chance(chance), args=Task, max_turns=3)
        tools = [FIND, as_tool(helper, parts), hand_over_to("second")]
        first = Agent("first", by_chance(chance), tools=tools, args=Task, max_turns=12, sees=sees[0])
        back = [FIND, hand_over_to("first")] if chance.random() < 0.7 else []
        second = Agent("second", by_chance(chance), args=Task, tools=back, sees=sees[1])
        assert answer_of(desk(first, parts=parts, team=[second]))


def test_a_question_of_an_agent_beneath_another_one_survives_in_the_store(tmp_path: Path) -> None:
    chief = TurnModel(in_turn(calls(ask("mine", "a"), GOOD), says("done")))
    of_helper = TurnModel(in_turn(calls(GOOD), says("helped")))
    tool = AgentTool("find", find, FindArgs, approve=lambda *_: Approval(within=60.0))
    parts: list[type[AgentLoop]] = []
    helper = as_tool(Agent("helper", of_helper, tools=[tool], args=Task), parts)
    kind = desk(Agent("chief", chief, tools=[helper, FIND]), parts=parts)
    store = f"sqlite:///{tmp_path / 'runs.db'}"

    async def begin() -> str:
        engine = Engine(store=store)
        engine.add(kind)
        handler = kind(engine=engine).run(run_id="r1", question="where?")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                break
        await engine.park("r1")
        (task,) = engine.tasks()
        engine.close()
        return str(task.task_id)

    async def answer(task: str) -> Any:
        engine = Engine(store=store)
        engine.add(kind)
        handler = await engine.answer(task, {"decision": "refuse", "note": "no"}, by="user:ann")
        found = await handler
        engine.close()
        return found

    assert asyncio.run(answer(asyncio.run(begin()))).text == "done"
    assert told(of_helper) == ["refused: no"]
    assert told(chief) == ["helped", "A is here"]


def test_one_beneath_another_may_hand_over_to_one_outside_who_answers_in_its_place() -> None:
    """Whom the caller knows nothing of: it is told the answer as that of the one that it has called."""
    parts: list[type[AgentLoop]] = []
    outside = TurnModel(
        in_turn(calls(call("find", '{"order_id": "A"}', "f")), says("A is here, says billing"))
    )
    billing = Agent("billing", outside, tools=[FIND], args=Task)
    over = TurnModel(in_turn(calls(call("hand_over_to_billing", '{"task": "A"}', "h"))))
    clerk = Agent("clerk", over, tools=[hand_over_to("billing")], args=Task)
    lead = TurnModel(in_turn(calls(call("clerk", '{"task": "where is A?"}', "c")), says("done")))
    kind = desk(Agent("chief", lead, tools=[as_tool(clerk, parts, [billing])]), parts=parts)

    async def main() -> Any:
        return await kind().run(question="?")

    assert asyncio.run(main()).text == "done"
    assert lead.asked[-1].said[-1].answers[0].text == "A is here, says billing"
    assert (len(lead.asked), len(over.asked), len(outside.asked)) == (2, 1, 2)
