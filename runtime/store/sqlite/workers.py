"""The processes that work on a store: who of them is alive, and how they are told that something was posted.

Each holds the lock of a file of its own, which the system takes away when it dies, so that its death is known at
once; and it leaves a beat in the store, for those that stand still.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl

from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.inbox import has_news

__all__ = ["LEASE", "Doorbell", "LocalWorkers", "WorkerFile", "beat", "is_any_claiming", "ring"]

LEASE: Final = 15.0
"""The seconds without a beat after which a worker counts as standing still."""

_LOOPBACK: Final = "127.0.0.1"


_CLAIMS: Final = "claims-"
"""How the names of the files begin that workers hold as long as they claim runs."""


class WorkerFile:
    """A locked file that says that this process is alive.

    Args:
        folder: Where the files of all workers of a store are.
        claims: Whether it says that the process claims what is due, instead.
    """

    def __init__(self, folder: Path, *, claims: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.owner = f"{_CLAIMS if claims else ''}{os.getpid()}-{os.urandom(6).hex()}"
        self._path = folder / self.owner
        self._descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        _lock(self._descriptor)

    def close(self) -> None:
        """Say that this process works no more."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)


class LocalWorkers:
    """The processes on this machine that work on a store.

    Args:
        folder: Where their files are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def is_alive(self, connection: Connection, owner: str) -> bool:
        """Return whether a process is at work: it holds its lock, and its last beat is not too long ago."""
        try:
            descriptor = os.open(self._folder / owner, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            if sys.platform != "win32" and _lock(descriptor):
                return False
        finally:
            os.close(descriptor)
        found = connection.execute("SELECT beat FROM workers WHERE owner = ?", (owner,)).fetchone()
        return found is not None and time.time_ns() - found[0] < LEASE * 1e9

    def forget(self, connection: Connection, owner: str) -> None:
        """Forget a process that is gone."""
        connection.execute("DELETE FROM workers WHERE owner = ?", (owner,))
        connection.execute("DELETE FROM followed WHERE owner = ?", (owner,))
        with contextlib.suppress(OSError):
            (self._folder / owner).unlink()


def _lock(descriptor: int) -> bool:
    """Lock a worker's file; return whether nobody else has. Where there are no such locks, beats alone tell."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_any_claiming(folder: Path) -> bool:
    """Return whether a process is alive that claims what is due."""
    return any(_is_held(path) for path in folder.glob(f"{_CLAIMS}*"))


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if not _lock(descriptor):
            return True
        with contextlib.suppress(OSError):
            path.unlink()  # of one that was killed
        return False
    finally:
        os.close(descriptor)


def beat(connection: Connection, owner: str, port: int) -> None:
    """Write that a worker is alive, and ring at it if something waits in the inbox of a run of its, or it is to hear
    of an end.

    Whoever posted that may have died before ringing.
    """
    connection.execute(
        "INSERT INTO workers VALUES (?, ?, ?) ON CONFLICT (owner) DO UPDATE SET beat = excluded.beat",
        (owner, time.time_ns(), port),
    )
    if has_news(connection, owner):
        ring(port)


class Doorbell:
    """A port on this machine at which others ring when they have posted something.

    What comes in means nothing but that it is time to look, so that a stranger who rings does no harm.
    """

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((_LOOPBACK, 0))
        self.socket.setblocking(False)
        self.port: int = self.socket.getsockname()[1]

    def silence(self) -> None:
        """Take away what has come in."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self.socket.recv(16)

    def close(self) -> None:
        """Close the port."""
        self.socket.close()


def ring(port: int) -> None:
    """Ring at a worker's port; it may be gone."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"!", (_LOOPBACK, port))
