"""The watchers of a run: readers of its stream and of its internal events, observers, and its trace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol
from weakref import ref

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.replies import ReplyPlace, ShownReply, StreamedReply
from wfc.runtime.driver.run.stream import Stream
from wfc.runtime.errors import RunLostError, RunParkedError
from wfc.runtime.events import Event, StopEvent
from wfc.runtime.events.internal import ChildNote, StepState, StepStateChanged
from wfc.runtime.store.port import Port
from wfc.runtime.tracing.runs import Trace

__all__ = ["Observer", "Watchers", "print_step"]

Observer = Callable[[Event], None]
"""A function called with each event of a run: ``InternalDispatchEvent`` s and streamed events."""


class StartedBy(Protocol):
    """A step run that has started a run."""

    @property
    def step(self) -> str:
        """The step's name."""

    @property
    def number(self) -> int:
        """The step run's number."""


class WatchedRun(Protocol):
    """The interface of a run that watchers use."""

    @property
    def run_id(self) -> str:
        """The run's id."""

    @property
    def workflow(self) -> RunWorkflow[Any]:
        """The run's workflow."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The run's event loop."""

    @property
    def is_done(self) -> bool:
        """Return whether the run is over."""

    @property
    def execution(self) -> Execution:
        """The run's state of execution, as data."""

    @property
    def trace(self) -> Trace | None:
        """The run's spans; ``None`` if there is no tracing."""

    @property
    def port(self) -> Port | None:
        """The run's port to its journal; ``None`` in memory."""

    @property
    def above(self) -> WatchedRun | None:
        """The run that this run is part of; ``None`` if there is none."""

    @property
    def parent(self) -> StartedBy | None:
        """The step run that has started this run; ``None`` if there is none."""

    @property
    def watchers(self) -> Watchers:
        """The run's watchers."""

    def look_inside(self) -> None:
        """Record internal events, in this run and in all of its parts."""

    def last_event(self) -> StopEvent:
        """Return the last event of the run's stream, once the run is over."""


