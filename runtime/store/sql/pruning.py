"""Upkeep of a store: what is not needed any more goes; and the check of what is there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from wfc.runtime.store.sql import places
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.joining import forget_waiting

__all__ = ["drop_plan", "drop_unmentioned", "forget_run", "problems_in", "prune_run"]

_ALL_OF_A_RUN = (
    "DELETE FROM ticks WHERE run = ?",
    "DELETE FROM snapshots WHERE run = ?",
    "DELETE FROM inbox WHERE run = ?",
    "DELETE FROM questions WHERE task_id IN (SELECT task_id FROM tasks WHERE run = ?)",
    "DELETE FROM tasks WHERE run = ?",
    "DELETE FROM messages WHERE run = ?",
    "DELETE FROM runs WHERE run = ?",
)


def drop_unmentioned(connection: Connection, number: int, first: int, last: int) -> None:
    """Drop a run's mentions of blobs, by its ticks from one to another, and the blobs that nobody mentions then."""
    digests = connection.execute(
        "SELECT digest FROM blob_refs WHERE run = ? AND seq BETWEEN ? AND ?", (number, first, last)
    ).fetchall()
    if not digests:
        return
    connection.execute("DELETE FROM blob_refs WHERE run = ? AND seq BETWEEN ? AND ?", (number, first, last))
    connection.executemany(
        "DELETE FROM blobs WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM blob_refs WHERE digest = ?)",
        [digest * 2 for digest in digests],
    )


def prune_run(connection: Connection, number: int) -> int:
    """Drop the ticks of a run that its snapshot makes unnecessary; return how many.

    Its history before the snapshot is gone then.
    """
    found = connection.execute("SELECT seq FROM snapshots WHERE run = ?", (number,)).fetchone()
    if found is None:
        return 0
    gone = connection.execute("DELETE FROM ticks WHERE run = ? AND seq <= ?", (number, found[0])).rowcount
    drop_unmentioned(connection, number, 1, found[0])
    return gone


def forget_run(connection: Connection, number: int) -> None:
    """Delete all that is kept of a run, and of its parts."""
    for (part,) in connection.execute(
        "SELECT run FROM runs WHERE parent = ? AND attached", (number,)
    ).fetchall():
        forget_run(connection, part)
    forget_waiting(connection, number)
    places.leave(connection, number)
    shape = connection.execute("SELECT shape FROM runs WHERE run = ?", (number,)).fetchone()
    for statement in _ALL_OF_A_RUN:
        connection.execute(statement, (number,))
    drop_unmentioned(connection, number, 0, 2**62)
    if shape is not None:
        drop_plan(connection, shape[0])


def drop_plan(connection: Connection, digest: str) -> None:
    """Drop the description of a plan that no run has any more."""
    # the lock comes first, so that a run which has just begun with that plan is seen by the next statement
    connection.execute("SELECT digest FROM plans WHERE digest = ? /* FOR UPDATE */", (digest,)).fetchone()
    connection.execute(
        "DELETE FROM plans WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE shape = ?)",
        (digest, digest),
    )


def problems_in(connection: Connection) -> Iterator[str]:
    """Yield what is wrong with a store, in words; nothing if all is well."""
    rows = connection.execute(
        """SELECT runs.run_id, coalesce(snapshots.seq, 0), min(ticks.seq), max(ticks.seq), count(*)
           FROM runs JOIN ticks USING (run) LEFT JOIN snapshots USING (run) GROUP BY runs.run, snapshots.seq
           ORDER BY runs.run"""
    )
    for run_id, snapshot, first, last, count in rows:
        if last - first + 1 != count or first > snapshot + 1:
            yield f"the journal of the run {run_id} has a gap"
    for (digest,) in connection.execute(
        "SELECT DISTINCT digest FROM blob_refs WHERE digest NOT IN (SELECT digest FROM blobs)"
    ):
        yield f"a large value is missing: {digest}"
    for digest, body in connection.execute("SELECT digest, body FROM blobs"):
        if hashlib.sha256(body).hexdigest() != digest:
            yield f"a large value is damaged: {digest}"
