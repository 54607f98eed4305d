"""The places of runs: how many of a workflow may be under way at once, under a key or in all, whoever works on them.

A run that may not begin beside others has a row for each of its gates, in the order of their names: it gets a place in
the first that is outside of, in its turn, then in the next, and begins when it has all of them. It has them until it is
over, at rest and after a crash too. What was decided is written by whoever enters, leaves or ends, in that commit.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Final

from wfc.runtime.store.journal import Posted, WantedPlace
from wfc.runtime.store.sql.connection import Connection

__all__ = [
    "begin_alone",
    "cancel_others",
    "enter",
    "free_what_was_left",
    "is_inside",
    "is_outside",
    "leave",
    "leave_at",
    "rename",
]

_LOCK: Final = "wfc places"
_SOME: Final = 50
"""How many of those that wait are looked at together."""

_WAITING: Final = """SELECT id, run, most, status, owner FROM places JOIN runs USING (run)
    WHERE places.workflow = ? AND gate = ? AND inside = 0 AND id > ? AND NOT EXISTS (SELECT 1 FROM places AS before
        WHERE before.run = places.run AND before.inside = 0 AND before.gate < places.gate)
    ORDER BY id LIMIT ?"""


def enter(
    connection: Connection, number: int, wanted: Sequence[WantedPlace], *, has_begun: bool = False
) -> None:
    """Let a run wait for its places, unless it has them or gets them now.

    Args:
        has_begun: Whether it has been under way for long, so that it has its places whoever else has.
    """
    connection.lock(_LOCK)
    known = {(one.workflow, one.gate) for one in wanted}
    rows = connection.execute("SELECT id, workflow, gate FROM places WHERE run = ?", (number,)).fetchall()
    for row, workflow, gate in rows:
        if (workflow, gate) not in known:  # what it depends on has another value now
            connection.execute("DELETE FROM places WHERE id = ?", (row,))
            _let_in(connection, workflow, gate)
    for one in wanted:
        connection.execute(
            """INSERT INTO places (run, workflow, gate, most, inside) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (run, workflow, gate) DO UPDATE SET most = excluded.most""",
            (number, one.workflow, one.gate, one.most, int(has_begun)),
        )
    for one in wanted:
        _let_in(connection, one.workflow, one.gate, number)


def is_inside(connection: Connection, run_id: str, wanted: Sequence[WantedPlace]) -> bool:
    """Return whether a run has all places that it wants."""
    rows = connection.execute(
        "SELECT places.workflow, gate FROM places JOIN runs USING (run) WHERE run_id = ? AND inside = 1",
        (run_id,),
    )
    return {(one.workflow, one.gate) for one in wanted} <= {(workflow, gate) for workflow, gate in rows}


def is_outside(connection: Connection, run_id: str) -> bool:
    """Return whether a run waits for a place."""
    found = connection.execute(
        "SELECT 1 FROM places JOIN runs USING (run) WHERE run_id = ? AND inside = 0", (run_id,)
    )
    return found.fetchone() is not None


def leave(connection: Connection, number: int) -> None:
    """Take a run's places away, and give them to those that wait."""
    if connection.execute("SELECT 1 FROM places WHERE run = ?", (number,)).fetchone() is None:
        return
    connection.lock(_LOCK)
    gates = connection.execute(
        "SELECT workflow, gate FROM places WHERE run = ? ORDER BY gate", (number,)
    ).fetchall()
    connection.execute("DELETE FROM places WHERE run = ?", (number,))
    for workflow, gate in gates:
        _let_in(connection, workflow, gate)


def leave_at(connection: Connection, number: int, moment: int) -> None:
    """Take a run's places away at a moment, unless it has left them before: its steps still clean up."""
    connection.execute("UPDATE places SET until = ? WHERE run = ?", (moment, number))


