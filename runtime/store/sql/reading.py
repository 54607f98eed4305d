"""What is read from a store: journals, and the lists of runs and tasks."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, NamedTuple

from wfc.runtime.errors import StoreError
from wfc.runtime.store.blobs import unite
from wfc.runtime.store.journal import Kept, RunStatus
from wfc.runtime.store.sql.connection import Connection

__all__ = ["RunRow", "TaskRow", "history", "kept", "number_of", "root_of", "runs", "tasks"]


class RunRow(NamedTuple):
    """A run as lists show it; the moments are in nanoseconds.

    ``is_held`` says whether a process has it, dead or alive; ``outcome`` is how it ended, as JSON text.
    """

    run_id: str
    workflow: str
    version: str
    key: str | None
    status: RunStatus
    owner: str | None
    started: int
    ended: int | None
    wake_at: int | None
    recoveries: int
    open_tasks: int
    outcome: bytes | None


class TaskRow(NamedTuple):
    """A task as lists show it; ``about`` is its form and what is shown, as data; the moments are in nanoseconds."""

    task_id: str
    run_id: str
    workflow: str
    step: str
    about: dict[str, Any]
    opened: int
    expires: int | None
    closed: int | None
    because: str | None
    answered_by: str | None


def kept(connection: Connection, number: int) -> Kept:
    """Return the journal of a run: its snapshot, and the ticks since.

    Raises:
        StoreError: The journal has a gap, or a large value is missing.
    """

    blob = partial(read_blob, connection)
    found = connection.execute("SELECT seq, body FROM snapshots WHERE run = ?", (number,)).fetchone()
    since, snapshot = (0, None) if found is None else (found[0], unite(found[1], blob))
    rows = connection.execute(
        "SELECT seq, body FROM ticks WHERE run = ? AND seq > ? ORDER BY seq", (number, since)
    ).fetchall()
    if any(row[0] != at for at, row in enumerate(rows, since + 1)):
        raise StoreError("the store is damaged: the journal of a run has a gap")
    return Kept(snapshot, since, [unite(row[1], blob) for row in rows])


def read_blob(connection: Connection, digest: str) -> bytes:
    found = connection.execute("SELECT body FROM blobs WHERE digest = ?", (digest,)).fetchone()
    if found is None:
        raise StoreError(f"the store is damaged: a large value of a run is missing ({digest})")
    return bytes(found[0])


def history(connection: Connection, number: int) -> list[tuple[int, bytes]]:
    """Return all ticks of a run that are still there, with their numbers.

    Raises:
        StoreError: A large value is missing.
    """
    rows = connection.execute("SELECT seq, body FROM ticks WHERE run = ? ORDER BY seq", (number,)).fetchall()
    return [(seq, unite(body, partial(read_blob, connection))) for seq, body in rows]


def root_of(connection: Connection, run_id: str) -> str | None:
    """Return the id of the run that a run is part of, at the top; ``None``: there is no such run."""
    row = connection.execute("SELECT parent, attached FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    while row is not None and row[0] is not None and row[1]:
        found = "SELECT parent, attached, run_id FROM runs WHERE run = ?"
        row = connection.execute(found, (row[0],)).fetchone()
        run_id = row[2]
    return None if row is None else run_id


def number_of(connection: Connection, run_id: str) -> int:
    """Return the number by which the tables know a run.

    Raises:
        KeyError: There is no such run.
    """
    found = connection.execute("SELECT run FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    if found is None:
        raise KeyError(run_id)
    return int(found[0])


def runs(
    connection: Connection,
    *,
    run_id: str | None = None,
    status: str | None = None,
    workflow: str | None = None,
    most: int = 1000,
) -> list[RunRow]:
    """Return runs, the newest first."""
    rows = connection.execute(
        """SELECT run_id, workflow, version, key, status, owner, started, ended, wake_at, recoveries,
            (SELECT count(*) FROM tasks WHERE tasks.run = runs.run AND closed IS NULL), outcome
            FROM runs WHERE (CAST(:run_id AS TEXT) IS NULL OR run_id = :run_id)
            AND (CAST(:status AS TEXT) IS NULL OR status = :status)
            AND (CAST(:workflow AS TEXT) IS NULL OR workflow = :workflow) ORDER BY run DESC LIMIT :most""",
        {"run_id": run_id, "status": status, "workflow": workflow, "most": most},
    )
    return [RunRow(*row) for row in rows]


def tasks(
    connection: Connection,
    *,
    task_id: str | None = None,
    run_id: str | None = None,
    is_open: bool = True,
    most: int = 1000,
) -> list[TaskRow]:
    """Return tasks, the oldest first: the open ones, or all."""
    rows = connection.execute(
        """SELECT task_id, run_id, workflow, step, body, opened, expires, closed, because, answered_by
            FROM tasks JOIN runs USING (run) WHERE (CAST(:task_id AS TEXT) IS NULL OR task_id = :task_id)
            AND (CAST(:run_id AS TEXT) IS NULL OR run_id = :run_id) AND (closed IS NULL OR :closed = 1)
            ORDER BY opened, task_id LIMIT :most""",
        {"task_id": task_id, "run_id": run_id, "closed": int(not is_open), "most": most},
    )
    return [TaskRow._make((*row[:4], json.loads(row[4]), *row[5:])) for row in rows]
