"""``workflows.decorators``: the decorators of steps and of handlers."""

from __future__ import annotations

from wfc.runtime.authoring.decorators import StepFunction, StepGraphCheck, catch_error, step
from wfc.runtime.plan.flow_checks import WorkflowGraphCheck
from wfc.runtime.plan.step import Step as StepConfig

__all__ = ["StepConfig", "StepFunction", "StepGraphCheck", "WorkflowGraphCheck", "catch_error", "step"]
