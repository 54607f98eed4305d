"""Events that are sent into a run, by a step of it or from outside, and who takes them."""

from __future__ import annotations

from wfc.runtime.authoring.run_rules import RunRules
from wfc.runtime.core.execution import Execution
from wfc.runtime.driver.messages import Message, fields_of, key_of_event, name_of, read_as
from wfc.runtime.errors import UndeclaredResultError, WorkflowStepDoesNotExistError
from wfc.runtime.events import Event, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.plan.step import Step

__all__ = ["accepts", "check_from_outside", "is_meant_for", "own_class", "read_as_own", "target_step"]


def accepts(execution: Execution, event: Event, *, is_from_outside: bool) -> bool:
    """Return whether a step accepts an event, or somebody waits for it."""
    acceptors = execution.plan.acceptors(type(event))
    return (
        any(not (is_from_outside and step.needs_frame) for step in acceptors)
        or (is_from_outside and type(event) in execution.plan.received)
        or any(waiter.takes(event) for waiter in execution.event_waits.values())
    )


def check_from_outside(plan: Plan, event: Event, target: Step | None) -> None:
    """Check that not only joins of what belongs together take an event, which then cannot come from outside.

    Raises:
        UndeclaredResultError: It is so.
    """
    takers = plan.acceptors(type(event)) if target is None else (target,)
    if takers and all(step.needs_frame for step in takers):
        raise UndeclaredResultError(
            f"{event_name(event)} cannot come from outside: step `{takers[0].name}` takes it only together with "
            f"others, from the steps that lead to it"
        )


def target_step(plan: Plan, event: Event, step: str) -> Step:
    """Return the step of a name that an event is sent to.

    Raises:
        UndeclaredResultError: It does not accept the event.
        WorkflowStepDoesNotExistError: There is no step of that name.
    """
    target = plan.by_name.get(step)
    if target is None:
        raise WorkflowStepDoesNotExistError(f"there is no step `{step}`")
    if not target.takes(type(event)):
        raise UndeclaredResultError(f"step `{step}` does not accept {event_name(event)}")
    return target


def is_meant_for(rules: RunRules, key: str | None, event: Event) -> bool:
    """Return whether an event from outside is for a run: the field with the key must have the run's.

    Args:
        key: The run's.
        event: Of a class that it receives.
    """
    receives = rules.receives.get(name_of(event))
    return receives is None or receives.key is None or key_of_event(event, receives) == key


def own_class(rules: RunRules, execution: Execution, event: Event | Message) -> type[Event] | None:
    """Return the receiver's own class for an event: of those that it declares, or else that it can use now."""
    name = name_of(event)
    if rules.receives:
        found = rules.receives.get(name)
        return found.event if found is not None else None
    if isinstance(event, Event) and accepts(execution, event, is_from_outside=True):
        return type(event)
    waited = [waiter.event_type for waiter in execution.event_waits.values()]
    accepted = [one for step in execution.plan.steps for one in step.accepts]
    return next((one for one in (*waited, *accepted) if event_name(one) == name), None)


def read_as_own(kind: type[Event], event: Event | Message) -> Event:
    """Return an event as one of the receiver's own class.

    Raises:
        InvalidMessageError: It does not fit.
    """
    return event if type(event) is kind else read_as(kind, fields_of(event), name_of(event))
