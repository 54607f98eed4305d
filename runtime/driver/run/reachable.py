"""The part of a run for outside callers, who send events to it, answer its questions, or cancel it."""

from __future__ import annotations

import asyncio
from collections.abc import MutableSequence
from typing import Generic, Protocol, TypeVar

from wfc.runtime.core.advance.cancelling import affected
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Arrived, Cancelled, StepsCancelled
from wfc.runtime.driver.messages import EventData, name_of
from wfc.runtime.driver.run.children import NO_CHILDREN, Children, RelatedRun
from wfc.runtime.driver.run.receiving import (
    accepts,
    check_from_outside,
    is_meant_for,
    own_class,
    read_as_own,
    target_step,
)
from wfc.runtime.driver.run.state import StatefulRun
from wfc.runtime.driver.run.touching import content_of, was_sent
from wfc.runtime.errors import (
    InvalidMessageError,
    RunEndedError,
    RunParkedError,
    UndeclaredResultError,
    WorkflowCancelledByUser,
    WorkflowStepDoesNotExistError,
)
from wfc.runtime.events import Event, InputRequiredEvent, StopEvent, event_name
from wfc.runtime.store.snapshots import values_for

__all__ = ["ReachableRun"]


class PartRun(RelatedRun, Protocol):
    """The interface of a child run to which its parent forwards events."""

    def send(self, event: Event) -> None:
        """Accept an event from outside."""


R = TypeVar("R", bound=PartRun)


class ReachableRun(StatefulRun[R], Generic[R]):
    """The part of a run for outside callers; ``R`` is ``Run``."""

    __slots__ = ()

    children: Children[R] = NO_CHILDREN

    @property
    def ready(self) -> MutableSequence[StepRun]:
        """The step runs that may begin, in order."""
        return self.execution.starting if self.port is None else self.port.ready

    async def recorded(self) -> None:
        """Wait until all that has happened so far is recorded, if the run has a journal; from any event loop.

        Raises:
            RunLostError: It never will be.
        """
        port = self.port
        if port is None or isinstance(self.execution.outcome, RunParkedError):
            return  # what happened before it was put to rest is recorded
        if asyncio.get_running_loop() is self.loop:
            await port.settled()
        else:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(port.settled(), self.loop))

    @property
    def is_parking(self) -> bool:
        """Whether the run is just being put to rest, so that it takes nothing here any more."""
        return self.port is not None and self.port.is_parking and self.execution.outcome is None

    def check_here(self) -> None:
        """Check that the run still takes here what comes from outside.

        Raises:
            RunParkedError: It rests in its store by now, or is just being put there.
        """
        if self.is_parking or isinstance(self.execution.outcome, RunParkedError):
            raise RunParkedError(
                f"the run {self.run_id} rests in its store, and is reached there", self.run_id
            )

    async def rested(self) -> None:
        """Wait until a run that is just being put to rest is forgotten here; from any event loop."""

        async def wait() -> None:
            await asyncio.wait([self.future])

        if asyncio.get_running_loop() is self.loop:
            await wait()
        else:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(wait(), self.loop))

    def cancel(self, reason: str = "the run was cancelled") -> None:
        """End the run at once. What its steps have already done stays done.

        Raises:
            RunParkedError: It rests in its store by now, or is just being put there.
        """
        self.take(Cancelled(WorkflowCancelledByUser(reason)))

    def cancel_step(self, which: str | int) -> int:
        """Cancel a step's runs, or one by its number, with all that depends on them; return how many.

        Raises:
            WorkflowStepDoesNotExistError: There is no step of that name.
        """
        step = number = None
        if isinstance(which, str):
            step = self.execution.plan.by_name.get(which)
            if step is None:
                raise WorkflowStepDoesNotExistError(f"there is no step `{which}`")
        else:
            number = which
        count = len(affected(self.execution, step, number))
        if count:
            self.take(StepsCancelled(step, number))
        return count

    def is_meant_for(self, event: Event) -> bool:
        """Return whether an event of a class that it receives is for this run, as far as its key shows."""
        return is_meant_for(self.workflow._wfc.run_rules, self.key, event)

    def takes(self, event: Event | EventData) -> bool:
        """Return whether the run accepts such an event from outside."""
        return own_class(self.workflow._wfc.run_rules, self.execution, event) is not None

    def receive(self, event: Event | EventData, message_id: str | None) -> bool:
        """Accept an event from outside, in the run's event loop; return whether it is new.

        Raises:
            RunEndedError: The run is over.
            RunParkedError: It rests in its store by now, or is just being put there.
            InvalidMessageError: The run does not accept such an event.
        """
        self.check_here()
        if self.is_done or self.execution.outcome is not None:
            raise RunEndedError(f"the run {self.run_id} has ended, so it takes no {name_of(event)}")
        kind = own_class(self.workflow._wfc.run_rules, self.execution, event)
        if kind is None:
            raise InvalidMessageError(
                f"the run {self.run_id} of `{self.workflow._wfc.name}` takes no {name_of(event)} from outside"
            )
        if message_id is not None and (
            message_id in self.execution.received
            or any(one.message_id == message_id for one in self.early or ())
        ):
            return False
        self.send(read_as_own(kind, event), message_id=message_id)
        return True

    def send(
        self,
        event: Event,
        step: str | None = None,
        sender: StepRun | None = None,
        message_id: str | None = None,
    ) -> None:
        """Accept an event from a step run, or from outside.

        Raises:
            UndeclaredResultError: No step accepts it, or the named one does not.
            WorkflowStepDoesNotExistError: There is no step of that name.
            RunEndedError: The run has ended.
        """
        is_done = self.is_done
        if sender is not None:
            if is_done or sender.exit is Exit.DROPPED:
                return  # it is being cancelled
        elif is_done:
            raise RunEndedError(f"the run {self.run_id} has ended, so it takes no {event_name(event)}")
        if not isinstance(event, Event):
            raise UndeclaredResultError(
                f"only events can be sent, not {type(event).__name__}: put it into one of a class that a step accepts"
            )
        target = target_step(self.execution.plan, event, step) if step is not None else None
        if target is None and not (
            accepts(self.execution, event, is_from_outside=sender is None)
            or isinstance(event, StopEvent | InputRequiredEvent)
        ):
            below = _parts_that_accept(self.children, event) if sender is None else ()
            for part in below:
                part.send(event)
            if below:
                return
            if sender is None:
                check_from_outside(self.execution.plan, event, None)
            if not self.execution.plan.may_wait:
                raise UndeclaredResultError(f"no step accepts {event_name(event)}")
        if target is not None and sender is None:
            check_from_outside(self.execution.plan, event, target)
        tick = Arrived(event, target, sender.number if sender is not None else None, message_id)
        if self.port is not None and sender is not None:
            tick.content = content_of(
                event, step, values_for(self.execution.plan, self.workflow._wfc.serializer)
            )
            if was_sent(sender, tick.content):
                return
        if sender is not None and sender.step.shares_events and self._is_starting(sender.event):
            self.loop.call_soon(self.take, tick)  # other steps that take this event are to start before
        elif self.has_begun:
            self.take(tick)
        else:
            self.early = [*(self.early or ()), tick]

    def _is_starting(self, event: object) -> bool:
        """Return whether a step that accepts an event is about to start."""
        return any(one.event is event for one in self.ready)


def _parts_that_accept(children: Children[R], event: Event) -> list[R]:
    """Return the topmost runs below a run that accept an event from outside."""
    found: list[R] = []
    for part in children.parts():
        takes = accepts(part.execution, event, is_from_outside=True)
        found.extend([part] if takes else _parts_that_accept(part.children, event))
    return found
