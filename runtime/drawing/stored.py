"""The flow of a stored run's workflow, with how often each step has run, and how that went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from wfc.runtime.drawing.graph import Box, Graph
from wfc.runtime.drawing.rendering import render
from wfc.runtime.drawing.representation import get_workflow_representation
from wfc.runtime.drawing.workflows import opening_graph, workflow_graph
from wfc.runtime.store.timeline import StepLine
from wfc.runtime.workflow import Workflow

__all__ = ["draw_stored", "marked", "stored_flow"]

_NO_STEPS: Final = frozenset({"start", "outside", "end", "fail"})
"""The shapes of boxes that are no steps, in the flow of a spec."""


def draw_stored(
    workflow: Workflow, lines: Sequence[StepLine], format: str, shown: Callable[[str], bool] = lambda _: True
) -> str:
    """Return a drawing of a workflow's flow with what has become of the step runs of one run; as below.

    Raises:
        ValueError: There is no such format.
    """
    return render(stored_flow(workflow, lines, format, shown), format)


def stored_flow(
    workflow: Workflow, lines: Sequence[StepLine], format: str, shown: Callable[[str], bool] = lambda _: True
) -> Graph:
    """Return a workflow's flow with what has become of the step runs of one run.

    Args:
        lines: The step runs.
        format: ``html``, ``mermaid`` or ``dot``; or ``svg``, in which the workflows that its steps run open.
        shown: Whether a workflow of a name may be seen.
    """
    flow = (
        opening_graph(workflow, shown)
        if format == "svg"
        else workflow_graph(get_workflow_representation(type(workflow)))
    )
    return _marked(flow, lines, _is_box)


def _is_box(box: Box) -> bool:
    return box.shape == "box"


def marked(graph: Graph, lines: Sequence[StepLine], inside: Mapping[str, Sequence[StepLine]]) -> Graph:
    """Return the flow of a spec with what has become of its steps in a run: how often, how that went, and the last.

    Steps that did not run are marked, too. What opens in a step is of all runs of that workflow in the run.

    Args:
        inside: The step runs of the workflows that the run has run, by their names.
    """
    last = {line.step: line.status for line in lines if not line.is_undone}
    counted = _marked(graph, lines, lambda box: box.shape not in _NO_STEPS)
    boxes = tuple(
        box if box.shape in _NO_STEPS else replace(box, status=last.get(box.title, "idle"))
        for box in counted.boxes
    )
    within = {name: marked(inner, inside.get(name, ()), {}) for name, inner in graph.inside.items()}
    return replace(graph, boxes=boxes, inside=within)


def _marked(graph: Graph, lines: Sequence[StepLine], is_step: Callable[[Box], bool]) -> Graph:
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        if line.is_undone:
            continue
        counts.setdefault(line.step, Counter())[line.status] += 1
    boxes = tuple(
        replace(box, notes=(*box.notes, _told(counts[box.title])))
        if is_step(box) and box.title in counts
        else box
        for box in graph.boxes
    )
    return replace(graph, boxes=boxes)


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.items())
