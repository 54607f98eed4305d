"""Conversion of a workflow's flow to a graph of plain data, which the runtime's `drawing` renders."""

from __future__ import annotations

from wfc.compiler.draw.graph import flow_graph

__all__ = ["flow_graph"]
