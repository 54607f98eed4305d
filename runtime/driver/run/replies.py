"""Replies of models that arrive in pieces, as shown to the watchers of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from wfc.runtime.events import Event, PartialResult, ThinkingText, TokenText

__all__ = ["ReplyPlace", "ShownReply", "StreamedRecord", "StreamedReply", "StreamedText"]


class ReplyPlace(NamedTuple):
    """Where in a run a reply belongs.

    Args:
        step: The step's name.
        worker_id: The step run's number in its run, as in ``StepStateChanged``.
        attempt: Which attempt of the step run it belongs to.
        reply: Which reply of the attempt it is: a model whose reply cannot be used is asked again.
    """

    step: str
    worker_id: str
    attempt: int
    reply: int


class StreamedReply:
    """What has arrived so far of one side of a reply: its text, its thinking or its record.

    It is one item of a stream, however many pieces it has: a reader that keeps up receives each piece, a
    later reader all that has arrived in one piece.
    """

    __slots__ = ("_wake", "is_over")

    def __init__(self) -> None:
        self._wake: list[Callable[[], None]] = []
        self.is_over = False

    def on_growth(self, wake: Callable[[], None]) -> None:
        """Register a function to call when a piece arrives, by which a stream wakes its readers."""
        if not self.is_over:
            self._wake.append(wake)

    def wake(self) -> None:
        """Wake the readers."""
        for wake in self._wake:
            wake()

    def end(self) -> None:
        """Mark the reply as complete."""
        self.is_over = True
        self._wake = []

    def since(self, told: int) -> tuple[Event, int] | None:
        """Return what a reader has not read yet, and the position after it; ``None`` if it has read all.

        Args:
            told: The position that the last call returned; 0 for a new reader.
        """
        raise NotImplementedError


class StreamedText(StreamedReply):
    """A text that grows. It needs only the memory for its text.

    Args:
        kind: The class of the events that hold its pieces.
    """

    __slots__ = ("_kind", "_length", "_parts", "_place")

    def __init__(self, place: ReplyPlace, kind: type[TokenText] | type[ThinkingText] = TokenText) -> None:
        super().__init__()
        self._place = place
        self._kind = kind
        self._parts: list[str] = []
        self._length = 0

    def grow(self, text: str) -> Event:
        """Add a piece; return it as an event."""
        self._parts.append(text)
        self._length += len(text)
        self.wake()
        return self._event(text)

    def end(self) -> None:
        """Mark the text as complete."""
        super().end()
        self._parts = ["".join(self._parts)]

    def since(self, told: int) -> tuple[Event, int] | None:
        """Return the text after a position as one piece; see ``StreamedReply``."""
        missing = self._length - told
        found: list[str] = []
        for part in reversed(self._parts):
            if missing <= 0:
                break
            found.append(part[-missing:])
            missing -= len(part)
        return (self._event("".join(reversed(found))), self._length) if found else None

    def _event(self, text: str) -> Event:
        return self._kind(text=text, **self._place._asdict())


class StreamedRecord(StreamedReply):
    """A record whose fields arrive one by one; each state of it takes the place of the one before."""

    __slots__ = ("_last", "_place", "_states")

    def __init__(self, place: ReplyPlace) -> None:
        super().__init__()
        self._place = place
        self._last: Event | None = None
        self._states = 0

    def grow(self, value: Any) -> Event:
        """Replace what has arrived; return it as an event."""
        self._last = PartialResult(value=value, **self._place._asdict())
        self._states += 1
        self.wake()
        return self._last

    def since(self, told: int) -> tuple[Event, int] | None:
        """Return the last state, unless it has been read; see ``StreamedReply``."""
        return None if self._last is None or told == self._states else (self._last, self._states)


class ReplyWatchers(Protocol):
    """The watchers that a reply is shown to."""

    @property
    def are_shown_more(self) -> bool:
        """Return whether the run goes on, so that there is more to show."""

    def begin_reply(self, reply: StreamedReply) -> None:
        """Add a reply to the streams."""

    def observe_reply(self, piece: Event) -> None:
        """Pass a piece to the observers."""


class ShownReply:
    """A reply of a model that watchers see while it arrives. Called with a piece of its text, it shows that.

    What has no pieces is not shown.
    """

    def __init__(self, watchers: ReplyWatchers, place: ReplyPlace) -> None:
        self._watchers = watchers
        self._place = place
        self._sides: dict[type[Event], StreamedText | StreamedRecord] = {}

    def __call__(self, text: str) -> None:
        """Show a piece of its text."""
        self._show(TokenText, text)

    def thinking(self, text: str) -> None:
        """Show a piece of what the model thinks before it answers."""
        self._show(ThinkingText, text)

    def partial(self, value: Mapping[str, object]) -> None:
        """Show the fields of a record that have arrived so far."""
        self._show(PartialResult, value)

    def _show(self, kind: type[Event], piece: Any) -> None:
        if not piece or not self._watchers.are_shown_more:
            return
        side = self._sides.get(kind)
        if side is None:
            side = self._sides[kind] = self._side(kind)
            self._watchers.begin_reply(side)
        self._watchers.observe_reply(side.grow(piece))

    def _side(self, kind: type[Event]) -> StreamedText | StreamedRecord:
        if kind is PartialResult:
            return StreamedRecord(self._place)
        return StreamedText(self._place, ThinkingText if kind is ThinkingText else TokenText)

    def end(self) -> None:
        """Mark all that was shown as complete."""
        for side in self._sides.values():
            side.end()
