"""``workflows.utils``: the steps of a class, for programs that list or draw them."""

from __future__ import annotations

from typing import Any

from wfc.runtime.authoring.decorators import StepFunction
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.workflow import Workflow

__all__ = ["get_steps_from_class", "get_steps_from_instance", "is_free_function"]


def get_steps_from_class(_class: type[Workflow]) -> dict[str, StepFunction[Any, Any]]:
    """Return the steps of a class as they are written, by name."""
    return definition_of(_class).steps()


def get_steps_from_instance(workflow: Workflow) -> dict[str, StepFunction[Any, Any]]:
    """Return the steps of a workflow as they are written, by name."""
    return definition_of(type(workflow)).steps()


def is_free_function(qualname: str) -> bool:
    """Return whether a qualified name is of a function that belongs to no class."""
    *_, owner, _ = ("<locals>", *qualname.split("."))
    return owner == "<locals>"
