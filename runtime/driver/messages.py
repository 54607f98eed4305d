"""Messages between runs: events, or data that is validated as the receiver's event class."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from wfc.runtime.authoring.run_rules import key_text
from wfc.runtime.errors import InvalidMessageError, WorkflowRuntimeError
from wfc.runtime.events import Event, event_name
from wfc.runtime.plan.run_rules import Receives
from wfc.runtime.values.outputs import problems

__all__ = [
    "EventData",
    "IfAbsent",
    "Keep",
    "Key",
    "Mailbox",
    "Message",
    "fields_of",
    "key_of_event",
    "name_of",
    "read_as",
]

T = TypeVar("T")

Key = tuple[str, str]
"""A workflow's name and a run's key."""

KEPT = 10_000
"""How many messages an engine keeps for runs that are still to start."""


@dataclass(frozen=True, slots=True)
class EventData:
    """An event as data: its name, and its fields as JSON data; for senders without the event's class."""

    event: str
    fields: Mapping[str, object]


Message = EventData
"""The name under which `wfc.runtime` offers it to programs of output format 1; a model's message is in `records`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """An option to keep an event without a receiving run for some seconds until such a run starts."""

    seconds: float


IfAbsent = Literal["start"] | Keep | None
"""When there is no such run: start one with the event's fields as its inputs, keep the event, or say so."""


class Mailbox:
    """Messages for runs that have not started yet, by workflow and key."""

    def __init__(self) -> None:
        self._kept: dict[Key, dict[int, tuple[Event | EventData, str | None]]] = {}
        self._count = self._last = 0

    def keep(self, key: Key, event: Event | EventData, message_id: str | None, seconds: float) -> bool:
        """Keep a message; return whether it is new.

        Raises:
            WorkflowRuntimeError: Too many messages are kept already.
        """
        waiting = self._kept.setdefault(key, {})
        if message_id is not None and any(known == message_id for _, known in waiting.values()):
            return False
        if self._count >= KEPT:
            raise WorkflowRuntimeError(f"{KEPT} messages already wait for runs that have not started")
        number = self._last = self._last + 1
        self._count += 1
        waiting[number] = event, message_id
        asyncio.get_running_loop().call_later(seconds, self._drop, key, number)
        return True

    def _drop(self, key: Key, number: int) -> None:
        waiting = self._kept.get(key, {})
        if waiting.pop(number, None) is not None:
            self._count -= 1
            if not waiting:
                del self._kept[key]

    def take(self, key: Key) -> list[tuple[Event | EventData, str | None]]:
        """Remove and return the messages kept for a run that starts now, the oldest first."""
        waiting = self._kept.pop(key, {})
        self._count -= len(waiting)
        return list(waiting.values())


def read_as(kind: type[T], fields: Mapping[str, object], what: str) -> T:
    """Validate data from elsewhere, in its JSON form, as an event of a class.

    Args:
        what: The name of the data in the error message.

    Raises:
        InvalidMessageError: The data does not fit the class, or has no JSON form.
    """
    try:
        return kind.model_validate_json(to_json(fields, by_alias=True, inf_nan_mode="constants"))  # type: ignore[attr-defined, no-any-return]
    except ValidationError as error:
        raise InvalidMessageError(f"{what} cannot be taken: {problems(error)}") from None
    except ValueError as error:  # PydanticSerializationError, circular references
        raise InvalidMessageError(f"{what} cannot be written as JSON: {error}") from None


def name_of(event: Event | EventData) -> str:
    """Return the name of an event's class."""
    return event.event if isinstance(event, EventData) else event_name(event)


def fields_of(event: Event | EventData) -> Mapping[str, Any]:
    """Return an event's fields by their names in JSON."""
    if isinstance(event, EventData):
        return event.fields
    return event.model_dump(by_alias=True)


def key_of_event(event: Event | EventData, receives: Receives) -> str | None:
    """Return the key in an event, as the receiver reads it; ``None`` if there is none.

    Raises:
        InvalidMessageError: The event does not fit what the receiver accepts.
    """
    assert receives.key is not None
    kind = receives.event
    own = event if type(event) is kind else read_as(kind, fields_of(event), name_of(event))
    value = getattr(own, receives.key, None)
    return None if value is None else key_text(value)
