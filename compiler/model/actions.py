"""The one action of a step, by kind."""

from __future__ import annotations

from typing import Literal

from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model.bindings import HttpRequest, Model, Tool
from wfc.compiler.model.messages import SendEvent
from wfc.compiler.model.pauses import Pause
from wfc.compiler.model.values import Value
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record, Type


@dataclass(frozen=True, slots=True)
class LlmCall:
    """One model call.

    Args:
        output: ``STRING`` where the step declares none.
        history: The messages that come before the prompt, or ``None``.
        tokens: Whether the answer is shown to whoever watches while it comes.
    """

    model: Model
    prompt: Template
    system: Template | None
    output: Type
    history: Value | None = None
    tokens: bool = False


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


@dataclass(frozen=True, slots=True)
class WorkflowCall:
    """One run of another workflow.

    Args:
        workflow: Its name.
        inputs: The fields of its start event that are given, in its order.
        ends: Its end events: the name of each, and the record that its fields are read as.
        detach: Whether it is left to itself; the result is then the run's id.
    """

    workflow: str
    inputs: tuple[tuple[str, Value], ...]
    ends: tuple[tuple[str, Record], ...]
    detach: bool


@dataclass(frozen=True, slots=True)
class MapItems:
    """What a `map` does with each item of a list.

    Args:
        items: The list.
        name: Of an item, in expressions.
        item: An item's type.
        max: How many items there may be at most, of those that ``keep`` lets pass.
        keep: Which items anything is done with; ``None``: all.
        do: What is done with each; ``None``: nothing, the list is only gone through.
        result: The type of what ``do`` gives; ``None`` without it.
        keep_result: Which results are kept; ``None``: all.
        give: What is given for an item; ``None``: the result, or without ``do`` the item.
        given: The type of that.
        on_item_error: What follows when ``do`` fails for an item.
    """

    items: Expression
    name: str
    item: Type
    max: int
    keep: Expression | None
    do: Call | None
    result: Type | None
    keep_result: Expression | None
    give: Value | None
    given: Type
    on_item_error: Literal["fail", "skip", "null"]


Call = LlmCall | ToolCall | HttpCall | WorkflowCall
"""One call of something outside."""

Action = Call | MapItems | SendEvent | Pause

__all__ = ["Action", "Call", "HttpCall", "LlmCall", "MapItems", "ToolCall", "WorkflowCall"]
