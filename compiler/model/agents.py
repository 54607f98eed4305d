"""Models that work with tools in a loop, and texts that can be searched."""

from __future__ import annotations

from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Template
from wfc.compiler.model.bindings import Model, Tool
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type


@dataclass(slots=True, eq=False)
class Agent:
    """A model with tools. Agents may refer to each other in cycles, so ``tools`` and ``handoffs`` come last.

    Args:
        system: What the model is told before anything else.
        output: ``STRING`` where the agent declares none.
        tools: What it may use: tools, and agents as tools.
        handoffs: Agents to which it may hand over.
        approve: The names of those of its tools whose use a person must approve.
        max_turns: How many turns its loop may take, or ``None``.
    """

    name: str
    model: Model | None
    system: Template | None
    output: Type
    style: Literal["function", "react", "code"]
    max_turns: int | None
    address: Address
    tools: tuple[Tool | Agent, ...] = ()
    handoffs: tuple[Agent, ...] = ()
    approve: tuple[str, ...] = ()


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


__all__ = ["Agent", "Knowledge"]
