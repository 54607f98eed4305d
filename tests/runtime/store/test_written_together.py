"""Runs that begin and end in one turn of the loop: written together, each is what it is when it is written alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from journals import append, created

from wfc.runtime.store.journal import (
    EndAwaited,
    Ended,
    Lease,
    Lost,
    PlacesWanted,
    Posted,
    Row,
    TaskClosed,
    TaskOpened,
    WantedPlace,
)
from wfc.runtime.store.opening import open_store
from wfc.runtime.store.sql import joining
from wfc.runtime.store.sql.journal import SqlJournal

COUNT = 150
TOLD = {
    "runs": "SELECT run_id, status, ended, outcome, owner IS NULL FROM runs",
    "ticks": "SELECT run_id, seq, body FROM ticks JOIN runs USING (run)",
    "tasks": "SELECT task_id, closed, because, answered_by FROM tasks",
    "inboxes": "SELECT run_id, kind, body, by FROM inbox JOIN runs USING (run)",
    "places": "SELECT run_id, gate, inside, until FROM places JOIN runs USING (run)",
    "awaited": "SELECT run_id, number FROM awaited_ends JOIN runs USING (run)",
    "followed": "SELECT followed.owner, run_id FROM followed JOIN runs USING (run)",
    "messages": "SELECT run_id, what, task_id FROM messages JOIN runs USING (run)",
}


@pytest.fixture
def journal(store: str | Path) -> Iterator[SqlJournal]:
    with closing(open_store(store)) as found:
        found.told = frozenset({"task", "failed"})
        yield found


def task(name: str, number: int) -> TaskOpened:
    return TaskOpened(f"{name}{number}/ask/1", "ask", "Go on?", ["ann"], "{}", 1, None)


def rows_of(name: str, number: int) -> Sequence[Row]:
    """What there is of a run before it ends: nothing of most of them."""
    asked, place = task(name, number), PlacesWanted([WantedPlace(name, "runs:flow", 1)])
    rows: dict[int, Sequence[Row]] = {
        3: [asked],
        13: [asked, TaskClosed(asked.task_id, "answered", 2, "ann")],
        23: [place],
        33: [EndAwaited(7, f"{name}43")],
        COUNT: [place, EndAwaited(1, f"{name}83"), EndAwaited(2, f"{name}53")],
    }
    return rows.get(number, ())


def end_of(number: int) -> Ended:
    if number % 10 == 5:
        return Ended("failed", 5, b'{"$":"error"}', "failed", "it does not work", "act", cleans_up=True)
    return Ended("done", 5, b"%d" % number, cleans_up=number == 23)


async def played(journal: SqlJournal, name: str, *, together: bool) -> dict[str, Any]:
    """Begin runs, and end all but the last; return what the store knows then."""

    async def all_of(calls: Sequence[Any]) -> None:
        if together:
            assert await asyncio.gather(*calls) == [None] * len(calls)
        else:
            assert [await call for call in calls] == [None] * len(calls)

    leases = [Lease(f"{name}{number}") for number in range(COUNT + 1)]
    await all_of([append(journal, lease, 1, [b"[1]", b"[2]"], new=created()) for lease in leases])
    for number, lease in enumerate(leases):
        if rows := rows_of(name, number):
            assert await append(journal, lease, 3, rows=rows) is None
    await journal.post(f"{name}63", Posted("event", "{}", "ann", 4))
    await journal.write(lambda connection: joining.follow(connection, "somebody", f"{name}73"))
    await all_of([append(journal, lease, 3, [b"[3]"], [end_of(at)]) for at, lease in enumerate(leases[:-1])])
    return {what: kept(journal, query, name) for what, query in TOLD.items()}


def kept(journal: SqlJournal, query: str, name: str) -> list[Any]:
    rows = journal.select(lambda connection: connection.execute(query).fetchall())
    return sorted(
        tuple(one.replace(name, "") if isinstance(one, str) else one for one in row)
        for row in rows
        if any(str(one).startswith(name) for one in row)
    )


def test_what_ends_together_leaves_what_each_alone_leaves(
    journal: SqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[str | None] = []
    with closing(journal._connect_writer()) as connection:
        kind = type(connection)
    tell = kind.tell

    def noted(connection: Any, owner: str | None) -> None:
        rung.append(owner)
        tell(connection, owner)

    monkeypatch.setattr(kind, "tell", noted)
    alone = asyncio.run(played(journal, "alone", together=False))
    count = rung.count("somebody")
    together = asyncio.run(played(journal, "together", together=True))
    assert together == alone
    assert (count, rung.count("somebody")) == (1, 2)  # who follows the end of one hears of it
    assert [len(rows) for rows in together.values()] == [
        COUNT + 1,
        3 * COUNT + 2,
        2,
        2,  # the last one is told of two ends, and the item of the one that is over is gone
        2,  # the one that still cleans up, and the one that waits for it
        0,
        1,
        2 + COUNT // 10,
    ]


def test_of_runs_that_begin_together_those_are_refused_whose_ids_are_taken(journal: SqlJournal) -> None:
    async def main() -> list[Lost | None]:
        await append(journal, Lease("7"), 1, [b"[1]"], new=created())
        names = [*map(str, range(COUNT)), "9"]
        return await asyncio.gather(
            *(append(journal, Lease(name), 1, [b"[0]"], new=created()) for name in names)
        )

    lost = asyncio.run(main())
    assert [at for at, one in enumerate(lost) if one is not None] == [7, COUNT]
    assert "already" in str(lost[7]) and "already" in str(lost[COUNT])
    assert {name: journal.history(name) for name in ("7", "9")} == {"7": [(1, b"[1]")], "9": [(1, b"[0]")]}
    assert len(journal.runs()) == COUNT


def test_of_runs_that_end_together_one_is_lost_that_somebody_else_has(journal: SqlJournal) -> None:
    async def main() -> list[Lost | None]:
        leases = [Lease(str(number)) for number in range(COUNT)]
        await asyncio.gather(*(append(journal, lease, 1, [b"[1]"], new=created()) for lease in leases))
        await journal.write(
            lambda connection: connection.execute("UPDATE runs SET epoch = epoch + 1 WHERE run_id = '7'")
        )
        return await asyncio.gather(
            *(append(journal, lease, 2, [b"[2]"], [end_of(at)]) for at, lease in enumerate(leases))
        )

    lost = asyncio.run(main())
    assert [at for at, one in enumerate(lost) if one is not None] == [7]
    assert "claimed" in str(lost[7])
    assert [row.run_id for row in journal.runs() if row.ended is None] == ["7"]
    assert journal.history("7") == [(1, b"[1]")]
