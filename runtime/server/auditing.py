"""The audit: who has done what, by which way in, to what, and with which result."""

from __future__ import annotations

import contextlib
import logging
import time
from functools import partial
from typing import Final

from wfc.runtime.errors import StoreError
from wfc.runtime.server.calls import Call
from wfc.runtime.store.journal import AuditEntry
from wfc.runtime.store.sql.audit import add_to_audit, drop_from_audit
from wfc.runtime.store.sql.journal import SqlJournal

__all__ = ["Audit", "entry_of", "target_of"]

KEPT: Final = 400 * 24 * 3600 * 1_000_000_000
"""The nanoseconds for which entries are kept."""

_LOG: Final = logging.getLogger("wfc.server")


class Audit:
    """The audit of a store."""

    def __init__(self, store: SqlJournal) -> None:
        self._store = store

    async def note(self, call: Call, result: str, reason: str = "", target: str = "") -> None:
        """Write what somebody has done, or what was refused to somebody who is known.

        What is done is done, so an entry that cannot be written is told in the log, and nothing is refused for it.

        Args:
            target: To what it was done; by default what the path names.
        """
        try:
            await self.write(call, result, reason, target)
        except StoreError as error:
            _LOG.error("the audit lacks what %s has done (%s): %s", call.principal.name, call.action, error)

    async def write(self, call: Call, result: str, reason: str = "", target: str = "") -> None:
        """Write the same, for what is done by its entry alone.

        Raises:
            StoreError: It cannot be written.
        """
        entry = entry_of(call, f"{result}: {reason}" if reason else result, target)
        await self._store.write(partial(add_to_audit, entry=entry))

    async def drop_old(self) -> None:
        """Drop what is older than it is kept."""
        with contextlib.suppress(StoreError):  # it is dropped at the next start
            await self._store.write(partial(drop_from_audit, before=time.time_ns() - KEPT))


def entry_of(call: Call, result: str, target: str = "") -> AuditEntry:
    """Return the entry for a request, without the characters that a database has in no text.

    Args:
        target: To what it was done; by default what the path names.
    """
    said = (call.principal.name, call.via, call.action, target or target_of(call), result)
    texts = (text.replace("\0", "").encode("utf-8", "replace").decode() for text in said)
    return AuditEntry(time.time_ns(), *texts)


def target_of(call: Call) -> str:
    """Return what a request is about, as its path or its body names it."""
    for named in (call.path, call.data):
        for name in ("run", "task", "workflow", "hook", "form", "path"):
            if isinstance(named.get(name), str):
                return str(named[name])
    return ""
