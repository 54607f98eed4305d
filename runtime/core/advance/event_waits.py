"""Delivery of events to waiting step bodies: as events arrive, or from those that were kept."""

from __future__ import annotations

from wfc.runtime.core.effects import ResumeBody
from wfc.runtime.core.event_waits import EventWait
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import AwaitedEvent
from wfc.runtime.events import Event
from wfc.runtime.plan.step import Step

__all__ = ["give_to_waiters", "take_kept_event"]


def give_to_waiters(execution: Execution, event: Event) -> list[Step]:
    """Give an event to the bodies that wait for it, and return the steps of these bodies."""
    woken: list[Step] = []
    for number, waiter in list(execution.event_waits.items()):
        if waiter.takes(event):
            del execution.event_waits[number]
            if waiter.run.number not in execution.in_flight:
                continue  # one of a snapshot, whose body did not come to it again
            _remember(waiter, event)
            execution.effects.append(ResumeBody(number, event))
            woken.append(waiter.step)
    return woken


def take_kept_event(execution: Execution, number: int) -> Event | None:
    """Return the oldest kept event that a wait takes, and end the wait; ``None`` if there is none."""
    waiter = execution.event_waits[number]
    for kind in [kind for kind in execution.unclaimed if issubclass(kind, waiter.event_type)]:
        del execution.unclaimed[kind]
    for at, event in execution.inbox.items():
        if waiter.takes(event):
            del execution.inbox[at], execution.event_waits[number]
            _remember(waiter, event)
            return event
    return None


def _remember(waiter: EventWait, event: Event) -> None:
    """Keep an event for further attempts of the step."""
    if not hasattr(waiter.run, "answers"):
        waiter.run.answers = []
    waiter.run.answers.append(AwaitedEvent(waiter.key, event, waiter.attempt))
