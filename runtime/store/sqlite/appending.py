"""The writing of a run's entries, each fenced by the epoch of the lease that it was written under."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

from wfc.runtime.store.journal import (
    Created,
    Ended,
    Entry,
    InboxTaken,
    Lost,
    Parked,
    Row,
    Snapshot,
    TaskClosed,
    TaskDelegated,
    TaskOpened,
)
from wfc.runtime.store.sqlite.pruning import drop_unmentioned

__all__ = ["append"]

_TICK = """INSERT OR IGNORE INTO ticks (run, seq, body)
    SELECT ?, ?, ? FROM runs WHERE run = ? AND epoch = ? AND owner = ?"""
_IS_OURS = "SELECT 1 FROM runs WHERE run = ? AND epoch = ? AND owner = ?"


def append(connection: sqlite3.Connection, entry: Entry, owner: str) -> Lost | None:
    """Write an entry, or nothing of it, and return why: somebody else has the run.

    It is called within a transaction. A run that is lost fails alone; the others of its commit are written.
    """
    lease = entry.lease
    if lease.lost is not None:
        return lease.lost
    if entry.created is not None and not _create(connection, entry.created, entry, owner):
        lease.lost = Lost(f"the store has a run with the id {lease.run_id!r} already")
        return lease.lost
    if entry.created is not None and entry.created.is_queued:
        return None  # nobody has it
    number, fence = lease.number, (lease.number, lease.epoch, owner)
    for at, body in enumerate(entry.ticks, entry.seq):
        if connection.execute(_TICK, (number, at, body, *fence)).rowcount != 1:
            if at > entry.seq:  # the fence has let the first one pass, so this one was there
                raise sqlite3.IntegrityError(f"the run {lease.run_id} has a tick {at} already")
            lease.lost = Lost(f"another process has claimed the run {lease.run_id}")
            return lease.lost
    if not entry.ticks and connection.execute(_IS_OURS, fence).fetchone() is None:
        lease.lost = Lost(f"another process has claimed the run {lease.run_id}")
        return lease.lost
    for digest, body in entry.blobs.items():
        connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (digest, body))
    for row in entry.rows:
        _ROWS[type(row)](connection, number, row)
    for seq, digests in entry.mentions:
        connection.executemany(
            "INSERT OR IGNORE INTO blob_refs VALUES (?, ?, ?)", [(digest, number, seq) for digest in digests]
        )
    return None


def _create(connection: sqlite3.Connection, created: Created, entry: Entry, owner: str) -> bool:
    parent = created.parent
    cursor = connection.execute(
        """INSERT INTO runs (run_id, workflow, shape, version, key, status, start, parent, parent_number,
            attached, owner, epoch, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (run_id) DO NOTHING""",
        (
            entry.lease.run_id,
            created.workflow,
            created.shape,
            created.version,
            created.key,
            "queued" if created.is_queued else "live",
            created.start,
            None if parent is None else parent.number,
            created.parent_number,
            created.is_attached,
            None if created.is_queued else owner,
            entry.lease.epoch,
            created.at,
        ),
    )
    if cursor.rowcount == 1 and cursor.lastrowid is not None:
        entry.lease.number = cursor.lastrowid
        return True
    return False


def _open_task(connection: sqlite3.Connection, number: int, row: TaskOpened) -> None:
    connection.execute(
        """INSERT OR IGNORE INTO tasks (task_id, run, step, title, assign, opened, expires)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (
            row.task_id,
            number,
            row.step,
            row.title,
            json.dumps(list(row.assign), ensure_ascii=False),
            row.opened,
            row.expires,
        ),
    )
    connection.execute("INSERT OR IGNORE INTO questions VALUES (?, ?)", (row.task_id, row.body))


def _delegate_task(connection: sqlite3.Connection, number: int, row: TaskDelegated) -> None:
    passed_on = {"to": row.to, "by": row.by, "because": row.because, "at": row.at}
    connection.execute(
        """UPDATE tasks SET assign = ?, passed_on = json_insert(passed_on, '$[#]', json(?))
            WHERE task_id = ? AND run = ?""",
        (
            json.dumps(list(row.assign), ensure_ascii=False),
            json.dumps(passed_on, ensure_ascii=False),
            row.task_id,
            number,
        ),
    )


def _close_task(connection: sqlite3.Connection, number: int, row: TaskClosed) -> None:
    connection.execute(
        "UPDATE tasks SET closed = ?, because = ?, answered_by = ? WHERE task_id = ? AND run = ?",
        (row.at, row.because, row.by, row.task_id, number),
    )


def _take(connection: sqlite3.Connection, number: int, row: InboxTaken) -> None:
    connection.execute("DELETE FROM inbox WHERE id = ? AND run = ?", (row.item, number))


def _keep_snapshot(connection: sqlite3.Connection, number: int, row: Snapshot) -> None:
    connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", (number, row.seq, row.body))
    connection.execute("UPDATE runs SET recoveries = 0 WHERE run = ?", (number,))
    drop_unmentioned(connection, number, 0, 0)  # what the snapshot before it has mentioned


def _park(connection: sqlite3.Connection, number: int, row: Parked) -> None:
    connection.execute(
        "UPDATE runs SET status = 'parked', owner = NULL, wake_at = ?, recoveries = 0 WHERE run = ?",
        (row.wake_at, number),
    )


def _end(connection: sqlite3.Connection, number: int, row: Ended) -> None:
    connection.execute(
        "UPDATE runs SET status = ?, ended = ?, outcome = ?, owner = NULL, wake_at = NULL WHERE run = ?",
        (row.status, row.at, row.outcome, number),
    )
    connection.execute("DELETE FROM inbox WHERE run = ?", (number,))
    connection.execute(
        "UPDATE tasks SET closed = ?, because = 'cancelled' WHERE run = ? AND closed IS NULL",
        (row.at, number),
    )


_ROWS: dict[type[Row], Callable[[sqlite3.Connection, int, Any], None]] = {
    TaskOpened: _open_task,
    TaskClosed: _close_task,
    TaskDelegated: _delegate_task,
    InboxTaken: _take,
    Snapshot: _keep_snapshot,
    Parked: _park,
    Ended: _end,
}
