"""The exits of a run: what they give, and what its watchers are told of that."""

from __future__ import annotations

from typing import Protocol

from wfc.runtime.authoring.injection import CallingRun
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Cancelled, RunExitTaken, Tick
from wfc.runtime.driver.run.step_runs import expression_error
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.errors import StepFailedError
from wfc.runtime.errors.raised import step_error
from wfc.runtime.events import ErrorHandled, Event, event_name
from wfc.runtime.plan.run_rules import RUN_EXIT_KEYS, RunExit
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.values.drafts import changes_in, draft_of

__all__ = ["take_exit"]


class LeavingRun(CallingRun, Protocol):
    """The interface of a run that takes its exits."""

    @property
    def watchers(self) -> Watchers:
        """The run's watchers."""


def take_exit(run: LeavingRun, way: RunExit) -> Tick:
    """Return the value of an exit of a run; if the run ends well by it or goes on, tell its watchers."""
    execution = run.execution
    failing = execution.failing
    assert failing is not None
    leaving = StepRun(0, execution.plan.steps[0], execution.inputs, None, ())
    error = leaving.error = failing.error if isinstance(failing, StepFailedError) else step_error(failing)
    draft = leaving.draft = draft_of(execution.state)
    if CRASHES:
        reach("exit")
    try:
        emitted = execution.plan.exits[way](run, leaving, None)
    except Exception as raised:
        failed = expression_error(raised)
        failed.__cause__ = raised
        return Cancelled(failed)
    if isinstance(emitted, Event):
        run.watchers.publish(
            ErrorHandled(
                step=failing.step if isinstance(failing, StepFailedError) else "",
                name=error.name,
                message=error.message,
                attempts=failing.attempt if isinstance(failing, StepFailedError) else 0,
                goes_to=[event_name(emitted)],
                exit=RUN_EXIT_KEYS[way],
            )
        )
    return RunExitTaken(emitted, changes_in(draft, execution.state))
