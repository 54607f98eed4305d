"""What starts runs by itself: how far each trigger has come, and the messages that were sent under topics.

A trigger's position moves on in the commit that creates the runs which follow from it, so that each moment and each
message starts one run, however many processes look and whenever they die.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from wfc.runtime.store.journal import Entry
from wfc.runtime.store.sql.appending import append
from wfc.runtime.store.sql.connection import Connection

__all__ = [
    "TopicMessage",
    "last_published",
    "move_on",
    "open_runs",
    "position_of",
    "publish",
    "published_after",
    "take_over",
]

KEPT: Final = 30 * 24 * 3600 * 1_000_000_000
"""How long messages are kept, in nanoseconds."""

_LOCK: Final = "wfc published"


class TopicMessage(NamedTuple):
    """A message that was sent under a topic: its number, the event's name, and what it holds as JSON text."""

    number: int
    topic: str
    event: str
    body: str


def position_of(connection: Connection, workflow: str, trigger: str) -> int | None:
    """Return how far a trigger has come; ``None``: nobody has looked at it yet."""
    found = connection.execute(
        "SELECT position FROM trigger_positions WHERE workflow = ? AND name = ?", (workflow, trigger)
    ).fetchone()
    return None if found is None else int(found[0])


def take_over(connection: Connection, workflow: str, before: str) -> None:
    """Let the triggers of a workflow begin where those of its former name have come to, unless they have begun."""
    connection.execute(
        """INSERT INTO trigger_positions (workflow, name, position)
            SELECT CAST(? AS TEXT), name, position FROM trigger_positions WHERE workflow = ?
            ON CONFLICT DO NOTHING""",
        (workflow, before),
    )


def move_on(
    connection: Connection,
    workflow: str,
    trigger: str,
    before: int | None,
    after: int,
    entries: Sequence[Entry],
    owner: str,
) -> bool:
    """Move a trigger on and create the runs that follow, unless somebody else has done so; return whether it was.

    A run that is there already stays as it is.
    """
    if before is None:
        statement = (
            "INSERT INTO trigger_positions (position, workflow, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        )
        moved = connection.execute(statement, (after, workflow, trigger))
    else:
        moved = connection.execute(
            "UPDATE trigger_positions SET position = ? WHERE workflow = ? AND name = ? AND position = ?",
            (after, workflow, trigger, before),
        )
    if moved.rowcount != 1:
        return False
    for entry in entries:
        append(connection, entry, owner)
    return True


def publish(
    connection: Connection, topic: str, event: str, body: str, message_id: str | None
) -> tuple[int, bool]:
    """Keep a message under a topic; return its number, and whether it is new."""
    connection.lock(_LOCK)  # or one could be committed after a higher number was seen, and be passed over
    now = time.time_ns()
    connection.execute("DELETE FROM published WHERE at < ?", (now - KEPT,))
    number = connection.add(
        "INSERT INTO published (topic, event, body, message_id, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (topic, event, body, message_id, now),
        "id",
    )
    if number is not None:
        return number, True
    found = connection.execute(
        "SELECT id FROM published WHERE topic = ? AND message_id = ?", (topic, message_id)
    ).fetchone()
    return int(found[0]), False


def last_published(connection: Connection) -> int:
    """Return the number of the last message; 0: there is none."""
    found = connection.execute("SELECT max(id) FROM published").fetchone()
    return int(found[0] or 0)


def published_after(connection: Connection, number: int, topics: Sequence[str]) -> list[TopicMessage]:
    """Return the messages of topics after one with a number, the oldest first."""
    marks = ", ".join("?" for _ in topics)
    rows = connection.execute(
        f"SELECT id, topic, event, body FROM published WHERE id > ? AND topic IN ({marks}) ORDER BY id LIMIT 100",  # noqa: S608 - of marks
        (number, *topics),
    )
    return [TopicMessage(*row) for row in rows]


def open_runs(connection: Connection, workflow: str) -> list[tuple[str, str | None]]:
    """Return the ids and the keys of the runs of a workflow that are not over, the oldest first."""
    rows = connection.execute(
        "SELECT run_id, key FROM runs WHERE workflow = ? AND ended IS NULL ORDER BY run", (workflow,)
    )
    return [(run_id, key) for run_id, key in rows]
