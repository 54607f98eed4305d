"""Snapshots cost what is under way, and whatever is read for one ends in a run or in one clear error."""

from __future__ import annotations

import asyncio
import copy
import json
import random
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfc.runtime import Context, Event, RunState, SnapshotError, StartEvent, StopEvent, Workflow, step
from wfc.runtime.testing import run_virtually


class Begin(StartEvent):
    count: int = 0


class Ping(Event):
    n: int


class Pong(Event):
    n: int


class Memory(RunState):
    seen: int = 0


class Busy(Workflow):
    @step
    async def begin(self, ctx: Context[Memory], event: Begin) -> Ping | None:
        for n in range(event.count):
            ctx.send_event(Ping(n=n))
        return None

    @step(num_workers=1)
    async def work(self, ctx: Context[Memory], event: Ping) -> Pong:
        await asyncio.sleep(1)
        return Pong(n=event.n)

    @step
    async def end(self, event: Pong) -> StopEvent | None:
        return StopEvent(result=event.n) if event.n == 3 else None


def snapshot(count: int) -> dict[str, Any]:
    async def main() -> dict[str, Any]:
        handler = Busy(timeout=None).run(run_id="r", count=count)
        await asyncio.sleep(0.5)
        data = handler.ctx.to_dict()
        await handler.cancel_run()
        return data

    return run_virtually(main)


GOOD = snapshot(5)
WORDS = [
    None,
    True,
    -1,
    0,
    7,
    2**70,
    1e400,
    "",
    "r",
    "work",
    [],
    {},
    {"$": "model", "of": ["Ping", {}]},
    [[]],
    "Ping",
]


def places(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at]
    if isinstance(data, dict):
        found += [one for key, value in data.items() for one in places(value, (*at, key))]
    elif isinstance(data, list):
        found += [one for key, value in enumerate(data) for one in places(value, (*at, key))]
    return found


PLACES = places(GOOD)[1:]


def damaged(rng: random.Random) -> Any:
    data = copy.deepcopy(GOOD)
    for _ in range(rng.choice([1, 1, 2, 4])):
        *way, last = rng.choice(PLACES)
        at = data
        try:
            for part in way:
                at = at[part]
            if rng.random() < 0.3:
                del at[last]
            else:
                at[last] = copy.deepcopy(rng.choice(WORDS))
        except (KeyError, IndexError, TypeError):
            continue
    return data


@given(st.randoms(use_true_random=False))
@settings(max_examples=400)
def test_a_damaged_snapshot_is_refused_or_its_run_ends(rng: random.Random) -> None:
    data = damaged(rng)

    async def main() -> None:
        workflow = Busy(timeout=100)
        try:
            ctx: Context[Memory] = Context.from_dict(workflow, data)
        except SnapshotError:
            return
        goes_on = "execution" in ctx.to_dict()
        handler = workflow.run(ctx=ctx) if goes_on else workflow.run(count=4, ctx=ctx)
        (ended,) = await asyncio.gather(handler.stop_event_result(), return_exceptions=True)
        assert "the runtime failed" not in str(ended), data

    run_virtually(main)


def test_what_is_nested_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(SnapshotError):
        Context.from_dict(Busy(), {**GOOD, "execution": {**GOOD["execution"], "inbox": [[1, endless]]}})
    deep: Any = 1
    for _ in range(5_000):
        deep = {"$": "tuple", "of": [deep]}
    run = {**GOOD["execution"]["runs"][0], "exit": 3, "result": deep}
    with pytest.raises(SnapshotError, match="deep"):
        Context.from_dict(Busy(), {**GOOD, "execution": {**GOOD["execution"], "runs": [run]}})


def test_a_snapshot_names_nothing_but_the_workflow_s_own_classes() -> None:
    for name in ("os.system", "builtins.eval", "Workflow", "<subprocess.Popen>", "Path"):
        data = copy.deepcopy(GOOD)
        data["execution"]["runs"][0]["on"] = [name, {"args": "true"}]
        with pytest.raises(SnapshotError, match="no class of this workflow"):
            Context.from_dict(Busy(), data)


def test_the_size_of_a_snapshot_is_what_is_under_way() -> None:
    sizes = {count: len(json.dumps(snapshot(count))) for count in (5, 100, 1_000)}
    assert sizes[1_000] < 120 * 1_000 + sizes[5]

    class Loop(Workflow):
        @step
        async def ping(self, event: Begin | Pong) -> Ping | StopEvent:
            n = event.count if isinstance(event, Begin) else event.n
            return Ping(n=n - 1) if n else StopEvent()

        @step
        async def pong(self, event: Ping) -> Pong:
            if event.n == 50:
                await asyncio.sleep(10)
            return Pong(n=event.n)

    def size(count: int) -> int:
        async def main() -> int:
            handler = Loop().run(count=count, run_id="r")
            await asyncio.sleep(5)
            text = json.dumps(handler.ctx.to_dict())
            await handler.cancel_run()
            return len(text)

        return run_virtually(main)

    assert size(5_000) - size(100) < 20  # the numbers of step runs are longer


@given(st.floats(0, 5.5), st.integers(1, 4))
@settings(max_examples=60)
def test_a_run_goes_on_from_any_moment_any_number_of_times(seconds: float, times: int) -> None:
    async def leave(data: dict[str, Any] | None) -> tuple[dict[str, Any], Any]:
        workflow = Busy(timeout=None)
        ctx: Context[Memory] | None = None if data is None else Context.from_dict(workflow, data)
        handler = workflow.run(ctx=ctx) if ctx else workflow.run(run_id="r", count=9)
        await asyncio.sleep(seconds / times)
        data = json.loads(json.dumps(handler.ctx.to_dict()))
        if handler.is_done():
            return data, await handler
        await handler.cancel_run()
        return data, None

    data, result = run_virtually(partial(leave, None))
    for _ in range(times - 1):
        if result is None:
            data, result = run_virtually(partial(leave, data))

    async def end() -> Any:
        workflow = Busy(timeout=None)
        return await workflow.run(ctx=Context.from_dict(workflow, data))

    assert (run_virtually(end) if result is None else result) == 3
