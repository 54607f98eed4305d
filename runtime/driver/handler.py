"""The handler that ``run()`` returns: access to a run from outside."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, Generator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wfc.runtime.driver.context import Context
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.breakpoints import Breakpoint
from wfc.runtime.driver.run.failures import as_caught
from wfc.runtime.driver.run.halts import Halt
from wfc.runtime.driver.run.questions import OpenQuestion, awaited_event, open_questions
from wfc.runtime.driver.run.stream import Stream
from wfc.runtime.driver.run.watchers import Observer
from wfc.runtime.errors import StepFailedError, WorkflowCancelledByUser
from wfc.runtime.events import Event, StopEvent
from wfc.runtime.store.kept import KeptSnapshot

if TYPE_CHECKING:
    # a bare `WorkflowHandler` means any result; `typing` knows defaults of type variables from Python 3.13 on
    from typing_extensions import TypeVar as TypeVarWithDefault

    R = TypeVarWithDefault("R", default=Any)
else:
    R = TypeVar("R")

__all__ = ["WorkflowHandler"]


class WorkflowHandler(Generic[R]):
    """A handler of a run, which is active or over.

    Awaiting it returns the run's result: the result in a plain ``StopEvent``, or the end event itself if it
    is of a subclass. If the run failed, awaiting raises its error: a ``WorkflowError`` that is also an
    instance of the class that a step raised. Only pydantic's ``ValidationError``, which cannot be subclassed,
    is raised itself, with a note that names the step.
    """

    __slots__ = ("_context", "_run")

    def __init__(self, run: Run, context: Context[Any] | None = None) -> None:
        self._run = run
        self._context = context

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._run.run_id

    @property
    def ctx(self) -> Context[Any]:
        """The run's context: its state, its id, and a way to send it events."""
        if self._context is None:
            self._context = Context.__new__(Context)
            self._context.attach(self._run)
        return self._context

    def __await__(self) -> Generator[Any, Any, R]:
        event: Any = self.get_stop_event()
        if event is None:
            event = yield from self.stop_event_result().__await__()
        result: R = event._get_result() if type(event) is StopEvent else event
        return result

    async def stop_event_result(self) -> StopEvent:
        """Wait for the end event and return it. Cancelling the caller does not cancel the run."""
        future = self._run.future
        try:
            return future.result() if future.done() else await asyncio.shield(future)
        except StepFailedError as error:
            failed = error
        # outside of `except`: what is raised may be the error's cause, and would have it as its context
        raise failed if self._run.execution.plan.is_generated else as_caught(failed)

    def get_stop_event(self) -> StopEvent | None:
        """Return the end event, or ``None`` if the run is not over or has failed."""
        outcome = self._run.execution.outcome
        return outcome if self._run.is_done and isinstance(outcome, StopEvent) else None

    def is_done(self) -> bool:
        """Return whether the run is over."""
        return self._run.is_done

    def stream_events(self, expose_internal: bool = False, *, since: int = 0) -> AsyncGenerator[Event, None]:
        """Return a reader of the run's published events, from first to last; each call creates a new one.

        The last 100,000 events are kept for later readers, or the number set by the workflow's
        ``stream_limit``. A reader misses no event after it has begun.

        Args:
            expose_internal: Whether to include internal events too: ``InternalDispatchEvent`` s, from the
                moment of the first such request.
            since: The number of events to skip at the beginning; a reply that arrives in pieces counts as
                one.

        Raises:
            StreamGoneError: The first event after those is no longer kept; the error names the first that is.
        """
        return self._stream(expose_internal).read(since)

    def stream_with_run_ids(
        self, expose_internal: bool = False, *, since: int = 0
    ) -> AsyncGenerator[tuple[str, Event], None]:
        """Return a reader of events with the id of the run that each comes from: this run, or a part of it.

        The id of a part begins with those of the runs above it: ``<run id>/<step>/<number>``.
        """
        return self._stream(expose_internal).read_with_run_ids(since)

    def events_so_far(self) -> list[Event]:
        """Return the run's published events that are kept, from first to last, without what is internal."""
        return self._run.watchers.stream.so_far()

    def _stream(self, expose_internal: bool) -> Stream:
        watchers = self._run.watchers
        return watchers.inner_stream() if expose_internal else watchers.stream

    def observe(self, observer: Observer) -> None:
        """Call ``observer`` with every event from now on, as it happens."""
        self._run.watchers.observe(observer)

    async def send_event(self, event: Event, step: str | None = None) -> None:
        """Send an event to all steps that accept it, or to one.

        Raises:
            WorkflowRuntimeError: The run has ended, or no step, or not the named one, accepts it.
        """
        self._run.send(event, step)
        await self._run.recorded()

    def is_meant_for(self, event: Event) -> bool:
        """Return whether an event from outside is for this run: its key field must hold the run's key."""
        return self._run.is_meant_for(event)

    def questions(self) -> list[OpenQuestion]:
        """Return the run's open questions, in the order in which they were asked; then those of its parts."""
        return _questions_of(self._run)

    def waits_for(self, worker_id: str) -> tuple[str, datetime | None] | None:
        """Return the event from outside, by name, or the time that a ``waiting`` step run waits for.

        Args:
            worker_id: The ``worker_id`` of the step run's ``StepStateChanged``.

        Returns:
            The event's name, empty for a time, and the end of the wait, in UTC. ``None`` for a step run that
            waits for an answer or for other runs, or that no longer waits.
        """
        return awaited_event(self._run.execution, int(worker_id)) if worker_id.isdecimal() else None

    async def answer(
        self,
        question_id: str,
        value: object = None,
        *,
        by: str | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        """Answer a question; a second answer, or an answer to a closed question, has no effect.

        Args:
            question_id: The id of the question, from ``questions()`` or ``QuestionAsked``.
            value: The answer, as JSON data, or as the form's record.
            by: The person who answers, such as ``user:ann``; each person can answer a question once.
            state: What is changed in the run's state in the same moment: values as JSON data, by path.

        Raises:
            InvalidValueError: Such a value does not fit the state, or there is no such place in it.
            UnknownQuestionError: The run never asked this question.
            InvalidAnswerError: The answer does not fit; the question stays open.
            RunParkedError: The run rests in its store by now: ``Engine.answer`` reaches it there.
        """
        self._run.check_here()
        asker = self._run.asker_of(question_id)
        if asker is not None:  # else it was a part's that is over
            asker.answer(question_id, value, by or "", state)
            await asker.recorded()

    def cancel_step(self, step: str | int) -> int:
        """Cancel a step's live runs, with all that depends on them; return the number of step runs.

        These are its active runs, and those in the queue, before their next attempt or paused, with their
        child runs, items and questions; and where it has opened frames of joins or batches, all runs in
        these.

        Args:
            step: The step's name; or the number of one of its runs, the last part of a question's id and the
                ``worker_id`` of a ``StepStateChanged``.

        Raises:
            WorkflowStepDoesNotExistError: There is no step of that name.
        """
        return self._run.cancel_step(step)

    def break_at(self, *where: str | Breakpoint) -> None:
        """Set the breakpoints of the run, replacing all earlier ones; without any, the run halts nowhere.

        If called right after ``run()``, it applies from the first step on. A halted run's deadline is
        suspended; its other timers are not. Breakpoints apply to this run and the agents at work in it, and not to
        workflows that it runs.

        Args:
            where: Breakpoints, or places before which the run halts: names of steps, or ``settle/turn 3/refund``.

        Raises:
            WorkflowStepDoesNotExistError: There is no such place.
        """
        self._run.breaking().set(
            tuple(one if isinstance(one, Breakpoint) else Breakpoint(before=one) for one in where)
        )
        if not where:
            self.go_on()

    async def halted(self) -> Halt | None:
        """Wait until the run halts; return the halt, or ``None`` if the run is over."""
        return await self._run.breaking().halted()

    def go_on(self) -> None:
        """Continue a halted run.

        Raises:
            RunParkedError: The run rests in its store by now: ``Engine.resume`` takes it up again.
        """
        self._run.check_here()
        if self._run.breakpoints is not None or self._run.is_to_be_restored:
            self._run.breaking().go_on()

    def step(self) -> None:
        """Let one step run of a halted or resting run go; before the next one the run halts.

        The breakpoints that are recorded with a stored run stay, and hold again when it is resumed.
        """
        self._run.breaking().step()

    async def run_step(self) -> list[Event] | None:
        """Execute one step run, and no other until the next call; return when its result is recorded.

        Returns:
            The events that it emitted; ``None`` if the run is over.
        """
        points = self._run.breaking()
        points.set((Breakpoint(),))
        return await points.run_step()

    async def cancel_run(self, *, timeout: float = 5.0) -> None:  # noqa: ASYNC109 - llama-index-workflows' name
        """End the run; awaiting the handler then raises ``WorkflowCancelledByUser``.

        ``ctx.to_dict()`` still returns the run as it was before, so that it can be resumed.

        Args:
            timeout: Seconds to wait for the steps that were running to clean up.
        """
        run = self._run
        if not run.is_done:
            run.kept = KeptSnapshot(run.execution.plan, run.snapshot)
        tasks = {one.task for one in run.execution.in_flight.values() if one.task is not None}
        run.cancel()
        run.future.add_done_callback(_seen)  # it is known: no complaint if nobody awaits the handler
        waiting: set[asyncio.Future[Any]] = {*tasks, run.future} - {asyncio.current_task()}
        await asyncio.wait(waiting, timeout=timeout)

    # --- names that llama-index-workflows has deprecated

    def done(self) -> bool:
        """Return whether the run is over. Deprecated: use ``is_done()``."""
        _deprecated("done", "is_done()")
        return self.is_done()

    def cancel(self) -> None:
        """End the run at once. Deprecated: ``await handler.cancel_run()``."""
        _deprecated("cancel", "await handler.cancel_run()")
        self._run.cancel()

    def exception(self) -> BaseException | None:
        """Return the error of a run that has failed, once it is over. Deprecated: await the handler."""
        _deprecated("exception", "await the handler")
        return self._run.future.exception()

    def cancelled(self) -> bool:
        """Return whether the run was cancelled. Deprecated: await the handler."""
        _deprecated("cancelled", "await the handler")
        return self._run.is_done and isinstance(self._run.future.exception(), WorkflowCancelledByUser)

    def __repr__(self) -> str:
        state = "over" if self.is_done() else "running"
        return f"<WorkflowHandler {type(self._run.workflow).__name__} {self.run_id} {state}>"


def _seen(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()


def _questions_of(run: Run) -> list[OpenQuestion]:
    return [
        *open_questions(run.execution),
        *(one for part in run.children.parts() for one in _questions_of(part)),
    ]


def _deprecated(name: str, instead: str) -> None:
    warnings.warn(f"`{name}` of a handler is deprecated: {instead}", DeprecationWarning, stacklevel=3)
