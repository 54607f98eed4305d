"""The creation of runs: one of an id, and of those under a key one that is not over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wfc.runtime.store.journal import Created, Entry, KeyTaken, Lease, Lost
from wfc.runtime.store.sql import places, selecting
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.mailbox import hand_over

__all__ = ["create", "create_plain", "is_plain", "keep_plan"]

_RUN: Final = """INSERT INTO runs (run_id, workflow, shape, version, key, status, start, parent, parent_number,
    attached, owner, epoch, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (run_id) DO NOTHING"""


def create(connection: Connection, created: Created, lease: Lease, owner: str) -> Lost | None:
    """Create a run, unless there is one of its id, or one of its key that is not over; then return why not."""
    parent = created.parent
    if created.when_running or created.places or created.key is not None:
        places.begin_alone(connection)
    if (lost := _insert(connection, created, lease, owner)) is not None:
        return lost
    if created.when_running and (taken := _make_way(connection, created, lease)) is not None:
        connection.execute("DELETE FROM runs WHERE run = ?", (lease.number,))
        return taken
    if created.places:
        places.enter(connection, lease.number, created.places, has_begun=created.has_places)
    if created.key is not None:
        reader = None if created.is_queued else owner
        hand_over(connection, lease.number, created.workflow, created.key, reader)
    if created.plan:
        keep_plan(connection, created.shape, created.plan)
    if created.is_quiet or parent is not None:
        connection.execute(
            "UPDATE runs SET is_quiet = 1 WHERE run = ? AND (? = 1 OR EXISTS "
            "(SELECT 1 FROM runs AS above WHERE above.run = ? AND above.is_quiet = 1))",
            (lease.number, int(created.is_quiet), 0 if parent is None else parent.number),
        )
    return None


def is_plain(created: Created) -> bool:
    """Return whether nothing but the run itself and its plan are to be written."""
    return (
        created.key is None
        and created.parent is None
        and not (created.is_queued or created.is_quiet or created.places or created.when_running)
    )


def create_plain(connection: Connection, entries: Sequence[Entry], owner: str) -> list[Lost | None]:
    """Create runs that are plain; return of each what ``create`` does."""
    plans: dict[str, str] = {}
    found: list[Lost | None] = []
    for entry in entries:
        created = entry.created
        assert created is not None
        lost = _insert(connection, created, entry.lease, owner)
        found.append(lost)
        if created.plan and lost is None:
            plans[created.shape] = created.plan
    for digest, body in plans.items():
        keep_plan(connection, digest, body)
    return found


def _insert(connection: Connection, created: Created, lease: Lease, owner: str) -> Lost | None:
    number = connection.add(
        _RUN,
        (
            lease.run_id,
            created.workflow,
            created.shape,
            created.version,
            created.key,
            "queued" if created.is_queued else "live",
            created.start,
            None if created.parent is None else created.parent.number,
            created.parent_number,
            created.is_attached,
            None if created.is_queued else owner,
            lease.epoch,
            created.at,
        ),
        "run",
    )
    if number is None:
        return Lost(f"the store has a run with the id {lease.run_id!r} already")
    lease.number = number
    return None


def _make_way(connection: Connection, created: Created, lease: Lease) -> KeyTaken | None:
    """Do what is to be done about other runs of a key; return whose it is, if a new one has to give way."""
    assert created.key is not None
    others = selecting.of_key(connection, created.workflow, created.key)
    others.remove(lease.run_id)
    if not others:
        return None
    if created.when_running == "replace":
        places.cancel_others(connection, created.workflow, created.key, lease.number)
        return None
    return KeyTaken(created.workflow, created.key, others[0])


def keep_plan(connection: Connection, digest: str, body: str) -> None:
    """Keep the description of a plan, unless the store has it."""
    known = connection.execute("SELECT 1 FROM plans WHERE digest = ? /* FOR SHARE */", (digest,)).fetchone()
    if known is None:
        connection.execute("INSERT INTO plans VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, body))
