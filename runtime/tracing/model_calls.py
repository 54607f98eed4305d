"""Attributes of spans of requests to models, named after OpenTelemetry's GenAI conventions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from wfc.runtime.tracing import Span, conventions

if TYPE_CHECKING:
    from pydantic_ai import messages

__all__ = ["RequestOptions", "about_model", "name_of", "note_exchange"]


class RequestOptions(Protocol):
    """The options of a request that a span records."""

    @property
    def use(self) -> str:
        """Provider and name of the model, as in ``openai:gpt-4o-mini``."""

    @property
    def temperature(self) -> float | None:
        """The sampling temperature."""

    @property
    def max_tokens(self) -> int | None:
        """The maximum number of tokens in the answer."""

    @property
    def settings(self) -> Mapping[str, object]:
        """The provider's own settings."""

    @property
    def top_p(self) -> float | None:
        """The probability mass from which tokens are sampled (nucleus sampling)."""

    @property
    def seed(self) -> int | None:
        """The seed of the sampling."""


def name_of(model: RequestOptions) -> str:
    """Return the model's name, without the provider's."""
    return model.use.partition(":")[2] or model.use


def _setting(model: RequestOptions, name: str) -> object:
    """Return an option that stands among the provider's settings, or, in older modules, by itself."""
    own: object = getattr(model, name)
    return model.settings.get(name) if own is None else own


def about_model(model: RequestOptions, *, is_structured: bool) -> dict[str, Any]:
    """Return the attributes that are known before the request is made, without its content."""
    found = {
        conventions.OPERATION: conventions.CHAT,
        conventions.PROVIDER: model.use.partition(":")[0],
        conventions.REQUEST_MODEL: name_of(model),
        conventions.OUTPUT_TYPE: "json" if is_structured else "text",
        conventions.TEMPERATURE: model.temperature,
        conventions.MAX_TOKENS: model.max_tokens,
        conventions.TOP_P: _setting(model, "top_p"),
        conventions.SEED: _setting(model, "seed"),
    }
    return {name: value for name, value in found.items() if value is not None}


def note_exchange(
    span: Span,
    history: Sequence[messages.ModelMessage],
    system: str | None,
    reply: messages.ModelResponse,
    hide: Callable[[Any], Any],
) -> None:
    """Record the answering model and the numbers of tokens as attributes, and the messages as content.

    Args:
        hide: Removes secrets from the messages.
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
    """Yield the parts of a message in the form of the conventions."""
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
