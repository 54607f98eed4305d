"""Messages between runs: events that a run receives, how it is found, and events that a step sends."""

from __future__ import annotations

from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression
from wfc.compiler.model.events import Event
from wfc.compiler.model.exits import Emit
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Field

WhenRunning = Literal["reject", "queue", "replace", "join", "parallel"]


@dataclass(frozen=True, slots=True)
class Received:
    """An event that a run takes from outside.

    Args:
        key: The field that finds the run, if there is one.
        topic: The only topic under which it is taken; ``None``: any.
    """

    event: Event
    key: Field | None
    topic: str | None
    address: Address


@dataclass(frozen=True, slots=True)
class RunKey:
    """A run's key, and the effect of a second start with it (``None``: the runtime's default)."""

    value: Expression
    when_running: WhenRunning | None


@dataclass(frozen=True, slots=True)
class SendEvent:
    """An event to another run, found by workflow and key, or to all runs that receive a topic.

    Args:
        emit: The event and how it is filled.
        to: The workflow's name, or ``None`` with ``topic``.
        if_absent: ``start`` that workflow, or the seconds for which the event is kept; ``None``: an error.
    """

    emit: Emit
    to: str | None
    to_key: Expression | None
    topic: str | None
    if_absent: Literal["start"] | float | None


__all__ = ["Received", "RunKey", "SendEvent", "WhenRunning"]