class Watchers:
    """The watchers of one run; events of a run that is part of another are shown in the parent too."""

    __slots__ = ("_inner", "_observers", "_of", "_replies", "_stream")

    def __init__(self, run: WatchedRun) -> None:
        self._of = ref(run)  # which has these watchers, and is freed with them once nobody else knows it
        self._stream: Stream | None = None
        self._inner: Stream | None = None
        self._observers: tuple[Observer, ...] = ()
        self._replies = 0  # how many were shown of an agent and of those who work for it

    @property
    def _run(self) -> WatchedRun:
        run = self._of()
        assert run is not None, "whoever asks has the run"
        return run

    def publish(self, event: Event, run_id: str | None = None, *, is_durable: bool = False) -> None:
        """Show an event to all watchers, here and in the runs above, unless the run has ended.

        Args:
            run_id: The id of the run that the event comes from, if that is a run below.
            is_durable: Whether its cause is recorded, if the run has a journal; else it is shown once it is.
        """
        run = self._of()
        if run is None or run.is_done:
            return
        if run.port is not None and not is_durable:
            run.port.after(partial(self.publish, event, run_id, is_durable=True))
            return
        self._show(event, run_id or run.run_id)
        if run.above is not None:
            run.above.watchers.publish(event, run_id or run.run_id)

    @contextmanager
    def answering(self, step_run: StepRun) -> Iterator[ShownReply]:
        """Show a further model reply of a step run to all watchers, here and in the runs above.

        A reply of an agent is one of the step that lets it work, also if it works for another agent.
        """
        shown = ShownReply(self, self._place_in_agent() or self._place(step_run))
        try:
            yield shown
        finally:
            shown.end()

    def _place(self, step_run: StepRun) -> ReplyPlace:
        """Return the place of a further reply of a step run."""
        attempt, reply = getattr(step_run, "replies", (0, 0))
        reply = reply + 1 if attempt == step_run.attempt else 1
        step_run.replies = step_run.attempt, reply
        return ReplyPlace(step_run.step.name, str(step_run.number), step_run.attempt, reply)

    def _place_in_agent(self) -> ReplyPlace | None:
        """Return the place of a further reply within an agent; ``None`` in other runs."""
        first: WatchedRun = self._run
        if first.execution.plan.places is None or first.parent is None:
            return None
        while (above := first.above) is not None and above.execution.plan.places is not None:
            first = above
        step = first.parent
        assert step is not None, "an agent above which there is another one has begun in a step"
        first.watchers._replies += 1
        return ReplyPlace(step.step, str(step.number), 1, first.watchers._replies)

    @property
    def are_shown_more(self) -> bool:
        """Return whether the run goes on, so that there is more to show."""
        run = self._of()
        return run is not None and not run.is_done

    def begin_reply(self, reply: StreamedReply) -> None:
        """Add a reply to the streams, here and in the runs above."""
        self._begin(reply, self._run.run_id)

    def _begin(self, reply: StreamedReply, run_id: str) -> None:
        for stream in (self.stream, self._inner):
            if stream is not None:
                stream.publish(reply, run_id)
                reply.on_growth(stream.wake)
        if self._run.above is not None:
            self._run.above.watchers._begin(reply, run_id)

    def observe_reply(self, piece: Event) -> None:
        """Pass a piece of a reply to the observers, here and in the runs above."""
        for observer in self._observers:
            self._call(observer, piece)
        if self._run.above is not None:
            self._run.above.watchers.observe_reply(piece)

    def note(self, event: Event) -> None:
        """Show an internal event to the watchers of internal events, here and in the runs above."""
        run = self._run
        self._tell(event, run.run_id)
        if run.above is not None and run.above.execution.observed:
            if not isinstance(event, ChildNote):
                name = run.workflow._wfc.name
                event = ChildNote.model_construct(run_id=run.run_id, workflow=name, event=event)
            run.above.watchers.note(event)

    def _show(self, event: Event, run_id: str) -> None:
        if self._stream is None:
            self._stream = Stream(self._run.workflow._wfc.stream_limit)
        self._stream.publish(event, run_id)
        self._tell(event, run_id)

    def _tell(self, event: Event, run_id: str) -> None:
        run = self._run
        if run.trace is not None and run_id == run.run_id:
            run.trace.see(event)
        if self._inner is not None:
            self._inner.publish(event, run_id)
        for observer in self._observers:
            self._call(observer, event)

    def _call(self, observer: Observer, event: Event) -> None:
        try:
            observer(event)
        except Exception as error:  # whoever looks on can do the run no harm
            self._run.loop.call_exception_handler({"message": "an observer failed", "exception": error})

    def observe(self, observer: Observer) -> None:
        """Call ``observer`` with every event from now on."""
        self._observers += (observer,)
        self._run.look_inside()

    @property
    def stream(self) -> Stream:
        """The stream of published events, created at the first event or the first request of a reader."""
        if self._stream is None:
            self._stream = Stream(self._run.workflow._wfc.stream_limit)
            if self._run.is_done:
                self._stream.publish(self._run.last_event(), self._run.run_id)
                self._stream.close()
        return self._stream

    def inner_stream(self) -> Stream:
        """Return the stream with internal events, which begins at the first call."""
        if self._inner is None:
            self._inner = self.stream.copy()
            self._run.look_inside()
        return self._inner

    def close(self) -> None:
        """Show the last event to all watchers, and close the streams."""
        run = self._run
        if self._stream is not None or self._inner is not None or self._observers or run.trace is not None:
            if not isinstance(run.execution.outcome, RunLostError | RunParkedError):  # else it is not over
                self._show(run.last_event(), run.run_id)
            for stream in (self._stream, self._inner):
                if stream is not None:
                    stream.close()


def print_step(event: Event) -> None:
    """Print the progress of steps: the observer for runs of a ``verbose`` workflow."""
    if not isinstance(event, StepStateChanged):
        return
    if event.step_state is StepState.RUNNING:
        print(f"Running step {event.name} on {event.input_event_name}")
    elif event.error is not None:
        print(f"Step {event.name} failed: {event.error}")
    elif event.step_state is StepState.NOT_RUNNING:
        print(f"Step {event.name} produced {event.output_event_name or 'no event'}")
