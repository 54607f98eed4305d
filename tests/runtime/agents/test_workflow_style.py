"""Agents with a style of their own: a workflow works out each reply, and all else is as with others."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from desk_flow import FindArgs, Task, TurnModel, asking, call, calls, desk, in_turn, says

from wfc.runtime import Context, Engine, Record, StartEvent, StepError, StopEvent, Workflow, step
from wfc.runtime.agents.definition import Agent, AgentTool, Approval, WorkflowStyle
from wfc.runtime.agents.workflow_loop import WorkflowLoop
from wfc.runtime.plan.pauses import QuestionAsked
from wfc.runtime.records import Message
from wfc.runtime.testing import run_virtually


class TurnCame(StartEvent):
    messages: list[Message]
    tools: str
    system: str | None
    turn: int
    last: bool


class Wish(Record):
    tool: str
    args: str


class Calls(StopEvent):
    calls: list[Wish]
    text: str = ""


class Answers(StopEvent):
    answer: str


Said = list[TurnCame]


def style(said: Said, *replies: StopEvent | Exception) -> type[Workflow]:
    """A workflow that gives these replies one after the other, the last one again and again."""
    left = list(replies)

    class Deliberate(Workflow, name="deliberate"):
        @step
        async def reply(self, event: TurnCame) -> Calls | Answers:
            said.append(event)
            found = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(found, Exception):
                raise found
            assert isinstance(found, Calls | Answers)
            return found

    return Deliberate


def wish(tool: str, args: str = "{}") -> Calls:
    return Calls(calls=[Wish(tool=tool, args=args)], text="I look.")


async def find(_context: Any, args: FindArgs) -> str:
    if args.order_id == "X":
        raise StepError("http.503", "closed")
    return f"{args.order_id} is here"


FIND = AgentTool("find", find, FindArgs, "finds orders")


def thinking(tools: Any = (FIND,), **options: Any) -> type[Workflow]:
    agent = Agent("desk", None, tools=tools, style=WorkflowStyle("deliberate"), **options)

    class Loop(WorkflowLoop, agent=agent, name="desk.answer"):
        pass

    return asking(Loop, str, ())


def answered(own: type[Workflow], kind: type[Workflow], store: str | None = None) -> str:
    async def main() -> Any:
        engine = Engine(store=store)
        engine.add(own)
        engine.add(kind)
        return await kind(engine=engine).run(question="where?")

    return str(asyncio.run(main()).text)


def test_it_is_told_what_was_said_and_says_what_to_call_and_the_answer() -> None:
    said: Said = []
    own = style(said, wish("find", '{"order_id": "A"}'), Answers(answer="done"))
    assert answered(own, thinking()) == "done"
    first, second = said
    assert [each.content for each in first.messages] == ["where?"]
    assert (first.turn, first.last, first.system) == (1, False, "Be kind.")
    assert first.tools.startswith("- find: finds orders\n  arguments: {")
    assert [(each.role, each.content) for each in second.messages] == [
        ("user", "where?"),
        ("assistant", 'I look.\n(calls find with {"order_id": "A"})'),
        ("user", "(find gave: A is here)"),
    ]


def told(said: Said) -> str:
    return said[-1].messages[-1].content


@pytest.mark.parametrize(
    ("wanted", "is_told"),
    [
        (wish("find", '{"order_id": "X"}'), "closed"),
        (wish("lose"), "there is no tool `lose`"),
        (wish("find", "[]"), "no JSON record"),
        (wish("find", '{"order": 1}'), "do not fit"),
        (Calls(calls=[]), "Nothing was said"),
        (Answers(answer=" "), "Nothing was said"),
    ],
)
def test_what_cannot_be_called_or_is_no_answer_is_told(wanted: StopEvent, is_told: str) -> None:
    said: Said = []
    assert answered(style(said, wanted, Answers(answer="done")), thinking()) == "done"
    assert is_told in told(said)


def test_one_that_calls_for_ever_is_stopped_and_knows_its_last_turn() -> None:
    said: Said = []
    again = style(said, wish("find", '{"order_id": "A"}'))
    assert answered(again, thinking(max_turns=3)).startswith("agent.turns")
    assert len(said) == 3
    said.clear()
    assert answered(again, thinking(max_turns=3, last_turn="answer")).startswith("agent.turns")
    assert [each.last for each in said] == [False, False, True]
    assert said[-1].tools == ""


def test_a_workflow_that_fails_fails_the_agent() -> None:
    assert answered(style([], StepError("http.503", "closed")), thinking()).startswith("workflow.failed")


class Neither(StopEvent):
    other: str


def test_an_end_with_neither_calls_nor_an_answer_fails_the_agent() -> None:
    class Odd(Workflow, name="deliberate"):
        @step
        async def reply(self, event: TurnCame) -> Neither:
            return Neither(other="x")

    assert answered(Odd, thinking()).startswith("agent.style: the workflow `deliberate` has ended")


def test_people_allow_its_calls_and_the_result_of_a_tool_may_be_the_answer() -> None:
    ask = AgentTool(
        "find", find, FindArgs, final=True, approve=lambda *_: Approval(title="May it?", within=60)
    )
    own, kind = style([], wish("find", '{"order_id": "A"}')), thinking([ask])

    async def main() -> str:
        engine = Engine()
        engine.add(own)
        handler = kind(engine=engine).run(question="where?")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                await handler.answer(event.id, {"decision": "continue"})
        return str((await handler).text)

    assert run_virtually(main) == "A is here"


def test_it_is_a_tool_of_another_agent() -> None:
    parts: list[Any] = []
    agent = Agent("clerk", None, tools=[FIND], style=WorkflowStyle("deliberate"), args=Task)

    class Loop(WorkflowLoop, agent=agent, name="desk.answer.clerk"):
        pass

    parts.append(Loop)
    clerk = AgentTool("clerk", None, Task, "knows", agent=Loop)
    lead = TurnModel(in_turn(calls(call("clerk", json.dumps({"task": "A?"}))), says("done")))
    kind = desk(Agent("desk", lead, tools=[clerk]), parts=parts)
    assert answered(style([], Answers(answer="it is here")), kind) == "done"
    assert lead.asked[-1].said[-1].answers[0].text == "it is here"


def test_what_the_workflow_s_models_use_counts_for_the_agent_s_limits() -> None:
    model = TurnModel(in_turn(says("x")))

    class Spending(Workflow, name="deliberate"):
        @step
        async def reply(self, ctx: Context[Any], event: TurnCame) -> Calls:
            ctx.afford(model.use)
            ctx.spent(model.use, 10, 5)
            return wish("find", '{"order_id": "A"}')

    assert answered(Spending, thinking(tokens=40)).startswith("agent.tokens")
