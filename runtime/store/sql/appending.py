"""The writing of a run's entries, each fenced by the epoch of the lease that it was written under."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from wfc.runtime.errors import StoreError
from wfc.runtime.store.batches import Appends, Tick
from wfc.runtime.store.journal import (
    AuditEntry,
    Created,
    EndAwaited,
    Ended,
    Entry,
    InboxTaken,
    KeyTaken,
    Lease,
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
from wfc.runtime.store.sql import places, selecting
from wfc.runtime.store.sql.audit import add_to_audit
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.joining import await_end, tell_waiting
from wfc.runtime.store.sql.mailbox import hand_over
from wfc.runtime.store.sql.messages import note_message
from wfc.runtime.store.sql.pruning import drop_plan, drop_unmentioned
from wfc.runtime.store.sql.tick_rows import append_ticks, write_ticks

__all__ = ["append", "append_batch"]

CLEANING: Final = 5_000_000_000
"""The nanoseconds that the steps of a run that is over may clean up."""

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
        append_ticks(connection, batch, owner)
    if not batch.entries:
        return None
    lost = _append_entries(connection, batch.entries, owner, told)
    return [*[None] * len(batch.ticks), *lost]


def _append_entries(
    connection: Connection, entries: Sequence[Entry], owner: str, told: Collection[str]
) -> list[Lost | None]:
    """Write entries in their order; those that have ticks alone by one statement."""
    if len(entries) == 1:
        return [append(connection, entries[0], owner, told)]
    found: list[Lost | None] = [None] * len(entries)
    ticks: list[Tick] = []
    numbers: set[int] = set()  # of the runs whose ticks are among those
    for at, entry in enumerate(entries):
        lease, seq, bodies, rows, created, blobs, mentions = entry
        if rows or created or blobs or mentions or not bodies or lease.lost is not None:
            if lease.number in numbers:
                write_ticks(connection, ticks, owner)
                ticks.clear()
                numbers.clear()
            found[at] = append(connection, entry, owner, told)
            continue
        number, epoch = lease.number, lease.epoch
        numbers.add(number)
        for body in bodies:
            ticks.append((number, epoch, seq, body))
            seq += 1
    write_ticks(connection, ticks, owner)
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
    if entry.created is not None and (lost := _create(connection, entry.created, entry, owner)) is not None:
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


def _create(connection: Connection, created: Created, entry: Entry, owner: str) -> Lost | None:
    """Create a run, unless there is one of its id, or one of its key that is not over; then return why not."""
    parent = created.parent
    if created.when_running or created.places or created.key is not None:
        places.begin_alone(connection)
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
    if cursor.rowcount != 1:
        return Lost(f"the store has a run with the id {entry.lease.run_id!r} already")
    (entry.lease.number,) = connection.execute(
        "SELECT run FROM runs WHERE run_id = ?", (entry.lease.run_id,)
    ).fetchone()
    if created.when_running and (taken := _make_way(connection, created, entry.lease)) is not None:
        connection.execute("DELETE FROM runs WHERE run = ?", (entry.lease.number,))
        return taken
    if created.places:
        places.enter(connection, entry.lease.number, created.places, has_begun=created.has_places)
    if created.key is not None:
        reader = None if created.is_queued else owner
        hand_over(connection, entry.lease.number, created.workflow, created.key, reader)
    if created.plan:
        _keep_plan(connection, created.shape, created.plan)
    if created.is_quiet or parent is not None:
        connection.execute(
            "UPDATE runs SET is_quiet = 1 WHERE run = ? AND (? = 1 OR EXISTS "
            "(SELECT 1 FROM runs AS above WHERE above.run = ? AND above.is_quiet = 1))",
            (entry.lease.number, int(created.is_quiet), 0 if parent is None else parent.number),
        )
    return None


def _make_way(connection: Connection, created: Created, lease: Lease) -> KeyTaken | None:
    """Do what is to be done about other runs of a key; return whose it is, if a new one has to give way."""
    assert created.key is not None
    others = selecting.of_key(connection, created.workflow, created.key)
    others.remove(lease.run_id)
    if not others:
        return None
    if created.when_running == "replace":
        places.cancel_others(connection, created.workflow, created.key, lease.number)
        return None
    return KeyTaken(created.workflow, created.key, others[0])


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


def _keep_plan(connection: Connection, digest: str, body: str) -> None:
    known = connection.execute("SELECT 1 FROM plans WHERE digest = ? /* FOR SHARE */", (digest,)).fetchone()
    if known is None:
        connection.execute("INSERT INTO plans VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, body))


def _change_plan(connection: Connection, number: int, row: PlanChanged) -> None:
    before = connection.execute("SELECT shape FROM runs WHERE run = ?", (number,)).fetchone()
    _keep_plan(connection, row.shape, row.plan)
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


def _end(connection: Connection, number: int, row: Ended) -> None:
    connection.execute(
        "UPDATE runs SET status = ?, ended = ?, outcome = ?, owner = NULL, wake_at = NULL WHERE run = ?",
        (row.status, row.at, row.outcome, number),
    )
    if row.cleans_up:
        places.leave_at(connection, number, row.at + 2 * CLEANING)
    else:
        places.leave(connection, number)
    connection.execute("DELETE FROM inbox WHERE run = ?", (number,))
    tell_waiting(connection, number)
    connection.execute(
        "UPDATE tasks SET closed = ?, because = 'cancelled' WHERE run = ? AND closed IS NULL",
        (row.at, number),
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
    Ended: _end,
    AuditEntry: lambda connection, number, row: add_to_audit(connection, row),
}
