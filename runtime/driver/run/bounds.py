"""Bounds that are worked out when a run starts, from its inputs and config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wfc.runtime.authoring.injection import CallingRun
from wfc.runtime.core.execution import NONE
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.errors import ExpressionError, SettingsError

__all__ = ["bounds_at_start"]


def bounds_at_start(run: CallingRun) -> tuple[Mapping[int, int], Mapping[tuple[str, int], float]]:
    """Return the ``max_runs`` of the steps that compute it, by step index, and the run's other bounds.

    Raises:
        ExpressionError: A bound cannot be computed, or is out of its range.
        SettingsError: The config cannot be read.
    """
    plan, inputs = run.execution.plan, run.execution.inputs
    try:
        limits: dict[int, int] = {
            step.index: step.max_runs(run, StepRun(0, step, inputs, None, ()), None)
            for step in (plan.steps if plan.has_limits else ())
            if callable(step.max_runs)
        }
    except SettingsError:
        raise
    except Exception as error:
        raise ExpressionError(f"a bound on step runs cannot be computed: {error}") from error
    work_out: Any = run.workflow._wfc.run_rules.bounds
    return limits or NONE, work_out(run) if work_out is not None else NONE
