"""The possible flows of a workflow as a graph, with the workflows that its steps start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import CodeType, ModuleType
from typing import Any, Final

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.drawing.graph import Arrow, Box, Graph
from wfc.runtime.drawing.rendering import render
from wfc.runtime.drawing.representation import (
    WorkflowEventNode,
    WorkflowGenericNode,
    WorkflowGraph,
    WorkflowGraphEdge,
    WorkflowGraphNode,
    get_workflow_representation,
)
from wfc.runtime.plan.pauses import Child
from wfc.runtime.workflow import Workflow

__all__ = ["draw_workflow", "nested_representation", "opening_graph", "workflow_graph"]

DEEPEST: Final = 4
"""How many workflows may be drawn inside each other."""

Finder = Callable[[str], type[Workflow] | None]

MOST_INSIDE: Final = 100
"""How many workflows a picture holds beside the first."""

_SHAPES: Final = {
    "step": "box",
    "event": "ellipse",
    "external": "outside",
    "resource": "cylinder",
    "resource_config": "cylinder",
    "child_connector": "framed",
}


def draw_workflow(
    workflow: Workflow | type[Workflow], format: str = "html", *, include_child_workflows: bool = True
) -> str:
    """Return a drawing of the possible flows of a workflow.

    Args:
        format: ``html``, one page that loads nothing; ``mermaid``; or ``dot``.
        include_child_workflows: Whether to draw the workflows that steps start, inside.

    Raises:
        ValueError: There is no such format.
    """
    if include_child_workflows:
        return render(workflow_graph(nested_representation(workflow)), format)
    return render(workflow_graph(get_workflow_representation(workflow)), format)


def nested_representation(workflow: Workflow | type[Workflow], deepest: int = DEEPEST) -> WorkflowGraph:
    """Return the flow of a workflow, including those of the workflows that its steps name.

    The ids of a child's nodes are prefixed with its path; a node ``calls: Child`` leads from the step to the
    child's start, and ``returns: Child`` from its ends back.
    """
    graph = get_workflow_representation(workflow).model_copy(deep=True)
    _nest(graph, workflow, "", (_class_of(workflow),), deepest)
    return graph


def opening_graph(workflow: Workflow, shown: Callable[[str], bool] = lambda _: True) -> Graph:
    """Return the flow of a workflow with those of all that its steps may run, for a viewer that opens them in place.

    Each is there once, however many steps run it.

    Args:
        shown: Whether a workflow of a name may be seen.
    """
    named = _finder(workflow)
    first = type(workflow)

    def runs_of(function: Callable[..., Any]) -> list[type[Workflow]]:
        return [each for each in _children(function, named) if each is not first and shown(_name(each))]

    found: dict[type[Workflow], Graph] = {}
    waiting = [first]
    while waiting and len(found) <= MOST_INSIDE:
        kind = waiting.pop(0)
        if kind in found:
            continue
        runs = {step.name: runs_of(step.function) for step in definition_of(kind).plan.steps}
        graph = workflow_graph(get_workflow_representation(kind))
        boxes = tuple(
            replace(box, opens=tuple(map(_name, runs[box.title])))
            if box.shape == "box" and box.title in runs
            else box
            for box in graph.boxes
        )
        found[kind] = replace(graph, boxes=boxes)
        waiting += [each for step in runs.values() for each in step]
    return replace(found.pop(first), inside={_name(kind): each for kind, each in found.items()})


def _name(kind: type[Workflow]) -> str:
    return definition_of(kind).name or kind.__name__


def _nest(
    graph: WorkflowGraph,
    workflow: Workflow | type[Workflow],
    prefix: str,
    way: tuple[type[Workflow], ...],
    deepest: int,
) -> None:
    for step in definition_of(_class_of(workflow)).plan.steps:
        for child in _children(step.function, _finder(workflow)) if len(way) < deepest else ():
            if child in way:
                continue  # it starts itself, perhaps by way of others
            inner = f"{prefix}{step.name}_{child.__name__}_"
            _merge(graph, get_workflow_representation(child), f"{prefix}{step.name}", inner, child.__name__)
            _nest(graph, child, inner, (*way, child), deepest)


def _merge(graph: WorkflowGraph, child: WorkflowGraph, step: str, prefix: str, name: str) -> None:
    taken = {node.id for node in child.nodes}
    calls, returns = (f"{prefix}{_free(one, taken)}" for one in ("calls", "returns"))
    graph.nodes += [
        WorkflowGenericNode(id=calls, label=f"calls: {name}", node_type="child_connector"),
        WorkflowGenericNode(id=returns, label=f"returns: {name}", node_type="child_connector"),
    ]
    edges: list[tuple[str, str, str | None]] = [(step, calls, None), (returns, step, None)]
    for node in child.nodes:
        id = f"{prefix}{node.id}"
        graph.nodes.append(node.model_copy(update={"id": id}))
        if isinstance(node, WorkflowEventNode) and node.is_subclass_of("StartEvent"):
            edges.append((calls, id, None))
        if isinstance(node, WorkflowEventNode) and node.is_subclass_of("StopEvent"):
            edges.append((id, returns, None))
    edges += [(f"{prefix}{edge.source}", f"{prefix}{edge.target}", edge.label) for edge in child.edges]
    graph.edges += [WorkflowGraphEdge(source=one, target=other, label=label) for one, other, label in edges]


def _free(id: str, taken: set[str]) -> str:
    while id in taken:
        id += "_"
    return id


def _class_of(workflow: Workflow | type[Workflow]) -> type[Workflow]:
    return workflow if isinstance(workflow, type) else type(workflow)


def _finder(workflow: Workflow | type[Workflow]) -> Finder | None:
    """Return what finds the class of a workflow by its name, as an object's engine knows it."""
    if not isinstance(workflow, Workflow):
        return None
    return lambda name: workflow._wfc.engine.class_of(name, type(workflow))


