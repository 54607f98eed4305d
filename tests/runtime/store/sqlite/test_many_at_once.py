"""Hundreds of runs at once in one file: half of them are written while the others go on, each fenced by itself."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wfc.runtime import Engine, Event, StartEvent, StopEvent, Workflow, step
from wfc.runtime.errors import RunLostError
from wfc.runtime.store.sql import tick_rows
from wfc.runtime.store.sql.writer import LARGE, Writer

STEPS = 12


class Go(StartEvent):
    number: int


class Turn(Event):
    number: int
    left: int


class End(StopEvent):
    number: int


class Counting(Workflow):
    taken: int | None = None
    leaving: int | None = None
    path: Path

    @step
    async def count(self, ev: Go | Turn) -> Turn | End:
        if isinstance(ev, Go):
            return Turn(number=ev.number, left=STEPS)
        if ev.number == self.taken and ev.left == STEPS // 2:
            with closing(sqlite3.connect(self.path, timeout=30)) as other, other:
                other.execute(
                    "UPDATE runs SET epoch = epoch + 1, owner = 'other' WHERE run_id = ?", (str(ev.number),)
                )
        if ev.number == self.leaving and ev.left == STEPS:
            raise SystemExit
        return Turn(number=ev.number, left=ev.left - 1) if ev.left > 1 else End(number=ev.number)


@pytest.mark.parametrize("took", [0.0, 60.0], ids=["fast", "slow"])
@pytest.mark.parametrize("count", [1, LARGE, 2 * LARGE - 1, 2 * LARGE, 150, 500])
def test_each_of_many_runs_has_all_of_its_ticks_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, took: float
) -> None:
    sizes: list[int] = []
    prepared = tick_rows.prepared

    def noted(ticks: tuple[tick_rows.Tick, ...], owner: str) -> object:
        sizes.append(len(ticks))
        return prepared(ticks, owner)

    monkeypatch.setattr("wfc.runtime.store.sql.database.prepared", noted)
    monkeypatch.setattr(Writer, "took", property(lambda _: took, lambda _, __: None), raising=False)
    engine = Engine(store=tmp_path / "runs.db")
    ended = asyncio.run(_all(Counting(engine=engine, timeout=None), count))
    assert [one.number for one in ended if isinstance(one, End)] == list(range(count))
    for number in range(count):
        ticks = engine.store.history(str(number))
        assert [seq for seq, _ in ticks] == list(range(1, STEPS + 3))
        left = [json.loads(body)[3]["of"][1].get("left") for _, body in ticks[1:]]
        assert left == [*range(STEPS, 0, -1), None]
    engine.close()
    assert (max(sizes) >= LARGE) == (count >= LARGE)
    # those of one commit are handed over in two halves where that is fast
    assert any(LARGE <= size < count for size in sizes) == (count >= 2 * LARGE and took == 0)


def test_a_run_that_another_process_has_taken_is_lost_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    engine = Engine(store=path)
    workflow = Counting(engine=engine, timeout=None)
    workflow.taken, workflow.path = 77, path
    ended = asyncio.run(_all(workflow, 150))
    assert isinstance(ended[77], RunLostError) and "claimed" in str(ended[77])
    others = [number for number in range(150) if number != 77]
    assert [one.number for one in ended if isinstance(one, End)] == others
    assert {len(engine.store.history(str(number))) for number in others} == {STEPS + 2}
    assert len(engine.store.history("77")) == STEPS // 2 + 2  # to the one before which it was taken
    engine.close()


def test_where_one_ends_the_process_and_its_loop_stays_the_others_go_on(tmp_path: Path) -> None:
    engine = Engine(store=tmp_path / "runs.db")
    workflow = Counting(engine=engine, timeout=None)
    workflow.leaving = 7
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        all_of_them = loop.create_task(_all(workflow, 150))
        with pytest.raises(SystemExit):
            loop.run_until_complete(all_of_them)
        ended = loop.run_until_complete(asyncio.wait_for(all_of_them, 60))
    assert isinstance(ended[7], RunLostError) and "SystemExit" in str(ended[7])
    assert len([one for one in ended if isinstance(one, End)]) == 149
    engine.close()


async def _all(workflow: Counting, count: int) -> list[object]:
    runs = [workflow.run(number=number, run_id=str(number)) for number in range(count)]
    return await asyncio.gather(*runs, return_exceptions=True)
