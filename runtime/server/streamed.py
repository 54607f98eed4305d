"""A response that goes on: what a stream tells, until it or its reader has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from typing import Any, Final

from wfc.runtime.server.calls import StreamReply

__all__ = ["Streamed", "content_of"]

_RETRY: Final = b"retry: 1000\n\n"
"""The milliseconds after which browsers connect again."""


class Streamed:
    """A response that goes on, as an ASGI application. It closes its messages whatever happens to it.

    One of starlette has two tasks more for each reader, and wakes them for each message.

    Args:
        left: Called once it has ended.
    """

    def __init__(self, stream: StreamReply, headers: Mapping[str, str], left: Callable[[], None]) -> None:
        self._stream = stream
        self._headers = {**headers, "X-Accel-Buffering": "no", "Content-Type": content_of(stream)}
        self._left = left

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send what there is, until the reader or the stream has ended."""
        del scope
        task = asyncio.current_task()
        assert task is not None
        cuts = 0

        def cut(_: object) -> None:
            nonlocal cuts
            cuts += 1
            task.cancel()

        gone = asyncio.ensure_future(_until_gone(receive))
        gone.add_done_callback(cut)
        try:
            with suppress(OSError):  # by which servers tell, too, that the reader is gone
                async with aclosing(self._stream.messages):
                    await self._send(send)
        except asyncio.CancelledError:
            if not cuts or task.uncancel():
                raise
        finally:
            gone.remove_done_callback(cut)
            gone.cancel()
            self._left()

    async def _send(self, send: Any) -> None:
        headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in self._headers.items()
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        as_lines = self._stream.as_lines
        if not as_lines:
            await send({"type": "http.response.body", "body": _RETRY, "more_body": True})
        async for batch in self._stream.messages:
            body = batch.lines if as_lines else batch.events
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Any) -> None:
    with suppress(Exception):
        while (await receive())["type"] != "http.disconnect":
            pass


def content_of(stream: StreamReply) -> str:
    """Return the type of what a stream sends."""
    return "application/x-ndjson" if stream.as_lines else "text/event-stream"
