"""Where a run may halt: before and after its steps, and within the agents that its steps let work."""

from __future__ import annotations

from typing import Any, Protocol

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run.children import Parent
from wfc.runtime.errors import WorkflowStepDoesNotExistError

__all__ = ["PlacedRun", "check_place", "is_at", "paused_above", "place_of"]


class PlacedRun(Protocol):
    """The interface of a run whose step runs have a place."""

    @property
    def execution(self) -> Execution:
        """The run's state of execution, as data."""

    @property
    def above(self) -> PlacedRun | None:
        """The run that this one is a part of."""

    @property
    def parent(self) -> Parent | None:
        """The step run that has started this run, if it is not on its own."""


def place_of(run: PlacedRun, step_run: StepRun) -> str:
    """Return the place of a step run, as seen from the run at the top; empty for one that nobody halts at."""
    execution = run.execution
    places = execution.plan.places
    if places is None:
        return step_run.step.name
    own = places.of(step_run.step.name, step_run.event, execution.state)
    above, calling = run.above, paused_above(run)
    if not own or above is None or calling is None:
        return own
    return f"{place_of(above, calling)}/{own}"


def paused_above(run: PlacedRun) -> StepRun | None:
    """Return the step run above that has paused for a run; ``None``: there is none, or a body has started it."""
    if run.above is None or run.parent is None:
        return None
    pause = run.above.execution.paused.get(run.parent.number)
    return None if pause is None else pause.run


def is_at(wanted: str, place: str) -> bool:
    """Return whether a place is one that is wanted: ``settle/turn/refund`` is so in each turn."""
    if wanted == place:
        return True
    if "/" not in wanted or not place:
        return False
    there, here = wanted.split("/"), place.split("/")
    return len(there) == len(here) and all(
        one == other or (one == "turn" and other.startswith("turn "))
        for one, other in zip(there, here, strict=True)
    )


def check_place(workflow: type[Any], place: str) -> None:
    """Check a place to halt at in the runs of a workflow, such as ``settle`` or ``settle/turn 3/refund``.

    Raises:
        WorkflowStepDoesNotExistError: There is none.
    """
    definition = definition_of(workflow)
    plan = definition.plan
    step, _, beneath = place.partition("/")
    if step not in plan.by_name:
        steps = ", ".join(f"`{each}`" for each in list(plan.by_name)[:20])
        raise WorkflowStepDoesNotExistError(f"there is no step `{step}`; there are {steps}")
    if "/" not in place:
        return
    every = [definition_of(part).places for part in definition.parts]
    problems = [one.problem(beneath) for one in every if one is not None]
    if not problems:
        raise WorkflowStepDoesNotExistError(f"there is no place `{place}`: no step here lets an agent work")
    if all(problems):
        raise WorkflowStepDoesNotExistError(f"there is no place `{place}`: {problems[0]}")
