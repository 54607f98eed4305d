"""What comes to a run from outside while it is just being put to rest is taken, and once."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from waiting import until

from wfc.runtime import (
    Engine,
    Event,
    Outside,
    Question,
    Receives,
    Record,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    pause,
)
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.driver.run.edits import Edits
from wfc.runtime.errors import AnsweredAlreadyError, RunParkedError

Act = Callable[[Engine, WorkflowHandler[Any]], Awaitable[Any]]


class Answer(Record):
    ok: bool


class Told(Event):
    word: str


class End(StopEvent):
    oks: list[bool]
    word: str
    greeting: str


class Counted(RunState):
    greeting: str = "hello"
    oks: list[bool] = Field(default_factory=list)


class Heard(Event):
    pass


class Resting(Workflow, name="resting", receives=(Receives(Told),)):
    @pause
    async def ask(self, state: Counted, ev: StartEvent) -> Question[Answer]:
        return Question(Answer, title="May it?", assign=["user:ann", "user:bob"], quorum=2)

    @ask.then
    def asked(self, state: Counted, ev: StartEvent, result: list[Answer]) -> Heard:
        state.oks = [one.ok for one in result]
        return Heard()

    @pause
    def hear(self, ev: Heard) -> Outside[Told]:
        return Outside(Told)

    @hear.then
    def heard(self, state: Counted, ev: Heard, result: Told) -> End:
        return End(oks=state.oks, word=result.word, greeting=state.greeting)


TASK = "one/ask/1"


async def says(engine: Engine, handler: WorkflowHandler[Any]) -> None:
    await engine.answer(TASK, {"ok": True}, by="user:ann")


async def says_and_leaves(engine: Engine, handler: WorkflowHandler[Any]) -> None:
    await engine.answer(TASK, {"ok": True}, by="user:ann", leave=True)


async def passes_on(engine: Engine, handler: WorkflowHandler[Any]) -> None:
    await engine.delegate(TASK, "user:cid", by="user:bob", because="a holiday")


async def posts(engine: Engine, handler: WorkflowHandler[Any]) -> None:
    await engine.post("one", Told(word="posted"), message_id="m")


async def delivers(engine: Engine, handler: WorkflowHandler[Any]) -> None:
    await engine.deliver(Told(word="posted"), run_id="one")


async def edits(engine: Engine, handler: WorkflowHandler[Any]) -> None:
    await engine.edit("one", Edits({"greeting": "good morning"}))


async def cancels(engine: Engine, handler: WorkflowHandler[Any]) -> None:
    await engine.cancel("one")


async def answers_by_its_handler(engine: Engine, handler: WorkflowHandler[Any]) -> None:
    with pytest.raises(RunParkedError, match="is reached there"):
        await handler.answer(TASK, {"ok": False}, by="user:ann")


def hold_commits(engine: Engine) -> threading.Event:
    """Let nothing be written until the event is set."""
    goes_on = threading.Event()

    def wait(_: object) -> None:
        assert goes_on.wait(240)

    writing = asyncio.ensure_future(engine.store.write(wait))
    writing.add_done_callback(lambda done: done.result())
    return goes_on


async def finished(engine: Engine) -> Any:
    """Do what is still to be done from outside, and let the run go on until it is over."""
    row = engine.show("one")
    if row.ended is None:
        second = next(one for one in engine.task(TASK).assign if one != "user:ann")
        with contextlib.suppress(AnsweredAlreadyError):  # it waits to be taken
            await engine.answer(TASK, {"ok": True}, by="user:ann", leave=True)
        await engine.answer(TASK, {"ok": False}, by=second, leave=True)
        await Worker(engine, lambda due: None, lambda note: None).run(until_idle=True)
        if engine.show("one").ended is None:
            await engine.post("one", Told(word="at last"), message_id="m2")
            await Worker(engine, lambda due: None, lambda note: None).run(until_idle=True)
    return engine.outcome("one")


@pytest.mark.parametrize("where", ["while", "after"])
@pytest.mark.parametrize(
    "act",
    [
        says,
        says_and_leaves,
        passes_on,
        posts,
        delivers,
        edits,
        cancels,
        answers_by_its_handler,
    ],
)
def test_nothing_is_lost_that_comes_while_a_run_is_put_to_rest(
    store: str | Path, act: Act, where: str
) -> None:
    async def main(engine: Engine) -> None:
        handler = Resting(engine=engine).run(run_id="one")
        await until(engine.tasks)
        run = engine.run("one")
        assert run is not None
        assert run.port is not None
        port = run.port
        goes_on = hold_commits(engine)
        parking = asyncio.create_task(engine.park("one"))
        await until(lambda: port.is_parking)
        if where == "after":
            goes_on.set()
            await parking
        acting = asyncio.create_task(act(engine, handler))  # type: ignore[arg-type]
        for _ in range(20):
            await asyncio.sleep(0)
        goes_on.set()
        async with asyncio.timeout(240):
            await acting
            await parking
        if (again := engine.run("one")) is not None and not again.is_done:
            await engine.park("one")  # else the worker would find it under way
        outcome = await finished(engine)
        if act is cancels:
            assert engine.show("one").status == "cancelled"
            return
        word = "posted" if act in (posts, delivers) else "at last"
        greeting = "good morning" if act is edits else "hello"
        assert outcome == End(oks=[True, False], word=word, greeting=greeting)
        kinds = [tick.kind for tick in engine.history("one")]
        assert kinds.count("answered") == 2
        assert kinds.count("delegated") == (act is passes_on)
        assert kinds.count("edited") == (act is edits)

    engine = Engine(store=store)
    engine.add(Resting)
    try:
        asyncio.run(main(engine))
    finally:
        engine.close()
