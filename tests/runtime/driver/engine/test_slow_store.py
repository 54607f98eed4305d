"""A worker whose store is slow takes up nothing beside what is under way, and says so."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from pathlib import Path

from waiting import until

from wfc.runtime import Engine, StartEvent, StopEvent, Workflow, step
from wfc.runtime.driver.engine import working
from wfc.runtime.driver.engine.metrics import WorkerMetrics
from wfc.runtime.driver.engine.working import Worker, WorkerNote

GOES_ON = asyncio.Event()


class Slow(Workflow, name="slow"):
    @step
    async def wait(self, ev: StartEvent) -> StopEvent:
        await GOES_ON.wait()
        return StopEvent()


def test_nothing_is_taken_up_beside_what_is_under_way_while_a_commit_takes_long(
    tmp_path: Path,
) -> None:
    notes: list[WorkerNote] = []

    async def main() -> None:
        GOES_ON.clear()
        with contextlib.closing(Engine(store=tmp_path / "runs.db")) as engine:
            engine.add(Slow)
            figures = WorkerMetrics(engine)
            for run_id in ("a", "b"):
                await engine.enqueue(Slow(engine=engine), StartEvent(), run_id)

            def tell(note: WorkerNote) -> None:
                notes.append(note)
                figures.note(note)

            worker = Worker(engine, lambda due: None, tell, at_once=1)
            going = asyncio.create_task(worker.run(until_idle=True))
            await until(lambda: [note.what for note in notes] == ["begins"])
            with contextlib.closing(sqlite3.connect(tmp_path / "runs.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")  # so that nobody can write
                writing = asyncio.create_task(engine.store.write(lambda connection: None))
                await until(lambda: notes[-1].what == "held back")
                worker._at_once = 2
                began = time.monotonic()
                await until(lambda: time.monotonic() > began + 3 * working.LOOKS_EVERY)
                assert [note.what for note in notes] == ["begins", "held back"]
                assert notes[-1].run_id == "" and "a commit to the store takes" in notes[-1].because
                (said,) = [
                    line for line in figures.text().splitlines() if line.startswith("wfc_worker_commit_delay")
                ]
                assert float(said.split()[1]) > working.SLOW
                other.execute("ROLLBACK")
                await writing
            await engine.store.write(lambda connection: None)  # a quick one
            await until(lambda: len(notes) == 4)
            GOES_ON.set()
            await going
            counted = [
                line for line in figures.text().splitlines() if line.startswith("wfc_worker_runs_total")
            ]
            assert len(counted) == 2, "begins and done: what it tells of itself is of no run"
        assert [note.what for note in notes] == ["begins", "held back", "goes on", "begins", "done", "done"]

    asyncio.run(main())
