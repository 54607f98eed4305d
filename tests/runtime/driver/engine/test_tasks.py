"""Tasks of stored runs: they are passed on, listed by whom they ask, and closed late where everybody was away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from wfc.runtime import (
    Engine,
    Event,
    Question,
    QuestionClosed,
    QuestionReminded,
    Record,
    StartEvent,
    StopEvent,
    Workflow,
    pause,
    step,
)
from wfc.runtime.errors import InvalidAnswerError, InvalidDelegationError, UnknownQuestionError
from wfc.runtime.store.journal import TaskOpened
from wfc.runtime.store.sql import appending
from wfc.runtime.store.sql.reading import Delegation


class Answer(Record):
    ok: bool


class End(StopEvent):
    oks: list[bool]


class Asked(Event):
    name: str
    within: float


class Late(Event):
    name: str


class Asking(Workflow):
    @pause
    async def ask(self, ev: StartEvent) -> Question[Answer]:
        return Question(Answer, title="May it?", assign=["user:ann", "user:bob"], quorum=2)

    @ask.then
    def asked(self, ev: StartEvent, result: list[Answer]) -> End:
        return End(oks=[one.ok for one in result])


def within(store: str | Path, main: Callable[[Engine], Awaitable[Any]], *workflows: type[Workflow]) -> Any:
    engine = Engine(store=store)
    for workflow in workflows:
        engine.add(workflow)
    try:
        return asyncio.run(main(engine))  # type: ignore[arg-type]
    finally:
        engine.close()


async def begin(engine: Engine) -> None:
    handler = Asking(engine=engine).run(run_id="one")
    await until(engine.tasks)
    await engine.park("one")
    assert handler.is_done()


TASK = "one/ask/1"


def test_who_passes_a_question_on_is_replaced_and_the_rest_stays_as_it_is(store: str | Path) -> None:
    within(store, begin)

    async def passed_on(engine: Engine) -> None:
        before = engine.task(TASK)
        assert await engine.answer(TASK, {"ok": False}, by="user:bob") is not None
        assert await engine.delegate(TASK, "user:cleo", by="user:ann", because="a holiday") is not None
        await engine.park("one")
        task = engine.task(TASK)
        assert task.assign == ["user:cleo", "user:bob"]
        (told,) = task.passed_on
        assert told == Delegation("user:cleo", "user:ann", "a holiday", told.at)
        assert before.opened < told.at < time.time_ns()
        assert (task.opened, task.expires, task.about) == (before.opened, before.expires, before.about)
        kinds = [tick.kind for tick in engine.history("one")]
        assert kinds.count("delegated") == 1
        assert engine.tasks(whom=["user:ann"]) == []
        assert engine.tasks(whom=["user:cleo"]) == engine.tasks() == [task._replace(about={})]

    async def again(engine: Engine) -> Any:
        # whoever is not asked himself replaces all who are
        handler = await engine.delegate(TASK, "group:leads", by="user:root")
        assert handler is not None
        (question,) = handler.questions()
        assert (question.assign, question.answered_by) == (("group:leads",), ("user:bob",))
        assert engine.task(TASK).assign == ["group:leads"]
        assert [one.by for one in engine.task(TASK).passed_on] == ["user:ann", "user:root"]
        assert await engine.answer(TASK, {"ok": True}, by="user:dora") is not None
        return await handler

    within(store, passed_on, Asking)
    assert within(store, again, Asking) == End(oks=[False, True])


def test_who_has_answered_is_known_when_the_run_goes_back(store: str | Path) -> None:
    async def back(engine: Engine) -> None:
        await engine.answer(TASK, {"ok": False}, by="user:bob")
        to = engine.last_tick("one")
        await engine.delegate(TASK, "user:cleo", by="user:ann")
        await engine.park("one")
        await engine.rewind("one", to)
        task = engine.task(TASK)
        assert (task.assign, task.answered_by, task.closed) == (["user:ann", "user:bob"], "user:bob", None)

    within(store, begin)
    within(store, back, Asking)


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("user:bob", "user:bob is asked already"),
        ("", "is no name"),
        ("a,b", "is no name"),
        ("a\nb", "is no name"),
        ("x" * 101, "is no name"),
    ],
)
def test_it_is_refused_to_whom_nobody_can_pass_it_on(store: str | Path, to: str, said: str) -> None:
    async def main(engine: Engine) -> None:
        await begin(engine)
        with pytest.raises(InvalidDelegationError, match=said):
            await engine.delegate(TASK, to, by="user:ann")
        assert engine.show("one").status == "parked", "nothing was claimed for it"
        assert engine.task(TASK).assign == ["user:ann", "user:bob"]

    within(store, main, Asking)


def test_a_closed_or_unknown_question_is_not_passed_on(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        handler = Asking(engine=engine).run(run_id="one")
        await until(engine.tasks)
        with pytest.raises(UnknownQuestionError, match="no task `two`"):
            await engine.delegate("two", "user:cleo", by="user:ann")
        await engine.answer(TASK, {"ok": True}, by="user:bob")
        await engine.delegate(TASK, "user:cleo", by="user:bob")
        with pytest.raises(InvalidDelegationError, match="user:bob has answered already"):
            await engine.delegate(TASK, "user:bob", by="user:cleo")
        await engine.answer(TASK, {"ok": True}, by="user:cleo")
        await handler
        with pytest.raises(InvalidDelegationError, match="closed: answered"):
            await engine.delegate(TASK, "user:dora", by="user:cleo")
        with pytest.raises(InvalidAnswerError):
            await engine.answer(TASK, {"ok": True}, by="user:dora")

    within(store, main, Asking)


def test_a_delegation_in_the_inbox_is_taken_once_by_whoever_claims_the_run(store: str | Path) -> None:
    within(store, begin)

    async def posted(engine: Engine) -> None:
        assert await engine.delegate(TASK, "user:cleo", by="user:ann", leave=True) is None
        assert engine.task(TASK).assign == ["user:ann", "user:bob"], "nobody has taken it yet"
        assert [one["kind"] for one in engine.posted_to("one")] == ["delegation"]

    async def taken(engine: Engine) -> None:
        await engine.resume("one")
        await until(lambda: engine.task(TASK).passed_on)
        assert engine.posted_to("one") == []
        await engine.park("one")
        assert engine.task(TASK).assign == ["user:cleo", "user:bob"]

    within(store, posted)
    within(store, taken, Asking)


class Hurried(Workflow):
    """Asks three people; the questions expire in another order than they are asked, each after a reminder or none."""

    @step
    async def begin(self, ev: StartEvent) -> list[Asked]:
        return [Asked(name="b", within=2.5), Asked(name="c", within=3.5), Asked(name="a", within=1.0)]

    @pause
    async def ask(self, ev: Asked) -> Question[Answer]:
        return Question(Answer, title=ev.name, within=ev.within, remind=2.0)

    @ask.then
    def asked(self, ev: Asked, result: Answer) -> Late:
        return Late(name=ev.name)

    @ask.on_expired
    def expired(self, ev: Asked) -> Late:
        return Late(name=ev.name)

    @step
    async def collect(self, evs: list[Late]) -> End:
        return End(oks=[])


@pytest.mark.full  # it waits for the clock
def test_overdue_questions_expire_in_order_when_somebody_comes_and_reminders_come_once(
    store: str | Path,
) -> None:
    async def ask(engine: Engine) -> None:
        Hurried(engine=engine).run(run_id="one")
        await until(lambda: len(engine.tasks()) == 3)

    async def late(engine: Engine) -> list[str]:
        assert {task.title for task in engine.tasks(is_overdue=True)} == {"a", "b", "c"}
        titles = {task.task_id: task.title for task in engine.tasks()}
        handler = await engine.resume("one")
        await handler
        return [
            f"{'reminded' if isinstance(event, QuestionReminded) else event.because} {titles[event.id]}"
            async for told in engine.follow("one")
            for event in told.events
            if isinstance(event, QuestionReminded | QuestionClosed)
        ]

    within(store, ask)
    time.sleep(3.7)
    told = within(store, late, Hurried)
    assert told == ["expired a", "reminded b", "reminded c", "expired b", "expired c"]


def test_a_list_of_tasks_reads_no_forms(store: str | Path) -> None:
    """Forms are the larger part of what is kept of a task, and no list shows them: here none can be read."""

    async def main(engine: Engine) -> None:
        await begin(engine)

        def fill(connection: Any) -> None:
            (run,) = connection.execute("SELECT run FROM runs").fetchone()
            for n in range(1_000):
                row = TaskOpened(f"t{n}", "ask", "?", [f"user:u{n % 10}"], "{ no form", n, None)
                appending._open_task(connection, run, row)

        await engine.store.write(fill)
        tasks = engine.tasks(most=1_000)
        assert len(tasks) == 1_000 and tasks[0].task_id == "t0"
        assert len(engine.tasks(whom=["user:u3", "user:u4"], most=10_000)) == 200
        with pytest.raises(ValueError):
            engine.task("t0")

    within(store, main, Asking)
