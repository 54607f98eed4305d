"""Pictures of workflows and of runs: a page of HTML that loads nothing, Mermaid, and Graphviz' language.

``draw_all_possible_flows`` and ``draw_most_recent_execution`` are called as those of llama-index-utils-workflow.
"""

from __future__ import annotations

from pathlib import Path

from wfc.runtime.drawing.executions import (
    EventSeen,
    RecordedExecution,
    StepSeen,
    execution_of,
    execution_picture,
    record_executions,
)
from wfc.runtime.drawing.flows import nested_representation, picture_of
from wfc.runtime.drawing.picture import Picture
from wfc.runtime.drawing.representation import get_workflow_representation
from wfc.runtime.drawing.texts import as_dot, as_mermaid
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.workflow import Workflow

__all__ = [
    "EventSeen",
    "RecordedExecution",
    "StepSeen",
    "draw_all_possible_flows",
    "draw_all_possible_flows_dot",
    "draw_all_possible_flows_mermaid",
    "draw_most_recent_execution",
    "draw_most_recent_execution_dot",
    "draw_most_recent_execution_mermaid",
    "execution_of",
    "execution_picture",
    "record_executions",
]


def draw_all_possible_flows(
    workflow: Workflow | type[Workflow],
    filename: str = "workflow_all_flows.html",
    notebook: bool = False,
    max_label_length: int | None = None,
    include_child_workflows: bool = True,
) -> None:
    """Writes a page with all that may happen in a workflow.

    Args:
        notebook: Changes nothing: ``IPython.display.HTML(filename=…)`` shows the page in a notebook.
        max_label_length: Longer names are cut; ``None``: none are.
        include_child_workflows: Whether to draw the workflows that steps start, inside.
    """
    from wfc.runtime.drawing.page import as_page

    _write(filename, as_page(_flows(workflow, max_label_length, include_child_workflows)))


def draw_all_possible_flows_mermaid(
    workflow: Workflow | type[Workflow],
    filename: str = "workflow_all_flows.mermaid",
    max_label_length: int | None = None,
    include_child_workflows: bool = True,
) -> str:
    """All that may happen in a workflow, for Mermaid; written to a file if ``filename`` is not empty."""
    return _write(filename, as_mermaid(_flows(workflow, max_label_length, include_child_workflows)))


def draw_all_possible_flows_dot(
    workflow: Workflow | type[Workflow],
    filename: str = "workflow_all_flows.dot",
    max_label_length: int | None = None,
    include_child_workflows: bool = True,
) -> str:
    """All that may happen in a workflow, for Graphviz; written to a file if ``filename`` is not empty."""
    return _write(filename, as_dot(_flows(workflow, max_label_length, include_child_workflows)))


def draw_most_recent_execution(
    handler: WorkflowHandler,
    filename: str = "workflow_recent_execution.html",
    notebook: bool = False,
    max_label_length: int | None = None,
) -> None:
    """Writes a page with what has happened in a run; ``record_executions`` must have been called before it started.

    Args:
        notebook: Changes nothing, see ``draw_all_possible_flows``.

    Raises:
        WorkflowRuntimeError: The run was not recorded.
    """
    from wfc.runtime.drawing.page import as_page

    _write(filename, as_page(execution_picture(execution_of(handler), max_label_length)))


def draw_most_recent_execution_mermaid(
    handler: WorkflowHandler,
    filename: str = "workflow_recent_execution.mermaid",
    max_label_length: int | None = None,
) -> str:
    """What has happened in a run, for Mermaid; written to a file if ``filename`` is not empty.

    Raises:
        WorkflowRuntimeError: The run was not recorded.
    """
    return _write(filename, as_mermaid(execution_picture(execution_of(handler), max_label_length)))


def draw_most_recent_execution_dot(
    handler: WorkflowHandler,
    filename: str = "workflow_recent_execution.dot",
    max_label_length: int | None = None,
) -> str:
    """What has happened in a run, for Graphviz; written to a file if ``filename`` is not empty.

    Raises:
        WorkflowRuntimeError: The run was not recorded.
    """
    return _write(filename, as_dot(execution_picture(execution_of(handler), max_label_length)))


def _flows(workflow: Workflow | type[Workflow], max_label_length: int | None, nested: bool) -> Picture:
    graph = nested_representation(workflow) if nested else get_workflow_representation(workflow)
    return picture_of(graph, max_label_length)


def _write(filename: str, text: str) -> str:
    if filename:
        Path(filename).write_text(text, encoding="utf-8")
    return text
