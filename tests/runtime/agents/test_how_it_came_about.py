"""What an agent's answer says beside itself: who has given it, after how many turns, and what that has used."""

from __future__ import annotations

import asyncio
from pathlib import Path

from desk_flow import Answered, Asked, Task, TurnModel, call, calls, desk, hand_over_to, in_turn, says

from wfc.runtime import Child, Engine, Event, Question, Workflow, pause
from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.events import Worked
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.transcripts import TurnReply
from wfc.runtime.plan.pauses import QuestionAsked


class Found(Event):
    by: str
    answer: list[int]


def hands_over(*replies: TurnReply, output: object = None) -> tuple[Agent, Agent]:
    first = TurnModel(in_turn(calls(call("hand_over_to_second", '{"task": "go on"}'))))
    return (
        Agent("first", first, tools=[hand_over_to("second")], output=output),
        Agent("second", TurnModel(in_turn(*replies)), args=Task, output=output),
    )


def test_the_agent_that_was_at_work_last_has_given_the_answer() -> None:
    first, second = hands_over(says("done"))

    async def main() -> str:
        return str((await desk(first, Worked[str], team=[second])().run(question="where?")).text)

    assert asyncio.run(main()) == "answer='done' name='second' turns=2 tokens=30 cost_usd=0.0"


def test_it_is_stored_with_the_answer_and_read_again(tmp_path: Path) -> None:
    first, second = hands_over(says('{"answer": [1, 2]}'), output=list[int])
    kind = desk(first, Worked[list[int]], team=[second])
    part = definition_of(kind).parts[0]

    class Desk(Workflow, name="desk", parts=(part,)):
        @pause
        def answer(self, event: Asked) -> Child[Worked[list[int]]]:
            return Child(part, {"prompt": event.question})

        @answer.then
        def after_answer(self, result: Worked[list[int]]) -> Found:
            return Found(by=result.name, answer=result.answer)

        @pause
        def ask(self, event: Found) -> Question[None]:
            return Question(None, title=event.by)

        @ask.then
        def after_ask(self, event: Found) -> Answered:
            return Answered(text=f"{event.by}: {event.answer}")

    store = f"sqlite:///{tmp_path / 'runs.db'}"

    async def begin() -> str:
        engine = Engine(store=store)
        engine.add(Desk)
        async for event in Desk(engine=engine).run(run_id="r1", question="where?").stream_events():
            if isinstance(event, QuestionAsked):
                break
        await engine.park("r1")
        task = str(engine.tasks()[0].task_id)
        engine.close()
        return task

    async def go_on(task: str) -> str:
        engine = Engine(store=store)
        engine.add(Desk)
        found = await (await engine.answer(task, None, by="user:ann"))
        engine.close()
        return str(found.text)

    assert asyncio.run(go_on(asyncio.run(begin()))) == "second: [1, 2]"
