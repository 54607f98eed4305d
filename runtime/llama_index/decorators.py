"""``workflows.decorators``: the decorators of steps and of handlers."""

from __future__ import annotations

from wfc.runtime.authoring.decorators import StepFunction, StepGraphCheck, catch_error, step
from wfc.runtime.authoring.table import Step as StepConfig
from wfc.runtime.authoring.table.flow import WorkflowGraphCheck

__all__ = ["StepConfig", "StepFunction", "StepGraphCheck", "WorkflowGraphCheck", "catch_error", "step"]
