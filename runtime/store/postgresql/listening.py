"""Hearing, in a thread, that something was posted: the server tells each process that listens."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import psycopg

from wfc.runtime.store.postgresql.connection import CHANNEL, ServerConnection

__all__ = ["Listener"]

_AGAIN_AFTER: Final = 0.5
"""The seconds after which a lost connection is opened again."""


class Listener:
    """A thread that hears what the server tells.

    Args:
        connect: Opens a connection.
        heard: Called in the thread with what was said; after a time without a connection with ``None``, as all may
            have been said meanwhile.
    """

    def __init__(self, connect: Callable[[], ServerConnection], heard: Callable[[str | None], None]) -> None:
        self._connect = connect
        self._heard = heard
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._work, name="wfc-listener", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Hear nothing any more; the thread ends when it next hears something."""
        self._ends.set()

    def join(self, seconds: float) -> None:
        """Wait for the end of the thread."""
        self._thread.join(seconds)

    def _work(self) -> None:
        while not self._ends.is_set():
            try:
                connection = self._connect()
                try:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._heard(None)
                    while not self._ends.is_set():
                        for told in connection.raw.notifies(timeout=_AGAIN_AFTER):
                            self._heard(told.payload)
                            if self._ends.is_set():
                                break
                finally:
                    connection.close()
            except psycopg.Error:
                self._ends.wait(_AGAIN_AFTER)
