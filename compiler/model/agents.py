"""Models that work with tools in a loop, and texts that can be searched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model.bindings import Model, Tool
from wfc.compiler.model.values import Value
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record, Type


@dataclass(frozen=True, slots=True)
class Approval:
    """That a person has to allow the calls of a tool.

    Args:
        when: Which calls; ``None``: all.
        title: The question; ``None``: one that is made of the tool's name.
        show: What the person is shown; ``None``: the arguments.
        within: Seconds to wait for an answer.
    """

    when: Expression | None
    title: Template | None
    show: Template | None
    assign: tuple[Template, ...]
    within: float


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool as an agent has it.

    Args:
        bound: The arguments that the model does not choose.
        free: What it chooses.
        final: Whether its result is the agent's answer.
        approval: That a person has to allow its calls, if one has to.
    """

    tool: Tool
    bound: tuple[tuple[str, Value], ...]
    free: Record
    final: bool = False
    approval: Approval | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Agent:
    """A model that works with tools in a loop.

    Args:
        model: ``None`` where that is not known, which has been reported.
        system: What the model is told before anything else.
        output: ``STRING`` where the agent declares none.
        tools: What the model may use.
        bounds: Its bounds, by the names that the runtime has for them; those that it gives itself.
    """

    name: str
    model: Model | None
    system: Template | None
    output: Type
    tools: tuple[ToolUse, ...]
    bounds: Mapping[str, object]
    address: Address


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """A collection of texts that can be searched.

    Args:
        files: Paths with wildcards, relative to the file that declares it.
        model: The embedding model of a ``vector`` index.
    """

    name: str
    files: tuple[str, ...]
    index: Literal["keyword", "vector"]
    model: Model | None
    address: Address


__all__ = ["Agent", "Approval", "Knowledge", "ToolUse"]
