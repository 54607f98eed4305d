"""Pauses as they begin: what a step waits for, checked, and for how long."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from wfc.runtime.authoring.injection import CallingRun
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Paused
from wfc.runtime.errors import ExpressionError, StepError, WorkflowValidationError
from wfc.runtime.plan.pauses import (
    LONGEST_WAIT,
    Delay,
    Items,
    Outside,
    PauseValue,
    Question,
    Until,
    seconds_of,
)
from wfc.runtime.plan.step import Step
from wfc.runtime.values.choices import field_without_choices
from wfc.runtime.values.spans import span

__all__ = ["begin_pause", "join_not_in_time", "not_in_time"]


class PausingRun(CallingRun, Protocol):
    """The part of a run that the beginning of a pause uses."""

    def clock(self) -> datetime:
        """Return the time, in UTC."""


async def begin_pause(run: PausingRun, step_run: StepRun) -> Paused:
    """Evaluate what a step waits for; return the tick of the beginning of its pause.

    Raises:
        Exception: Its inputs cannot be evaluated, or it returned nothing that it could wait for.
    """
    step = step_run.step
    assert step.action is not None
    value = step.action(run, step_run, None)
    if inspect.isawaitable(value):
        value = await value
    step_run.called = True
    if run.execution.bounds:
        value = bounded(step, value, run.execution.bounds)
    check_pause(step, value)
    now = run.clock()
    return Paused(step_run.number, value, now, longest_wait(step, value, now))


def check_pause(step: Step, value: object) -> None:
    """Check that a value returned by a step is one that the step may pause for.

    Raises:
        WorkflowValidationError: The step does not declare such a value.
        ExpressionError: The value is not a time that can be waited for, or leaves a person nothing to choose from.
        StepError: There are more items than allowed.
    """
    if not isinstance(value, step.pauses):
        names = " | ".join(kind.__name__ for kind in step.pauses)
        raise WorkflowValidationError(
            f"step `{step.name}` returned a value of type {type(value).__name__}, but declares {names}"
        )
    if isinstance(value, Question):
        if value.choices:
            _check_choices(step, value)
        if value.remind is not None:
            _check_reminder(value.remind)
    if isinstance(value, Delay):
        _check_length(value.seconds)
    if isinstance(value, Until):
        _check_moment(value.moment)
    if isinstance(value, Items) and value.most is not None and len(value.items) > value.most:
        raise StepError("items", f"there are {len(value.items)} items, and {value.most} at most are allowed")


def bounded(step: Step, value: object, bounds: Mapping[tuple[str, int], float]) -> object:
    """Return what a step pauses for, with the bounds that were worked out when the run started."""
    quorum, items = bounds.get(("quorum", step.index)), bounds.get(("items", step.index))
    if isinstance(value, Question) and quorum is not None:
        return replace(value, quorum=int(quorum))
    if isinstance(value, Items) and items is not None:
        return replace(value, most=int(items))
    return value


def _check_choices(step: Step, question: Question[Any]) -> None:
    try:
        empty = field_without_choices(question.form, question.choices)
    except (AttributeError, KeyError):
        raise WorkflowValidationError(
            f"step `{step.name}` gives choices for a field that its form does not have"
        ) from None
    if empty is not None:
        raise ExpressionError(f"nobody can answer `{empty}`: there is nothing to choose from")


def _check_length(length: timedelta | float) -> None:
    seconds = seconds_of(length)
    if not math.isfinite(seconds) or (isinstance(length, timedelta) and seconds < 0):
        raise ExpressionError(f"nobody can wait for {span(seconds)}")
    if isinstance(length, timedelta) and length > LONGEST_WAIT:
        raise ExpressionError(f"a wait of {length.days} days is longer than ten years")


def _check_reminder(length: timedelta | float) -> None:
    _check_length(length)
    if seconds_of(length) < 1:
        raise ExpressionError(f"nobody can be reminded every {span(seconds_of(length))}")


def _check_moment(moment: datetime) -> None:
    if moment.tzinfo is None:
        raise ExpressionError(f"the moment to wait for has no offset: {moment.isoformat()}")


def longest_wait(step: Step, value: PauseValue, now: datetime) -> float | None:
    """Return the seconds after which a pause ends at the latest; ``None``: it has no bound.

    Of the step's own bound and those that the value brings, the earliest counts.

    Raises:
        ExpressionError: A bound is not a time that can be waited for.
    """
    found = [] if step.bound is None else [step.bound]
    if isinstance(value, Question | Outside):
        if value.within is not None:
            _check_length(value.within)
            found.append(seconds_of(value.within))
        if value.until is not None:
            _check_moment(value.until)
            found.append(max(0.0, (value.until - now).total_seconds()))
    return min(found, default=None)


def not_in_time(step: Step) -> str:
    """Return a sentence about a pause that took too long."""
    bound = "in time" if step.bound is None else f"within {span(step.bound)}"
    return f"what it waited for did not come {bound}"


def join_not_in_time(within: float | None) -> str:
    """Return a sentence about a join that took too long."""
    bound = "in time" if within is None or math.isinf(within) else f"within {span(within)}"
    return f"its join did not get all events {bound}"
