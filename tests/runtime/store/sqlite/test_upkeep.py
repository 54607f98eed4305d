"""Migrations, copies, checks, pruning, and values that are kept apart."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from journals import append, append_soon, new_run, opened

from wfc.runtime.errors import StoreError
from wfc.runtime.store.blobs import LARGE, divide, unite
from wfc.runtime.store.journal import Entry, Lease, Snapshot
from wfc.runtime.store.sql.selecting import DueRun, due
from wfc.runtime.store.sql.tables import FORMAT, MIGRATIONS
from wfc.runtime.store.sqlite import SqliteJournal
from wfc.runtime.store.sqlite.schema import format_of, prepare

NEXT = {**MIGRATIONS, FORMAT + 1: ("ALTER TABLE runs ADD COLUMN note TEXT", "UPDATE runs SET note = 'moved'")}


def test_a_made_up_next_format_takes_over_what_is_there(tmp_path: Path) -> None:
    with contextlib.closing(opened(tmp_path)) as journal:
        asyncio.run(new_run(journal))
        assert journal.format == FORMAT
        path = journal.path
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        prepare(connection, NEXT)
        assert format_of(connection) == FORMAT + 1
        assert connection.execute("SELECT run_id, note FROM runs").fetchall() == [("run", "moved")]
        prepare(connection, NEXT)  # a second time it has nothing to do
    with pytest.raises(StoreError, match="update wfc"):
        SqliteJournal(path)


def test_the_tasks_of_a_store_of_the_first_format_can_be_found_by_whom_they_ask(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        prepare(connection, {})
        connection.execute(
            """INSERT INTO runs (run_id, workflow, shape, version, status, start, parent_number, attached, epoch,
                started) VALUES ('run', 'ask', '', '', 'parked', '', 0, 0, 1, 1)"""
        )
        body = json.dumps({"title": "Is it 5 µm?", "assign": ["user:ann"], "form": None})
        connection.execute(
            "INSERT INTO tasks (task_id, run, step, body, opened) VALUES ('run/ask/1', 1, 'ask', ?, 1)",
            (body,),
        )
        assert format_of(connection) == 1
    with contextlib.closing(SqliteJournal(path)) as journal:
        (task,) = journal.tasks(whom=["user:ann"])
        assert (task.title, task.assign, task.passed_on) == ("Is it 5 µm?", ["user:ann"], [])
        assert journal.tasks(whom=["user:bob"]) == []


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    with contextlib.closing(opened(tmp_path)) as journal:
        path = journal.path
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            prepare(connection, {**NEXT, FORMAT + 1: ("ALTER TABLE runs ADD COLUMN note TEXT", "no SQL")})
        assert format_of(connection) == FORMAT
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("SELECT note FROM runs")


def test_a_copy_is_that_of_one_moment_while_runs_go_on(tmp_path: Path) -> None:
    async def main(journal: SqliteJournal) -> None:
        lease = await new_run(journal)
        seq, copies = 2, 0
        while copies < 3:
            for _ in range(50):
                append_soon(journal, Entry(lease, seq, [b"[0]"]), lambda _: None)
                seq += 1
            await asyncio.to_thread(journal.backup, tmp_path / f"copy-{copies}.db")
            copies += 1

    with contextlib.closing(opened(tmp_path)) as journal:
        asyncio.run(main(journal))
        with pytest.raises(StoreError, match="is there already"):
            journal.backup(tmp_path / "copy-0.db")
        with pytest.raises(StoreError, match="cannot be copied"):
            journal.backup(tmp_path / "no" / "copy.db")
    for copy in range(3):
        with contextlib.closing(SqliteJournal(tmp_path / f"copy-{copy}.db")) as journal:
            assert journal.problems() == []
            numbers = [seq for seq, _ in journal.history("run")]
            assert numbers == list(range(1, len(numbers) + 1))


def test_a_look_for_what_is_due_costs_nothing_for_what_rests(tmp_path: Path) -> None:
    """Counted in steps of SQLite's machine: a worker looks ten times a second."""

    def steps(count: int) -> int:
        journal = opened(tmp_path / str(count))
        with contextlib.closing(journal):
            journal.write_now(lambda connection: rest(connection, count))
            found = [0]

            def step() -> int:
                found[0] += 1
                return 0

            def look(connection: Any) -> list[DueRun]:
                connection.set_progress_handler(step, 1)
                try:
                    return due(connection, journal.workers, (), 100)
                finally:
                    connection.set_progress_handler(None, 0)

            runs = journal.select(look)
            assert sorted(run.run_id for run in runs) == ["run-1", "run-2", "run-3"]
        return found[0]

    assert steps(3_000) < steps(300) * 1.5


