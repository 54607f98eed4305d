"""A workflow's flow as data: steps, events and resources as nodes, and the connections as edges."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from pydantic import BaseModel, Field

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.authoring.resource.kinds import AnyResource, Request, ResourceConfig
from wfc.runtime.events import Event, HumanResponseEvent, InputRequiredEvent, StopEvent, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.plan.run_rules import RUN_EXIT_KEYS
from wfc.runtime.plan.signature import EventClass
from wfc.runtime.plan.step import Step
from wfc.runtime.workflow import Workflow

__all__ = [
    "WorkflowEventNode",
    "WorkflowExternalNode",
    "WorkflowGenericNode",
    "WorkflowGraph",
    "WorkflowGraphEdge",
    "WorkflowGraphNode",
    "WorkflowNodeBase",
    "WorkflowResourceConfigNode",
    "WorkflowResourceNode",
    "WorkflowStepNode",
    "get_workflow_representation",
]

EXTERNAL = "external_step"
MOMENT = "at any moment"
"""Where the exits of a run begin; no step has a name with blanks."""


class WorkflowNodeBase(BaseModel):
    """A node: ``id`` is its own in its graph, ``label`` is for people."""

    id: str
    label: str

    def truncated_label(self, max_length: int) -> str:
        """Return the label; a longer one is cut and ends with ``*``."""
        return self.label if len(self.label) <= max_length else f"{self.label[: max_length - 1]}*"


class WorkflowStepNode(WorkflowNodeBase):
    """A step; its docstring describes it."""

    node_type: Literal["step"] = "step"
    description: str | None = None


class _Typed(WorkflowNodeBase):
    """A node that knows its class and those that it is derived from, by name."""

    def is_subclass_of(self, *type_names: str) -> bool:
        """Return whether the node's class is, or is derived from, one of these."""
        return any(name in (getattr(self, "event_types", None) or ()) for name in type_names)


class WorkflowEventNode(_Typed):
    """A class of events: with the classes that it is derived from, its JSON Schema, and the steps that emit it."""

    node_type: Literal["event"] = "event"
    event_type: str
    event_types: list[str]
    event_schema: dict[str, Any] | None = None
    produced_by: list[str] = Field(default_factory=list)


class WorkflowExternalNode(WorkflowNodeBase):
    """Whoever is asked, or sends events, from outside."""

    node_type: Literal["external"] = "external"


class WorkflowResourceNode(WorkflowNodeBase):
    """An object that a factory makes for steps."""

    node_type: Literal["resource"] = "resource"
    type_name: str | None = None
    getter_name: str | None = None
    source_file: str | None = None
    source_line: int | None = None
    description: str | None = None


class WorkflowResourceConfigNode(WorkflowNodeBase):
    """Configuration from a file. Its values are not read: a picture is no place for them."""

    node_type: Literal["resource_config"] = "resource_config"
    type_name: str | None = None
    config_file: str | None = None
    path_selector: str | None = None
    config_schema: dict[str, Any] | None = None
    config_value: dict[str, Any] | None = None
    description: str | None = None


class WorkflowGenericNode(_Typed):
    """A node of any other type."""

    node_type: str
    event_type: str | None = None
    event_types: list[str] | None = None


WorkflowGraphNode = (
    WorkflowStepNode
    | WorkflowEventNode
    | WorkflowExternalNode
    | WorkflowResourceNode
    | WorkflowResourceConfigNode
    | WorkflowGenericNode
)


class WorkflowGraphEdge(BaseModel):
    """From one node to another, by their ids."""

    source: str
    target: str
    label: str | None = None


class WorkflowGraph(BaseModel):
    """A workflow's flow."""

    name: str
    nodes: list[WorkflowGraphNode]
    edges: list[WorkflowGraphEdge]
    description: str | None = None

    def filter_by_node_type(self, *node_types: str) -> WorkflowGraph:
        """Return the graph without nodes of these types, with their neighbours connected directly.

        An edge that replaces omitted nodes is labelled with the first of them.
        """
        kept = [node for node in self.nodes if node.node_type not in node_types]
        ids = {node.id for node in kept}
        labels = {node.id: node.label for node in self.nodes}
        out: dict[str, list[WorkflowGraphEdge]] = {}
        for edge in self.edges:
            out.setdefault(edge.source, []).append(edge)
        edges: dict[tuple[str, str], WorkflowGraphEdge] = {}
        for node in kept:
            seen: set[str] = set()
            todo = [(edge, edge.label) for edge in reversed(out.get(node.id, ()))]
            while todo:
                edge, label = todo.pop()
                target = edge.target
                if target in ids:
                    made = WorkflowGraphEdge(source=node.id, target=target, label=label)
                    edges.setdefault((node.id, target), made)
                elif target not in seen and target in labels:
                    seen.add(target)
                    through = label if edge.source != node.id else labels[target]
                    todo += [(after, through) for after in reversed(out.get(target, ()))]
        return self.model_copy(update={"nodes": kept, "edges": list(edges.values())})


def get_workflow_representation(workflow: Workflow | type[Workflow]) -> WorkflowGraph:
    """Return the flow of a workflow: which steps accept and emit which events, and which resources they use.

    Raises:
        WorkflowValidationError: A step's signature cannot be read.
    """
    kind = workflow if isinstance(workflow, type) else type(workflow)
    made = _Graph(definition_of(kind).plan)
    return WorkflowGraph(
        name=kind.__name__,
        nodes=list(made.nodes.values()),
        edges=list(made.edges),
        description=inspect.cleandoc(kind.__doc__) if kind.__doc__ else None,
    )


