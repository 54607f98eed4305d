"""Inboxes: what others have put into a run's, until the run takes it."""

from __future__ import annotations

import json

from wfc.runtime.store.journal import Fate, Posted
from wfc.runtime.store.sql.connection import Connection

__all__ = ["addressed", "answering", "post", "posted"]


def post(connection: Connection, run_id: str, item: Posted) -> tuple[Fate, str | None]:
    """Put something into a run's inbox; return its fate, and who has the run."""
    found = connection.execute(
        "SELECT run, ended, owner FROM runs WHERE run_id = ? /* FOR SHARE */", (run_id,)
    ).fetchone()
    if found is None:
        return "unknown", None
    number, ended, owner = found
    if ended is not None:
        return "ended", None
    connection.execute(
        "INSERT INTO inbox (run, kind, body, by, at) VALUES (?, ?, ?, ?, ?)",
        (number, item.kind, item.body, item.by, item.at),
    )
    return "new", owner


def posted(connection: Connection, number: int) -> list[tuple[int, Posted]]:
    """Return what is in a run's inbox, oldest first, with the numbers of the items."""
    rows = connection.execute("SELECT id, kind, body, by, at FROM inbox WHERE run = ? ORDER BY id", (number,))
    return [(row[0], Posted(*row[1:])) for row in rows]


def answering(connection: Connection, run_id: str, task_id: str) -> list[str]:
    """Return whose answers to a task are in the inbox of its run, which has not taken them yet."""
    rows = connection.execute(
        "SELECT inbox.body, by FROM inbox JOIN runs USING (run) WHERE run_id = ? AND kind = 'answer' ORDER BY id",
        (run_id,),
    )
    return [by for body, by in rows if json.loads(body).get("question") == task_id]


def addressed(connection: Connection, owner: str) -> list[str]:
    """Return the ids of a worker's runs that have something in their inbox."""
    rows = connection.execute(
        "SELECT DISTINCT run_id FROM inbox JOIN runs USING (run) WHERE owner = ?", (owner,)
    )
    return [run_id for (run_id,) in rows]
