"""The functions of llama-index-utils-workflow that draw workflows and runs."""

from __future__ import annotations

from pathlib import Path

from wfc.runtime.drawing.executions import execution_graph, execution_of
from wfc.runtime.drawing.graph import Graph
from wfc.runtime.drawing.rendering import render
from wfc.runtime.drawing.representation import get_workflow_representation
from wfc.runtime.drawing.workflows import nested_representation, workflow_graph
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.workflow import Workflow

__all__ = [
    "draw_all_possible_flows",
    "draw_all_possible_flows_dot",
    "draw_all_possible_flows_mermaid",
    "draw_most_recent_execution",
    "draw_most_recent_execution_dot",
    "draw_most_recent_execution_mermaid",
]


def draw_all_possible_flows(
    workflow: Workflow | type[Workflow],
    filename: str = "workflow_all_flows.html",
    notebook: bool = False,
    max_label_length: int | None = None,
    include_child_workflows: bool = True,
) -> None:
    """Write an HTML page with the possible flows of a workflow.

    Args:
        notebook: Has no effect: ``IPython.display.HTML(filename=…)`` shows the page in a notebook.
        max_label_length: Longer names are cut; ``None``: none are.
        include_child_workflows: Whether to draw the workflows that steps start, inside.
    """
    _write(filename, render(_flows(workflow, max_label_length, include_child_workflows), "html"))


def draw_all_possible_flows_mermaid(
    workflow: Workflow | type[Workflow],
    filename: str = "workflow_all_flows.mermaid",
    max_label_length: int | None = None,
    include_child_workflows: bool = True,
) -> str:
    """Return a workflow's possible flows for Mermaid; write them to a file if ``filename`` is not empty."""
    return _write(filename, render(_flows(workflow, max_label_length, include_child_workflows), "mermaid"))


def draw_all_possible_flows_dot(
    workflow: Workflow | type[Workflow],
    filename: str = "workflow_all_flows.dot",
    max_label_length: int | None = None,
    include_child_workflows: bool = True,
) -> str:
    """Return a workflow's possible flows for Graphviz; write them to a file if ``filename`` is not empty."""
    return _write(filename, render(_flows(workflow, max_label_length, include_child_workflows), "dot"))


def draw_most_recent_execution(
    handler: WorkflowHandler,
    filename: str = "workflow_recent_execution.html",
    notebook: bool = False,
    max_label_length: int | None = None,
) -> None:
    """Write a page with what has happened in a run; ``record_executions`` must have been called before it started.

    Args:
        notebook: Has no effect, see ``draw_all_possible_flows``.

    Raises:
        WorkflowRuntimeError: The run was not recorded.
    """
    _write(filename, render(execution_graph(execution_of(handler), max_label_length), "html"))


def draw_most_recent_execution_mermaid(
    handler: WorkflowHandler,
    filename: str = "workflow_recent_execution.mermaid",
    max_label_length: int | None = None,
) -> str:
    """Return what has happened in a run, for Mermaid, and write it to a file if ``filename`` is not empty.

    Raises:
        WorkflowRuntimeError: The run was not recorded.
    """
    return _write(filename, render(execution_graph(execution_of(handler), max_label_length), "mermaid"))


def draw_most_recent_execution_dot(
    handler: WorkflowHandler,
    filename: str = "workflow_recent_execution.dot",
    max_label_length: int | None = None,
) -> str:
    """Return what has happened in a run, for Graphviz, and write it to a file if ``filename`` is not empty.

    Raises:
        WorkflowRuntimeError: The run was not recorded.
    """
    return _write(filename, render(execution_graph(execution_of(handler), max_label_length), "dot"))


def _flows(workflow: Workflow | type[Workflow], max_label_length: int | None, nested: bool) -> Graph:
    graph = nested_representation(workflow) if nested else get_workflow_representation(workflow)
    return workflow_graph(graph, max_label_length)


def _write(filename: str, text: str) -> str:
    if filename:
        Path(filename).write_text(text, encoding="utf-8")
    return text
