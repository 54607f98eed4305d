"""The step that an agent is the action of, in the run above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wfc.runtime.driver.context import Context
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.step_runs import unmet_requirements

__all__ = ["unmet_by"]


def unmet_by(ctx: Context[Any]) -> Callable[[Any], Sequence[str]]:
    """Return what tells the requirements of that step that an answer does not meet; none, if there is no such step."""
    run = ctx._run
    assert isinstance(run, Run)
    above, parent = run.above, run.parent
    if above is None or parent is None or parent.number not in above.execution.paused:
        return lambda _: ()
    step_run = above.execution.paused[parent.number].run
    return lambda answer: unmet_requirements(above, step_run, answer)
