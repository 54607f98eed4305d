"""Journals in real files, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from wfc.runtime.store.batches import Appends
from wfc.runtime.store.journal import Created, Entry, Lease, Lost, Row
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.sqlite import SqliteJournal


def created(start: bytes = b"{}") -> Created:
    return Created("flow", "shape", "", None, start, 1)


class One:
    """Appends one entry, and is told of its fate."""

    def __init__(self, entry: Entry, then: Callable[[Lost | None], None]) -> None:
        self.lease = entry.lease
        self._entry = entry
        self._then = then

    def gather(self, batch: Appends) -> None:
        batch.add(self, self._entry, None)

    def durable(self, _: None, lost: Lost | None) -> None:
        self._then(lost)


def append_soon(journal: SqlJournal, entry: Entry, then: Callable[[Lost | None], None]) -> None:
    journal.turn_of(asyncio.get_running_loop()).gather(One(entry, then))


async def append(
    journal: SqlJournal,
    lease: Lease,
    seq: int,
    ticks: Sequence[bytes] = (),
    rows: Sequence[Row] = (),
    new: Created | None = None,
) -> Lost | None:
    """Appends one record, and waits until its fate is known."""
    future: asyncio.Future[Lost | None] = asyncio.get_running_loop().create_future()
    append_soon(journal, Entry(lease, seq, ticks, rows, new), future.set_result)
    return await asyncio.wait_for(future, 240)


async def new_run(journal: SqlJournal, run_id: str = "run", ticks: Sequence[bytes] = (b"[1]",)) -> Lease:
    lease = Lease(run_id)
    assert await append(journal, lease, 1, ticks, new=created()) is None
    return lease


def opened(path: Path) -> SqliteJournal:
    return SqliteJournal(path / "runs.db")
