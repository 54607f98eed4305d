"""A model's answer that comes piece by piece, as those see it who watch the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.runtime.events import TokenText

if TYPE_CHECKING:
    from wfc.runtime.driver.run.stream import Stream

__all__ = ["Answer"]


class Answer:
    """What has come of an answer so far.

    It is one item of a stream, however many pieces it comes in: who reads along is told each piece, who comes later all
    that there is, at once. So it takes the room of its text and no more.

    Args:
        step: The step's name.
        worker_id: The step run's number in its run, as in ``StepStateChanged``.
        attempt: Which attempt of the step run it belongs to.
        reply: Which reply of the attempt it is: a model whose reply cannot be used is asked again.
    """

    __slots__ = ("_attempt", "_length", "_parts", "_reply", "_step", "_streams", "_worker_id", "is_over")

    def __init__(self, step: str, worker_id: str, attempt: int, reply: int) -> None:
        self._step = step
        self._worker_id = worker_id
        self._attempt = attempt
        self._reply = reply
        self._parts: list[str] = []
        self._length = 0
        self._streams: list[Stream] = []
        self.is_over = False

    def shown_in(self, stream: Stream) -> None:
        """Has the readers of a stream, of which it is an item, told of what is still to come."""
        if not self.is_over:
            self._streams.append(stream)

    def grow(self, text: str) -> None:
        """Adds a piece."""
        self._parts.append(text)
        self._length += len(text)
        for stream in self._streams:
            stream.wake()

    def end(self) -> None:
        """Says that nothing more comes."""
        self.is_over = True
        self._parts = ["".join(self._parts)]
        self._streams = []

    def since(self, told: int) -> str:
        """What there is after so many characters."""
        missing = self._length - told
        found: list[str] = []
        for part in reversed(self._parts):
            if missing <= 0:
                break
            found.append(part[-missing:])
            missing -= len(part)
        return "".join(reversed(found))

    def event(self, text: str) -> TokenText:
        """A piece of it as an event."""
        return TokenText(
            text=text,
            step=self._step,
            worker_id=self._worker_id,
            attempt=self._attempt,
            reply=self._reply,
        )
