"""Bodies that are cut off and run again: what they have done is done, and only an attempt that failed does it again."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest
from folding import FoldingPort

from wfc.runtime import Context, Event, RetryPolicy, StartEvent, StepError, StopEvent, Workflow, step
from wfc.runtime.core.execution import Execution
from wfc.runtime.driver.engine import Engine
from wfc.runtime.driver.run import Run
from wfc.runtime.store.snapshots import StoredRun
from wfc.runtime.testing import run_virtually


class Noted(Event):
    note: str


class Reply(Event):
    note: str


class Child(Workflow):
    ids: ClassVar[list[str]] = []

    @step
    async def work(self, ctx: Context[Any], event: StartEvent) -> StopEvent:
        self.ids.append(ctx.run_id)
        return StopEvent(result=len(self.ids))


class Busy(Workflow):
    """Does everything that a body can do, and says in between how far it is."""

    fails: ClassVar[bool] = False
    places: ClassVar[list[str]] = []

    @step(retry_policy=RetryPolicy(max_attempts=3, delay=1))
    async def work(self, ctx: Context[Any], event: StartEvent, child: Child) -> StopEvent | Noted:
        await self.reach(f"begun {ctx.attempt}")
        await ctx.store.set("count", await ctx.store.get("count", 0) + 1)
        await self.reach("set")
        async with ctx.store.edit_state() as state:
            state["words"] = [*state.get("words", []), "edited"]
        await self.reach("edited")
        ctx.send_event(Noted(note="a"))
        ctx.send_event(Noted(note="a"))
        await self.reach("sent")
        reply = await ctx.wait_for_event(Reply, waiter_id="w", timeout=None)
        await self.reach("replied")
        await child.run()
        await self.reach("child")
        if self.fails and ctx.attempt < 3:
            raise StepError("busy", "again")  # which is tried again
        state = await ctx.store.get_state()
        return StopEvent(result=(state["count"], state["words"], state["heard"], reply.note))

    @step
    async def hear(self, ctx: Context[Any], event: Noted) -> None:
        async with ctx.store.edit_state() as state:
            state["heard"] = state.get("heard", 0) + 1

    async def reach(self, place: str) -> None:
        self.places.append(place)
        await asyncio.sleep(5)


def busy() -> Workflow:
    made = Busy(timeout=None)
    made.add_workflows(child=Child())
    return made


def folded(handler: Any) -> Execution:
    """What a journal of the run's ticks gives now, and nothing else."""
    port = handler._run.port
    assert port.fold is not None and not port.differences
    execution: Execution = port.fold.execution
    return execution


def outcome(seconds: float, *, fails: bool = False) -> Any:
    """The result of a run whose process ends after some time, and which goes on from its ticks in another one."""

    async def first() -> Execution:
        handler = busy().run(run_id="r")
        handler._run.port = FoldingPort(handler._run)
        asyncio.get_running_loop().call_later(22, handler.ctx.send_event, Reply(note="yes"))
        await asyncio.sleep(seconds)
        execution = folded(handler)
        handler._run.port.is_on, handler._run.port.fold = False, None
        handler._run.cancel()
        await asyncio.gather(handler, return_exceptions=True)
        return execution

    async def second() -> Any:
        stored = StoredRun("r", execution.state)
        stored.execution, stored.taken = execution, execution.at  # the clock begins anew, too
        run = Run.going_on(busy(), stored, "r")
        run.port = FoldingPort(run)
        run.engine.admit(run)
        if seconds < 22:
            run.loop.call_later(22, run.send, Reply(note="yes"))
        result = (await run.future).result
        assert not FoldingPort.differences, FoldingPort.differences[0]
        return result

    Busy.fails = fails
    Busy.places.clear()
    Child.ids.clear()
    FoldingPort.differences.clear()
    execution = run_virtually(first)
    execution.starting.clear()
    execution.take_effects()
    return run_virtually(second)


@pytest.fixture(autouse=True)
def _without_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "recovered", lambda engine, run: None)  # which has nothing posted to the run


def test_what_a_body_has_done_before_it_was_cut_off_is_done() -> None:
    for seconds in (1, 6, 11, 16, 21, 26, 31):
        assert outcome(seconds) == (1, ["edited"], 2, "yes"), seconds
        assert Busy.places.count("begun 1") == 1 and Busy.places.count("begun 2") == 1
        assert set(Child.ids) == {"r/work/1"}


def test_what_an_attempt_has_done_that_failed_is_done_again() -> None:
    count, words, heard, reply = outcome(6, fails=True)
    assert (count, words, heard, reply) == (2, ["edited"] * 2, 4, "yes")
    assert Child.ids == ["r/work/1", "r/work/1.2"]
