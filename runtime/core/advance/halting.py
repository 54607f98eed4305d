"""Halts at breakpoints, for which a run's deadline stands still."""

from __future__ import annotations

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Continued, Halted

__all__ = ["deadline_continued", "deadline_halted"]


def deadline_halted(execution: Execution, _: Halted) -> None:
    """Let a run's deadline stand still."""
    if execution.deadline is not None:
        execution.deadline_left = max(0, execution.deadline - execution.at)
        execution.deadline = None


def deadline_continued(execution: Execution, _: Continued | None = None) -> None:
    """Let what is left until a run's deadline count from now on."""
    if execution.deadline_left is not None:
        execution.deadline = execution.at + execution.deadline_left
        execution.deadline_left = None
