"""Restart of a run under its own id: nothing of its past is kept but what has come from outside."""

from __future__ import annotations

from wfc.runtime.core.advance.releasing import drop_all
from wfc.runtime.core.effects import StartAgain
from wfc.runtime.core.execution import Execution
from wfc.runtime.events import StartEvent

__all__ = ["Restarting", "restart"]


class Restarting(Exception):  # noqa: N818 - no error: it unwinds what has no meaning any more
    """Signal from a step, or from an exit of the run, that the run restarts."""

    def __init__(self, event: StartEvent) -> None:
        self.event = event


def restart(execution: Execution, event: StartEvent) -> None:
    """Discard all that is under way; the numbers of step runs continue, so that their keys stay unique."""
    drop_all(execution)
    execution.begin(execution.plan.new_state())
    execution.inputs = execution.to_begin = event
    execution.deadline = execution.deadline_left = None
    execution.want(StartAgain())
