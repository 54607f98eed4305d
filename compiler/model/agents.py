"""Models that work with tools in a loop, and texts that can be searched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Template
from wfc.compiler.model.bindings import Model, Tool
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type


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
    tools: tuple[Tool, ...]
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


__all__ = ["Agent", "Knowledge"]
