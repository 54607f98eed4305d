"""A model's reply that arrives in pieces, as shown to the watchers of the run."""

from __future__ import annotations

from collections.abc import Callable

from wfc.runtime.events import TokenText

__all__ = ["StreamedReply"]


class StreamedReply:
    """The part of a model's reply that has arrived so far.

    It is one item of a stream, however many pieces it has: a reader that keeps up receives each piece, a
    later reader all that has arrived in one piece. So it needs only the memory for its text.

    Args:
        step: The step's name.
        worker_id: The step run's number in its run, as in ``StepStateChanged``.
        attempt: Which attempt of the step run it belongs to.
        reply: Which reply of the attempt it is: a model whose reply cannot be used is asked again.
    """

    __slots__ = ("_attempt", "_length", "_parts", "_reply", "_step", "_wake", "_worker_id", "is_over")

    def __init__(self, step: str, worker_id: str, attempt: int, reply: int) -> None:
        self._step = step
        self._worker_id = worker_id
        self._attempt = attempt
        self._reply = reply
        self._parts: list[str] = []
        self._length = 0
        self._wake: list[Callable[[], None]] = []
        self.is_over = False

    def on_growth(self, wake: Callable[[], None]) -> None:
        """Register a function to call when a piece arrives, by which a stream wakes its readers."""
        if not self.is_over:
            self._wake.append(wake)

    def grow(self, text: str) -> None:
        """Add a piece."""
        self._parts.append(text)
        self._length += len(text)
        for wake in self._wake:
            wake()

    def end(self) -> None:
        """Mark the reply as complete."""
        self.is_over = True
        self._parts = ["".join(self._parts)]
        self._wake = []

    def since(self, told: int) -> str:
        """Return the text after a number of characters."""
        missing = self._length - told
        found: list[str] = []
        for part in reversed(self._parts):
            if missing <= 0:
                break
            found.append(part[-missing:])
            missing -= len(part)
        return "".join(reversed(found))

    def event(self, text: str) -> TokenText:
        """Return a piece of the reply as an event."""
        return TokenText(
            text=text,
            step=self._step,
            worker_id=self._worker_id,
            attempt=self._attempt,
            reply=self._reply,
        )
