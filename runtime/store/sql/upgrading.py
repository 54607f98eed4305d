"""What an upgrade of a run needs to know of it, all as of one moment."""

from __future__ import annotations

from typing import NamedTuple

from wfc.runtime.store.journal import Kept, RunStatus
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.reading import kept

__all__ = ["HasPlan", "Upgradable", "parts_of_workflow", "runs_of_workflow", "upgradable", "with_parts"]


class Upgradable(NamedTuple):
    """A run as an upgrade finds it.

    Args:
        shape: The digest of its plan.
        plan: The description of that; empty: it is not kept.
        kept: Its journal, from its last snapshot on.
        parts: The ids of the runs that are parts of it and not over.
    """

    number: int
    epoch: int
    status: RunStatus
    workflow: str
    version: str
    shape: str
    start: bytes
    wake_at: int | None
    ended: int | None
    plan: str
    kept: Kept
    parts: tuple[str, ...]


def upgradable(connection: Connection, run_id: str) -> Upgradable | None:
    """Return a run with what an upgrade needs; ``None``: there is none of that id.

    Raises:
        StoreError: Its journal is damaged.
    """
    row = connection.execute(
        """SELECT run, epoch, status, workflow, version, shape, start, wake_at, ended, coalesce(body, '')
            FROM runs LEFT JOIN plans ON digest = shape WHERE run_id = ?""",
        (run_id,),
    ).fetchone()
    if row is None:
        return None
    parts = connection.execute(
        "SELECT run_id FROM runs WHERE parent = ? AND attached AND ended IS NULL ORDER BY run", (row[0],)
    ).fetchall()
    rest = kept(connection, row[0]), tuple(part for (part,) in parts)
    return Upgradable._make((*row, *rest))


class HasPlan(NamedTuple):
    """Which plan a run has: ``shape`` is its digest."""

    workflow: str
    version: str
    shape: str


def with_parts(connection: Connection, run_id: str) -> list[HasPlan]:
    """Return which plans a run and its parts have, unless they are over."""
    rows = connection.execute(
        """WITH RECURSIVE below (run) AS (
            SELECT run FROM runs WHERE run_id = ? AND ended IS NULL
            UNION SELECT part.run FROM runs AS part JOIN below ON part.parent = below.run
                WHERE part.attached AND part.ended IS NULL)
            SELECT workflow, version, shape FROM runs WHERE run IN (SELECT run FROM below)""",
        (run_id,),
    )
    return [HasPlan(*row) for row in rows]


def runs_of_workflow(connection: Connection, workflow: str) -> list[str]:
    """Return the ids of the runs of a workflow that are not over and no parts of others, the oldest first."""
    rows = connection.execute(
        """SELECT run_id FROM runs WHERE workflow = ? AND ended IS NULL AND (parent IS NULL OR NOT attached)
            ORDER BY run""",
        (workflow,),
    )
    return [run_id for (run_id,) in rows]


def parts_of_workflow(connection: Connection, workflow: str) -> list[str]:
    """Return the ids of the runs of a workflow that are not over and parts of others, the oldest first."""
    rows = connection.execute(
        """SELECT run_id FROM runs WHERE workflow = ? AND ended IS NULL AND parent IS NOT NULL AND attached
            ORDER BY run""",
        (workflow,),
    )
    return [run_id for (run_id,) in rows]
