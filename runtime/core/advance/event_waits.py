"""Waits of step bodies for events, which come as they arrive, or from those that were kept."""

from __future__ import annotations

from wfc.runtime.core.body_ticks import WaitEnded, Waiting
from wfc.runtime.core.effects import Publish, ResumeBody
from wfc.runtime.core.event_waits import EventWait
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.moments import seconds_later
from wfc.runtime.core.step_runs import AwaitedEvent, StepRun, WaitKey
from wfc.runtime.events import Event
from wfc.runtime.plan.step import Step

__all__ = ["body_waits", "give_to_waiters", "wait_ended"]


def body_waits(execution: Execution, tick: Waiting) -> None:
    """Begin a wait of a body; it is over at once if an earlier attempt had it, or if the event was kept."""
    run = execution.in_flight.get(tick.number)
    if run is None:
        return
    number = execution.number = execution.number + 1
    key = tick.event_type, tick.waiter_id, tick.requirements
    for answer in getattr(run, "answers", ()):
        if answer.key == key and answer.attempt < run.attempt:
            answer.attempt = run.attempt
            execution.want(ResumeBody(number, answer.event))
            return
    until = None if tick.seconds is None else seconds_later(execution.at, tick.seconds)
    earlier = _take_earlier(execution, run, key)
    if earlier is not None and earlier.until is not None:
        until = earlier.until
    if execution.event_waits is NONE:
        execution.event_waits = {}
    waiter = execution.event_waits[number] = EventWait(
        tick.event_type, tick.requirements, run, tick.waiter_id, until
    )
    kept = _take_kept_event(execution, number, waiter)
    if tick.question is not None and tick.waiter_id not in execution.asked_waits:
        execution.want(Publish(tick.question))
    if tick.waiter_id is not None:
        if not execution.asked_waits:
            execution.asked_waits = {}
        execution.asked_waits[tick.waiter_id] = None
    if kept is not None:
        execution.want(ResumeBody(number, kept))


def _take_earlier(execution: Execution, run: StepRun, key: WaitKey) -> EventWait | None:
    """Remove and return the same wait of an attempt of the step run that was cut off: the first, if there are more."""
    for number, waiter in execution.event_waits.items():
        if waiter.run is run and waiter.attempt < run.attempt and waiter.key == key:
            return execution.event_waits.pop(number)
    return None


def wait_ended(execution: Execution, tick: WaitEnded) -> None:
    """End a wait of a body without an event."""
    waiter = execution.event_waits.pop(tick.wait, None)
    if waiter is not None and tick.timed_out:
        _remember(waiter, None)


def give_to_waiters(execution: Execution, event: Event) -> list[Step]:
    """Give an event to the bodies that wait for it, and return the steps of these bodies."""
    woken: list[Step] = []
    for number, waiter in list(execution.event_waits.items()):
        if waiter.takes(event):
            del execution.event_waits[number]
            if waiter.run.number not in execution.in_flight:
                continue  # one of a snapshot, whose body did not come to it again
            _remember(waiter, event)
            execution.want(ResumeBody(number, event))
            woken.append(waiter.step)
    return woken


def _take_kept_event(execution: Execution, number: int, waiter: EventWait) -> Event | None:
    """Return the oldest kept event that a wait takes, and end the wait; ``None`` if there is none."""
    for kind in [kind for kind in execution.unclaimed if issubclass(kind, waiter.event_type)]:
        del execution.unclaimed[kind]
    for at, event in execution.inbox.items():
        if waiter.takes(event):
            del execution.inbox[at], execution.event_waits[number]
            _remember(waiter, event)
            return event
    return None


def _remember(waiter: EventWait, event: Event | None) -> None:
    """Keep what a wait has come to for further attempts of the step."""
    if not hasattr(waiter.run, "answers"):
        waiter.run.answers = []
    waiter.run.answers.append(AwaitedEvent(waiter.key, event, waiter.attempt))
