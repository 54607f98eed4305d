"""``workflows.workflow``: the class that workflows are derived from, and a metaclass that agents use."""

from __future__ import annotations

from typing import Any

from wfc.runtime.authoring.decorators import StepFunction
from wfc.runtime.workflow import Workflow

__all__ = ["Workflow", "WorkflowMeta"]


class WorkflowMeta(type):
    """A metaclass to combine with pydantic's, from which it hides the steps: they would be taken for fields."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], /, **kwargs: Any) -> Any:
        steps = {key: value for key, value in namespace.items() if isinstance(value, StepFunction)}
        rest = {key: value for key, value in namespace.items() if key not in steps}
        made = super().__new__(mcs, name, bases, rest, **kwargs)
        for key, value in steps.items():
            type.__setattr__(made, key, value)
        return made
