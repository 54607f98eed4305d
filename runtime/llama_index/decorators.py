"""The decorators of steps and of handlers, where llama-index-workflows has them."""

from wfc.runtime.authoring.decorators import StepFunction, StepGraphCheck, catch_error, step
from wfc.runtime.authoring.table.flow import WorkflowGraphCheck

__all__ = ["StepFunction", "StepGraphCheck", "WorkflowGraphCheck", "catch_error", "step"]
