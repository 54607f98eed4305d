"""A step's messages: events to its own run, to other runs, and to the watchers of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

from wfc.runtime.core.advance.collecting import collect
from wfc.runtime.core.body_ticks import Collected
from wfc.runtime.driver.context.scope import Scope
from wfc.runtime.driver.loops import call_and_block
from wfc.runtime.driver.messages import IfAbsent
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.step_runs import next_message_id
from wfc.runtime.errors import WorkflowRuntimeError
from wfc.runtime.events import Event, ProgressText

__all__ = ["Messaging"]

E = TypeVar("E", bound=Event)


class Messaging(Scope):
    """A context's events: those that a step sends, and those that its body waits for."""

    __slots__ = ()

    def send_event(self, message: Event, step: str | None = None) -> None:
        """Send an event to all steps that accept it, or to one; it is sent at once.

        Raises:
            UndeclaredResultError: No step accepts it, or the named one does not.
            WorkflowStepDoesNotExistError: There is no step of that name.
            ContextStateError: The run has not started yet.
        """
        run = self._started("send_event")
        if asyncio._get_running_loop() is run.loop:
            run.send(message, step, self._step_run)
        else:
            call_and_block(run.loop, run.send, message, step, self._step_run)

    async def send(
        self,
        event: Event,
        to: str | None = None,
        *,
        key: object = None,
        run_id: str | None = None,
        if_absent: IfAbsent = None,
    ) -> None:
        """Deliver an event to another run: of the workflow ``to`` under a key, or with an id.

        A repeated attempt sends nothing twice: receivers identify this step run's messages by their order.

        Args:
            key: ``None``: it is in the field of the event that the workflow declares for that.
            if_absent: See ``Engine.deliver``.

        Raises:
            WorkflowRuntimeError: See ``Engine.deliver``.
        """
        run, message_id = self._message("send")
        await run.engine.deliver(
            event,
            run_id=run_id,
            workflow=to,
            key=key,
            message_id=message_id,
            if_absent=if_absent,
            beside=type(run.workflow),
        )

    async def publish(self, event: Event, topic: str) -> None:
        """Deliver an event to all live runs that declare it as received, except those with another topic.

        Raises:
            InvalidMessageError: The event does not fit what a run receives; all other runs have received it.
        """
        run, message_id = self._message("publish")
        await run.engine.publish(topic, event, message_id=message_id)

    def _message(self, what: str) -> tuple[Run, str]:
        run, step_run = self._started(what), self._inside(what)
        step_run.called = True
        return run, next_message_id(step_run, run.run_id)

    def collect_events(
        self, ev: Event, expected: list[type[Event]], buffer_id: str | None = None
    ) -> list[Event] | None:
        """Keep an event until there is one for each entry of ``expected``; then return all, in that order.

        Args:
            buffer_id: The name of a separate buffer; by default each step has one buffer.
        """
        run, step_run = self._started("collect_events"), self._inside("collect_events")
        if run.port is None:
            if asyncio._get_running_loop() is run.loop:
                return collect(run.execution, step_run, ev, expected, buffer_id)
            return call_and_block(run.loop, collect, run.execution, step_run, ev, expected, buffer_id)
        step_run.given = None
        own = None if ev is step_run.event else ev
        call_and_block(run.loop, run.take, Collected(step_run.number, own, [*expected], buffer_id))
        return step_run.given

    async def wait_for_event(
        self,
        event_type: type[E],
        waiter_event: Event | None = None,
        waiter_id: str | None = None,
        requirements: Mapping[str, Any] | None = None,
        timeout: float | None = 2000,  # noqa: ASYNC109 - llama-index-workflows' name
    ) -> E:
        """Wait for an event of a class with these values in its fields; the step's body is suspended.

        A further attempt of the step gets the event that the one before it has received, without asking
        again.

        Args:
            waiter_event: An event to publish first, such as a request for an answer.
            waiter_id: Waits with the same id publish ``waiter_event`` only once in a run.
            timeout: Seconds; ``None``: no bound.

        Raises:
            TimeoutError: The event did not arrive in time.
        """
        run = self._started("wait_for_event")
        step_run = self._inside("wait_for_event")
        return await run.event_waits.wait(
            step_run, event_type, waiter_event, waiter_id, requirements or {}, timeout
        )

    def write_event_to_stream(self, ev: Event | None) -> None:
        """Show an event to the watchers of the run; other steps do not receive it.

        Raises:
            WorkflowRuntimeError: The argument is not an event.
        """
        if ev is not None:
            if not isinstance(ev, Event):
                raise WorkflowRuntimeError(
                    f"only events can be shown, not {type(ev).__name__}: put it into one, as in `Event(progress=…)`"
                )
            run = self._started("write_event_to_stream")
            call_and_block(run.loop, run.watchers.publish, ev)

    def report(self, text: str) -> None:
        """Send a progress text to the watchers of the run."""
        step_run = self._inside("report")
        self.write_event_to_stream(ProgressText(text=text, step=step_run.step.name, attempt=step_run.attempt))
