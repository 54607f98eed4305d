"""What workers and commands look up in a store: runs that are due, runs of a key, and what a run begins with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from wfc.runtime.errors import StoreError
from wfc.runtime.store.blobs import unite
from wfc.runtime.store.sql.claiming import IS_DUE, last_seq
from wfc.runtime.store.sql.connection import Connection, StoreWorkers
from wfc.runtime.store.sql.reading import read_blob

__all__ = [
    "Beginning",
    "DueRun",
    "beginning",
    "bodies_after",
    "due",
    "ended_before",
    "has_come_further",
    "has_ended_under",
    "last_tick",
    "of_key",
    "snapshot_at_rest",
    "snapshot_seq",
    "ticks_after",
]


class DueRun(NamedTuple):
    """A run that waits for somebody to work on it.

    ``recoveries`` is how often in a row it has been recovered without coming any further.
    """

    run_id: str
    workflow: str
    version: str
    recoveries: int = 0


class Beginning(NamedTuple):
    """What a run began with: its start event as JSON text, and the plan that it has.

    Args:
        shape: The digest of the plan.
        since: The tick since which it has that plan.
        plan: The description of the plan; empty: an earlier version of this program has not kept it.
    """

    number: int
    workflow: str
    shape: str
    version: str
    start: bytes
    since: int
    plan: str


def due(
    connection: Connection, workers: StoreWorkers, versions: Sequence[tuple[str, str]], most: int
) -> list[DueRun]:
    """Return runs that nobody works on although they are due, not begun, or left by a process that is gone.

    Those whose moment was the earliest come first.

    Args:
        versions: The workflows and versions that are not asked for.
    """
    rows = connection.execute(
        f"SELECT run_id, workflow, version, recoveries, owner FROM runs WHERE {IS_DUE} "  # noqa: S608 - of a constant
        "ORDER BY coalesce(wake_at, started), run",
        (time.time_ns(),),
    )
    refused = set(versions)
    known: dict[str, bool] = {}
    found: list[DueRun] = []
    for run_id, workflow, version, recoveries, owner in rows:
        if (workflow, version) in refused:
            continue
        if owner is not None:
            if owner not in known:
                known[owner] = workers.is_alive(connection, owner)
            if known[owner]:
                continue
        found.append(DueRun(run_id, workflow, version, recoveries))
        if len(found) == most:
            break
    return found


def has_come_further(connection: Connection, run_id: str) -> bool:
    """Return whether a run has recorded more than that it goes on since it was claimed, or is not under way."""
    query = "SELECT run, claimed_seq FROM runs WHERE run_id = ? AND status = 'live'"
    found = connection.execute(query, (run_id,)).fetchone()
    return found is None or last_seq(connection, found[0]) - found[1] > 1


def beginning(connection: Connection, run_id: str) -> Beginning | None:
    """Return what a run began with; ``None``: there is no such run."""
    found = connection.execute(
        """SELECT run, workflow, shape, version, start, plan_since, coalesce(body, '')
            FROM runs LEFT JOIN plans ON digest = shape WHERE run_id = ?""",
        (run_id,),
    ).fetchone()
    return None if found is None else Beginning._make(found)


def snapshot_seq(connection: Connection, run_id: str) -> int | None:
    """Return the number of the tick after which the snapshot of a run was taken; ``None``: there is none."""
    found = connection.execute(
        "SELECT seq FROM snapshots JOIN runs USING (run) WHERE run_id = ?", (run_id,)
    ).fetchone()
    return None if found is None else int(found[0])


def last_tick(connection: Connection, run_id: str) -> int:
    """Return the number of the last tick of a run; 0: it has none, or there is no such run."""
    found = connection.execute("SELECT run FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    return 0 if found is None else last_seq(connection, found[0])


def snapshot_at_rest(connection: Connection, run_id: str) -> bytes | None:
    """Return the snapshot of a run if it rests, so that the snapshot says how it is; else ``None``."""
    found = connection.execute(
        "SELECT body FROM snapshots JOIN runs USING (run) WHERE run_id = ? AND status IN ('parked', 'halted')",
        (run_id,),
    ).fetchone()
    return None if found is None else unite(found[0], partial(read_blob, connection))


def ticks_after(
    connection: Connection, run_id: str, since: int, most: int
) -> tuple[list[tuple[int, bytes]], bool]:
    """Return the ticks of a run after one, with their numbers, and whether the run is over."""
    found = connection.execute("SELECT run, ended FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    if found is None:
        return [], True
    rows = connection.execute(
        "SELECT seq, body FROM ticks WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?", (found[0], since, most)
    ).fetchall()
    ticks = [(seq, unite(body, partial(read_blob, connection))) for seq, body in rows]
    return ticks, found[1] is not None and len(rows) < most


def of_key(connection: Connection, workflow: str, key: str) -> list[str]:
    """Return the ids of the runs of a workflow under a key that are not over, the oldest first."""
    rows = connection.execute(
        "SELECT run_id FROM runs WHERE workflow = ? AND key = ? AND ended IS NULL ORDER BY run",
        (workflow, key),
    )
    return [run_id for (run_id,) in rows]


def has_ended_under(connection: Connection, workflow: str, key: str) -> bool:
    """Return whether a run of a workflow under a key is over."""
    found = connection.execute(
        "SELECT 1 FROM runs WHERE workflow = ? AND key = ? AND ended IS NOT NULL LIMIT 1", (workflow, key)
    )
    return found.fetchone() is not None


def ended_before(
    connection: Connection, moment: int, key: str | None = None, workflow: str | None = None
) -> list[str]:
    """Return the ids of the runs that were over before a moment and are no part of another, the oldest first."""
    rows = connection.execute(
        """SELECT run_id FROM runs WHERE ended < :moment AND (parent IS NULL OR NOT attached)
            AND (CAST(:key AS TEXT) IS NULL OR key = :key)
            AND (CAST(:workflow AS TEXT) IS NULL OR workflow = :workflow) ORDER BY run""",
        {"moment": moment, "key": key, "workflow": workflow},
    )
    return [run_id for (run_id,) in rows]


def bodies_after(connection: Connection, number: int, since: int) -> list[bytes]:
    """Return the bodies of a run's ticks after one, all as of one moment.

    Raises:
        StoreError: The journal has a gap, or a large value is missing.
    """
    rows = connection.execute(
        "SELECT seq, body FROM ticks WHERE run = ? AND seq > ? ORDER BY seq", (number, since)
    ).fetchall()
    if any(row[0] != at for at, row in enumerate(rows, since + 1)):
        raise StoreError("the store is damaged: the journal of a run has a gap")
    return [unite(body, partial(read_blob, connection)) for _, body in rows]
