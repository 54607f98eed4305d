"""Stored runs that halt at breakpoints: they rest so, in any process, and go on when told to, each step run once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from checkpoint_flows import check
from pydantic import Field

from wfc.runtime import (
    Breakpoint,
    Context,
    Engine,
    Event,
    Question,
    Record,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    pause,
    step,
)
from wfc.runtime.driver.engine.working import Worker, WorkerNote
from wfc.runtime.errors import RunParkedError

LOG: list[str] = []


@pytest.fixture(autouse=True)
def _fresh_log() -> None:
    LOG.clear()


class Seen(RunState):
    names: list[str] = Field(default_factory=list)


class Go(StartEvent):
    n: int = 3


class Part(Event):
    number: int


class Made(Event):
    number: int


class Checked(Event):
    number: int


class Spread(Workflow, deadline=None):
    """Makes and checks parts side by side, and counts them; each attempt of a step is noted."""

    @step
    async def split(self, ev: Go) -> list[Part]:
        LOG.append("split 1")
        return [Part(number=number) for number in range(ev.n)]

    @step(num_workers=2)
    async def make(self, ctx: Context[Seen], ev: Part) -> Made:
        LOG.append(f"make {ev.number} {ctx.attempt}")
        await asyncio.sleep(0.001 * (ev.number % 3))
        async with ctx.store.edit_state() as state:
            state.names = [*state.names, f"make {ev.number}"]
        return Made(number=ev.number)

    @step(num_workers=2)
    async def examine(self, ctx: Context[Seen], ev: Made) -> Checked:
        LOG.append(f"examine {ev.number} {ctx.attempt}")
        return Checked(number=ev.number)

    @step
    async def gather(self, evs: list[Checked]) -> StopEvent:
        LOG.append("gather 1")
        return StopEvent(result=sorted(ev.number for ev in evs))


def in_process(store: str | Path, work: Callable[[Engine], Awaitable[Any]]) -> Any:
    """Works on a store as a process of its own does."""

    async def main() -> Any:
        engine = Engine(store)
        engine.add(Spread, "spread")
        engine.add(Asking, "asking")
        try:
            return await work(engine)
        finally:
            engine.close()

    return asyncio.run(main())


async def rests(engine: Engine, handler: WorkflowHandler[Any]) -> Any:
    """Waits until a run is over or rests in its store; returns its result, or ``None``."""
    parking = asyncio.ensure_future(engine.park(handler.run_id))
    try:
        return await handler
    except RunParkedError:
        return None
    finally:
        parking.cancel()


def begin(store: str | Path, *where: str | Breakpoint, n: int = 3) -> Any:
    async def work(engine: Engine) -> Any:
        handler = Spread(engine=engine, workflow_name="spread").run(n=n, run_id="r")
        handler.break_at(*where)
        return await rests(engine, handler)

    return in_process(store, work)


def resume(store: str | Path, *, by_step: bool = False, where: tuple[str, ...] | None = None) -> Any:
    async def work(engine: Engine) -> Any:
        handler = await engine.resume("r")
        if where is not None:
            handler.break_at(*where)
        (handler.step if by_step else handler.go_on)()
        return await rests(engine, handler)

    return in_process(store, work)


def shown(store: str | Path) -> tuple[str, str]:
    """Return a run's status, and what it waits for."""

    async def work(engine: Engine) -> tuple[str, str]:
        engine_row = engine.show("r")
        waits = engine.waits_of("r")
        return engine_row.status, f"{waits[0].step}: {waits[0].what}" if waits else ""

    found: tuple[str, str] = in_process(store, work)
    return found


def checked(store: str | Path) -> None:
    engine = Engine(store)
    engine.add(Spread, "spread")
    check(engine, "r")
    engine.close()


def test_a_run_halts_rests_and_goes_on_in_another_process(store: str | Path) -> None:
    assert begin(store, "gather") is None
    assert shown(store) == ("halted", "gather: to be resumed: the run halted before it")
    assert "gather 1" not in LOG
    assert resume(store) == [0, 1, 2]
    assert shown(store)[0] == "done"
    assert sorted(LOG) == sorted(
        [f"{name} {n} 1" for name in ("make", "examine") for n in range(3)] + ["split 1", "gather 1"]
    )
    checked(store)


def test_of_several_at_once_each_halts_in_its_turn(store: str | Path) -> None:
    assert begin(store, "examine") is None
    for done in range(3):
        assert sum(line.startswith("examine") for line in LOG) == done
        assert shown(store) == ("halted", "examine: to be resumed: the run halted before it")
        found = resume(store)
    assert found == [0, 1, 2]
    assert all(line.endswith(" 1") for line in LOG if line.startswith("examine"))
    checked(store)


def test_after_a_step_nothing_that_follows_has_begun(store: str | Path) -> None:
    assert begin(store, Breakpoint(after="split")) is None
    assert shown(store) == ("halted", "split: to be resumed: the run halted after it")
    assert LOG == ["split 1"]
    assert resume(store, by_step=True) is None
    assert len(LOG) == 2
    assert resume(store) == [0, 1, 2]
    checked(store)


