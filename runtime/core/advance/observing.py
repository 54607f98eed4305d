"""Notifications for observers of a run's internals. None are created while nobody observes the run."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.effects import NotifyObservers
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.events import Event, event_name
from wfc.runtime.events.internal import EventEmitted, StepNote, StepState, StepStateChanged
from wfc.runtime.plan.outcomes import All
from wfc.runtime.plan.step import Step

__all__ = ["note_emitted", "note_queued", "note_state"]


def note_emitted(execution: Execution, event: Event, step: Step | None) -> None:
    """Notify observers that a step, or somebody outside, emitted an event."""
    if execution.observed and not execution.in_brief:
        name = step.name if step is not None else None
        execution.want(NotifyObservers(EventEmitted.model_construct(event=event, step_name=name)))


def note_state(execution: Execution, run: StepRun, state: StepState, emitted: Any) -> None:
    """Notify observers of a step run's new state."""
    if not execution.observed:
        return
    gave = _outcome_name(emitted)
    told: StepNote | StepStateChanged
    if execution.in_brief:
        told = StepNote(run.step.name, state, run.number, run.event_name, gave, run.attempt)
    else:
        told = StepStateChanged(
            name=run.step.name,
            step_state=state,
            worker_id=str(run.number),
            input_event_name=run.event_name,
            output_event_name=gave,
            attempt=run.attempt,
            item=run.item,
        )
    execution.want(NotifyObservers(told))


def _outcome_name(emitted: Any) -> str | None:
    if isinstance(emitted, Event):
        return event_name(emitted)
    if isinstance(emitted, list):
        return f"list[{event_name(emitted[0])}]" if emitted else "list[]"
    if isinstance(emitted, All):
        return " and ".join(str(_outcome_name(one)) for one in emitted.events)
    return None if emitted is None else type(emitted).__name__


def note_queued(execution: Execution, step: Step) -> None:
    """Notify observers of the last step run in a step's queue for a worker, if there is one."""
    queue = execution.queues.get(step.index)
    if queue:
        note_state(execution, queue[-1], StepState.PREPARING, None)