class _Graph:
    """A collector of the nodes and edges of a table of steps."""

    def __init__(self, table: Plan) -> None:
        self.nodes: dict[str, Any] = {}
        self._edges: dict[tuple[str, str, str | None], None] = {}
        self._table = table
        self._names = _names_of(table)
        for step in table.steps:
            self._add_step(step)
        self._add_exits()
        for step in table.steps:
            self._connect(step)

    @property
    def edges(self) -> Iterator[WorkflowGraphEdge]:
        for source, target, label in self._edges:
            yield WorkflowGraphEdge(source=source, target=target, label=label)

    def _add_exits(self) -> None:
        """Add where the exits of the run lead, as something that may happen at any moment."""
        names = dict[str, str](RUN_EXIT_KEYS.items())
        for exit, signature in zip(self._table.exits, self._table.exit_signatures, strict=True):
            self.nodes.setdefault(MOMENT, WorkflowExternalNode(id=MOMENT, label=MOMENT))
            for event in dict.fromkeys(signature.emissions.events):
                self._add_event(event)
                self._edge(MOMENT, self._names[event], names.get(exit, exit))

    def _edge(self, source: str, target: str, label: str | None = None) -> None:
        self._edges[source, target, label] = None

    def _add_step(self, step: Step) -> None:
        said = inspect.getdoc(step.function)
        self.nodes[step.name] = WorkflowStepNode(id=step.name, label=step.name, description=said)
        for event in (*step.accepts, *step.emits):
            self._add_event(event)
        for asked in step.resources:
            self._add_resource(step.name, asked)

    def _add_event(self, event: EventClass) -> None:
        id = self._names[event]
        if id not in self.nodes:
            self.nodes[id] = WorkflowEventNode(
                id=id,
                label=event_name(event),
                event_type=event_name(event),
                event_types=[
                    event_name(one) for one in event.__mro__ if issubclass(one, Event) and one is not Event
                ]
                or ["Event"],
                event_schema=_schema_of(event),
                produced_by=[step.name for step in self._table.steps if event in step.emits],
            )
        if issubclass(event, InputRequiredEvent | HumanResponseEvent):
            self.nodes.setdefault(EXTERNAL, WorkflowExternalNode(id=EXTERNAL, label=EXTERNAL))

    def _connect(self, step: Step) -> None:
        for event in dict.fromkeys(step.emits):
            self._edge(step.name, self._names[event])
            if issubclass(event, InputRequiredEvent):
                self._edge(self._names[event], EXTERNAL)
        for event in self._taken_by(step):
            self._edge(self._names[event], step.name)
            if issubclass(event, HumanResponseEvent):
                self._edge(EXTERNAL, self._names[event])

    def _taken_by(self, step: Step) -> Iterable[EventClass]:
        if not step.subclasses:
            return step.accepts
        found = [event for event in self._names if step.takes(event)]
        return [event for event in found if event in step.accepts or not issubclass(event, StopEvent)]

    def _add_resource(self, user: str, asked: Request) -> None:
        todo, seen = [(user, asked)], set()
        while todo:
            source, one = todo.pop()
            node = _resource_node(one)
            self.nodes.setdefault(node.id, node)
            self._edge(source, node.id, one.name)
            if node.id not in seen:
                seen.add(node.id)
                todo += [(node.id, need) for need in getattr(one.resource, "needs", ())]


def _names_of(table: Plan) -> dict[EventClass, str]:
    """Return an id for each class of events: its name, with a number if the name is already taken."""
    names: dict[EventClass, str] = {}
    taken = {step.name for step in table.steps} | {EXTERNAL}
    events = [event for step in table.steps for event in (*step.accepts, *step.emits)]
    events += [event for signature in table.exit_signatures for event in signature.emissions.events]
    for event in dict.fromkeys(events):
        name, number = event_name(event), 1
        while (id := name if number == 1 else f"{name}_{number}") in taken:
            number += 1
        taken.add(id)
        names[event] = id
    return names


def _schema_of(event: EventClass) -> dict[str, Any] | None:
    try:
        return event.model_json_schema()
    except Exception:  # a field of a class without a JSON Schema, such as an exception
        return None


def _resource_node(asked: Request) -> WorkflowResourceNode | WorkflowResourceConfigNode:
    resource: AnyResource = asked.resource
    type_name = getattr(asked.type, "__name__", str(asked.type))
    if isinstance(resource, ResourceConfig):
        place = f"{resource.config_file}:{resource.path_selector or ''}"
        return WorkflowResourceConfigNode(
            id=f"resource_config_{_digest(place)}",
            label=resource.label or type_name,
            type_name=type_name,
            config_file=resource.config_file,
            path_selector=resource.path_selector,
            config_schema=asked.type.model_json_schema()
            if hasattr(asked.type, "model_json_schema")
            else None,
            description=resource.description,
        )
    factory = resource._factory
    code = getattr(inspect.unwrap(factory), "__code__", None)
    place = f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""
    place += f" {resource.name} {resource.per or ''}"
    return WorkflowResourceNode(
        id=f"resource_{_digest(place)}",
        label=type_name,
        type_name=type_name,
        getter_name=resource.name,
        source_file=code.co_filename if code is not None else None,
        source_line=code.co_firstlineno if code is not None else None,
        description=inspect.getdoc(factory),
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
