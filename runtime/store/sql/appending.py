"""The writing of a run's entries, each fenced by the epoch of the lease that it was written under."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from wfc.runtime.errors import StoreError
from wfc.runtime.store.batches import Appends, Tick
from wfc.runtime.store.journal import (
    AuditEntry,
    EndAwaited,
    Ended,
    Entry,
    InboxTaken,
    Lost,
    Parked,
    PlacesWanted,
    PlanChanged,
    Row,
    Snapshot,
    TaskAnswered,
    TaskClosed,
    TaskDelegated,
    TaskOpened,
    TaskReminded,
    TasksReset,
    VersionChanged,
    WorkflowRenamed,
)
from wfc.runtime.store.sql import places
from wfc.runtime.store.sql.audit import add_to_audit
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.creating import create, create_plain, is_plain, keep_plan
from wfc.runtime.store.sql.ending import end, end_together
from wfc.runtime.store.sql.joining import await_end
from wfc.runtime.store.sql.messages import note_message
from wfc.runtime.store.sql.pruning import drop_plan, drop_unmentioned
from wfc.runtime.store.sql.tick_rows import append_ticks

__all__ = ["append", "append_batch"]

_TICK: Final = """INSERT INTO ticks (run, seq, body)
    SELECT run, ?, ? FROM runs WHERE run = ? AND epoch = ? AND owner = ? /* FOR SHARE */ ON CONFLICT DO NOTHING"""
_IS_OURS: Final = "SELECT 1 FROM runs WHERE run = ? AND epoch = ? AND owner = ? /* FOR SHARE */"


def append_batch(
    connection: Connection, batch: Appends, owner: str, told: Collection[str] = ()
) -> list[Lost | None] | None:
    """Write what runs append together; return what ``append`` returns of each part, or ``None``: all is written.

    Raises:
        StoreError: A tick was refused, and nobody knows which: the parts must be written one by one.
    """
    if batch.ticks:
        append_ticks(connection, batch.ticks, owner)
    if not batch.entries:
        return None
    lost = _append_entries(connection, batch.entries, owner, told)
    return [*[None] * len(batch.ticks), *lost]


def _append_entries(
    connection: Connection, entries: Sequence[Entry], owner: str, told: Collection[str]
) -> list[Lost | None]:
    """Write entries in their order; those that follow each other and are usual together."""
    if len(entries) == 1:
        return [append(connection, entries[0], owner, told)]
    found: list[Lost | None] = []
    usual: list[Entry] = []
    for entry in entries:
        if _is_usual(entry):
            usual.append(entry)
            continue
        found += _append_usual(connection, usual, owner, told)
        usual = []
        found.append(append(connection, entry, owner, told))
    return [*found, *_append_usual(connection, usual, owner, told)]


def _is_usual(entry: Entry) -> bool:
    """Return whether an entry has ticks, and besides at the most the creation of a plain run, and its end."""
    lease, _, ticks, rows, created, blobs, mentions = entry
    if blobs or mentions or not ticks or lease.lost is not None:
        return False
    return (created is None or is_plain(created)) and (
        not rows or (len(rows) == 1 and type(rows[0]) is Ended)
    )


def _append_usual(
    connection: Connection, entries: Sequence[Entry], owner: str, told: Collection[str]
) -> list[Lost | None]:
    """Write usual entries: what ``append`` does for each, by few statements for all.

    Raises:
        StoreError: A tick was refused, and nobody knows which.
        Exception: The same, as an error of the database.
    """
    found: list[Lost | None] = [None] * len(entries)
    new = [at for at, entry in enumerate(entries) if entry.created is not None]
    for at, lost in zip(new, create_plain(connection, [entries[at] for at in new], owner), strict=True):
        if lost is not None:
            found[at] = entries[at].lease.lost = lost
    ticks: list[Tick] = []
    ends: list[tuple[int, Ended]] = []
    for (lease, seq, bodies, rows, *_), lost in zip(entries, found, strict=True):
        if lost is None:
            ticks += ((lease, number, body) for number, body in enumerate(bodies, seq))
            ends += ((lease.number, row) for row in rows if isinstance(row, Ended))
    if ticks:
        append_ticks(connection, ticks, owner)
    if ends:
        end_together(connection, ends)
    for number, row in ends if told else ():
        note_message(connection, number, row, told)
    return found


def append(connection: Connection, entry: Entry, owner: str, told: Collection[str] = ()) -> Lost | None:
    """Write an entry, or nothing of it, and return why: somebody else has the run.

    It is called within a transaction. A run that is lost fails alone; the others of its commit are written.

    Args:
        told: What people are told of: see ``messages``.

    Raises:
        StoreError: The store has one of the later ticks already, which must not be.
    """
    lease = entry.lease
    if lease.lost is not None:
        return lease.lost
    if entry.created is not None and (lost := create(connection, entry.created, lease, owner)) is not None:
        lease.lost = lost
        return lost
    if entry.created is not None and entry.created.is_queued:
        return None  # nobody has it
    number, fence = lease.number, (lease.number, lease.epoch, owner)
    for at, body in enumerate(entry.ticks, entry.seq):
        if connection.execute(_TICK, (at, body, *fence)).rowcount != 1:
            if at > entry.seq:  # the fence has let the first one pass, so this one was there
                raise StoreError(f"the run {lease.run_id} has a tick {at} already")
            lease.lost = Lost(f"another process has claimed the run {lease.run_id}")
            return lease.lost
    if not entry.ticks and connection.execute(_IS_OURS, fence).fetchone() is None:
        lease.lost = Lost(f"another process has claimed the run {lease.run_id}")
        return lease.lost
    for row in entry.rows:
        _ROWS[type(row)](connection, number, row)
        if told:
            note_message(connection, number, row, told)
    for digest, body in entry.blobs.items():  # after a snapshot has let go what the one before it mentioned
        connection.execute("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, body))
    for seq, digests in entry.mentions:
        connection.executemany(
            "INSERT INTO blob_refs VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(digest, number, seq) for digest in digests],
        )
    return None


def _open_task(connection: Connection, number: int, row: TaskOpened) -> None:
    connection.execute(  # one that was asked before is open again, as its step is tried again
        """INSERT INTO tasks (task_id, run, step, title, assign, opened, expires, answered_by)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (task_id) DO UPDATE SET title = excluded.title, assign = excluded.assign,
            opened = excluded.opened, expires = excluded.expires, closed = NULL, because = NULL,
            answered_by = excluded.answered_by
            WHERE tasks.run = excluded.run""",
        (
            row.task_id,
            number,
            row.step,
            row.title,
            json.dumps(list(row.assign), ensure_ascii=False),
            row.opened,
            row.expires,
            row.answered_by or None,
        ),
    )
    connection.execute(
        "INSERT INTO questions VALUES (?, ?) ON CONFLICT (task_id) DO UPDATE SET body = excluded.body",
        (row.task_id, row.body),
    )


def _delegate_task(connection: Connection, number: int, row: TaskDelegated) -> None:
    found = connection.execute(
        "SELECT passed_on FROM tasks WHERE task_id = ? AND run = ?", (row.task_id, number)
    ).fetchone()
    if found is None:
        return
    passed_on = [*json.loads(found[0]), {"to": row.to, "by": row.by, "because": row.because, "at": row.at}]
    connection.execute(
        "UPDATE tasks SET assign = ?, passed_on = ? WHERE task_id = ?",
        (
            json.dumps(list(row.assign), ensure_ascii=False),
            json.dumps(passed_on, ensure_ascii=False),
            row.task_id,
        ),
    )


def _note_answer(connection: Connection, number: int, row: TaskAnswered) -> None:
    connection.execute(
        "UPDATE tasks SET answered_by = ? WHERE task_id = ? AND run = ?", (row.by, row.task_id, number)
    )


def _close_task(connection: Connection, number: int, row: TaskClosed) -> None:
    connection.execute(
        """UPDATE tasks SET closed = ?, because = ?,
            answered_by = coalesce(nullif(CAST(? AS TEXT), ''), answered_by, '') WHERE task_id = ? AND run = ?""",
        (row.at, row.because, row.by, row.task_id, number),
    )


def _reset_tasks(connection: Connection, number: int, row: TasksReset) -> None:
    connection.execute(
        "UPDATE tasks SET closed = ?, because = 'cancelled' WHERE run = ? AND closed IS NULL",
        (row.at, number),
    )
    for task in row.open:
        _open_task(connection, number, task)


def _change_version(connection: Connection, number: int, row: VersionChanged) -> None:
    connection.execute(
        """WITH RECURSIVE below (run, version) AS (
            SELECT run, version FROM runs WHERE run = ?
            UNION SELECT part.run, part.version FROM runs AS part JOIN below ON part.parent = below.run
                WHERE part.attached AND part.ended IS NULL AND part.version = below.version)
            UPDATE runs SET version = ? WHERE run IN (SELECT run FROM below)""",
        (number, row.version),
    )


def _rename_workflow(connection: Connection, number: int, row: WorkflowRenamed) -> None:
    below = connection.execute(
        """WITH RECURSIVE below (run, workflow) AS (
            SELECT run, workflow FROM runs WHERE run = ?
            UNION SELECT part.run, part.workflow FROM runs AS part JOIN below ON part.parent = below.run
                WHERE part.attached AND part.ended IS NULL)
            SELECT run, workflow FROM below ORDER BY run""",
        (number,),
    ).fetchall()
    before = next(workflow for run, workflow in below if run == number)
    for run, workflow in below:
        if run == number or workflow.startswith(f"{before}."):
            now = row.workflow + workflow.removeprefix(before)
            connection.execute("UPDATE runs SET workflow = ? WHERE run = ?", (now, run))
            places.rename(connection, run, now)


def _change_plan(connection: Connection, number: int, row: PlanChanged) -> None:
    before = connection.execute("SELECT shape FROM runs WHERE run = ?", (number,)).fetchone()
    keep_plan(connection, row.shape, row.plan)
    connection.execute(
        "UPDATE runs SET version = ?, shape = ?, start = ?, plan_since = ? WHERE run = ?",
        (row.version, row.shape, row.start, row.since, number),
    )
    drop_plan(connection, before[0])


def _take(connection: Connection, number: int, row: InboxTaken) -> None:
    connection.execute("DELETE FROM inbox WHERE id = ? AND run = ?", (row.item, number))


def _keep_snapshot(connection: Connection, number: int, row: Snapshot) -> None:
    connection.execute(
        """INSERT INTO snapshots VALUES (?, ?, ?)
            ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, body = excluded.body""",
        (number, row.seq, row.body),
    )
    connection.execute("UPDATE runs SET recoveries = 0 WHERE run = ?", (number,))
    drop_unmentioned(connection, number, 0, 0)  # what the snapshot before it has mentioned


def _park(connection: Connection, number: int, row: Parked) -> None:
    connection.execute(
        "UPDATE runs SET status = ?, owner = NULL, wake_at = ?, recoveries = 0 WHERE run = ?",
        ("halted" if row.is_halted else "parked", row.wake_at, number),
    )


_ROWS: dict[type[Row], Callable[[Connection, int, Any], None]] = {
    TaskOpened: _open_task,
    TaskAnswered: _note_answer,
    TaskClosed: _close_task,
    TasksReset: _reset_tasks,
    VersionChanged: _change_version,
    WorkflowRenamed: _rename_workflow,
    PlanChanged: _change_plan,
    TaskDelegated: _delegate_task,
    TaskReminded: lambda connection, number, row: None,  # which only people are told of
    EndAwaited: await_end,
    PlacesWanted: lambda connection, number, row: places.enter(connection, number, row.places),
    InboxTaken: _take,
    Snapshot: _keep_snapshot,
    Parked: _park,
    Ended: end,
    AuditEntry: lambda connection, number, row: add_to_audit(connection, row),
}