def rest(connection: Any, count: int) -> None:
    """Adds runs that rest, of which one is due, one has something in its inbox, and one a part that has."""
    for number in range(1, count + 1):
        connection.execute(
            """INSERT INTO runs (run, run_id, workflow, shape, version, status, start, parent, parent_number, attached,
                epoch, wake_at, started) VALUES (?, ?, 'flow', 'shape', '', 'parked', '{}', ?, 0, ?, 1, ?, 1)""",
            (number, f"run-{number}", 3 if number == 4 else None, number == 4, 1 if number == 1 else 2**62),
        )
    for number in (2, 4):
        connection.execute(
            "INSERT INTO inbox (run, kind, body, by, at) VALUES (?, 'event', '{}', '', 1)", (number,)
        )


def test_a_check_finds_what_is_missing(tmp_path: Path) -> None:
    with contextlib.closing(opened(tmp_path)) as journal:
        body, blobs = divide(json.dumps(["x" * LARGE]).encode())

        async def main() -> Lease:
            lease = await new_run(journal)
            done: asyncio.Future[object] = asyncio.get_running_loop().create_future()
            append_soon(
                journal, Entry(lease, 2, [body], blobs=blobs, mentions=[(2, list(blobs))]), done.set_result
            )
            await done
            await append(journal, lease, 3, [b"[3]", b"[4]"])
            return lease

        lease = asyncio.run(main())
        assert journal.problems() == []
        assert json.loads(asyncio.run(journal.read(lease)).ticks[1]) == ["x" * LARGE]
        with contextlib.closing(sqlite3.connect(journal.path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM ticks WHERE seq = 3")
            connection.execute("UPDATE blobs SET body = x'00'")
            found = journal.problems()
            assert len(found) == 2
            assert "has a gap" in found[0]
            assert "is damaged" in found[1]
            connection.execute("DELETE FROM blobs")
            assert "is missing" in journal.problems()[1]
        with pytest.raises(StoreError, match="gap"):
            asyncio.run(journal.read(lease))


def test_large_values_are_kept_once_and_go_with_the_last_that_mentions_them(tmp_path: Path) -> None:
    with contextlib.closing(opened(tmp_path)) as journal:

        def counts() -> tuple[int, int]:
            with contextlib.closing(sqlite3.connect(journal.path)) as connection:
                found = connection.execute(
                    "SELECT (SELECT count(*) FROM blobs), (SELECT count(*) FROM blob_refs)"
                )
                blobs, mentions = found.fetchone()
                return blobs, mentions

        async def main() -> None:
            body, blobs = divide(json.dumps(["y" * 100_000]).encode())
            for name in ("one", "two"):
                lease = await new_run(journal, name)
                done: asyncio.Future[object] = asyncio.get_running_loop().create_future()
                mentions = [(2, list(blobs)), (3, list(blobs))]
                append_soon(
                    journal, Entry(lease, 2, [body, body], [], None, blobs, mentions), done.set_result
                )
                await done
            assert counts() == (1, 4)
            await journal.forget("one")
            assert counts() == (1, 2)
            assert await append(journal, lease, 4, [b"[4]"], [Snapshot(4, b"{}")]) is None
            assert await journal.prune("two") == 4
            assert counts() == (0, 0)
            with pytest.raises(KeyError):
                await journal.prune("one")

        asyncio.run(main())


def value(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(7 if depth < 4 else 4)
    if kind == 0:
        return chance.choice([None, True, False, 0, -1, 10**30, 0.5])
    if kind < 4:
        return chance.choice(["", "x", "ä" * 5_000, "日" * 6_000, "b" * 20_000, '"$b"', "\U0001f600" * 4_100])
    if kind == 4:
        return [value(chance, depth + 1) for _ in range(chance.randrange(5))]
    keys = chance.sample(["$b", "$", "of", "name", ""], chance.randrange(4))
    return {key: value(chance, depth + 1) for key in keys}


def test_a_divided_value_is_united_to_the_same() -> None:
    divided = 0
    for seed in range(400):
        before = value(random.Random(seed), 0)  # noqa: S311 - the same each time
        text = json.dumps([before], ensure_ascii=False).encode()
        body, blobs = divide(text)
        assert json.loads(unite(body, blobs.__getitem__)) == [before]
        assert blobs or body == text or len(text) >= LARGE
        assert max([len(body), *map(len, blobs.values())]) < max(LARGE, 4 * 20_010)
        divided += bool(blobs)
    assert divided > 100
