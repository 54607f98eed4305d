"""Requests in OpenAI's protocol of chats, sent as they are written.

Before it sends a request, the library of OpenAI looks through all that it holds, message by message, for parameters
that have another name on the wire. In this protocol there are none, and the look takes as long as all else that a short
request costs; in a longer talk, several times as long.
"""

from __future__ import annotations

from typing import Any, Final

from openai import AsyncOpenAI, AsyncStream, NotGiven, Omit
from openai.types.chat import ChatCompletion, ChatCompletionChunk

__all__ = ["send_as_written"]


_OPTIONS: Final = {
    "extra_headers": "headers",
    "extra_query": "params",
    "extra_body": "extra_json",
    "timeout": "timeout",
}
"""What is no part of a request's body: the names of arguments → those of the library's options."""


def send_as_written(client: AsyncOpenAI) -> None:
    """Let a client of the library send requests of chats as they are."""

    post: Any = client.post  # whose types tell streams from others by a literal

    async def create(*, stream: bool | None = False, **given: Any) -> Any:
        said = {name: value for name, value in given.items() if not isinstance(value, Omit | NotGiven)}
        found = {ours: said.pop(name, None) for name, ours in _OPTIONS.items()}
        options: Any = {name: value for name, value in found.items() if value is not None}
        return await post(
            "/chat/completions",
            cast_to=ChatCompletion,
            body={**said, "stream": bool(stream)},
            options={**options, "security": {"bearer_auth": True}},
            stream=bool(stream),
            stream_cls=AsyncStream[ChatCompletionChunk],
        )

    client.chat.completions.create = create  # type: ignore[method-assign,assignment]
