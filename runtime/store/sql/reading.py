"""What is read from a store: journals, and the lists of runs and tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from wfc.runtime.errors import StoreError
from wfc.runtime.store.blobs import unite
from wfc.runtime.store.journal import Kept, RunStatus
from wfc.runtime.store.sql.connection import Connection

__all__ = [
    "Delegation",
    "RunRow",
    "TaskRow",
    "history",
    "kept",
    "number_of",
    "parts_of",
    "root_of",
    "runs",
    "task",
    "tasks",
]


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


class Delegation(NamedTuple):
    """The passing on of a task: to whom, by whom, why and when, in nanoseconds."""

    to: str
    by: str
    because: str
    at: int


class TaskRow(NamedTuple):
    """A task as lists show it; the moments are in nanoseconds.

    Args:
        assigned: Who is asked, as a JSON list.
        delegations: Who has passed it on, to whom, why and when, as a JSON list.
        about: The question as it was asked, with its form and what is shown; empty where tasks are listed.
    """

    task_id: str
    run_id: str
    workflow: str
    step: str
    title: str
    assigned: str
    delegations: str
    opened: int
    expires: int | None
    closed: int | None
    because: str | None
    answered_by: str | None
    about: Mapping[str, Any] = {}

    @property
    def assign(self) -> list[str]:
        """Who is asked now; nobody: anybody may answer."""
        return [] if self.assigned == "[]" else [str(one) for one in json.loads(self.assigned)]

    @property
    def passed_on(self) -> list[Delegation]:
        """Who has passed it on, the first first."""
        return [Delegation(**one) for one in json.loads(self.delegations)]


def kept(connection: Connection, number: int) -> Kept:
    """Return the journal of a run: its snapshot, and the ticks since.

    Raises:
        StoreError: The journal has a gap, or a large value is missing.
    """
    last = last_snapshot(connection, number)
    since, snapshot = (0, None) if last is None else (last.snapshot_seq, last.snapshot)
    rows = connection.execute(
        "SELECT seq, body FROM ticks WHERE run = ? AND seq > ? ORDER BY seq", (number, since)
    ).fetchall()
    if any(row[0] != at for at, row in enumerate(rows, since + 1)):
        raise StoreError("the store is damaged: the journal of a run has a gap")
    return Kept(snapshot, since, [unite(row[1], partial(read_blob, connection)) for row in rows])


def last_snapshot(connection: Connection, number: int) -> Kept | None:
    """Return the snapshot of a run alone; ``None``: it has none.

    Raises:
        StoreError: A large value is missing.
    """
    found = connection.execute("SELECT seq, body FROM snapshots WHERE run = ?", (number,)).fetchone()
    return None if found is None else Kept(unite(found[1], partial(read_blob, connection)), found[0], ())


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
    """Return the id of the run that a run goes on with: at the top of those that it is part of and that are not over.

    It is the run itself if there is none; ``None``: there is no such run.
    """
    row = connection.execute("SELECT parent, attached FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    while row is not None and row[0] is not None and row[1]:
        found = "SELECT parent, attached, run_id, ended FROM runs WHERE run = ?"
        above = connection.execute(found, (row[0],)).fetchone()
        if above is None or above[3] is not None:
            break
        row, run_id = above, above[2]
    return None if row is None else run_id


def parts_of(connection: Connection, run_id: str) -> list[str]:
    """Return the ids of the runs that are parts of a run, in the order in which they began."""
    rows = connection.execute(
        """SELECT run_id FROM runs WHERE attached
        AND parent = (SELECT run FROM runs WHERE run_id = ?) ORDER BY run""",
        (run_id,),
    ).fetchall()
    return [row[0] for row in rows]


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
    which = {"run_id": run_id, "status": status, "workflow": workflow}
    asked = {name: value for name, value in which.items() if value is not None}
    wanted = " AND ".join(["TRUE", *(f"{name} = :{name}" for name in asked)])  # so that an index finds it
    rows = connection.execute(
        "SELECT run_id, workflow, version, key, status, owner, started, ended, wake_at, recoveries, "  # noqa: S608 - of constants
        "(SELECT count(*) FROM tasks WHERE tasks.run = runs.run AND closed IS NULL), outcome "
        f"FROM runs WHERE {wanted} ORDER BY run DESC LIMIT :most",
        {**asked, "most": most},
    )
    return [RunRow(*row) for row in rows]


_TASK = """SELECT task_id, run_id, workflow, step, title, assign, passed_on, opened, expires, closed, because,
    answered_by {more} FROM tasks JOIN runs USING (run) {beside} WHERE """
_ASKS = """EXISTS (SELECT 1 FROM json_each(assign) AS one
    WHERE one.value IN (SELECT value FROM json_each(CAST(:whom AS TEXT))))"""


def task(connection: Connection, task_id: str) -> TaskRow | None:
    """Return a task, with what it is about; ``None``: there is none of that id."""
    found = connection.execute(
        _TASK.format(more=", body", beside="JOIN questions USING (task_id)") + "task_id = ?", (task_id,)
    ).fetchone()
    return None if found is None else TaskRow._make((*found[:-1], json.loads(found[-1])))


def tasks(
    connection: Connection,
    *,
    run_id: str | None = None,
    is_open: bool = True,
    whom: Sequence[str] = (),
    or_anybody: bool = False,
    overdue_at: int | None = None,
    most: int = 1000,
) -> list[TaskRow]:
    """Return tasks, the oldest first, without what they are about: the open ones, or all.

    Args:
        whom: Of whom one is asked; nobody: whoever is asked.
        or_anybody: Whether those come too that anybody may answer.
        overdue_at: The moment at which their time is over; ``None``: whether or not it is.
    """
    wanted = ["TRUE"]
    if run_id is not None:
        wanted.append("run = (SELECT run FROM runs WHERE run_id = :run_id)")
    if is_open:
        wanted.append("closed IS NULL")
    if overdue_at is not None:
        wanted.append("expires <= :overdue_at")
    if whom:
        wanted.append(f"(assign = '[]' OR {_ASKS})" if or_anybody else _ASKS)
    rows = connection.execute(
        f"{_TASK.format(more='', beside='')} {' AND '.join(wanted)} ORDER BY opened, task_id LIMIT :most",
        {"run_id": run_id, "whom": json.dumps(list(whom)), "overdue_at": overdue_at, "most": most},
    )
    return [TaskRow(*row) for row in rows]
