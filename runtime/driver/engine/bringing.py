"""Bringing answers and the like to runs: to one that is resumed here, or by the inbox to whoever has it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from functools import partial
from typing import Any, Final, Protocol

from pydantic_core import to_json

from wfc.runtime.driver.engine.delivery import EventDelivery
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.errors import (
    AnsweredAlreadyError,
    InvalidAnswerError,
    InvalidMessageError,
    RunEndedError,
    RunLostError,
    RunUnknownError,
)
from wfc.runtime.store.journal import Posted
from wfc.runtime.store.sql import inbox
from wfc.runtime.store.sql.journal import SqlJournal

__all__ = ["BroughtItems", "as_json"]

PATIENCE: Final = 5.0
"""The seconds that another process has to take what was brought to a run of its, before it is left to it."""

LOOKS_EVERY: Final = 0.01
"""The seconds between two looks whether it has."""

TRIES: Final = 10
"""How often a process tries to resume a run that others take up and put to rest at the same moment."""


class BroughtItems(EventDelivery, Protocol):
    """The part of an engine with a store that brings things to its runs, whoever has them."""

    @property
    def store(self) -> SqlJournal:
        """The store of the runs."""

    async def resume(self, run_id: str) -> WorkflowHandler[Any]:
        """Let a stored run go on in this process."""

    async def resume_unless_taken(self, run_id: str) -> WorkflowHandler[Any] | None:
        """Let a stored run go on in this process; ``None`` if another one has just taken it up.

        Raises:
            WorkflowError: It cannot go on; see ``resume``.
        """
        for _ in range(TRIES):
            with contextlib.suppress(RunLostError):
                return await self.resume(run_id)
            if self.store.is_worked_on(run_id):
                return None
        return await self.resume(run_id)  # whoever has had it so often has let it go each time

    async def bring_elsewhere(
        self, run_id: str, kind: Any, data: dict[str, Any], by: str, *, leave: bool = False
    ) -> bool:
        """Bring something to a run that another process has; return whether it is for others to take it.

        If not, the run has come to rest before it took it, or that process is gone: it is withdrawn, as if it had
        never been brought.

        Args:
            leave: Whether it is for others in any case, such as a worker, so that nobody waits until it is taken.

        Raises:
            WorkflowError: It is refused; see ``bring``.
        """
        item = await self.bring(run_id, kind, data, by)
        if leave or not await self.is_stranded(run_id, kind):
            return True
        workers = self.store.workers
        return not await self.store.write(
            lambda connection: inbox.withdraw(connection, workers, run_id, item)
        )

    async def is_stranded(self, run_id: str, kind: str) -> bool:
        """Wait until a run of another process has taken from its inbox what is there of a kind, but not for long.

        Returns:
            Whether some of it is left, and no live process has the run any more.
        """
        end = time.monotonic() + PATIENCE
        while self.store.select(partial(inbox.holds, run_id=run_id, kind=kind)):
            if not self.store.is_worked_on(run_id):
                return True
            if time.monotonic() > end:
                return False
            await asyncio.sleep(LOOKS_EVERY)
        return False

    async def bring(self, run_id: str, kind: Any, data: dict[str, Any], by: str) -> Posted:
        """Put something into the inbox of a stored run; return it when that is recorded.

        Raises:
            RunUnknownError: There is none of that id.
            RunEndedError: It is over.
            InvalidAnswerError: It is an answer to a question that is closed.
            AnsweredAlreadyError: It is one of somebody who has answered that question.
            InvalidMessageError: It has no form in JSON.
        """
        item = Posted(kind, as_json(data), by, time.time_ns())
        fate = await self.store.post(run_id, item)
        if fate == "unknown":
            raise RunUnknownError(f"there is no run `{run_id}` in this store")
        if fate == "ended":
            raise RunEndedError(f"the run {run_id} is over")
        if fate == "closed":
            raise InvalidAnswerError(f"the question `{data['question']}` is closed")
        if fate == "answered":
            raise AnsweredAlreadyError(f"{by} has answered `{data['question']}` already")
        return item


def as_json(data: object) -> str:
    """Return data as JSON text.

    Raises:
        InvalidMessageError: It has no form in JSON.
    """
    try:
        body = json.dumps(json.loads(to_json(data)), allow_nan=False, ensure_ascii=False)
        body.encode()
    except ValueError as error:
        raise InvalidMessageError(f"what is posted has no form in JSON: {error}") from None
    return body
