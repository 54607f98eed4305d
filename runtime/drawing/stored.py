"""The flow of a stored run's workflow, with how often each step has run, and how that went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from wfc.runtime.drawing.graph import Graph
from wfc.runtime.drawing.rendering import render
from wfc.runtime.drawing.representation import get_workflow_representation
from wfc.runtime.drawing.workflows import workflow_graph
from wfc.runtime.store.timeline import StepLine
from wfc.runtime.workflow import Workflow

__all__ = ["draw_stored"]


def draw_stored(workflow: type[Workflow], lines: Sequence[StepLine], format: str) -> str:
    """Return a drawing of a workflow's flow with what has become of the step runs of one run.

    Args:
        lines: The step runs.
        format: ``html``, ``mermaid`` or ``dot``.

    Raises:
        ValueError: There is no such format.
    """
    return render(_marked(workflow_graph(get_workflow_representation(workflow)), lines), format)


def _marked(graph: Graph, lines: Sequence[StepLine]) -> Graph:
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        if line.is_undone:
            continue
        counts.setdefault(line.step, Counter())[line.status] += 1
    boxes = tuple(
        replace(box, notes=(*box.notes, _told(counts[box.title])))
        if box.shape == "box" and box.title in counts
        else box
        for box in graph.boxes
    )
    return replace(graph, boxes=boxes)


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.items())
