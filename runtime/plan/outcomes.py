"""Results of a step besides a single event: several events, a failure, a restart, or an unhandled error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Generic, TypeVar, TypeVarTuple

from wfc.runtime.events import StartEvent

__all__ = ["UNHANDLED", "All", "Batch", "Fail", "Restart", "Unhandled"]

Emitted = TypeVarTuple("Emitted")
T = TypeVar("T")


class All(Generic[*Emitted]):
    """Several results emitted at once: events, and lists of events, each of which opens a batch."""

    __slots__ = ("events",)

    def __init__(self, *events: *Emitted) -> None:
        self.events = events

    def __repr__(self) -> str:
        return f"All{self.events!r}"


class Batch(list[T]):
    """A list of events to emit that records their class even if it is empty.

    Needed where one step opens batches that different steps collect, and to say how many items are under way at once.

    Args:
        concurrency: How many items may be under way: the next begins when no work of one is left; ``None``: all.

    Raises:
        ValueError: No item at all might be under way.
    """

    __slots__ = ("concurrency", "event")

    def __init__(self, event: type[T], items: Iterable[T] = (), *, concurrency: int | None = None) -> None:
        super().__init__(items)
        if concurrency is not None and concurrency < 1:
            raise ValueError(f"at least one item is under way at once, not {concurrency}")
        self.event = event
        self.concurrency = concurrency


class Fail:
    """A result that ends the run as failed, with this text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Fail({self.text!r})"


class Restart:
    """A result that restarts the run with this start event, under its own id and with nothing of its past."""

    __slots__ = ("event",)

    def __init__(self, event: StartEvent) -> None:
        self.event = event

    def __repr__(self) -> str:
        return f"Restart({self.event!r})"


class Unhandled:
    """The class of a sentinel for an error that no entry of a step's `on_error` matched."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNHANDLED"


UNHANDLED: Final = Unhandled()
