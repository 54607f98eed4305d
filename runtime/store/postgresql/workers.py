"""The processes that work on a store on a server: who of them is alive, by their sessions and their beats.

A process that dies loses its session on the server at once, as its connections are closed with it. One whose machine
has lost its power, or that stands still, keeps it, and is known by its beats alone.
"""

from __future__ import annotations

from typing import Final

from wfc.runtime.store.sql.connection import Connection

__all__ = ["BEAT", "GRACE", "LEASE", "ServerWorkers", "beat", "hold_session"]

LEASE: Final = 5.0
"""The seconds without a beat after which a process counts as dead. If it is not, its writing is refused."""

GRACE: Final = 2.0
"""The same for one without a session: it has died, or opens its connection anew before its next beat but one."""

BEAT: Final = 1.0
"""The seconds between two beats of a process."""

_SEED: Final = 0x776663
"""What sets our keys apart from those of other programs in the same database."""

_HAS_SESSION: Final = f"""EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint) = hashtextextended(workers.owner, {_SEED}))"""  # noqa: S608
_IS_ALIVE: Final = f"""extract(epoch FROM clock_timestamp() - greatest(beat, pg_postmaster_start_time()))
    < CASE WHEN {_HAS_SESSION} THEN ?::float8 ELSE ?::float8 END"""
"""The condition for a process at work. While the server is away nobody leaves beats: they count from its start."""


class ServerWorkers:
    """The processes that work on a store; the server's clock alone counts."""

    def is_alive(self, connection: Connection, owner: str) -> bool:
        """Return whether a process is at work."""
        found = connection.execute(
            f"SELECT 1 FROM workers WHERE owner = ? AND {_IS_ALIVE}",  # noqa: S608 - of constants
            (owner, LEASE, GRACE),
        )
        return found.fetchone() is not None

    def is_any_taking(self, connection: Connection) -> bool:
        """Return whether a process is at work that takes runs from the queue."""
        found = connection.execute(
            f"SELECT 1 FROM workers WHERE takes_from_queue AND {_IS_ALIVE} LIMIT 1",  # noqa: S608 - of constants
            (LEASE, GRACE),
        )
        return found.fetchone() is not None

    def forget(self, connection: Connection, owner: str) -> None:
        """Forget a process that is gone."""
        connection.execute("DELETE FROM workers WHERE owner = ?", (owner,))
        connection.execute("DELETE FROM followed WHERE owner = ?", (owner,))


def hold_session(connection: Connection, owner: str) -> None:
    """Let others see, as long as a connection is open, that a process has a session on the server."""
    connection.execute(f"SELECT pg_advisory_lock_shared(hashtextextended(?, {_SEED}))", (owner,))


def beat(connection: Connection, owner: str, *, takes: bool) -> None:
    """Write that a process is alive.

    Args:
        takes: Whether it takes runs from the queue.
    """
    connection.execute(
        """INSERT INTO workers VALUES (?, clock_timestamp(), ?) ON CONFLICT (owner)
            DO UPDATE SET beat = excluded.beat, takes_from_queue = excluded.takes_from_queue""",
        (owner, takes),
    )
