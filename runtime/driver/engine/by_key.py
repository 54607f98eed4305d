"""The part of an engine that finds the runs of a workflow under a key, whoever has them, and keeps events for them."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Final, Protocol

from wfc.runtime.driver.engine.bringing import as_json
from wfc.runtime.driver.engine.stored import StoredRuns, event_data
from wfc.runtime.driver.messages import EventData, Key
from wfc.runtime.errors import InvalidMessageError
from wfc.runtime.events import Event
from wfc.runtime.store.journal import Posted
from wfc.runtime.store.sql import mailbox, selecting

__all__ = ["RunsByKey"]

LONGEST: Final = 1000
"""The characters that a workflow's name, a key and the id of a message have at most together, as they are indexed."""


class RunsByKey(StoredRuns, Protocol):
    """The part of an engine that finds runs by their keys, in its store if it has one."""

    def runs_under(self, workflow: str, key: str) -> list[str]:
        """Return the ids of the stored runs of a workflow under a key that are not over, the oldest first."""
        return self.store.select(partial(selecting.of_key, workflow=workflow, key=key))

    async def stored_under(self, workflow: str, key: str) -> list[str]:
        """Return the same, read in a thread; or nothing, and at once, if the engine has no store."""
        return [] if self._durable is None else await asyncio.to_thread(self.runs_under, workflow, key)

    def has_ended_under(self, known_by: Key) -> bool:
        """Return whether the engine's store has a run of a workflow under a key that is over."""
        if self._durable is None:
            return False
        workflow, key = known_by
        return self.store.select(partial(selecting.has_ended_under, workflow=workflow, key=key))

    async def keep_for_key(
        self, known_by: Key, event: Event | EventData, message_id: str | None, seconds: float
    ) -> bool | None:
        """Keep an event for the next run under a key, of whatever process; return when that is recorded.

        Returns:
            Whether it is new; ``None``: there is such a run by now, and nothing is kept.

        Raises:
            InvalidMessageError: The event has no form in JSON.
            WorkflowRuntimeError: Too many are kept already.
        """
        if self._durable is None:
            with self.lock:
                if self.runs_of(*known_by):
                    return None
                return self.mailbox.keep(known_by, event, message_id, seconds)
        if sum(map(len, (*known_by, message_id or ""))) > LONGEST or "\0" in f"{known_by}{message_id}":
            raise InvalidMessageError(
                f"a key and an id of a message have {LONGEST} characters at most, and no NUL, where a store keeps them"
            )
        now = time.time_ns()
        item = Posted("event", as_json(event_data(event, message_id)), "", now)
        until = now + int(seconds * 1e9)
        return await self.store.write(
            lambda connection: mailbox.keep(connection, *known_by, item, message_id, until)
        )
