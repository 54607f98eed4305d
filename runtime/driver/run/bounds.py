"""Bounds that are worked out when a run starts, from its inputs and config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from wfc.runtime.authoring.injection import CallingRun
from wfc.runtime.core.execution import NONE, OF_RUN
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.errors import ExpressionError, SettingsError, WorkflowError

__all__ = ["BoundsAtStart", "bound_on_runs", "take_bounds"]

BoundsAtStart = tuple[Mapping[int, int], Mapping[tuple[str, int], float]]
"""The ``max_runs`` of the steps that compute it, by step index, and the run's other bounds."""


class BoundedRun(CallingRun, Protocol):
    """The interface of a run whose bounds are worked out."""

    bounds: Mapping[tuple[str, int], float]
    bounds_ahead: BoundsAtStart | WorkflowError | None
    has_bounds: bool


def bound_on_runs(run: BoundedRun, declared: float | None) -> float | None:
    """Return how many runs there may be at once, before this run starts.

    What is worked out for that is kept for ``take_bounds``. If it cannot be, the run is to fail when it starts.
    """
    known = run.bounds
    if not run.has_bounds:
        if run.bounds_ahead is None:
            try:
                run.bounds_ahead = _work_out(run)
            except WorkflowError as error:
                run.bounds_ahead = error
        known = NONE if isinstance(run.bounds_ahead, WorkflowError) else run.bounds_ahead[1]
    return known.get(("concurrent_runs", OF_RUN), declared)


def take_bounds(run: BoundedRun) -> BoundsAtStart:
    """Return the bounds with which a run starts, worked out once for each start.

    Raises:
        ExpressionError: A bound cannot be computed, or is out of its range.
        SettingsError: The config cannot be read.
    """
    if not run.execution.plan.has_bounds_at_start:
        return NONE, NONE
    ahead, run.bounds_ahead = run.bounds_ahead, None
    if isinstance(ahead, WorkflowError):
        raise ahead
    return ahead or _work_out(run)


def _work_out(run: CallingRun) -> BoundsAtStart:
    plan, inputs = run.execution.plan, run.execution.inputs
    if not plan.has_bounds_at_start:
        return NONE, NONE
    try:
        limits: dict[int, int] = {
            step.index: step.max_runs(run, StepRun(0, step, inputs, None, ()), None)
            for step in plan.steps
            if callable(step.max_runs)
        }
    except SettingsError:
        raise
    except Exception as error:
        raise ExpressionError(f"a bound on step runs cannot be computed: {error}") from error
    work_out: Any = run.workflow._wfc.run_rules.bounds
    return limits or NONE, work_out(run) if work_out is not None else NONE