def _children(function: Callable[..., Any], named: Finder | None) -> Iterator[type[Workflow]]:
    """Return the workflow classes that a step's code refers to, by name or as the child of a pause."""
    found: dict[type[Workflow], None] = {}
    around = {**getattr(function, "__globals__", {}), **_enclosed(function)}
    pauses = False
    names: list[str] = []
    texts: list[str] = []
    for code in _codes(getattr(function, "__code__", None)):
        names += code.co_names + code.co_freevars
        constants = [each for one in code.co_consts for each in (one if isinstance(one, tuple) else (one,))]
        texts += [one for one in constants if isinstance(one, str)]
    modules = [around[name] for name in names if isinstance(around.get(name), ModuleType)]
    for name in names:
        for value in (around.get(name), *(vars(module).get(name) for module in modules)):
            pauses = pauses or value is Child
            if isinstance(value, type) and issubclass(value, Workflow) and value is not Workflow:
                found[value] = None
    if pauses and named is not None:
        for text in filter(str.isidentifier, texts):
            kind = named(text)
            if kind is not None:
                found[kind] = None
    yield from found


def _codes(code: CodeType | None) -> Iterator[CodeType]:
    """Yield the code objects of a function and of the functions nested in it."""
    todo = [code] if code is not None else []
    while todo:
        one = todo.pop()
        yield one
        todo += [const for const in one.co_consts if isinstance(const, CodeType)]


def _enclosed(function: Callable[..., Any]) -> dict[str, Any]:
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    found = {}
    for name, cell in zip(names, getattr(function, "__closure__", None) or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not set yet
            continue
    return found


def workflow_graph(representation: WorkflowGraph, max_label_length: int | None = None) -> Graph:
    """Return the graph that draws a representation.

    Args:
        max_label_length: Longer labels are cut; ``None``: none are.
    """
    boxes = tuple(
        Box(
            node.id,
            _shape_of(node),
            node.label if max_label_length is None else node.truncated_label(max_label_length),
            description=getattr(node, "description", None) or "",
        )
        for node in representation.nodes
    )
    known = {box.id for box in boxes}
    arrows = tuple(
        Arrow(edge.source, edge.target, edge.label or "")
        for edge in representation.edges
        if edge.source in known and edge.target in known
    )
    return Graph(representation.name, boxes, arrows, representation.description or "")


def _shape_of(node: WorkflowGraphNode) -> str:
    if isinstance(node, WorkflowEventNode):
        if node.is_subclass_of("StartEvent"):
            return "start"
        return "end" if node.is_subclass_of("StopEvent") else "ellipse"
    return _SHAPES.get(node.node_type, "framed")
