"""Streamed replies of models, through ``pydantic_ai.direct``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from pydantic_ai import direct, messages
from pydantic_ai.models import Model as Connection
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_core import from_json

from wfc.runtime.calls.host import Telling
from wfc.runtime.calls.http.bounded import LARGEST_BODY, too_large
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.values.outputs import Wanted

__all__ = ["Shown", "streamed_reply"]

_GROWTH = 16
"""A record is read again when a sixteenth more of it has arrived, so that all readings together are linear work."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What of a reply is shown while it arrives.

    Args:
        text: Whether its text is.
        thinking: Whether what the model thinks before it answers is.
        partial: Whether the record that it is to be is, with the fields that have arrived.
    """

    text: bool = False
    thinking: bool = False
    partial: bool = False

    def __bool__(self) -> bool:
        return self.text or self.thinking or self.partial


async def streamed_reply(
    connection: Connection,
    history: list[messages.ModelMessage],
    settings: ModelSettings,
    parameters: ModelRequestParameters,
    watched: Shown,
    tell: Telling,
    wanted: Wanted | None,
    revealed: Revealed,
) -> messages.ModelResponse:
    """Return a model's reply; show what is watched of it piece by piece, without the values of secrets.

    Raises:
        Exception: Any error of the client, also in mid-stream; what was shown until then is void.
    """
    sinks: list[_Text | _Record] = []
    text: _Text | _Record | None = None
    thinking: _Text | None = None
    if watched.text:
        text = _Text(tell, revealed)
        sinks.append(text)
    elif watched.partial and wanted is not None:
        text = _Record(tell.partial, wanted, revealed)
        sinks.append(text)
    if watched.thinking:
        thinking = _Text(tell.thinking, revealed)
        sinks.append(thinking)
    # by itself the client takes a reply that breaks off in the middle for a whole one
    cast(Any, connection.profile)["openai_chat_streaming_requires_finish_reason"] = True
    async with direct.model_request_stream(
        connection, history, model_settings=settings, model_request_parameters=parameters
    ) as stream:
        size = 0
        async for event in stream:
            thought, said = _piece(event)
            size += len(thought) + len(said)
            if size > LARGEST_BODY:
                raise too_large(LARGEST_BODY)
            if thought and thinking is not None:
                thinking.add(thought)
            if said and text is not None:
                text.add(said)
    for sink in sinks:
        sink.finish()
    return stream.get()


def _piece(event: messages.ModelResponseStreamEvent) -> tuple[str, str]:
    """Return what an event of the stream adds to the thinking, and to the answer, be it text or arguments."""
    match event:
        case messages.PartStartEvent(part=messages.ThinkingPart(content=thought)):
            return thought, ""
        case messages.PartStartEvent(part=messages.TextPart(content=said)):
            return "", said
        case messages.PartStartEvent(part=messages.ToolCallPart(args=args)):
            return "", _as_text(args)
        case messages.PartDeltaEvent(delta=messages.ThinkingPartDelta(content_delta=thought)):
            return thought or "", ""
        case messages.PartDeltaEvent(delta=messages.TextPartDelta(content_delta=said)):
            return "", said
        case messages.PartDeltaEvent(delta=messages.ToolCallPartDelta(args_delta=args)):
            return "", _as_text(args)
        case _:
            return "", ""


def _as_text(args: object) -> str:
    return args if isinstance(args, str) else json.dumps(args) if args else ""


class _Text:
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


class _Record:
    """A reader of a record that arrives as JSON, piece by piece."""

    def __init__(self, tell: Callable[[Any], None], wanted: Wanted, revealed: Revealed) -> None:
        self._tell = tell
        self._wanted = wanted
        self._revealed = revealed
        self._parts: list[str] = []
        self._length = 0
        self._read_at = 0
        self._last: Any = None

    def add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length >= self._read_at + self._read_at // _GROWTH:
            self._show(self._whole())

    def finish(self) -> None:
        self._show(self._whole(), is_whole=True)

    def _whole(self) -> str:
        self._parts = ["".join(self._parts)]
        return self._parts[0]

    def _show(self, text: str, *, is_whole: bool = False) -> None:
        self._read_at = self._length
        sure = len(text) if is_whole else self._revealed.settled(text)
        try:
            value = from_json(self._revealed.hide_in_result(text[:sure]), allow_partial="trailing-strings")
        except ValueError:
            return  # what is no JSON is told when all of it has arrived
        value = self._wanted.unwrap(value)
        if value is not None and value != self._last:
            self._last = value
            self._tell(value)
