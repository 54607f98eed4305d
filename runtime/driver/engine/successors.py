"""What a workflow has become in another version: one of its name, or one that says that it had that name."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, Protocol

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.errors import RunUnknownError

__all__ = ["former_names", "successor"]

FORMER: Final = "workflow."
"""How the key of a workflow's former name begins, among what a spec says has moved."""


class Known(Protocol):
    """The workflows that an engine knows."""

    def workflow(self, name: str, beside: type[Any] | None = None, version: str = "") -> StartableWorkflow:
        """Return the workflow of a name."""

    def workflows(self, version: str = "") -> list[StartableWorkflow]:
        """Return the workflows that were added."""

    def version_of(self, workflow: Any) -> str:
        """Return what the code of a workflow is known by; empty if nobody has said it."""


def successor(engine: Known, name: str, version: str = "") -> StartableWorkflow:
    """Return what a workflow has become in a version.

    Args:
        version: What its code is known by; empty: the first that was added.

    Raises:
        RunUnknownError: There is nothing of it in that version.
    """
    with suppress(RunUnknownError):
        found = engine.workflow(name, version=version)
        if version in ("", engine.version_of(found)):
            return found
    owner, dot, part = name.partition(".")
    for workflow in engine.workflows(version):
        if owner in former_names(workflow):
            return engine.workflow(f"{workflow._wfc.name}{dot}{part}", version=version)
    raise RunUnknownError(f"there is no workflow `{name}` in the new version")


def former_names(workflow: StartableWorkflow) -> list[str]:
    """Return the names that a workflow has had."""
    moved = definition_of(type(workflow)).moved
    return [
        old.removeprefix(FORMER)
        for old, now in moved.items()
        if old.startswith(FORMER) and now == workflow._wfc.name
    ]
