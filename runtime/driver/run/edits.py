"""Edits of a run by people: values of its state, events for its steps, and events that it shall not take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wfc.runtime.core.body_ticks import Edited
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Arrived, InboxEventDropped, Tick
from wfc.runtime.driver.messages import EventData, read_as
from wfc.runtime.driver.run.receiving import check_from_outside
from wfc.runtime.errors import InvalidMessageError, WorkflowError
from wfc.runtime.events import Event, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.values.state_edits import edited

__all__ = ["Edits"]


class Edits(NamedTuple):
    """What is changed in a run.

    Args:
        state: New values as JSON data, by their paths in the state, such as ``order.lines[2].price``.
        events: Events that are sent to the steps that accept them, as if another step had.
        dropped: The numbers of events that nobody has taken yet, and that go.
    """

    state: Mapping[str, Any] = {}
    events: Sequence[EventData] = ()
    dropped: Sequence[int] = ()

    def ticks(self, execution: Execution, by: str) -> list[Tick]:
        """Return the ticks that make the changes.

        Raises:
            InvalidValueError: A value does not fit the state, or there is no such place in it.
            InvalidMessageError: An event does not fit, no step takes it, or there is none of that number.
        """
        if self.events and execution.inputs is None:
            raise InvalidMessageError("the run has not begun: it takes events when it has")
        found: list[Tick] = []
        if self.state:
            is_declared = execution.plan.is_generated
            saved = edited(execution.state, self.state, is_declared=is_declared)
            found.append(Edited(None, 0, saved, by))
        for number in dict.fromkeys(self.dropped):
            if number not in execution.inbox:
                there = ", ".join(map(str, execution.inbox)) or "none"
                raise InvalidMessageError(
                    f"no event with the number {number} waits to be taken; there are: {there}"
                )
            found.append(InboxEventDropped(number, by))
        found += [Arrived(_read(execution.plan, event)) for event in self.events]
        return found


def _read(plan: Plan, event: EventData) -> Event:
    """Return an event as the class that a step accepts."""
    known = {event_name(kind): kind for step in plan.steps for kind in step.accepts}
    known |= {event_name(kind): kind for kind in plan.received}
    kind = known.get(event.event)
    if kind is None:
        raise InvalidMessageError(
            f"no step accepts `{event.event}`; they accept {', '.join(map(str, known))}"
        )
    found = read_as(kind, event.fields, event.event)
    try:
        check_from_outside(plan, found, None)
    except WorkflowError as error:
        raise InvalidMessageError(str(error)) from None
    return found
