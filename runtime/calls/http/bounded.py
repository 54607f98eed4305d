"""Clients of libraries whose replies are bounded, however they are read."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

import httpx2

from wfc.runtime.calls.http.replies import LARGEST_BODY
from wfc.runtime.errors import StepError

__all__ = ["LARGEST_BODY", "bound_replies", "too_large"]

_LARGEST_STREAM: Final = 16 * LARGEST_BODY
"""The most bytes of a stream of events, in which a word of text takes a line of its own."""


def bound_replies(client: httpx2.AsyncClient) -> None:
    """Let a client break off replies that are too large, which raises ``model.too_large`` where they are read."""
    hooks = client.event_hooks
    client.event_hooks = {**hooks, "response": [*hooks.get("response", ()), _bound]}


def too_large(size: int) -> StepError:
    """Return the error of a model's reply that has more bytes, or characters, than may be."""
    return StepError("model.too_large", f"the model's service replied with more than {size // 2**20} MB")


async def _bound(reply: httpx2.Response) -> None:
    """Count what is read of a reply, decompressed: a small one may be a large one when it is opened."""
    assert isinstance(reply.stream, httpx2.AsyncByteStream)
    is_stream = reply.headers.get("content-type", "").startswith("text/event-stream")
    most = _LARGEST_STREAM if is_stream else LARGEST_BODY
    if "content-encoding" not in reply.headers:
        reply.stream = _Counted(reply.stream, reply.stream, most)
        return
    packed = httpx2.Response(reply.status_code, headers=reply.headers, stream=reply.stream)
    reply.stream = _Counted(packed.aiter_bytes(), packed, most)
    reply.headers.pop("content-encoding", None)


class _Counted(httpx2.AsyncByteStream):
    def __init__(
        self, parts: AsyncIterable[bytes], source: httpx2.Response | httpx2.AsyncByteStream, most: int
    ) -> None:
        self._parts = parts
        self._source = source
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._parts:
            size += len(part)
            if size > self._most:
                raise too_large(self._most)
            yield part

    async def aclose(self) -> None:
        await self._source.aclose()
