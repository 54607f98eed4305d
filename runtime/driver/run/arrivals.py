"""Events that are sent into a run, by a step of it or from outside, and who takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Arrived
from wfc.runtime.driver.engine.children import parts_of
from wfc.runtime.errors import RunEndedError, UndeclaredResultError, WorkflowStepDoesNotExistError
from wfc.runtime.events import Event, InputRequiredEvent, StopEvent, event_name

if TYPE_CHECKING:
    from wfc.runtime.driver.run import Run
    from wfc.runtime.plan.step import Step

__all__ = ["arrival"]


def arrival(
    run: Run, event: Event, step: str | None, sender: StepRun | None, message_id: str | None
) -> Arrived | None:
    """What an event means to a run; ``None`` if it is nothing to it, or has been given to parts of it.

    Raises:
        UndeclaredResultError: No step accepts it, or the named one does not.
        WorkflowStepDoesNotExistError: There is no step of that name.
        RunEndedError: The run has ended.
    """
    if run.is_done:
        if sender is not None:
            return None  # it is being cancelled
        raise RunEndedError(f"the run {run.run_id} has ended, so it takes no {event_name(event)}")
    if sender is not None and sender.exit is Exit.DROPPED:
        return None  # so is this step run
    if not isinstance(event, Event):
        raise UndeclaredResultError(f"only events can be sent, not {type(event).__name__}")
    target = _target(run, event, step) if step is not None else None
    if target is None and not (
        run.takes(event, sender is None) or isinstance(event, StopEvent | InputRequiredEvent)
    ):
        below = _those_who_take(run, event) if sender is None and run.children else ()
        if not below:
            raise UndeclaredResultError(f"no step accepts {event_name(event)}")
        for part in below:
            part.send(event)
        return None
    return Arrived(event, target, sender.number if sender is not None else None, message_id)


def _target(run: Run, event: Event, step: str) -> Step:
    target = run.execution.plan.by_name.get(step)
    if target is None:
        raise WorkflowStepDoesNotExistError(f"there is no step `{step}`")
    if not target.takes(type(event)):
        raise UndeclaredResultError(f"step `{step}` does not accept {event_name(event)}")
    return target


def _those_who_take(run: Run, event: Event) -> list[Run]:
    """The runs below a run that take an event from outside, where those above them do not."""
    found: list[Run] = []
    for part in parts_of(run):
        found.extend([part] if part.takes(event) else _those_who_take(part, event))
    return found
