"""Events for runs under a key that are still to come: kept for a while, and in a run's inbox from its creation on."""

from __future__ import annotations

import time
from typing import Final

from wfc.runtime.errors import WorkflowRuntimeError
from wfc.runtime.store.journal import Posted
from wfc.runtime.store.sql import selecting
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.places import begin_alone

__all__ = ["MOST", "hand_over", "keep"]

MOST: Final = 10_000
"""How many events a store keeps for runs that are still to come."""


def keep(
    connection: Connection, workflow: str, key: str, item: Posted, message_id: str | None, until: int
) -> bool | None:
    """Keep an event for the next run under a key, until a moment.

    Returns:
        Whether it is new; ``None``: there is such a run by now, and nothing is kept.

    Raises:
        WorkflowRuntimeError: Too many are kept already.
    """
    begin_alone(connection)
    if selecting.of_key(connection, workflow, key):
        return None
    connection.execute("DELETE FROM mailbox WHERE until <= ?", (item.at,))
    of_message = (workflow, key, message_id)
    known = "SELECT 1 FROM mailbox WHERE workflow = ? AND key = ? AND message_id = ?"
    if connection.execute(known, of_message).fetchone() is not None:
        return False
    (waiting,) = connection.execute("SELECT count(*) FROM mailbox").fetchone()
    if waiting >= MOST:
        raise WorkflowRuntimeError(f"{waiting} messages already wait for runs that have not started")
    connection.execute(
        "INSERT INTO mailbox (workflow, key, message_id, body, at, until) VALUES (?, ?, ?, ?, ?, ?)",
        (*of_message, item.body, item.at, until),
    )
    return True


def hand_over(connection: Connection, number: int, workflow: str, key: str, owner: str | None) -> None:
    """Put what waits for a run under a key into the inbox of one that is just created, alone."""
    of_key = (workflow, key)
    cursor = connection.execute(
        """INSERT INTO inbox (run, kind, body, by, at)
            SELECT CAST(? AS BIGINT), 'event', body, '', at FROM mailbox
            WHERE workflow = ? AND key = ? AND until > ? ORDER BY id""",
        (number, *of_key, time.time_ns()),
    )
    if cursor.rowcount > 0:
        connection.execute("DELETE FROM mailbox WHERE workflow = ? AND key = ?", of_key)
        connection.tell(owner)
