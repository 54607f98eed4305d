"""Calls that wait for their turn: in order, no more than there may be, and no later than need be."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import Context, Engine, Event, PythonTool, StartEvent, StopEvent, Workflow, step
from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.calls.turns import MemoryLedger, Turns
from wfc.runtime.errors import StepFailedError
from wfc.runtime.events.internal import CallWaits
from wfc.runtime.testing import run_virtually


def begins_of(calls: list[tuple[float, float]], limit: CallLimit) -> list[float]:
    """When each call begins, worked out by hand; of a call it is known when it comes, and how long it takes."""
    begins: list[float] = []
    for number, (comes, _) in enumerate(calls):
        at = max([comes, *begins[-1:]])
        if limit.rate is not None and number >= limit.rate[0]:
            at = max(at, begins[number - limit.rate[0]] + limit.rate[1])
        if limit.at_once is not None:
            ends = sorted(begin + calls[n][1] for n, begin in enumerate(begins))
            if len(ends) >= limit.at_once:  # so many of those before must be over
                at = max(at, ends[-limit.at_once])
        begins.append(at)
    return begins


def played(calls: list[tuple[float, float]], limit: CallLimit) -> list[float]:
    async def main() -> list[float]:
        turns, begins = Turns(MemoryLedger()), [0.0] * len(calls)
        loop = asyncio.get_running_loop()

        async def make(number: int, comes: float, takes: float) -> None:
            await asyncio.sleep(comes)
            async with turns.turn(limit, lambda why: None):
                begins[number] = loop.time()
                await asyncio.sleep(takes)

        await asyncio.gather(*(make(number, *call) for number, call in enumerate(calls)))
        assert not turns._lines
        return begins

    return run_virtually(main)


@pytest.mark.parametrize("seeds", [range(100), pytest.param(range(100, 600), marks=pytest.mark.full)])
def test_each_call_begins_as_soon_as_it_may_and_in_order(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311
        rate = (chance.randint(1, 4), chance.choice([1.0, 3.5, 60.0])) if chance.random() < 0.8 else None
        limit = CallLimit("x", rate, chance.randint(1, 4) if rate is None or chance.random() < 0.6 else None)
        comes = sorted(chance.choice([0.0, 0.25, 2.0, 90.0]) * chance.random() for _ in range(12))
        calls = [(at, chance.choice([0.125, 1.0, 7.0]) * (1 + chance.random())) for at in comes]
        assert played(calls, limit) == pytest.approx(begins_of(calls, limit)), (seed, limit, calls)


def test_those_who_give_up_leave_the_line() -> None:
    async def main() -> list[str]:
        turns, seen = Turns(MemoryLedger()), []
        limit = CallLimit("x", rate=(1, 10.0), at_once=1)

        async def make(name: str) -> None:
            async with turns.turn(limit, lambda why: None):
                seen.append(f"{name} {asyncio.get_running_loop().time():g}")

        tasks = [asyncio.create_task(make(name)) for name in "abcd"]
        await asyncio.sleep(3)
        tasks[1].cancel()  # the first that waits
        tasks[2].cancel()
        await asyncio.wait(tasks)
        assert not turns._lines
        return seen

    assert run_virtually(main) == ["a 0", "d 10"]


def test_a_place_is_given_back_by_a_call_that_fails_or_is_cancelled() -> None:
    async def main() -> float:
        turns, limit = Turns(MemoryLedger()), CallLimit("x", at_once=1)

        async def make(error: Exception | None) -> None:
            async with turns.turn(limit, lambda why: None):
                if error is not None:
                    raise error
                await asyncio.sleep(5)

        with pytest.raises(OSError, match="no"):
            await make(OSError("no"))
        task = asyncio.create_task(make(None))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        await make(None)
        return asyncio.get_running_loop().time()

    assert run_virtually(main) == 6


class Asked(StartEvent):
    numbers: list[int]


class Wanted(Event):
    number: int


class Got(Event):
    number: int


SLOW: PythonTool[int] = PythonTool("slow_calls:slow", output=int, rate=(1, 10.0))


class Calling(Workflow, deadline=None):
    @step
    async def split(self, ev: Asked) -> list[Wanted]:
        return [Wanted(number=number) for number in ev.numbers]

    @step(num_workers=10, timeout=4)
    async def call(self, ctx: Context, ev: Wanted) -> Got:
        return Got(number=await ctx.tool(SLOW, {"number": ev.number}))

    @step
    async def gather(self, evs: list[Got]) -> StopEvent:
        return StopEvent(result=[ev.number for ev in evs])


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import asyncio\nasync def slow(number):\n    await asyncio.sleep(3)\n    return number\n"
    (tmp_path / "slow_calls.py").write_text(source, encoding="utf-8")
    tool: PythonTool[int] = PythonTool("slow_calls:slow", output=int, beside=tmp_path, rate=(1, 10.0))
    monkeypatch.setitem(globals(), "SLOW", tool)


@pytest.mark.usefixtures("tool")
def test_waiting_counts_against_no_time_out_and_is_told() -> None:
    async def main() -> tuple[Any, float, list[CallWaits]]:
        handler = Calling(engine=Engine()).run(numbers=[1, 2, 3])
        events = [event async for event in handler.stream_events(expose_internal=True)]
        waits = [event for event in events if isinstance(event, CallWaits)]
        return await handler, asyncio.get_running_loop().time(), waits

    result, took, waits = run_virtually(main)
    assert result == [1, 2, 3]
    assert took == pytest.approx(23)  # each call takes 3 of its 4 seconds, and they begin at 0, 10 and 20
    assert [(each.step_name, each.name, each.rate, each.seconds) for each in waits] == [
        ("call", "python slow_calls:slow", (1, 10.0), 10.0),
        ("call", "python slow_calls:slow", (1, 10.0), None),  # who waits behind another one
    ]


@pytest.mark.usefixtures("tool")
def test_after_its_turn_a_call_has_the_time_that_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slower(Calling):
        @step(num_workers=10, timeout=2)
        async def call(self, ctx: Context, ev: Wanted) -> Got:
            return Got(number=await ctx.tool(SLOW, {"number": ev.number}))

    async def main() -> float:
        turns = Engine()
        with pytest.raises(StepFailedError, match="longer than 2 s"):
            await Slower(engine=turns).run(numbers=[1])
        with pytest.raises(StepFailedError, match="longer than 2 s"):
            await Slower(engine=turns).run(numbers=[1])
        return asyncio.get_running_loop().time()

    assert run_virtually(main) == pytest.approx(12)


@pytest.mark.usefixtures("tool")
def test_a_cancelled_run_waits_no_more() -> None:
    async def main() -> tuple[float, Any]:
        engine = Engine()
        first, second = Calling(engine=engine).run(numbers=[1]), Calling(engine=engine).run(numbers=[2, 3, 4])
        await asyncio.sleep(1)
        await second.cancel_run()
        await first
        third = await Calling(engine=engine).run(numbers=[5])
        return asyncio.get_running_loop().time(), third

    took, third = run_virtually(main)
    assert (took, third) == (pytest.approx(13), [5])


def test_it_is_known_how_many_wait_for_what() -> None:
    async def main() -> None:
        turns, limits = Turns(MemoryLedger()), [CallLimit("a", None, 1), CallLimit("b", (1, 60.0), None)]

        async def make(limit: CallLimit) -> None:
            async with turns.turn(limit, lambda why: None):
                await asyncio.sleep(10)

        calls = [asyncio.create_task(make(limit)) for limit in (*limits, *limits, limits[0])]
        await asyncio.sleep(1)
        assert turns.waiting() == [("a", 2), ("b", 1)]
        await asyncio.sleep(10)
        assert turns.waiting() == [("a", 1), ("b", 1)]
        await asyncio.gather(*calls)
        assert turns.waiting() == []

    run_virtually(main)
