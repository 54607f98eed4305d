"""Workflow → a graph of its flow as plain data, which the command line hands to the runtime's `drawing`."""

from __future__ import annotations

from wfc.compiler.draw.graph import flow_graph

__all__ = ["flow_graph"]
