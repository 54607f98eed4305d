"""What is streamed, in batches: each is written as bytes once, however many read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from wfc.runtime.server.data import json_bytes

__all__ = ["NOTHING", "StreamBatch", "StreamMessage", "in_batches"]

MOST_TOGETHER: Final = 32_768
"""The bytes up to which messages are sent together: so much is held for one who does not read, beside the buffers."""


class StreamMessage(NamedTuple):
    """Something that a stream shows: its id, from which a reader goes on; empty: it has none."""

    id: str
    kind: str
    data: bytes


class StreamBatch:
    """Messages that are sent together."""

    __slots__ = ("_events", "_lines", "messages")

    def __init__(self, messages: Iterable[StreamMessage]) -> None:
        self.messages = tuple(messages)
        self._events: bytes | None = None
        self._lines: bytes | None = None

    @property
    def events(self) -> bytes:
        """The messages as browsers read them (SSE); one without a kind is a comment."""
        if self._events is None:
            self._events = b"".join(map(_event, self.messages))
        return self._events

    @property
    def lines(self) -> bytes:
        """The messages as lines of JSON; an empty line says that there is nothing new."""
        if self._lines is None:
            self._lines = b"".join(map(_line, self.messages))
        return self._lines


NOTHING: Final = StreamBatch((StreamMessage("", "", b""),))
"""What a reader hears where there is nothing new for a while."""


def in_batches(messages: Iterable[StreamMessage]) -> Iterator[StreamBatch]:
    """Yield messages in batches, none of which is much larger than it may be."""
    found: list[StreamMessage] = []
    size = 0
    for one in messages:
        if found and size + len(one.data) > MOST_TOGETHER:
            yield StreamBatch(found)
            found, size = [], 0
        found.append(one)
        size += len(one.data)
    if found:
        yield StreamBatch(found)


def _event(message: StreamMessage) -> bytes:
    if not message.kind:
        return b":\n\n"
    head = f"id: {message.id}\n" if message.id else ""
    return f"{head}event: {message.kind}\n".encode() + b"data: " + message.data + b"\n\n"


def _line(message: StreamMessage) -> bytes:
    if not message.kind:
        return b"\n"
    head = json_bytes({"id": message.id or None, "event": message.kind})
    return head[:-1] + b',"data":' + message.data + b"}\n"
