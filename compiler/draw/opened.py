"""A flow with what a page of it needs to open and to lead somewhere: lines of the source, and called workflows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from wfc.compiler.draw.graph import flow_graph
from wfc.compiler.model import AgentCall, MapItems, Step, Workflow, WorkflowCall
from wfc.compiler.model.kinds import agent_tools, agents_of
from wfc.compiler.yaml import Document

__all__ = ["MOST_INSIDE", "opened_graph", "runs_of"]

MOST_INSIDE: Final = 100
"""How many workflows a page holds beside the first; what more there are is named in boxes, and does not open."""

Known = Callable[[str], tuple[Workflow, Document] | None]


def opened_graph(workflow: Workflow, document: Document, known: Known) -> dict[str, Any]:
    """Return the flow of a workflow with places in its text, and with the flows of all that it may come to run.

    Each workflow is there once, however many steps run it; so a circle of calls has an end.

    Args:
        document: Its text.
        known: Gives the workflow of a name, or ``None`` if it cannot be drawn.
    """
    whole = placed(workflow, document)
    inside: dict[str, Any] = {}
    waiting = list(names_in([workflow]))
    seen = {workflow.name}
    while waiting and len(inside) < MOST_INSIDE:
        name = waiting.pop(0)
        found = None if name in seen else known(name)
        seen.add(name)
        if found is not None:
            inside[name] = placed(*found)
            waiting += names_in([found[0]])
    return {**whole, "inside": inside}


def names_in(workflows: Iterable[Workflow]) -> Iterator[str]:
    for workflow in workflows:
        for step in workflow.steps:
            yield from runs_of(step)


def runs_of(step: Step) -> tuple[str, ...]:
    """Return the names of the workflows that a step runs, or whose agents may."""
    match step.action:
        case WorkflowCall(workflows=names) | MapItems(do=WorkflowCall(workflows=names)):
            return tuple(names)
        case AgentCall() | MapItems(do=AgentCall()):
            styles = [one.own_style.workflow for one in agents_of(step.action) if one.own_style is not None]
            tools = [tool.workflow for tool in agent_tools(step.action) if tool.workflow is not None]
            return tuple(dict.fromkeys([*styles, *tools]))
    return ()


def placed(workflow: Workflow, document: Document) -> dict[str, Any]:
    """Return the flow of a workflow with the lines of its text, and with the names of what its steps may run."""
    data = document.data if isinstance(document.data, dict) else {}
    runs = {step.name: runs_of(step) for step in workflow.steps}

    def line(section: str, name: str) -> dict[str, int]:
        declared = data.get(section)
        is_here = isinstance(declared, dict) and name in declared
        return {"line": document.line((section, name))} if is_here else {}

    graph = flow_graph(workflow)
    boxes = []
    for box in graph["boxes"]:
        is_step = box["shape"] not in {"start", "outside", "end", "fail"}
        more = line("steps" if is_step else "events", box["title"])
        opens = {"opens": list(runs[box["title"]])} if is_step and runs.get(box["title"]) else {}
        boxes.append({**box, **more, **opens})
    arrows = [{**arrow, **line("events", arrow["label"])} for arrow in graph["arrows"]]
    return {**graph, "boxes": boxes, "arrows": arrows, "path": document.path, "text": document.text}