def free_what_was_left(connection: Connection) -> None:
    """Give on what processes have died with: places of runs that are over, and those that were given to runs which
    were still to begin. The latter wait again when somebody takes them up.
    """
    now = time.time_ns()
    for (number,) in connection.execute("SELECT DISTINCT run FROM places WHERE until < ?", (now,)).fetchall():
        leave(connection, number)

    given = connection.execute(
        "SELECT DISTINCT run, owner FROM inbox JOIN runs USING (run) WHERE kind = 'place' AND status = 'live'"
    ).fetchall()
    for number, owner in given:
        if owner is not None and not connection.is_alive(owner):
            _take_back(connection, number)


def _take_back(connection: Connection, number: int) -> None:
    """Take the places away that a run has got and not taken, as its process had died."""
    connection.lock(_LOCK)
    taken = connection.execute("DELETE FROM inbox WHERE run = ? AND kind = 'place'", (number,))
    if taken.rowcount:
        connection.execute("UPDATE places SET inside = 0 WHERE run = ?", (number,))
        for workflow, gate in connection.execute(
            "SELECT workflow, gate FROM places WHERE run = ? ORDER BY gate", (number,)
        ).fetchall():
            _let_in(connection, workflow, gate)


def rename(connection: Connection, number: int, workflow: str) -> None:
    """Let the places of a run be those of its workflow under another name."""
    connection.lock(_LOCK)
    connection.execute("UPDATE places SET workflow = ? WHERE run = ?", (workflow, number))


def _let_in(connection: Connection, workflow: str, gate: str, entering: int = 0) -> None:
    """Let those in whose turn it is, as far as there is room.

    Who has no process at work on it does not count, unless it rests until it is let in: it waits again when somebody
    takes it up.

    Args:
        entering: The run that has just come, and looks itself whether it was let in.
    """
    (inside,) = connection.execute(
        "SELECT count(*) FROM places WHERE workflow = ? AND gate = ? AND inside = 1", (workflow, gate)
    ).fetchone()
    alive: dict[str | None, bool] = {None: False}
    last = 0
    while rows := connection.execute(_WAITING, (workflow, gate, last, _SOME)).fetchall():
        for row in rows:
            last, run, most, status, owner = row
            if inside >= most:
                return
            if run != entering and status != "parked":
                if owner not in alive:
                    alive[owner] = connection.is_alive(str(owner))
                if not alive[owner]:
                    continue
            inside += 1
            connection.execute("UPDATE places SET inside = 1 WHERE id = ?", (last,))
            _go_on(connection, run, owner, entering)


def _go_on(connection: Connection, run: int, owner: str | None, entering: int) -> None:
    """Let a run that has got a place wait for its next one, or begin."""
    following = connection.execute(
        "SELECT workflow, gate FROM places WHERE run = ? AND inside = 0 ORDER BY gate", (run,)
    ).fetchone()
    if following is not None:
        _let_in(connection, following[0], following[1], entering)
    elif run != entering:
        _post(connection, run, owner, Posted("place", "{}", "", time.time_ns()))


def _post(connection: Connection, run: int, owner: str | None, item: Posted) -> None:
    connection.execute("INSERT INTO inbox (run, kind, body, by, at) VALUES (?, ?, ?, ?, ?)", (run, *item))
    connection.tell(owner)


# --- runs of one key


def cancel_others(connection: Connection, workflow: str, key: str, number: int) -> None:
    """Let the other runs of a workflow under a key be cancelled, as a run was started in their place."""
    reason = f"another run with the key {key!r} was started in its place"
    rows = connection.execute(
        "SELECT run, owner FROM runs WHERE workflow = ? AND key = ? AND ended IS NULL AND run <> ? ORDER BY run",
        (workflow, key, number),
    ).fetchall()
    for run, owner in rows:
        _post(connection, run, owner, Posted("cancel", json.dumps({"reason": reason}), "", time.time_ns()))


def begin_alone(connection: Connection) -> None:
    """Let nobody else decide about runs of one key until the transaction ends."""
    connection.lock(_LOCK)
