"""What ``run()`` gives back: a run, from the outside."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, Generator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wfc.runtime.driver.context import Context
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.breakpoints import Breakpoint, Halt
from wfc.runtime.driver.run.failures import as_caught
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
    """A run that is under way, or over.

    Awaiting it gives the run's result: what a plain ``StopEvent`` carries, or the end event itself where it is
    of a class of its own. It raises what the run failed with: a ``WorkflowError``, which is also of the kind that
    a step raised. But pydantic's ``ValidationError``, of whose class no other error can be, is raised
    itself, with a note that names the step.
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
        return self._result().__await__()

    async def _result(self) -> Any:
        event = await self.stop_event_result()
        return event.result if type(event) is StopEvent else event

    async def stop_event_result(self) -> StopEvent:
        """The end event, once there is one. Cancelling the caller does not cancel the run."""
        future = self._run.future
        try:
            return future.result() if future.done() else await asyncio.shield(future)
        except StepFailedError as error:
            failed = error
        # outside of `except`: what is raised may be the error's cause, and would have it as its context
        raise failed if self._run.execution.plan.is_generated else as_caught(failed)

    def get_stop_event(self) -> StopEvent | None:
        """The end event, or ``None`` while the run is not over or if it failed."""
        future = self._run.future
        return future.result() if future.done() and future.exception() is None else None

    def is_done(self) -> bool:
        """Whether the run is over."""
        return self._run.is_done

    def stream_events(self, expose_internal: bool = False, *, since: int = 0) -> AsyncGenerator[Event, None]:
        """What the run publishes, from its beginning to its last event. Each call is a reader of its own.

        The last 100,000 events are kept for readers that come later, or as many as the workflow's ``stream_limit``
        says. A reader misses nothing after it has begun.

        Args:
            expose_internal: Whether to show what happens inside too: ``InternalDispatchEvent`` s, from the
                moment that somebody first asked for them.
            since: How many events to leave out at the beginning; a reply that comes in pieces counts as one.

        Raises:
            StreamGoneError: The first event after those is kept no more; it says which is the first that is.
        """
        return self._stream(expose_internal).read(since)

    def stream_with_run_ids(
        self, expose_internal: bool = False, *, since: int = 0
    ) -> AsyncGenerator[tuple[str, Event], None]:
        """The same with the id of the run that each event comes from: this one, or one that is part of it.

        The id of a part begins with those of the runs above it: ``<run id>/<step>/<number>``.
        """
        return self._stream(expose_internal).read_with_run_ids(since)

    def _stream(self, expose_internal: bool) -> Stream:
        watchers = self._run.watchers
        return watchers.inner_stream() if expose_internal else watchers.stream

    def observe(self, observer: Observer) -> None:
        """Calls ``observer`` with everything that happens from now on, as it happens."""
        self._run.watchers.observe(observer)

    async def send_event(self, event: Event, step: str | None = None) -> None:
        """Sends an event to all steps that accept it, or to one.

        Raises:
            WorkflowRuntimeError: The run has ended, or no step, or not the named one, accepts it.
        """
        self._run.send(event, step)

    def is_meant_for(self, event: Event) -> bool:
        """Whether an event from outside is for this run, as far as keys tell: its field with the key has the run's."""
        return self._run.is_meant_for(event)

    def questions(self) -> list[OpenQuestion]:
        """The questions that wait for an answer, in the order in which they were asked; then those of its parts."""
        return _questions_of(self._run)

    def waits_for(self, worker_id: str) -> tuple[str, datetime | None] | None:
        """What a step run of the state ``waiting`` waits for: an event from outside by its name, or a time.

        Args:
            worker_id: Of its ``StepStateChanged``.

        Returns:
            The event's name, empty if it is a time, and until when it waits, in UTC. ``None`` for one that waits for an
            answer or for other runs, and for one that waits no more.
        """
        return awaited_event(self._run.execution, int(worker_id)) if worker_id.isdecimal() else None

    async def answer(self, question_id: str, value: object = None, *, by: str | None = None) -> None:
        """Answers a question. Answering once more, or one that is closed, changes nothing.

        Args:
            question_id: Of ``questions()`` or ``QuestionAsked``.
            value: The answer, as JSON data, or as the form's record.
            by: Who answers, such as ``user:ann``; a person has one answer to a question.

        Raises:
            UnknownQuestionError: The run never asked it.
            InvalidAnswerError: The answer does not fit; the question stays open.
        """
        asker = self._run.asker_of(question_id)
        if asker is not None:  # else it was a part's that is over
            asker.answer(question_id, value, by or "")

    def cancel_step(self, step: str | int) -> int:
        """Cancels what is live of a step, with what follows from it: how many step runs that were.

        That is: its runs at work, in the queue, before their next attempt or paused, with their child runs, items and
        questions; and where it has opened frames of joins or batches, all runs in these.

        Args:
            step: The step's name; or the number of one of its runs, the last part of a question's id and the
                ``worker_id`` of a ``StepStateChanged``.

        Raises:
            WorkflowStepDoesNotExistError: There is no step of that name.
        """
        return self._run.cancel_step(step)

    def break_at(self, *where: str | Breakpoint) -> None:
        """Has the run halt at these places from now on, and at no others; without any, nowhere.

        Called right after ``run()``, it holds from the first step on. A halted run's deadline stands still; its other
        timers do not. Breakpoints are of this run only, and not of those that are part of it.

        Args:
            where: Breakpoints, or names of steps, before which it is to halt.

        Raises:
            WorkflowStepDoesNotExistError: There is no step of a name.
        """
        self._run.breaking().set(
            tuple(one if isinstance(one, Breakpoint) else Breakpoint(before=one) for one in where)
        )
        if not where:
            self.go_on()

    async def halted(self) -> Halt | None:
        """Waits until the run halts; where it does. ``None`` if it is over."""
        return await self._run.breaking().halted()

    def go_on(self) -> None:
        """Lets a halted run go on."""
        if self._run.breakpoints is not None:
            self._run.breakpoints.go_on()

    async def run_step(self) -> list[Event] | None:
        """Lets one step run begin, and no other until the next call; returns when its result is recorded.

        Returns:
            The events that it gave; ``None`` if the run is over.
        """
        points = self._run.breaking()
        points.set((Breakpoint(),))
        return await points.run_step()

    async def cancel_run(self, *, timeout: float = 5.0) -> None:  # noqa: ASYNC109 - llama-index-workflows' name
        """Ends the run; awaiting the handler then raises ``WorkflowCancelledByUser``.

        ``ctx.to_dict()`` still gives the run as it was before, to go on from there.

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
        """``is_done()``. Deprecated."""
        _deprecated("done", "is_done()")
        return self.is_done()

    def cancel(self) -> None:
        """Ends the run at once. Deprecated: ``await handler.cancel_run()``."""
        _deprecated("cancel", "await handler.cancel_run()")
        self._run.cancel()

    def exception(self) -> BaseException | None:
        """What the run failed with, once it is over. Deprecated: await the handler."""
        _deprecated("exception", "await the handler")
        return self._run.future.exception()

    def cancelled(self) -> bool:
        """Whether the run was cancelled. Deprecated: await the handler."""
        _deprecated("cancelled", "await the handler")
        future = self._run.future
        return future.done() and isinstance(future.exception(), WorkflowCancelledByUser)

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
