"""A workflow's flow as data, beside what llama-index-workflows makes of the same source."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from wfc.runtime import Event, RunState, StartEvent, StopEvent, Workflow, run_cancel, step, transform
from wfc.runtime.authoring.resource import Resource, ResourceConfig
from wfc.runtime.drawing.representation import (
    WorkflowEventNode,
    WorkflowGenericNode,
    WorkflowGraph,
    WorkflowGraphEdge,
    WorkflowResourceConfigNode,
    WorkflowResourceNode,
    WorkflowStepNode,
    get_workflow_representation,
)

SOURCE = '''
from typing import Annotated

class Begun(StartEvent):
    """Begins."""
    name: str

class Part(Event):
    n: int = 0

class SpecialPart(Part):
    pass

class Done(Event):
    pass

class Asked(InputRequiredEvent):
    pass

class Told(HumanResponseEvent):
    pass

class Ended(StopEvent):
    text: str = ""

def inner() -> int:
    """The inner one."""
    return 1

def outer(one: Annotated[int, Resource(inner)]) -> str:
    return "x"

class Flow(Workflow):
    """A flow
    of events."""

    @step
    async def begin(self, ctx: Context, ev: Begun, tool: Annotated[str, Resource(outer)]) -> list[Part] | SpecialPart:
        """Begins it."""

    @step(accept_event_subclasses=True)
    async def work(self, ev: Part, tool: Annotated[str, Resource(outer)]) -> Done | None:
        ...

    @step
    async def gather(self, evs: list[Done]) -> Asked:
        ...

    @step
    async def end(self, ev: Told) -> Ended:
        ...

graph = get_workflow_representation(Flow).model_dump()
'''

OURS = """
from wfc.runtime import *
from wfc.runtime.authoring.resource import Resource
from wfc.runtime.drawing.representation import get_workflow_representation
"""

THEIRS = """
from workflows import Context, Workflow, step
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent
from workflows.resource import Resource
from workflows.representation import get_workflow_representation
"""


def made_by(imports: str, folder: Path) -> dict[str, Any]:
    """The representation that one of the packages makes, in a process of its own."""
    program = folder / "flow.py"
    program.write_text(f"import json\n{imports}{SOURCE}\nprint(json.dumps(graph))\n")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def in_order(graph: dict[str, Any]) -> dict[str, Any]:
    """A graph without what the packages are free in: order, ids of resources, and how schemas name things."""
    names = {
        node["id"]: f"resource {node['getter_name']}" if node["node_type"] == "resource" else node["id"]
        for node in graph["nodes"]
    }
    nodes = []
    for node in graph["nodes"]:
        told = {key: value for key, value in node.items() if key not in {"event_schema", "source_line"}}
        if node["node_type"] == "event":
            told["properties"] = sorted((node["event_schema"] or {}).get("properties", {}))
            told["produced_by"] = sorted(node["produced_by"])
        nodes.append({**told, "id": names[node["id"]]})
    edges = [[names[edge["source"]], names[edge["target"]], edge["label"]] for edge in graph["edges"]]
    return {
        **graph,
        "nodes": sorted(nodes, key=lambda node: str(node["id"])),
        "edges": sorted(edges, key=str),
    }


def test_it_is_what_llama_index_workflows_makes_of_the_same_source(tmp_path: Path) -> None:
    pytest.importorskip("workflows")
    ours, theirs = in_order(made_by(OURS, tmp_path)), in_order(made_by(THEIRS, tmp_path))
    assert ours["nodes"] == theirs["nodes"]
    assert ours["edges"] == theirs["edges"]
    assert ours == theirs


class Limits(BaseModel):
    most: int = 3


class Begun(StartEvent):
    pass


def get_tool() -> str:
    """Makes it."""
    return "tool"


class WithResources(Workflow):
    @step
    async def only(
        self,
        ev: Begun,
        tool: Annotated[str, Resource(get_tool)],
        limits: Annotated[Limits, ResourceConfig("limits.json", "a.b", "Bounds", "How much")],
    ) -> StopEvent:
        return StopEvent()


def test_resources_tell_where_they_come_from_and_configs_are_not_read() -> None:
    nodes = get_workflow_representation(WithResources()).nodes
    (tool,) = (node for node in nodes if isinstance(node, WorkflowResourceNode))
    assert (tool.label, tool.getter_name, tool.description) == ("str", "get_tool", "Makes it.")
    assert tool.source_file == __file__ and tool.source_line is not None
    (config,) = (node for node in nodes if isinstance(node, WorkflowResourceConfigNode))
    assert (config.label, config.config_file, config.path_selector) == ("Bounds", "limits.json", "a.b")
    assert config.config_value is None and config.config_schema == Limits.model_json_schema()


class State(RunState):
    count: int = 0


class Counted(Event, closed=True, name="counted"):
    count: int


class Generated(Workflow, name="generated"):
    """As the compiler prints it."""

    @transform
    def begin(self, state: State, ev: Begun) -> Counted:
        return Counted(count=1)

    @step(name="end")
    async def end_(self, ev: Counted) -> str:
        return ""

    @end_.then
    def after_end(self, ev: Counted, result: str) -> StopEvent | Counted:
        return StopEvent()


def test_tails_and_names_of_generated_classes_are_read() -> None:
    graph = get_workflow_representation(Generated)
    assert [(node.id, node.node_type) for node in graph.nodes] == [
        *[("begin", "step"), ("Begun", "event"), ("counted", "event")],
        *[("end", "step"), ("StopEvent", "event")],
    ]
    assert {(edge.source, edge.target) for edge in graph.edges} == {
        *[("Begun", "begin"), ("begin", "counted"), ("counted", "end")],
        *[("end", "StopEvent"), ("end", "counted")],
    }


def test_it_goes_through_json_and_back() -> None:
    graph = get_workflow_representation(WithResources)
    assert WorkflowGraph.model_validate_json(graph.model_dump_json()) == graph


def test_edges_lead_on_through_nodes_that_are_left_out() -> None:
    graph = get_workflow_representation(Generated).filter_by_node_type("event")
    assert [node.id for node in graph.nodes] == ["begin", "end"]
    assert [(edge.source, edge.target, edge.label) for edge in graph.edges] == [
        ("begin", "end", "counted"),
        ("end", "end", "counted"),
    ]


def test_left_out_nodes_in_a_circle_come_to_an_end() -> None:
    nodes = [WorkflowGenericNode(id=one, label=one, node_type="odd") for one in "ab"]
    ends = [WorkflowStepNode(id=one, label=one) for one in "xy"]
    ways = ["xa", "ab", "ba", "by", "aa"]
    graph = WorkflowGraph(
        name="circle",
        nodes=[*nodes, *ends],
        edges=[WorkflowGraphEdge(source=one, target=other) for one, other in ways],
    )
    found = graph.filter_by_node_type("odd")
    assert [(edge.source, edge.target, edge.label) for edge in found.edges] == [("x", "y", "a")]


def test_labels_can_be_cut_and_classes_asked_for() -> None:
    node = WorkflowEventNode(
        id="a", label="LongName", event_type="LongName", event_types=["LongName", "StopEvent"]
    )
    assert (node.truncated_label(8), node.truncated_label(5)) == ("LongName", "Long*")
    assert node.is_subclass_of("Other", "StopEvent") and not node.is_subclass_of("Other")


def test_two_classes_of_one_name_are_two_nodes() -> None:
    def other() -> type[Event]:
        class Counted(Event, name="counted"):
            pass

        return Counted

    twin = other()

    class Twins(Workflow):
        @step
        async def begin(self, ev: Begun) -> Counted | twin:  # type: ignore[valid-type]
            return twin()

        @step
        async def end(self, ev: Counted | twin) -> StopEvent:  # type: ignore[valid-type]
            return StopEvent()

    events = [
        node for node in get_workflow_representation(Twins).nodes if isinstance(node, WorkflowEventNode)
    ]
    assert [(node.id, node.label) for node in events if node.label == "counted"] == [
        ("counted", "counted"),
        ("counted_2", "counted"),
    ]


def test_the_exits_of_a_run_are_drawn_as_what_may_happen_at_any_moment() -> None:
    class Asked(StartEvent):
        pass

    class Undo(Event):
        pass

    class Ended(StopEvent):
        pass

    class Saga(Workflow):
        @step
        async def work(self, event: Asked) -> Ended:
            return Ended()

        @step
        async def undo(self, event: Undo) -> Ended:
            return Ended()

        @run_cancel
        def stopped(self) -> Undo | Ended:
            return Undo()

    graph = get_workflow_representation(Saga)
    drawn = {(edge.source, edge.target, edge.label) for edge in graph.edges}
    assert {
        ("at any moment", "Undo", "on_cancel"),
        ("at any moment", "Ended", "on_cancel"),
        ("Undo", "undo", None),
    } <= drawn
