"""Runs that wait for the end of one that they have joined, which is no part of them: at rest, dead, elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from wfc.runtime import (
    Child,
    Engine,
    Event,
    Outside,
    Question,
    Receives,
    Record,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    WorkflowHandler,
    pause,
    run_key,
    step,
)
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.errors import RunParkedError
from wfc.runtime.store.sql import claiming

WORK: list[str] = []
"""What the job has begun to do, which it does once however many wait for it."""


class Order(StartEvent):
    name: str


class Made(StopEvent):
    word: str


class Word(Record):
    word: str


class Job(Workflow, name="job", when_running="join"):
    @run_key
    def key(self, inputs: Order) -> str:
        return inputs.name

    @pause
    async def ask(self, ev: Order) -> Question[Word]:
        WORK.append(ev.name)
        return Question(Word, title="Which word?", assign=["user:ann"])

    @ask.then
    def asked(self, ev: Order, result: Word) -> Made:
        if result.word == "bad":
            raise StepError("words", "a bad word")
        return Made(word=result.word)


class Boss(Workflow, name="boss"):
    """Waits for the job; its end is what that came to."""

    @pause
    async def hire(self, ev: StartEvent) -> Child[Made]:
        return Child("job", {"name": "one"}, ends=[Made])

    @hire.then
    def hired(self, ev: StartEvent, result: Made) -> StopEvent:
        return StopEvent(result=result.word)

    @hire.on_error
    def failed(self, error: StepError) -> StopEvent:
        return StopEvent(result=f"{error.name}: {error.message}")


class Owner(Workflow, name="owner"):
    """Has a boss as its part."""

    @pause
    async def begin(self, ev: StartEvent) -> Child[StopEvent]:
        return Child("boss", {}, ends=[StopEvent])

    @begin.then
    def begun(self, ev: StartEvent, result: StopEvent) -> StopEvent:
        return StopEvent(result=["owner", result.result])


@pytest.fixture(autouse=True)
def _no_work() -> None:
    WORK.clear()


@contextlib.contextmanager
def opened(store: str | Path) -> Iterator[Engine]:
    engine = Engine(store=store)
    for one in (Job, Boss, Owner):
        engine.add(one)
    try:
        yield engine
    finally:
        engine.close()


def wait_begun(engine: Engine, run_id: str) -> bool:
    return any(tick.kind == "child-joined" for tick in engine.history(run_id))


async def begin(engine: Engine, name: str = "boss") -> WorkflowHandler[Any]:
    """Start the job, and who joins it, until that is recorded."""
    engine.workflow("job").run(run_id="job", start_event=Order(name="one"))  # type: ignore[attr-defined]
    await until(engine.tasks)
    handler: WorkflowHandler[Any] = engine.workflow(name).run(run_id=name)  # type: ignore[attr-defined]
    part = "boss" if name == "boss" else f"{name}/begin/1"
    await until(lambda: [row for row in engine.list_runs() if row.run_id == part])
    await until(lambda: wait_begun(engine, part))
    return handler


async def put_to_rest(engine: Engine, *run_ids: str) -> None:
    for run_id in run_ids:
        await asyncio.wait_for(engine.park(run_id), 240)


async def work(engine: Engine) -> None:
    """Let what is due go on until nothing is."""
    await asyncio.wait_for(Worker(engine, lambda due: None, lambda note: None).run(until_idle=True), 240)


async def says_a_word(engine: Engine) -> None:
    await engine.answer("job/ask/1", {"word": "good"}, by="user:ann", leave=True)


async def says_a_bad_word(engine: Engine) -> None:
    await engine.answer("job/ask/1", {"word": "bad"}, by="user:ann", leave=True)


async def cancels(engine: Engine) -> None:
    await engine.cancel("job", "no more orders")


async def says_a_word_and_forgets(engine: Engine) -> None:
    handler = await engine.answer("job/ask/1", {"word": "good"}, by="user:ann")
    assert handler is not None
    await handler
    await engine.store.forget("job")


async def forgets(engine: Engine) -> None:
    await engine.store.forget("job")


def gives_up(engine: Engine) -> Awaitable[None]:
    return engine.store.write(lambda connection: claiming._give_up(connection, 1, ()))


ENDS = [
    (says_a_word, "good"),
    (
        says_a_bad_word,
        "workflow.failed: the workflow `job` failed: step `ask` failed on Order, handling its result",
    ),
    (cancels, "workflow.cancelled: the workflow `job` was cancelled: no more orders"),
    (says_a_word_and_forgets, "good"),
    (forgets, "workflow.failed: the run job, for whose end the step has waited, is in the store no more"),
    (gives_up, "workflow.failed: the run job, for whose end the step has waited, was given up"),
]


@pytest.mark.parametrize(("end", "result"), ENDS, ids=lambda one: getattr(one, "__name__", ""))
def test_who_rests_is_woken_by_the_end_of_the_run_that_it_has_joined(
    store: str | Path, end: Callable[[Engine], Awaitable[None]], result: str
) -> None:
    async def first() -> None:
        with opened(store) as engine:
            await begin(engine)
            await put_to_rest(engine, "job", "boss")
            assert {row.status for row in engine.list_runs()} == {"parked"}

    async def second() -> None:
        with opened(store) as engine:
            await end(engine)
            await work(engine)
            assert engine.outcome("boss").result.startswith(result)
            assert engine.store.problems() == []

    asyncio.run(first())
    asyncio.run(second())
    assert WORK == ["one"], "the job was begun once"


def test_the_part_of_a_part_is_woken_with_all_that_is_above_it(store: str | Path) -> None:
    async def first() -> None:
        with opened(store) as engine:
            await begin(engine, "owner")
            await put_to_rest(engine, "job", "owner")

    async def second() -> None:
        with opened(store) as engine:
            await says_a_word(engine)
            await work(engine)
            assert engine.outcome("owner").result == ["owner", "good"]

    asyncio.run(first())
    asyncio.run(second())
    assert WORK == ["one"]


@pytest.mark.parametrize(("end", "result"), ENDS, ids=lambda one: getattr(one, "__name__", ""))
def test_who_is_under_way_is_told_at_once_when_the_other_has_come_to_rest_and_ended_elsewhere(
    store: str | Path, end: Callable[[Engine], Awaitable[None]], result: str
) -> None:
    async def main() -> None:
        with opened(store) as engine, opened(store) as other:
            engine.store._writer._interval = 1000  # by its next sign of life it would find out by itself
            handler = await begin(engine)
            await put_to_rest(engine, "job")
            assert not handler.is_done(), "it does not rest because the other one does"
            await end(other)
            await work(other)
            assert (await asyncio.wait_for(handler, 240)).startswith(result)

    asyncio.run(main())
    assert WORK == ["one"]


def test_who_is_under_way_goes_on_at_once_when_the_other_ends_beside_it(store: str | Path) -> None:
    async def main() -> None:
        with opened(store) as engine:
            handler = await begin(engine)
            await put_to_rest(engine, "job")
            await engine.answer("job/ask/1", {"word": "good"}, by="user:ann")
            assert await asyncio.wait_for(handler, 240) == "good"

    asyncio.run(main())


def test_who_waits_does_not_rest_while_the_other_is_at_work_beside_it(store: str | Path) -> None:
    async def main() -> None:
        with opened(store) as engine:
            handler = await begin(engine)
            parking = asyncio.create_task(engine.park("boss"))
            await engine.answer("job/ask/1", {"word": "good"}, by="user:ann")
            assert await asyncio.wait_for(handler, 240) == "good"
            await parking

    asyncio.run(main())


@pytest.mark.parametrize("ended", ["before", "after"])
def test_the_run_ends_while_the_process_is_gone_of_who_waits(store: str | Path, ended: str) -> None:
    async def main() -> None:
        with opened(store) as other:
            with opened(store) as engine:
                await begin(engine)
                await put_to_rest(engine, "job")
                await until(lambda: engine.store.select(is_awaited))
            assert other.show("boss").status == "live", "its process is gone, and has not put it to rest"
            if ended == "before":
                await says_a_word(other)
                await (await other.resume("job"))
            handler = await other.resume("boss")
            if ended == "after":
                await says_a_word(other)
                await (await other.resume("job"))
            assert await asyncio.wait_for(handler, 240) == "good"

    asyncio.run(main())
    assert WORK == ["one"]


def test_a_run_that_goes_back_to_its_wait_gets_the_same_end_again(store: str | Path) -> None:
    async def main() -> None:
        with opened(store) as engine:
            handler = await begin(engine)
            await engine.answer("job/ask/1", {"word": "good"}, by="user:ann")
            assert await asyncio.wait_for(handler, 240) == "good"
            (joined,) = (tick.seq for tick in engine.history("boss") if tick.kind == "child-joined")
            await engine.rewind("boss", joined)
            assert engine.show("boss").ended is None
            made = (await engine.fork("boss", joined)).run_id
            await work(engine)
            assert engine.outcome("boss").result == "good"
            assert engine.outcome(made).result == "good"

    asyncio.run(main())
    assert WORK == ["one"]


def is_awaited(connection: Any) -> bool:
    return connection.execute("SELECT 1 FROM awaited_ends").fetchone() is not None


class Twice(Workflow, name="twice"):
    """Two of its steps want the same job at once: one starts it, the other joins it."""

    @pause
    async def one(self, ev: StartEvent) -> Child[Made]:
        return Child("job", {"name": "one"}, ends=[Made])

    @one.then
    def had_one(self, ev: StartEvent, result: Made) -> One:
        return One(word=result.word)

    @pause
    async def other(self, ev: StartEvent) -> Child[Made]:
        return Child("job", {"name": "one"}, ends=[Made])

    @other.then
    def had_other(self, ev: StartEvent, result: Made) -> Other:
        return Other(word=result.word)

    @step
    async def both(self, one: One, other: Other) -> StopEvent:
        return StopEvent(result=[one.word, other.word])


class One(Event):
    word: str


class Other(Event):
    word: str


def test_a_run_that_joins_its_own_part_rests_with_it_and_goes_on(store: str | Path) -> None:
    async def first() -> None:
        with opened(store) as engine:
            engine.add(Twice)
            engine.workflow("twice").run(run_id="twice")  # type: ignore[attr-defined]
            await until(lambda: engine.tasks() and wait_begun(engine, "twice"))
            await put_to_rest(engine, "twice")
            assert {row.status for row in engine.list_runs()} == {"parked"}

    async def second() -> None:
        with opened(store) as engine:
            engine.add(Twice)
            (task,) = engine.tasks()
            handler = await engine.answer(task.task_id, {"word": "good"}, by="user:ann")
            assert handler is not None
            await until(lambda: engine.show("twice").ended)
            assert engine.outcome("twice").result == ["good", "good"]

    asyncio.run(first())
    asyncio.run(second())
    assert WORK == ["one"]


class Told(Event):
    word: str


class Deep(Workflow, name="boss", receives=(Receives(Told),)):
    """Stands where a boss does, and waits for a message."""

    @pause
    def hear(self, ev: StartEvent) -> Outside[Told]:
        return Outside(Told)

    @hear.then
    def heard(self, ev: StartEvent, result: Told) -> StopEvent:
        return StopEvent(result=result.word)


class Above(Workflow, name="above"):
    @pause
    async def begin(self, ev: StartEvent) -> Child[StopEvent]:
        return Child("owner", {}, ends=[StopEvent])

    @begin.then
    def begun(self, ev: StartEvent, result: StopEvent) -> StopEvent:
        return StopEvent(result=["above", *result.result])


def test_a_message_to_a_part_of_a_part_wakes_all_that_is_above_it(store: str | Path) -> None:
    async def with_engine(do: Callable[[Engine], Awaitable[None]]) -> None:
        engine = Engine(store=store)
        for one in (Deep, Owner, Above):
            engine.add(one)
        await do(engine)
        engine.close()

    async def first(engine: Engine) -> None:
        handler = engine.workflow("above").run(run_id="above")  # type: ignore[attr-defined]
        await until(lambda: len(engine.list_runs()) == 3)
        await put_to_rest(engine, "above")
        with pytest.raises(RunParkedError):
            await handler

    async def second(engine: Engine) -> None:
        await engine.post("above/begin/1/begin/1", Told(word="hello"))
        await work(engine)
        assert engine.outcome("above").result == ["above", "owner", "hello"]

    asyncio.run(with_engine(first))
    asyncio.run(with_engine(second))


def test_who_is_started_while_the_process_of_the_other_is_gone_joins_it_all_the_same(
    store: str | Path,
) -> None:
    async def first() -> None:
        with opened(store) as engine:
            engine.workflow("boss").run(run_id="early")  # type: ignore[attr-defined]
            await until(engine.tasks)

    async def second() -> None:
        with opened(store) as engine:
            late: WorkflowHandler[Any] = engine.workflow("boss").run(run_id="late")  # type: ignore[attr-defined]
            await until(lambda: engine.list_runs(workflow="boss")[0].run_id == "late")
            await until(lambda: wait_begun(engine, "late"))
            early = await engine.resume("early")
            await engine.answer("early/hire/1/ask/1", {"word": "good"}, by="user:ann", leave=True)
            assert (await late, await early) == ("good", "good")
            assert not wait_begun(engine, "early"), "a run that goes on is no second start"
            assert {row.status for row in engine.list_runs()} == {"done"}

    asyncio.run(first())
    asyncio.run(asyncio.wait_for(second(), 240))
    assert WORK == ["one"]
