"""Streamed replies of models, through ``pydantic_ai.direct``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pydantic_ai import direct, messages
from pydantic_ai.models import Model as Connection
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from wfc.runtime.calls.secrets import Revealed

__all__ = ["streamed_reply"]


async def streamed_reply(
    connection: Connection,
    history: list[messages.ModelMessage],
    settings: ModelSettings,
    parameters: ModelRequestParameters,
    tell: Callable[[str], None],
    revealed: Revealed,
) -> messages.ModelResponse:
    """Return a model's reply; pass its text to ``tell`` piece by piece, without the values of secrets.

    Raises:
        Exception: Any error of the client, also in mid-stream; the text passed until then is void.
    """
    shown = _Shown(tell, revealed)
    # by itself the client takes a reply that breaks off in the middle for a whole one
    cast(Any, connection.profile)["openai_chat_streaming_requires_finish_reason"] = True
    async with direct.model_request_stream(
        connection, history, model_settings=settings, model_request_parameters=parameters
    ) as stream:
        async for event in stream:
            if isinstance(event, messages.PartStartEvent) and isinstance(event.part, messages.TextPart):
                shown.add(event.part.content)
            elif isinstance(event, messages.PartDeltaEvent) and isinstance(
                event.delta, messages.TextPartDelta
            ):
                shown.add(event.delta.content_delta)
    shown.finish()
    return stream.get()


class _Shown:
    """A filter that removes secrets' values from streamed text, even if they are split between pieces."""

    def __init__(self, tell: Callable[[str], None], revealed: Revealed) -> None:
        self._tell = tell
        self._revealed = revealed
        self._held = ""

    def add(self, text: str) -> None:
        text = self._held + text
        sure = self._revealed.settled(text)
        self._held = text[sure:]
        self._tell(self._revealed.hide_in_result(text[:sure]))

    def finish(self) -> None:
        self._tell(self._revealed.hide_in_result(self._held))
