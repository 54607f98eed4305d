"""Changes of runs that nobody works on, over or not: each is one commit, or none if the run has changed meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wfc.runtime.store.journal import Entry, Lost, RunStatus
from wfc.runtime.store.sql.appending import append
from wfc.runtime.store.sql.claiming import last_seq
from wfc.runtime.store.sql.connection import Connection, StoreWorkers

__all__ = ["Standing", "alter", "standing"]


class Standing(NamedTuple):
    """Where a run is: ``epoch`` and ``seq`` say later whether it has changed."""

    number: int
    epoch: int
    seq: int
    status: RunStatus
    workflow: str
    version: str
    key: str | None
    started: int


def standing(connection: Connection, run_id: str) -> Standing | None:
    """Return where a run is; ``None``: there is none of that id."""
    row = connection.execute(
        "SELECT run, epoch, status, workflow, version, key, started FROM runs WHERE run_id = ?", (run_id,)
    ).fetchone()
    return None if row is None else Standing(row[0], row[1], last_seq(connection, row[0]), *row[2:])


def alter(connection: Connection, workers: StoreWorkers, owner: str, entries: Sequence[Entry]) -> None:
    """Write entries of runs that nobody works on, and of new ones; it is called within a transaction.

    The lease of an entry has the epoch in which the run was read, and the number of its first tick follows the last
    one that was read. Runs that are over are so no more.

    Raises:
        Lost: Somebody works on one of them, or has changed it since it was read.
    """
    for entry in entries:
        lease = entry.lease
        if entry.created is None:
            found = connection.execute(
                "SELECT owner FROM runs WHERE run = ? AND epoch = ? /* FOR UPDATE */",
                (lease.number, lease.epoch),
            ).fetchone()
            if found is None or last_seq(connection, lease.number) != entry.seq - 1:
                raise Lost(f"the run {lease.run_id} has changed meanwhile")
            if found[0] not in (None, owner) and workers.is_alive(connection, found[0]):
                raise Lost(f"another process has the run {lease.run_id}")
            connection.execute(
                """UPDATE runs SET epoch = epoch + 1, owner = ?, status = 'live', ended = NULL, outcome = NULL,
                    recoveries = 0 WHERE run = ?""",
                (owner, lease.number),
            )
            lease.epoch += 1
        if (lost := append(connection, entry, owner)) is not None:
            raise lost
