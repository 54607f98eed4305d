"""What a step may give besides events: several at once, a failure, or nothing that it knows how to handle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Generic, TypeVar, TypeVarTuple

from wfc.runtime.events import StartEvent

__all__ = ["UNHANDLED", "All", "Batch", "Fail", "Restart", "Unhandled"]

Emitted = TypeVarTuple("Emitted")
T = TypeVar("T")


class All(Generic[*Emitted]):
    """Emits all of these: events, and lists of events, each of which opens a batch."""

    __slots__ = ("events",)

    def __init__(self, *events: *Emitted) -> None:
        self.events = events

    def __repr__(self) -> str:
        return f"All{self.events!r}"


class Batch(list[T]):
    """A list of events to be sent out that says of which class they are even if there are none.

    Needed where one step opens batches that different steps collect.
    """

    __slots__ = ("event",)

    def __init__(self, event: type[T], items: Iterable[T] = ()) -> None:
        super().__init__(items)
        self.event = event


class Fail:
    """Ends the run as failed, with this text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Fail({self.text!r})"


class Restart:
    """Has the run begin anew as itself, with this start event: under its id, and with nothing of its past."""

    __slots__ = ("event",)

    def __init__(self, event: StartEvent) -> None:
        self.event = event

    def __repr__(self) -> str:
        return f"Restart({self.event!r})"


class Unhandled:
    """Says of an error that no entry of a step's `on_error` matched it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNHANDLED"


UNHANDLED: Final = Unhandled()
