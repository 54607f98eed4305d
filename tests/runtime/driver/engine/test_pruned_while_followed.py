"""A follower who is behind when its run is pruned is told so, and never other ticks under the numbers of those."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from wfc.runtime import Engine, Event, Question, StartEvent, StopEvent, Workflow, pause, step
from wfc.runtime.driver.engine import retold
from wfc.runtime.errors import RunEndedError, StoreError


class Asked(Event):
    pass


class Asks(Workflow, name="asks"):
    @step
    async def think(self, ev: StartEvent) -> Asked:
        return Asked()

    @pause
    async def ask(self, ev: Asked) -> Question[None]:
        return Question(None, title="Go on?")

    @ask.then
    def asked(self, ev: Asked) -> StopEvent:
        return StopEvent()


@pytest.fixture
def engine(store: str | Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine whose store has a run that rests, of which two ticks are read at once."""
    monkeypatch.setattr(retold, "MOST_AT_ONCE", 2)
    with contextlib.closing(Engine(store=store)) as found:
        found.add(Asks)
        asyncio.run(rests(found))
        yield found


async def rests(engine: Engine) -> None:
    Asks(engine=engine).run(run_id="one")
    async with asyncio.timeout(240):
        while not engine.tasks():  # noqa: ASYNC110 - what is waited for is in the store
            await asyncio.sleep(0.005)
        await engine.park("one")


async def answer(engine: Engine) -> None:
    (task,) = engine.tasks()
    await engine.answer(task.task_id, None, by="user:ann")
    with contextlib.suppress(RunEndedError):  # it has gone on by itself
        await (await engine.resume("one"))


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("goes_on", [True, False])
def test_what_was_pruned_before_it_was_told_is_missed(engine: Engine, *, waits: bool, goes_on: bool) -> None:
    last = engine.last_tick("one")
    assert last > 2, "more than is read at once"

    async def main() -> None:
        followed = engine.follow("one", waits=waits)
        assert [(await anext(followed)).seq for _ in range(2)] == [1, 2]
        assert await engine.store.prune("one") == last
        if goes_on:
            await answer(engine)
        missed = rf"what followed tick 2 of the run `one` was pruned: follow it since {last}"
        with pytest.raises(StoreError, match=missed):
            await asyncio.wait_for(anext(followed), 60)
        after = engine.follow("one", last, waits=False)
        assert [told.seq async for told in after] == list(range(last + 1, engine.last_tick("one") + 1))

    asyncio.run(main())


def test_what_was_pruned_while_it_was_read_is_not_left_out(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = engine.last_tick("one")
    read = engine._ticks_after

    def pruned_then(run_id: str, since: int, most: int) -> tuple[list[tuple[int, bytes]], bool]:
        found = read(run_id, since, most)
        asyncio.run(engine.store.prune("one"))
        return found

    monkeypatch.setattr(engine, "_ticks_after", pruned_then)
    with pytest.raises(StoreError, match=f"follow it since {last}"):
        engine.told("one")
