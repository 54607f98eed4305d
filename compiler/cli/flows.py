"""The flow of a checked workflow with those of all that it may come to run, as `wfc graph` and editors draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wfc.compiler.model import Workflow
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.project import Project, Unit

if TYPE_CHECKING:
    from wfc.compiler.yaml import Document

__all__ = ["flow_in", "places_of"]


def flow_in(project: Project, path: str, workflow: Workflow) -> dict[str, Any] | None:
    """Return the flow of the workflow of a file.

    Args:
        project: With which it was checked.
    """
    from wfc.compiler.draw.opened import opened_graph

    def known(name: str) -> tuple[Workflow, Document] | None:
        where = project.path_of(name, path)
        found = None if where is None else project.unit(where)
        if where is None or not isinstance(found, Unit):
            return None
        called = check_text(found.document.text.encode("utf-8", "replace"), where, project)
        return None if called.failed or called.workflow is None else (called.workflow, found.document)

    unit = project.units.get(path)
    return None if unit is None else opened_graph(workflow, unit.document, known)


def places_of(flow: dict[str, Any]) -> dict[str, str]:
    """Return the paths of the workflows in a flow, by their names."""
    return {name: each["path"] for name, each in ((flow["title"], flow), *flow["inside"].items())}
