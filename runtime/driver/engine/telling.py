"""Telling people what waits for them, and what went wrong: the messages of a store are sent, apart from its runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from wfc.runtime.calls.commands import call_command
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.driver.engine.retold import RetoldRuns
from wfc.runtime.errors import StoreError, UnknownQuestionError, WorkflowError
from wfc.runtime.store.sql.messages import (
    StoredMessage,
    end_message,
    has_messages_due,
    put_off,
    take_messages,
)
from wfc.runtime.store.sql.reading import TaskRow
from wfc.runtime.values.spans import span
from wfc.schemas.tell import Tell

__all__ = ["Send", "Teller", "sender"]

Send = Callable[[Mapping[str, Any]], Awaitable[None]]
"""Sends a message, which is plain data; raises if it cannot."""

MOST_ATTEMPTS: Final = 8
LONGEST_WAIT: Final = 600.0
PATIENCE: Final = 30.0
"""The seconds that sending a message may take."""

LEASE: Final = 90.0
"""The seconds after which another process sends a message that one has taken and not ended."""

AT_ONCE: Final = 10
LOOKS_EVERY: Final = 0.5


class Teller:
    """Sends the messages of an engine's store, of what is recorded from now on.

    Args:
        tell: Who is told, and of what.
        send: Sends a message.
        note: Called with what people at work on the store are to know: a message that was given up.
        command: Returns the command that answers a task.
        page: The address of a page that shows the store, where the settings name none; links lead there.
        first_wait: The seconds before a message that could not be sent is tried again, twice as many each time.
    """

    def __init__(
        self,
        engine: RetoldRuns,
        tell: Tell,
        send: Send,
        note: Callable[[str], None],
        *,
        command: Callable[[TaskRow], str] | None = None,
        page: str = "",
        first_wait: float = 5.0,
    ) -> None:
        self._engine = engine
        self._tell = tell
        self._send = send
        self._note = note
        self._command = command
        self.page = tell.page or page
        self._first_wait = first_wait
        engine.store.told = tell.of

    async def run(self, stops: asyncio.Event) -> None:
        """Send what is due, again and again, until it is to stop; what is due then is tried once more."""
        while not stops.is_set():
            with contextlib.suppress(StoreError):
                await self.pass_on()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stops.wait(), LOOKS_EVERY)
        await self.pass_on()

    async def pass_on(self) -> None:
        """Send all messages that are due now.

        Raises:
            StoreError: The store cannot be read or written.
        """
        store = self._engine.store
        while store.select(has_messages_due):
            messages = await store.write(partial(take_messages, seconds=LEASE, most=AT_ONCE))
            await asyncio.gather(*map(self._pass_on, messages))

    async def _pass_on(self, message: StoredMessage) -> None:
        """Send a message, or put it off, or give it up."""
        store = self._engine.store
        try:
            await asyncio.wait_for(self._send(self.data_of(message)), PATIENCE)
        except TimeoutError:
            error = f"it took longer than {span(PATIENCE)}"
        except WorkflowError as failed:
            error = str(failed)
        else:
            await store.write(partial(end_message, number=message.number, became="sent"))
            return
        if message.attempts < MOST_ATTEMPTS:
            seconds = min(LONGEST_WAIT, self._first_wait * 2 ** (message.attempts - 1))
            await store.write(partial(put_off, number=message.number, seconds=seconds, because=error))
            return
        became = f"given up after {message.attempts} attempts: {error}"
        await store.write(partial(end_message, number=message.number, became=became))
        self._note(f"nobody could be told of {message.message_id} of the run {message.run_id}: {became}")

    def data_of(self, message: StoredMessage) -> dict[str, Any]:
        """Return a message as plain data."""
        about = message.about
        data: dict[str, Any] = {
            "id": message.message_id,
            "what": message.what,
            "at": _moment(message.at),
            "run": message.run_id,
            "workflow": message.workflow,
            "title": f"{message.workflow}: {message.what.replace('_', ' ')}",
            "assign": [],
            "to": [],
            "step": about.get("step", ""),
            "error": about.get("error", ""),
            "task": message.task_id,
            "expires": None,
            "command": f"wfc runs show {message.run_id}",
            "link": self._link("runs", message.run_id),
            "because": about.get("because", ""),
        }
        with contextlib.suppress(UnknownQuestionError):  # its run is forgotten
            if message.task_id is not None:
                data |= self._of_task(self._engine.task(message.task_id))
        return data

    def _of_task(self, task: TaskRow) -> dict[str, Any]:
        people = self._tell.people
        return {
            "title": task.title,
            "assign": task.assign,
            "to": [people[one] for one in task.assign if one in people],
            "step": task.step,
            "expires": None if task.expires is None else _moment(task.expires),
            "command": f"wfc tasks show {task.task_id}" if self._command is None else self._command(task),
            "link": self._link("inbox", task.task_id),
        }

    def _link(self, screen: str, of: str) -> str:
        """Return where the page shows a run or a question; nothing where there is no page."""
        return f"{self.page}/#/{screen}/{quote(of, safe='')}" if self.page else ""


def sender(tell: Tell, folder: Path) -> Send:
    """Return what sends messages to a program or an address.

    Args:
        folder: That of the settings.
    """
    return partial(_start_program, tell.program, folder) if tell.program else partial(_post, tell)


async def _start_program(program: tuple[str, ...], folder: Path, message: Mapping[str, Any]) -> None:
    """Start a program that reads a message as JSON.

    Raises:
        WorkflowError: It is not allowed, is not there, or did not end well.
    """
    import json

    await call_command(program, beside=folder, stdin=json.dumps(message, ensure_ascii=False))


async def _post(tell: Tell, message: Mapping[str, Any]) -> None:
    """Send a message to an address, as JSON.

    Raises:
        WorkflowError: The address does not take it.
    """
    from wfc.runtime.calls.http import call_http  # an optional package

    revealed = Revealed()
    address = revealed.read(Secret(tell.secret)) if tell.secret else tell.address
    try:
        await call_http(
            "POST", address, body=dict(message), idempotency_key=str(message["id"]), wait=PATIENCE, output=str
        )
    except WorkflowError as error:
        told = revealed.hide(str(error))
    else:
        return
    raise WorkflowError(told)


def _moment(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC).isoformat(timespec="milliseconds")
