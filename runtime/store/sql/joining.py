"""Runs whose ends others wait for, which are no parts of them: what is told of an end, in the commit of that end.

Who waits is told by way of its inbox, with the end itself: by then the run that is over may be forgotten.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from wfc.runtime.store.journal import EndAwaited
from wfc.runtime.store.sql.connection import Connection

__all__ = [
    "await_end",
    "ends_of",
    "follow",
    "forget_waiting",
    "has_followed_end",
    "stop_following",
    "tell_waiting",
]

_END = "SELECT run, run_id, workflow, version, status, ended, outcome FROM runs "
_POST = """INSERT INTO inbox (run, kind, body, by, at) SELECT CAST(? AS BIGINT), 'end', CAST(? AS TEXT), '',
    CAST(? AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE run = ? AND kind = 'end' AND body = ?)"""


def await_end(connection: Connection, number: int, row: EndAwaited) -> None:
    """Note that a run waits for the end of another one; if that is over, or there is none of its id, tell it so."""
    # the lock lets the end be seen here, or this be seen by the end
    found = connection.execute(_END + "WHERE run_id = ? /* FOR SHARE */", (row.run_id,)).fetchone()
    if found is None:
        _tell(connection, number, row.number, {"run": row.run_id, "status": "unknown"})
    elif found[5] is not None:
        _tell(connection, number, row.number, _ended(found))
    else:
        connection.execute(
            """INSERT INTO awaited_ends (run, number, awaited) VALUES (?, ?, ?)
                ON CONFLICT (run, number) DO UPDATE SET awaited = excluded.awaited""",
            (number, row.number, found[0]),
        )


def tell_waiting(connection: Connection, number: int) -> None:
    """Tell those who wait for it of the end of a run, which is written by now; the run itself waits for none."""
    _stop_waiting(connection, number)
    _tell_followers(connection, number)
    waiting = _waiting_for(connection, number)
    if waiting:
        found = connection.execute(_END + "WHERE run = ?", (number,)).fetchone()
        _tell_all(connection, number, waiting, _ended(found))


def forget_waiting(connection: Connection, number: int) -> None:
    """Forget whom a run waits for, as it is deleted itself, and tell those who wait for it that it is gone."""
    _stop_waiting(connection, number)
    _tell_followers(connection, number)
    waiting = _waiting_for(connection, number)
    if waiting:
        found = connection.execute(_END + "WHERE run = ?", (number,)).fetchone()
        _tell_all(connection, number, waiting, {"run": found[1], "status": "unknown"})


def follow(connection: Connection, owner: str, run_id: str) -> None:
    """Let a process be told of the end of a run that another one has."""
    connection.execute(
        "INSERT INTO followed (owner, run) SELECT CAST(? AS TEXT), run FROM runs WHERE run_id = ? /* FOR SHARE */ "
        "ON CONFLICT DO NOTHING",
        (owner, run_id),
    )


def stop_following(connection: Connection, owner: str) -> None:
    """Let a process be told no more of the ends of runs that are over."""
    connection.execute(
        "DELETE FROM followed WHERE owner = ? AND run NOT IN (SELECT run FROM runs WHERE ended IS NULL)",
        (owner,),
    )


def has_followed_end(connection: Connection, owner: str) -> bool:
    """Return whether a run is over of whose end a process is told, which may not have heard of it."""
    found = connection.execute(
        "SELECT 1 FROM followed LEFT JOIN runs USING (run) WHERE followed.owner = ? "
        "AND (runs.run IS NULL OR runs.ended IS NOT NULL) LIMIT 1",
        (owner,),
    )
    return found.fetchone() is not None


def ends_of(connection: Connection, run_ids: Sequence[str]) -> dict[str, Any]:
    """Return for each of some runs that is not under way what is known of it: see ``_ended``; ``None``: nothing."""
    found: dict[str, Any] = {}
    for run_id in run_ids:
        row = connection.execute(_END + "WHERE run_id = ?", (run_id,)).fetchone()
        if row is None:
            found[run_id] = None
        elif row[5] is not None:
            found[run_id] = _ended(row)
    return found


def _tell_followers(connection: Connection, number: int) -> None:
    for (owner,) in connection.execute("SELECT owner FROM followed WHERE run = ?", (number,)).fetchall():
        connection.tell(owner)


def _stop_waiting(connection: Connection, number: int) -> None:
    connection.execute("DELETE FROM awaited_ends WHERE run = ?", (number,))


def _waiting_for(connection: Connection, number: int) -> list[Any]:
    return connection.execute("SELECT run, number FROM awaited_ends WHERE awaited = ?", (number,)).fetchall()


def _tell_all(connection: Connection, number: int, waiting: list[Any], end: dict[str, Any]) -> None:
    for run, paused in waiting:
        _tell(connection, run, paused, end)
    connection.execute("DELETE FROM awaited_ends WHERE awaited = ?", (number,))


def _tell(connection: Connection, run: int, paused: int, end: dict[str, Any]) -> None:
    body = json.dumps({"number": paused, **end}, ensure_ascii=False)
    connection.execute(_POST, (run, body, time.time_ns(), run, body))
    (owner,) = connection.execute("SELECT owner FROM runs WHERE run = ?", (run,)).fetchone()
    connection.tell(owner)


def _ended(row: Any) -> dict[str, Any]:
    _, run_id, workflow, version, status, _, outcome = row
    found = {"run": run_id, "workflow": workflow, "version": version, "status": status}
    return {**found, "outcome": bytes(outcome).decode()} if outcome else found
