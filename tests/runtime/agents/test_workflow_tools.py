"""Workflows that are tools of agents: their runs are parts of the agent's, and what becomes of them is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from desk_flow import (
    FindArgs,
    LookedUp,
    TurnModel,
    Wanted,
    assert_valid,
    call,
    calls,
    desk,
    in_turn,
    looking_up,
    says,
)

from wfc.runtime import Engine, Question, Record, StepError, StopEvent, Workflow, pause
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.plan.pauses import QuestionAsked
from wfc.runtime.testing import run_virtually

ONE = call("look_up", '{"order_id": "A"}', "one")
TOOL = AgentTool("look_up", None, FindArgs, "looks things up", workflow="look_up")


async def find(_context: Any, args: Any) -> str:
    if args.order_id == "X":
        raise StepError("http.503", "the shop is closed")
    await asyncio.sleep(30)
    return f"{args.order_id} is here"


def answered(
    model: TurnModel, tool: AgentTool = TOOL, others: Sequence[type[Workflow]] = (), **options: Any
) -> str:
    """What a desk answers whose agent has a workflow as its tool."""
    kind = desk(Agent("desk", model, tools=[tool], **options))

    async def main() -> Any:
        engine = Engine()
        for each in others:
            engine.add(each)
        return await kind(engine=engine).run(question="where?")

    text = str(run_virtually(main).text)
    for request in model.asked:
        assert_valid(request.said)
    return text


def told(model: TurnModel) -> list[str]:
    return [each.text for one in model.asked[-1].said for each in one.answers]


def test_the_model_is_told_of_the_end_event() -> None:
    model = TurnModel(in_turn(calls(ONE, call("look_up", '{"order_id": "B"}', "two")), says("done")))
    assert answered(model, others=[looking_up(find)]) == "done"
    assert [json.loads(each) for each in told(model)] == [
        {"order_id": "A", "place": "A is here"},
        {"order_id": "B", "place": "B is here"},
    ]


class NotFound(StopEvent):
    pass


class Sorting(Workflow, name="look_up"):
    @pause
    def ask(self, event: Wanted) -> Question[str]:
        return Question(str, title=f"Where is {event.order_id}?")

    @ask.then
    def after_ask(self, event: Wanted, result: str) -> LookedUp | NotFound:
        return LookedUp(order_id=event.order_id, place=result) if result else NotFound()


def asked_and_answered(model: TurnModel, answers: list[str], tool: AgentTool) -> str:
    """What a desk answers whose agent's workflow asks people."""
    kind = desk(Agent("desk", model, tools=[tool]))

    async def main() -> Any:
        engine = Engine()
        engine.add(kind)
        engine.add(Sorting)
        handler = kind(engine=engine).run(run_id="r1", question="where?")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                await handler.answer(event.id, answers.pop(0))
        return await handler

    return str(asyncio.run(asyncio.wait_for(main(), 240)).text)


def test_its_questions_surface_and_of_several_ends_the_model_is_told_which() -> None:
    model = TurnModel(in_turn(calls(ONE), calls(call("look_up", '{"order_id": "B"}', "two")), says("done")))
    assert asked_and_answered(model, ["on the shelf", ""], TOOL) == "done"
    assert [json.loads(each) for each in told(model)] == [
        {"event": "LookedUp", "with": {"order_id": "A", "place": "on the shelf"}},
        {"event": "NotFound", "with": {}},
    ]


FAILURES = {
    "fails": (looking_up(find), '{"order_id": "X"}', "the workflow `look_up` failed: "),
    "takes too long": (looking_up(find, deadline=5.0), '{"order_id": "A"}', "(workflow.timeout)"),
    "is nowhere": (None, '{"order_id": "A"}', "(workflow.unknown)"),
    "is given what does not fit": (looking_up(find), '{"order_id": 3}', "do not fit"),
    "is given nothing": (looking_up(find), "{}", "do not fit"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_the_model_is_told_of_a_run_that_went_wrong(name: str) -> None:
    other, args, said = FAILURES[name]
    model = TurnModel(in_turn(calls(call("look_up", args, "bad")), says("done")))
    assert answered(model, others=[other] if other else []) == "done"
    assert told(model)[0].startswith("error: ")
    assert said in told(model)[0]


def test_or_the_agent_fails_by_it() -> None:
    model = TurnModel(in_turn(calls(call("look_up", '{"order_id": "X"}', "bad"))))
    assert answered(model, others=[looking_up(find)], on_tool_error="fail").startswith("workflow.failed: ")


def test_what_is_wrong_with_the_inputs_of_another_workflow_is_told() -> None:
    """The workflow may have changed since the agent's module was made."""

    class Other(StopEvent):
        pass

    class Number(Record):
        order_id: int

    tool = AgentTool("look_up", None, Number, workflow="look_up")
    model = TurnModel(in_turn(calls(call("look_up", '{"order_id": 3}', "bad")), says("done")))
    assert answered(model, tool, [looking_up(find)]) == "done"
    assert "(workflow.inputs)" in told(model)[0]


def test_a_thousand_runs_in_one_reply_are_few() -> None:
    wanted = [call("look_up", json.dumps({"order_id": str(each)}), f"c{each}") for each in range(1_000)]
    model = TurnModel(in_turn(calls(*wanted), says("done")))
    assert answered(model, others=[looking_up(find)], parallel_calls=3) == "done"
    assert sum(each.startswith("Not made") for each in told(model)) == 997


def test_its_result_may_be_the_answer() -> None:
    tool = AgentTool("look_up", None, FindArgs, workflow="look_up", final=True)
    model = TurnModel(in_turn(calls(ONE)))
    kind = desk(Agent("desk", model, tools=[tool], output=LookedUp), LookedUp)

    async def main() -> Any:
        engine = Engine()
        engine.add(looking_up(find))
        return await kind(engine=engine).run(question="where?")

    assert run_virtually(main).text == "LookedUp(order_id='A', place='A is here')"


def test_a_person_may_refuse_it() -> None:
    tool = AgentTool("look_up", None, FindArgs, workflow="look_up", approve=lambda *_: Approval(within=10.0))
    model = TurnModel(in_turn(calls(ONE), says("done")))
    assert answered(model, tool, [looking_up(find)]) == "done"
    assert told(model) == ["refused: nobody answered in time"]


def test_runs_that_start_each_other_without_end_are_stopped() -> None:
    tool = AgentTool("desk", None, Asks, workflow="desk")
    model = TurnModel(
        lambda request: (
            says("done") if request.said[-1].answers else calls(call("desk", '{"question": "x"}', "c"))
        )
    )
    kind = desk(Agent("desk", model, tools=[tool]))

    async def main() -> Any:
        engine = Engine()
        engine.add(kind)
        return await kind(engine=engine).run(question="where?")

    assert run_virtually(main).text == "done"
    assert any(
        "would never end" in each.text for one in model.asked for said in one.said for each in said.answers
    )


class Asks(Record):
    question: str


def test_a_run_that_waits_for_a_person_survives_in_the_store(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    model = TurnModel(in_turn(calls(ONE), says("done")))
    kind = desk(Agent("desk", model, tools=[TOOL]))

    async def begin() -> str:
        engine = Engine(store=store)
        engine.add(kind)
        engine.add(Sorting)
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
        engine.add(Sorting)
        found = await (await engine.answer(task, "there", by="user:ann"))
        engine.close()
        return found

    assert asyncio.run(answer(asyncio.run(begin()))).text == "done"
    assert json.loads(told(model)[0])["with"]["place"] == "there"