def test_other_breakpoints_take_the_place_of_those_that_were(store: str | Path) -> None:
    begin(store, "make")
    assert resume(store, where=("gather",)) is None
    assert shown(store)[1].startswith("gather")
    assert resume(store, where=()) == [0, 1, 2]


def test_who_takes_up_what_is_due_leaves_a_halted_run(store: str | Path) -> None:
    begin(store, "gather")
    notes: list[WorkerNote] = []

    async def work(engine: Engine) -> None:
        await Worker(engine, lambda due: None, notes.append).run(until_idle=True)

    in_process(store, work)
    assert notes == []
    assert shown(store)[0] == "halted"


@pytest.mark.parametrize("by_step", [False, True])
def test_one_whose_process_ends_while_it_stands_is_put_to_rest_where_it_was(
    store: str | Path, *, by_step: bool
) -> None:
    begin(store, "make")
    notes: list[WorkerNote] = []

    async def leave(engine: Engine) -> None:
        handler = await engine.resume("r")
        (handler.step if by_step else handler.go_on)()
        halt = await handler.halted()
        assert halt is not None
        run = engine.run("r")
        assert run is not None
        assert run.port is not None
        for _ in range(1000):  # until what is at work has come to its end, and the rest is held back
            await asyncio.sleep(0.01)
            if run.port.is_idle:
                break

    async def work(engine: Engine) -> None:
        await Worker(engine, lambda due: None, notes.append).run(until_idle=True)

    in_process(store, leave)
    assert shown(store)[0] == "live"
    begun = list(LOG)
    in_process(store, work)
    assert [note.what for note in notes] == ["begins", "rests"]
    assert shown(store)[0] == "halted"
    assert begun == LOG
    assert resume(store, where=()) == [0, 1, 2]
    assert all(line.endswith(" 1") for line in LOG)
    checked(store)


def test_resumed_and_not_told_to_go_on_it_stays_halted(store: str | Path) -> None:
    begin(store, "gather")

    async def work(engine: Engine) -> Any:
        handler = await engine.resume("r")
        halt = await handler.halted()
        assert halt is not None
        assert (halt.at, halt.step, halt.attempt) == ("before", "gather", 1)
        return await rests(engine, handler)

    assert in_process(store, work) is None
    assert shown(store)[0] == "halted"
    assert resume(store) == [0, 1, 2]
    checked(store)


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 100), marks=pytest.mark.full)])
def test_by_whatever_halts_each_step_run_begins_once(tmp_path: Path, seeds: range) -> None:
    names = ("split", "make", "examine", "gather")
    for seed in seeds:
        LOG.clear()
        chance = random.Random(seed)  # noqa: S311 - a test's
        store = tmp_path / f"{seed}.db"

        def places() -> tuple[str, ...]:
            return tuple(chance.sample(names, chance.randint(0, 3)))  # noqa: B023

        n = chance.randint(1, 4)
        found = begin(
            store, *(Breakpoint(after=name) if chance.random() < 0.4 else name for name in places()), n=n
        )
        for _ in range(60):
            if found is not None:
                break
            assert shown(store)[0] == "halted", seed
            before = len(LOG)
            by_step = chance.random() < 0.5
            found = resume(
                store, by_step=by_step, where=None if by_step or chance.random() < 0.7 else places()
            )
            assert not by_step or len(LOG) == before + 1, (seed, LOG[before:])
        assert found == list(range(n)), seed
        wanted = [f"{name} {number} 1" for name in ("make", "examine") for number in range(n)]
        assert sorted(LOG) == sorted([*wanted, "split 1", "gather 1"]), seed
        checked(store)


class Answer(Record):
    ok: bool


class Answered(Event):
    ok: bool


class Asking(Workflow, deadline=3600):
    @pause
    async def ask(self, ev: Go) -> Question[Answer]:
        return Question(Answer, title="May it?")

    @ask.then
    def asked(self, ev: Go, result: Answer) -> Answered:
        return Answered(ok=result.ok)

    @step
    async def use(self, ev: Answered) -> StopEvent:
        LOG.append("use")
        return StopEvent(result=ev.ok)


def test_breakpoints_outlive_a_rest_and_the_deadline_stands_still(store: str | Path) -> None:
    async def ask(engine: Engine) -> Any:
        handler = Asking(engine=engine, workflow_name="asking").run(run_id="r")
        handler.break_at("use")
        return await rests(engine, handler)

    async def answer(engine: Engine) -> Any:
        (task,) = engine.tasks()
        handler = await engine.answer(task.task_id, {"ok": True}, by="user:ann")
        return await rests(engine, handler)

    assert in_process(store, ask) is None
    assert shown(store)[0] == "parked"
    assert in_process(store, answer) is None  # whoever answers knows nothing of breakpoints
    assert shown(store) == ("halted", "use: to be resumed: the run halted before it")
    assert LOG == []

    async def look(engine: Engine) -> tuple[int | None, int | None]:
        execution = engine.told("r").execution
        return execution.deadline, execution.deadline_left

    deadline, left = in_process(store, look)
    assert deadline is None
    assert left is not None
    assert resume(store) is True
    assert LOG == ["use"]
