"""What a span says of a request to a model, in the words of OpenTelemetry's GenAI conventions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from wfc.runtime.tracing import Span, conventions

if TYPE_CHECKING:
    from pydantic_ai import messages

__all__ = ["RequestOptions", "about_model", "name_of", "note_exchange"]


class RequestOptions(Protocol):
    """What a span tells of the options of a request."""

    @property
    def use(self) -> str:
        """Provider and name of the model, as in ``openai:gpt-4o-mini``."""

    @property
    def temperature(self) -> float | None:
        """How freely it chooses words."""

    @property
    def max_tokens(self) -> int | None:
        """How long its answer may be."""

    @property
    def top_p(self) -> float | None:
        """From how much of what is probable it chooses."""

    @property
    def seed(self) -> int | None:
        """What its choices are drawn from."""


def name_of(model: RequestOptions) -> str:
    """Return the model's name, without the provider's."""
    return model.use.partition(":")[2] or model.use


def about_model(model: RequestOptions, *, is_structured: bool) -> dict[str, Any]:
    """Return what is known before the request is made; nothing of what is said in it."""
    found = {
        conventions.OPERATION: conventions.CHAT,
        conventions.PROVIDER: model.use.partition(":")[0],
        conventions.REQUEST_MODEL: name_of(model),
        conventions.OUTPUT_TYPE: "json" if is_structured else "text",
        conventions.TEMPERATURE: model.temperature,
        conventions.MAX_TOKENS: model.max_tokens,
        conventions.TOP_P: model.top_p,
        conventions.SEED: model.seed,
    }
    return {name: value for name, value in found.items() if value is not None}


def note_exchange(
    span: Span,
    history: Sequence[messages.ModelMessage],
    system: str | None,
    reply: messages.ModelResponse,
    hide: Callable[[Any], Any],
) -> None:
    """Keep who answered and how many tokens it took; and what was said, as content.

    Args:
        hide: Takes secrets out of what was said.
    """
    found = {
        conventions.RESPONSE_MODEL: reply.model_name,
        conventions.RESPONSE_ID: reply.provider_response_id,
        conventions.STOP_REASONS: [reply.finish_reason] if reply.finish_reason else None,
        conventions.TOKENS_IN: reply.usage.input_tokens or None,
        conventions.TOKENS_OUT: reply.usage.output_tokens or None,
    }
    span.attributes |= {name: value for name, value in found.items() if value is not None}
    asked = [said for message in history for said in _said(message)]
    span.result = hide(list(_said(reply)))
    span.content |= {conventions.INPUT_MESSAGES: asked, conventions.OUTPUT_MESSAGES: span.result}
    if system is not None:
        span.content[conventions.SYSTEM_INSTRUCTIONS] = [{"type": "text", "content": system}]


def _said(message: messages.ModelMessage) -> Iterator[dict[str, Any]]:
    """Give the parts of a message as the conventions write them."""
    role = "assistant" if message.kind == "response" else "user"
    for part in message.parts:
        told: dict[str, Any]
        if part.part_kind == "tool-call":
            told = {"type": "tool_call", "name": part.tool_name, "arguments": part.args}
        elif part.part_kind == "tool-return":
            told = {"type": "tool_call_response", "response": part.content}
        else:
            told = {"type": "text", "content": getattr(part, "content", "")}
        yield {"role": "system" if part.part_kind == "system-prompt" else role, "parts": [told]}
