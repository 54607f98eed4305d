"""Events that are sent to a run, by one of its steps or from outside, and their receivers."""

from __future__ import annotations

from wfc.runtime.authoring.run_rules import RunRules
from wfc.runtime.core.execution import Execution
from wfc.runtime.driver.messages import EventData, fields_of, key_of_event, name_of, read_as
from wfc.runtime.errors import UndeclaredResultError, WorkflowStepDoesNotExistError
from wfc.runtime.events import Event, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.plan.step import Step

__all__ = ["accepts", "check_from_outside", "is_meant_for", "own_class", "read_as_own", "target_step"]


def accepts(execution: Execution, event: Event, *, is_from_outside: bool) -> bool:
    """Return whether a step accepts an event, or a step run waits for it."""
    acceptors = execution.plan.acceptors(type(event))
    if acceptors and not (is_from_outside and all(step.needs_frame for step in acceptors)):
        return True
    if is_from_outside and type(event) in execution.plan.received:
        return True
    return any(waiter.takes(event) for waiter in execution.event_waits.values())


def check_from_outside(plan: Plan, event: Event, target: Step | None) -> None:
    """Check that an event from outside is not accepted only by joins that match events with each other.

    Raises:
        UndeclaredResultError: Only such joins accept the event.
    """
    takers = plan.acceptors(type(event)) if target is None else (target,)
    if takers and all(step.needs_frame for step in takers):
        raise UndeclaredResultError(
            f"{event_name(event)} cannot come from outside: step `{takers[0].name}` takes it only together with "
            f"others, from the steps that lead to it"
        )


def target_step(plan: Plan, event: Event, step: str) -> Step:
    """Return the step with the name that an event is sent to.

    Raises:
        UndeclaredResultError: The step does not accept the event.
        WorkflowStepDoesNotExistError: There is no step of that name.
    """
    target = plan.by_name.get(step)
    if target is None:
        raise WorkflowStepDoesNotExistError(f"there is no step `{step}`")
    if not target.takes(type(event)):
        raise UndeclaredResultError(f"step `{step}` does not accept {event_name(event)}")
    return target


def is_meant_for(rules: RunRules, key: str | None, event: Event) -> bool:
    """Return whether an event from outside is for a run: its key field must hold the run's key.

    Args:
        key: The run's key.
        event: An event of a class that the run receives.
    """
    receives = rules.receives.get(name_of(event))
    return receives is None or receives.key is None or key_of_event(event, receives) == key


def own_class(rules: RunRules, execution: Execution, event: Event | EventData) -> type[Event] | None:
    """Return the receiver's own class for an event: one that it declares, or else one that it can use now."""
    name = name_of(event)
    if rules.receives:
        found = rules.receives.get(name)
        return found.event if found is not None else None
    if isinstance(event, Event) and accepts(execution, event, is_from_outside=True):
        return type(event)
    waited = [waiter.event_type for waiter in execution.event_waits.values()]
    accepted = [one for step in execution.plan.steps for one in step.accepts]
    return next((one for one in (*waited, *accepted) if event_name(one) == name), None)


def read_as_own(kind: type[Event], event: Event | EventData) -> Event:
    """Return an event as an instance of the receiver's own class.

    Raises:
        InvalidMessageError: The event does not fit the class.
    """
    return event if type(event) is kind else read_as(kind, fields_of(event), name_of(event))
