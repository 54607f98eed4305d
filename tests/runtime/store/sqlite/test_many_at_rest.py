"""What is done again and again, or while a run wakes, goes through no table of which most may be at rest."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import Engine, Question, StartEvent, StopEvent, Workflow, pause
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.store.sqlite import SqliteJournal

LARGE = ("runs", "ticks", "tasks", "questions", "snapshots")
"""The tables with a row and more for each run that rests."""


class Asking(Workflow, name="asking"):
    @pause
    def ask(self, ev: StartEvent) -> Question[None]:
        return Question(None, title="Go on?")

    @ask.then
    def asked(self, ev: StartEvent) -> StopEvent:
        return StopEvent()


def scans(path: Path, statements: set[str]) -> list[tuple[str, str]]:
    """Return the statements that go through a large table from one end to the other, each with how."""
    found = []
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in sorted(statements):
            for *_, how in connection.execute(f"EXPLAIN QUERY PLAN {statement}"):
                words = how.split()
                if words[0] == "SCAN" and words[1] in LARGE and "INDEX" not in words:
                    found.append((how, statement))
    return found


def test_nothing_goes_through_all_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: set[str] = set()
    connect = SqliteJournal._connect

    def traced(self: SqliteJournal) -> Any:
        connection: Any = connect(self)
        connection.set_trace_callback(said.add)
        return connection

    async def main() -> None:
        with contextlib.closing(Engine(store=tmp_path / "runs.db")) as engine:
            engine.add(Asking)
            for run_id in ("one", "two", "three"):
                Asking(engine=engine).run(run_id=run_id)
                async with asyncio.timeout(240):
                    while not engine.tasks(run_id=run_id):  # noqa: ASYNC110 - what is waited for is in the store
                        await asyncio.sleep(0.002)
                await engine.park(run_id)
            monkeypatch.setattr(SqliteJournal, "_connect", traced)
        with contextlib.closing(Engine(store=tmp_path / "runs.db")) as engine:
            engine.add(Asking)
            handler = await engine.answer("one/ask/1", by="user:ann")
            assert handler is not None
            await handler
            await engine.answer("two/ask/1", by="user:ann", leave=True)
            await Worker(engine, lambda due: None, lambda note: None).run(until_idle=True)
            assert engine.store.addressed() == []
            assert engine.show("two").status == "done"

    asyncio.run(main())
    wanted = {one for one in said if one.split()[0] in {"SELECT", "UPDATE", "DELETE", "WITH", "INSERT"}}
    assert len(wanted) > 20
    assert scans(tmp_path / "runs.db", wanted) == []
