"""A long run is told from its last snapshot on, as it is told from its beginning."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from wfc.runtime import Engine, Event, Question, RunState, StartEvent, StopEvent, Workflow, pause, step
from wfc.runtime.driver.engine import retold
from wfc.runtime.store import port

STEPS = 57


class Turn(Event):
    n: int


class Asked(Event):
    pass


class Counted(RunState):
    n: int = 0


class Long(Workflow, name="long"):
    @step
    async def count(self, state: Counted, ev: StartEvent | Turn) -> Turn | Asked:
        n = getattr(ev, "n", 0)
        return Turn(n=n + 1) if n < STEPS else Asked()

    @count.then
    def counted(self, state: Counted, ev: StartEvent | Turn, result: Turn | Asked) -> Turn | Asked:
        state.n += 1
        return result

    @pause
    def ask(self, ev: Asked) -> Question[None]:
        return Question(None, title="Go on?")

    @ask.then
    def asked(self, ev: Asked) -> StopEvent:
        return StopEvent()


@pytest.fixture
def engine(store: str | Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine whose store has a long run that asks, with a snapshot somewhere in its midst."""
    monkeypatch.setattr(port, "SHORTEST_TAIL", 600)
    with contextlib.closing(Engine(store=store)) as found:
        found.add(Long)

        async def main() -> None:
            Long(engine=found).run(run_id="one")
            async with asyncio.timeout(240):
                while not found.tasks():  # noqa: ASYNC110 - what is waited for is in the store
                    await asyncio.sleep(0.005)

        asyncio.run(main())
        yield found


def followed(engine: Engine, since: int) -> list[retold.Replayed]:
    async def main() -> list[retold.Replayed]:
        return [told async for told in engine.follow("one", since, waits=False, changes=True)]

    return asyncio.run(main())


def test_what_a_run_shows_is_the_same_from_its_snapshot_on(engine: Engine) -> None:
    last = engine.last_tick("one")
    began = engine.replay("one", last).first
    assert 0 < began < last, "it begins from a snapshot"
    whole = followed(engine, 0)
    assert [told.seq for told in whole] == list(range(1, last + 1))
    for since in (began - 1, began, began + 1, last - 1, last):
        assert followed(engine, since) == whole[since:]
        assert engine.replay("one", since).first == (began if since >= began else 0)


def test_a_run_that_is_long_is_shown_since_its_snapshot(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = engine.last_tick("one")
    whole = engine.told("one")
    monkeypatch.setattr(retold, "MOST_TOLD", 20)
    told = engine.told("one")
    assert (whole.first, whole.seq, told.seq) == (0, last, last)
    assert 0 < told.first < last
    assert told.execution.state == whole.execution.state == Counted(n=STEPS + 1)
    assert told.lines() == whole.lines()[-len(told.lines()) :]
    assert engine.told("one", last).lines() == whole.lines(), "from the beginning, as that is asked for"


def test_its_last_ticks_are_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    last = engine.last_tick("one")
    assert engine.tail_of("one", 5) == last - 5
    assert engine.tail_of("one", 10 * last) == 0
    monkeypatch.setattr(retold, "MOST_TOLD", 20)
    first = engine.told("one").first
    assert engine.tail_of("one", last - first + 5) == first, (
        "what was before would have to be told from the beginning"
    )
    assert len(followed(engine, engine.tail_of("one", 2))) == 2
