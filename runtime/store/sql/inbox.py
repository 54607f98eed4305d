"""Inboxes: what others have put into a run's, until the run takes it."""

from __future__ import annotations

import json
from typing import Final

from wfc.runtime.store.journal import Fate, Posted
from wfc.runtime.store.sql.connection import Connection, StoreWorkers
from wfc.runtime.store.sql.joining import has_followed_end

__all__ = ["addressed", "answering", "has_news", "holds", "post", "posted", "withdraw"]

_ADDRESSED: Final = "FROM runs WHERE run IN (SELECT run FROM inbox) AND owner = ?"
"""By way of the inbox: most runs may be at rest, and a join would go through all of them."""


def post(connection: Connection, run_id: str, item: Posted) -> Fate:
    """Put something into a run's inbox, and let whoever has the run hear of it; return what became of it."""
    # of two answers of one person at the same moment, over two servers, one comes after the other
    lock = "FOR UPDATE" if item.kind == "answer" else "FOR SHARE"
    found = connection.execute(
        f"SELECT run, ended, owner FROM runs WHERE run_id = ? /* {lock} */",  # noqa: S608 - of constants
        (run_id,),
    ).fetchone()
    if found is None:
        return "unknown"
    number, ended, owner = found
    if ended is not None:
        return "ended"
    if item.kind == "answer" and (before := _came_before(connection, run_id, item)):
        return before
    connection.execute(
        "INSERT INTO inbox (run, kind, body, by, at) VALUES (?, ?, ?, ?, ?)",
        (number, item.kind, item.body, item.by, item.at),
    )
    connection.tell(owner)
    return "new"


def _came_before(connection: Connection, run_id: str, item: Posted) -> Fate | None:
    """Return why an answer comes too late; ``None``: it does not."""
    question = str(json.loads(item.body).get("question"))
    task = connection.execute("SELECT closed FROM tasks WHERE task_id = ?", (question,)).fetchone()
    if task is not None and task[0] is not None:
        return "closed"
    return "answered" if item.by in answering(connection, run_id, question) else None


def posted(connection: Connection, number: int) -> list[tuple[int, Posted]]:
    """Return what is in a run's inbox, oldest first, with the numbers of the items."""
    rows = connection.execute("SELECT id, kind, body, by, at FROM inbox WHERE run = ? ORDER BY id", (number,))
    return [(row[0], Posted(*row[1:])) for row in rows]


def holds(connection: Connection, run_id: str, kind: str) -> bool:
    """Return whether something of a kind is in a run's inbox."""
    found = connection.execute(
        "SELECT 1 FROM inbox JOIN runs USING (run) WHERE run_id = ? AND kind = ? LIMIT 1", (run_id, kind)
    )
    return found.fetchone() is not None


def withdraw(connection: Connection, workers: StoreWorkers, run_id: str, item: Posted) -> bool:
    """Take something out of the inbox of a run that no live process has; return whether it was there still."""
    found = connection.execute(
        "SELECT run, owner FROM runs WHERE run_id = ? /* FOR UPDATE */", (run_id,)
    ).fetchone()
    if found is None:
        return False
    number, owner = found
    if owner is not None:
        if workers.is_alive(connection, owner):
            return False
        # who has it and shows no sign of life may have taken the item, and could still write so
        connection.execute("UPDATE runs SET owner = NULL WHERE run = ?", (number,))
    gone = connection.execute(
        "DELETE FROM inbox WHERE run = ? AND kind = ? AND by = ? AND at = ?",
        (number, item.kind, item.by, item.at),
    )
    return gone.rowcount > 0


def answering(connection: Connection, run_id: str, task_id: str) -> list[str]:
    """Return whose answers to a task are in the inbox of its run, which has not taken them yet."""
    rows = connection.execute(
        "SELECT inbox.body, by FROM inbox JOIN runs USING (run) WHERE run_id = ? AND kind = 'answer' ORDER BY id",
        (run_id,),
    )
    return [by for body, by in rows if json.loads(body).get("question") == task_id]


def addressed(connection: Connection, owner: str) -> list[str]:
    """Return the ids of a worker's runs that have something in their inbox."""
    rows = connection.execute(f"SELECT run_id {_ADDRESSED}", (owner,))
    return [run_id for (run_id,) in rows]


def has_news(connection: Connection, owner: str) -> bool:
    """Return whether a run of a worker's has something in its inbox, or one is over that it follows."""
    found = connection.execute(f"SELECT 1 {_ADDRESSED} LIMIT 1", (owner,)).fetchone()
    return found is not None or has_followed_end(connection, owner)
