"""Claims: a run belongs to one process at a time, and its epoch says the how-manieth claim of it counts."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from wfc.runtime.store.journal import Claim, Ended, Lease, RunStatus
from wfc.runtime.store.sql import places
from wfc.runtime.store.sql.connection import Connection, StoreWorkers
from wfc.runtime.store.sql.joining import tell_waiting
from wfc.runtime.store.sql.messages import note_message

__all__ = [
    "IS_DUE",
    "MOST_RECOVERIES",
    "claim",
    "described",
    "has_due",
    "is_worked_on",
    "last_seq",
    "let_go",
    "release",
    "wake_next",
]

MOST_RECOVERIES: Final = 10
"""How often in a row a run may be recovered without coming any further, before it is given up."""

_SELECT: Final = (
    "SELECT run, run_id, epoch, workflow, shape, version, key, status, start, parent_number, recoveries, outcome, "
    "owner, claimed_seq, parent IS NOT NULL AND attached FROM runs "
)
_OF_AN_ID: Final = _SELECT + "WHERE run_id = ? AND ended IS NULL "
_PARTS: Final = _SELECT + "WHERE parent = ? AND attached ORDER BY run /* FOR UPDATE */"

_IS_ON_ITS_OWN: Final = (
    "(parent IS NULL OR NOT attached OR EXISTS "
    "(SELECT 1 FROM runs AS above WHERE above.run = runs.parent AND above.ended IS NOT NULL))"
)
"""The condition for a run that no other goes on with: it is no part, or what it is a part of is over."""

IS_DUE: Final = (
    "ended IS NULL AND run IN (SELECT run FROM runs WHERE ended IS NULL AND status IN ('queued', 'live') "  # noqa: S608
    "UNION SELECT run FROM runs WHERE ended IS NULL AND status = 'parked' AND wake_at <= ? "
    "UNION SELECT run FROM (WITH RECURSIVE addressed (run) AS (SELECT run FROM inbox UNION SELECT part.parent "
    "FROM addressed JOIN runs AS part ON part.run = addressed.run WHERE part.attached AND part.parent IS NOT NULL) "
    "SELECT run FROM addressed) AS addressed) "
    f"AND status <> 'halted' AND {_IS_ON_ITS_OWN}"
)
"""The condition for a run that somebody should go on with at a moment, by indices: most runs may be at rest."""

_DUE: Final = (
    _SELECT
    + f"WHERE {IS_DUE} AND (owner IS NULL OR owner <> ?) ORDER BY coalesce(wake_at, started), run /* FOR UPDATE */"
)
_HOLDERS: Final = f"SELECT DISTINCT owner FROM runs WHERE {IS_DUE}"  # noqa: S608 - of constants


class _Row(NamedTuple):
    """A row of the table of runs, as far as a claim needs it."""

    run: int
    run_id: str
    epoch: int
    workflow: str
    shape: str
    version: str
    key: str | None
    status: RunStatus
    start: bytes
    parent_number: int
    recoveries: int
    outcome: bytes | None
    owner: str | None
    claimed_seq: int
    is_part: bool

    def claimed(self, epoch: int, parts: Sequence[Claim] = ()) -> Claim:
        """Return the claim of the run under an epoch."""
        return Claim(
            Lease(self.run_id, self.run, epoch),
            self.workflow,
            self.shape,
            self.version,
            self.key,
            self.status,
            self.start,
            self.parent_number,
            self.recoveries,
            self.outcome,
            parts,
            is_left_over=bool(self.is_part),
        )


def claim(
    connection: Connection,
    workers: StoreWorkers,
    owner: str,
    most: int,
    run_id: str | None = None,
    told: Collection[str] = (),
) -> list[Claim]:
    """Claim runs that nobody has, with their parts: those that are due, or the one with an id.

    It is called within a transaction. A run that has been recovered too often without coming further is given up.
    """
    if run_id is not None:  # which the caller may have had himself, and lost
        rows = connection.execute(_OF_AN_ID + "/* FOR UPDATE */", (run_id,)).fetchall()
        known = {owner: False}
    else:
        rows = connection.execute(_DUE, (time.time_ns(), owner)).fetchall()
        known = {}
    found: list[Claim] = []
    for row in map(_Row._make, rows):
        if len(found) == most:
            break
        if row.owner is None or not _is_held(connection, workers, row.owner, known):
            claimed = _take(connection, owner, row, told=told)
            if claimed is not None:
                found.append(claimed)
    return found


def has_due(connection: Connection, workers: StoreWorkers, owner: str) -> bool:
    """Return whether a run waits to be claimed: due, not begun, or left by a process that is gone."""
    holders = connection.execute(_HOLDERS, (time.time_ns(),)).fetchall()
    return any(
        holder is None or (holder != owner and not workers.is_alive(connection, holder))
        for (holder,) in holders
    )


def _is_held(connection: Connection, workers: StoreWorkers, holder: str, known: dict[str, bool]) -> bool:
    alive = known.get(holder)
    if alive is None:
        alive = known[holder] = workers.is_alive(connection, holder)
        if not alive:
            workers.forget(connection, holder)
    return alive


def _take(
    connection: Connection,
    owner: str,
    row: _Row,
    *,
    is_part: bool = False,
    told: Collection[str] = (),
) -> Claim | None:
    seq = last_seq(connection, row.run)
    recoveries = row.recoveries
    if row.status == "live" and not is_part:  # of a part the run above it counts them
        recoveries = recoveries + 1 if seq - row.claimed_seq <= 1 else 1
        if recoveries > MOST_RECOVERIES:
            _give_up(connection, row.run, told)
            return None
    connection.execute(
        """UPDATE runs SET epoch = epoch + 1, owner = ?, status = 'live', wake_at = NULL, recoveries = ?,
            claimed_seq = ? WHERE run = ?""",
        (owner, recoveries, seq, row.run),
    )
    return row.claimed(row.epoch + 1, _parts(connection, owner, row.run))


def _parts(connection: Connection, owner: str, number: int) -> list[Claim]:
    """Claim the parts of a run, whoever had them: they go where the run above them goes."""
    found = []
    for row in map(_Row._make, connection.execute(_PARTS, (number,)).fetchall()):
        is_over = row.status not in ("queued", "live", "parked", "halted")
        claimed = row.claimed(row.epoch) if is_over else _take(connection, owner, row, is_part=True)
        assert claimed is not None
        found.append(claimed)
    return found


def last_seq(connection: Connection, number: int) -> int:
    """Return the number of the last tick of a run."""
    rows = connection.execute(
        "SELECT max(seq) FROM ticks WHERE run = ? UNION ALL SELECT seq FROM snapshots WHERE run = ?",
        (number, number),
    )
    return max(int(seq or 0) for (seq,) in rows)


def _give_up(connection: Connection, number: int, told: Collection[str]) -> None:
    dead: RunStatus = "dead"
    error = f"it was taken up {MOST_RECOVERIES} times in a row without coming any further"
    note_message(connection, number, Ended(dead, time.time_ns(), b"", dead, error), told)
    connection.execute(
        "UPDATE runs SET status = ?, owner = NULL, epoch = epoch + 1, ended = ? WHERE run = ?",
        (dead, time.time_ns(), number),
    )
    places.leave(connection, number)
    tell_waiting(connection, number)


def described(connection: Connection, run_id: str) -> Claim | None:
    """Return a run as a claim of it would find it, without its parts, and without claiming it."""
    row = connection.execute(_OF_AN_ID, (run_id,)).fetchone()
    found = None if row is None else _Row._make(row)
    return None if found is None else found.claimed(found.epoch)


def is_worked_on(connection: Connection, workers: StoreWorkers, run_id: str) -> bool:
    """Return whether a live process has a run."""
    row = connection.execute("SELECT owner FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    return row is not None and row[0] is not None and workers.is_alive(connection, row[0])


def let_go(connection: Connection, owner: str, run_id: str) -> None:
    """Give back a run that a process has, under whatever epoch."""
    connection.execute("UPDATE runs SET owner = NULL WHERE run_id = ? AND owner = ?", (run_id, owner))


def release(connection: Connection, owner: str, leases: Iterable[Lease]) -> None:
    """Give runs back, so that others may claim them."""
    connection.executemany(
        "UPDATE runs SET owner = NULL WHERE run = ? AND epoch = ? AND owner = ?",
        [(lease.number, lease.epoch, owner) for lease in leases],
    )


def wake_next(connection: Connection) -> int | None:
    """Return the moment at which the next parked run is due; ``None``: none is."""
    found = connection.execute(
        "SELECT min(wake_at) FROM runs WHERE status = 'parked' AND ended IS NULL"
    ).fetchone()
    return None if found[0] is None else int(found[0])
