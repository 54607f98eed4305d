"""The one action of a step, by kind."""

from __future__ import annotations

from wfc.compiler.expressions import Template
from wfc.compiler.nodes.bindings import HttpRequest, Model, Tool
from wfc.compiler.nodes.values import Value
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type


@dataclass(frozen=True, slots=True)
class LlmCall:
    """One model call. ``output`` is ``STRING`` where the step declares none."""

    model: Model
    prompt: Template
    system: Template | None
    output: Type


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call; ``args`` in the tool's order, those that are given."""

    tool: Tool
    args: tuple[tuple[str, Value], ...]
    output: Type


@dataclass(frozen=True, slots=True)
class HttpCall:
    """One http request of a step."""

    request: HttpRequest
    output: Type


Action = LlmCall | ToolCall | HttpCall

__all__ = ["Action", "HttpCall", "LlmCall", "ToolCall"]
