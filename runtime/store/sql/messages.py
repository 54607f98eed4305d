"""What people are to be told: messages that stand in the commit of what they tell, until they are sent or given up.

A message is sent at least once: whoever takes it moves the moment at which it is due again, so that another one sends
it if that process dies. By its id those who get it twice know it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from typing import Any, Final, NamedTuple

from wfc.runtime.store.journal import Ended, Row, TaskDelegated, TaskOpened, TaskReminded
from wfc.runtime.store.sql.connection import Connection

__all__ = [
    "StoredMessage",
    "end_message",
    "has_messages_due",
    "messages_of",
    "note_message",
    "put_off",
    "take_messages",
]

_NEW: Final = """INSERT INTO messages (message_id, run, what, task_id, body, at, due) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""


class StoredMessage(NamedTuple):
    """A message to people.

    Args:
        message_id: What it is known by, however often it is sent.
        what: What it tells, of ``schemas.tell.WHAT``.
        body: What is known of a run's end, as JSON text.
        attempts: How often it has been tried, with this time.
    """

    number: int
    message_id: str
    what: str
    task_id: str | None
    run_id: str
    workflow: str
    body: str
    at: int
    attempts: int

    @property
    def about(self) -> dict[str, Any]:
        """What is known of it besides."""
        found: dict[str, Any] = json.loads(self.body)
        return found


def note_message(connection: Connection, number: int, row: Row, told: Collection[str]) -> None:
    """Note the message that follows from a row of a run, if people are told of such, and the run is not a quiet one."""
    task_id: str | None = None
    about: dict[str, str] = {}
    match row:
        case TaskOpened():
            what, name, task_id, at = "task", f"{row.task_id}:{row.opened}", row.task_id, row.opened
        case TaskDelegated():
            what, task_id, at = "task", row.task_id, row.at
            name, about = f"{task_id}:{row.at}", {"by": row.by, "because": row.because}
        case TaskReminded():
            what, name, task_id, at = "reminder", f"{row.task_id}:{row.at}", row.task_id, row.at
        case Ended(trouble=str(trouble)) if trouble:
            what, name, at = trouble, f"{number}:{row.at}", row.at
            about = {"error": row.error, "step": row.step}
        case _:
            return
    if what not in told:
        return
    is_quiet, parent, is_part = connection.execute(
        "SELECT is_quiet, parent, attached FROM runs WHERE run = ?", (number,)
    ).fetchone()
    if is_quiet or (task_id is None and parent is not None and is_part):
        return  # of the end of a part the run above tells
    body = json.dumps(about, ensure_ascii=False)
    connection.execute(_NEW, (f"{what}:{name}", number, what, task_id, body, at, time.time_ns()))


def has_messages_due(connection: Connection) -> bool:
    """Return whether a message is to be sent."""
    found = connection.execute("SELECT 1 FROM messages WHERE due <= ? LIMIT 1", (time.time_ns(),)).fetchone()
    return found is not None


def take_messages(connection: Connection, seconds: float, most: int) -> list[StoredMessage]:
    """Take messages that are due, the oldest first; they are due again after some seconds, unless they are ended."""
    now = time.time_ns()
    _drop_those_of_closed_tasks(connection, now)
    rows = connection.execute(
        """SELECT id, message_id, what, task_id, run_id, workflow, body, at, attempts + 1
            FROM messages JOIN runs USING (run) WHERE due <= ? ORDER BY due, id LIMIT ? /* FOR UPDATE */""",
        (now, most),
    ).fetchall()
    again = now + int(seconds * 1e9)
    connection.executemany(
        "UPDATE messages SET due = ?, attempts = attempts + 1 WHERE id = ?", [(again, row[0]) for row in rows]
    )
    return [StoredMessage(*row) for row in rows]


def _drop_those_of_closed_tasks(connection: Connection, now: int) -> None:
    """Drop the messages that are due of questions that are closed by now."""
    connection.execute(
        """UPDATE messages SET due = NULL, ended = :now, became = 'the question was closed before'
            WHERE due <= :now AND task_id IN (SELECT task_id FROM tasks WHERE closed IS NOT NULL)""",
        {"now": now},
    )


def put_off(connection: Connection, number: int, seconds: float, because: str) -> None:
    """Let a message that could not be sent be due again after some seconds."""
    due = time.time_ns() + int(seconds * 1e9)
    connection.execute(
        "UPDATE messages SET due = ?, became = ? WHERE id = ? AND due IS NOT NULL", (due, because, number)
    )


def end_message(connection: Connection, number: int, became: str) -> None:
    """Let a message be sent, or given up, for good."""
    connection.execute(
        "UPDATE messages SET due = NULL, ended = ?, became = ? WHERE id = ?", (time.time_ns(), became, number)
    )


def messages_of(connection: Connection, run_id: str) -> list[dict[str, Any]]:
    """Return what people were told of a run, or are to be told, as data, the oldest first."""
    rows = connection.execute(
        """SELECT message_id, what, task_id, at, attempts, ended, became FROM messages
            WHERE run = (SELECT run FROM runs WHERE run_id = ?) ORDER BY id""",
        (run_id,),
    )
    names = ("id", "what", "task", "at", "attempts", "ended", "became")
    return [dict(zip(names, row, strict=True)) for row in rows]
