"""The runs of a server for programs of llama-index-workflows: each with what it has shown, for many readers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.errors import WorkflowCancelledByUser, WorkflowError
from wfc.runtime.events import Event, StopEvent
from wfc.runtime.events.internal import InternalDispatchEvent
from wfc.runtime.llama_index.server.envelopes import envelope_of

__all__ = ["Handlers", "RunRecord"]

MOST_OVER: Final = 1000
"""How many runs that are over are remembered, the newest."""

MOST_SHOWN: Final = 10_000
"""How many events of a run are remembered, the newest."""


class RunRecord:
    """A run, and what it has shown so far.

    Args:
        number: Who follows it knows it by this id.
        name: What its workflow is called on this server.
    """

    def __init__(self, number: str, name: str, handler: WorkflowHandler[Any]) -> None:
        self.number = number
        self.name = name
        self.handler = handler
        self.status = "running"
        self.error: str | None = None
        self.result: StopEvent | None = None
        self.started = self.updated = _now()
        self.completed: str | None = None
        self.over = asyncio.Event()
        self._shown: list[Event] = []
        self._first = 0  # the number of the first one that is remembered
        self._news: asyncio.Event | None = None  # of those who wait for more
        self._following: asyncio.Task[None] | None = None
        asyncio.get_running_loop().call_soon(self._begin)  # once the run has had its first turn

    def _begin(self) -> None:
        """Remember what a run shows that is over already, as short ones are; else begin to follow it.

        Of one that is over no internal events are remembered.
        """
        if (result := self.handler.get_stop_event()) is None:
            events = self.handler.stream_events(expose_internal=True)  # asks for them at once
            self._following = asyncio.create_task(self._follow(events))
            return
        self._shown += self.handler.events_so_far()
        self.result, self.status = result, "completed"
        self._end()

    def _end(self) -> None:
        self.completed = self.updated = _now()
        self.over.set()
        self._ring()

    async def _follow(self, events: AsyncGenerator[Event, None]) -> None:
        """Remember what the run shows, until it is over."""
        try:
            async for event in events:
                self._shown.append(event)
                if len(self._shown) > MOST_SHOWN:
                    del self._shown[0]
                    self._first += 1
                self.updated = _now()
                self._ring()
            self.result = await self.handler.stop_event_result()
            self.status = "completed"
        except WorkflowCancelledByUser as error:
            self.status, self.error = "cancelled", str(error)
        except WorkflowError as error:
            self.status, self.error = "failed", str(error)
        except Exception as error:  # of a step
            self.status, self.error = "failed", f"{type(error).__name__}: {error}"
        finally:
            self._end()

    def _ring(self) -> None:
        if self._news is not None:
            self._news.set()
            self._news = None

    @property
    def last(self) -> int:
        """The number of the last event that was shown; -1: none was."""
        return self._first + len(self._shown) - 1

    async def events(
        self, after: int, *, internal: bool, quiet: float | None
    ) -> AsyncGenerator[tuple[int, Event] | None, None]:
        """Yield what the run shows after a number, with the numbers, until it is over; ``None`` when it was quiet.

        Args:
            quiet: The seconds after which it was; ``None``: never.
        """
        at = after
        while True:
            if self._news is None:
                self._news = asyncio.Event()
            news, is_over = self._news, self.over.is_set()
            for number, event in self._after(at):
                at = number
                if internal or not isinstance(event, InternalDispatchEvent):
                    yield number, event
            if self.last > at:
                continue
            if is_over:
                return
            try:
                async with asyncio.timeout(quiet):
                    await news.wait()
            except TimeoutError:
                yield None

    def _after(self, number: int) -> list[tuple[int, Event]]:
        begin = max(number + 1 - self._first, 0)
        return list(enumerate(self._shown[begin:], self._first + begin))

    def data(self) -> dict[str, Any]:
        """Return it as clients read it."""
        return {
            "handler_id": self.number,
            "workflow_name": self.name,
            "run_id": self.handler.run_id,
            "error": self.error,
            "result": None if self.result is None else envelope_of(self.result),
            "result_unreadable": False,
            "status": self.status,
            "started_at": self.started,
            "updated_at": self.updated,
            "completed_at": self.completed,
        }

    async def cancel(self) -> None:
        """Cancel the run, if it is under way; return when it is over."""
        if not self.over.is_set():
            await self.handler.cancel_run()
            await self.over.wait()


class Handlers:
    """All runs of a server, by their ids; of those that are over the newest.

    Args:
        most: How many these are; ``None``: all.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._all: dict[str, RunRecord] = {}

    def add(self, one: RunRecord) -> None:
        """Remember a run, and forget the oldest of those that are over, if there are many."""
        self._all.pop(one.number, None)
        self._all[one.number] = one
        if (
            self._most is not None and len(self._all) > self._most + self._most // 4
        ):  # since all are looked at
            over = (number for number, other in self._all.items() if other.over.is_set())
            for number in list(islice(over, len(self._all) - self._most)):
                del self._all[number]

    def get(self, number: str) -> RunRecord | None:
        """Return a run; ``None``: there is none, or it was forgotten."""
        return self._all.get(number)

    def forget(self, number: str) -> None:
        """Forget a run."""
        self._all.pop(number, None)

    def all(self) -> list[RunRecord]:
        """Return all runs."""
        return list(self._all.values())


def _now() -> str:
    return datetime.now(UTC).isoformat()
