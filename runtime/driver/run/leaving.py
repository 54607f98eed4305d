"""A run's exits, taken: the driver calls them, and a tick says what they gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Cancelled, RunExitTaken, Tick
from wfc.runtime.driver.about import no_value
from wfc.runtime.errors import StepFailedError, step_error
from wfc.runtime.plan.run_rules import RunExit

if TYPE_CHECKING:
    from wfc.runtime.driver.run import Run

__all__ = ["left_by"]


def left_by(run: Run, way: RunExit) -> Tick:
    """What an exit of the run says."""
    execution = run.execution
    failing = execution.failing
    assert failing is not None
    leaving = StepRun(0, execution.plan.steps[0], execution.inputs, None, ())
    leaving.error = failing.error if isinstance(failing, StepFailedError) else step_error(failing)
    try:
        return RunExitTaken(execution.plan.exits[way](run, leaving, None))
    except Exception as error:
        failed = no_value(error)
        failed.__cause__ = error
        return Cancelled(failed)
