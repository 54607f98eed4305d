"""The flow of a workflow as a graph, and questions about it that need no proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.compiler.on_demand import modules_of

if not TYPE_CHECKING:  # few workflows need all of them
    __getattr__ = modules_of(__name__)
