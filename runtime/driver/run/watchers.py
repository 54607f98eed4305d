"""Those who watch a run: readers of its stream, those who look inside, observers, and its trace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run.replies import StreamedReply
from wfc.runtime.driver.run.stream import Stream
from wfc.runtime.events import ChildNote, Event, StepState, StepStateChanged, StopEvent
from wfc.runtime.tracing.runs import Trace

__all__ = ["Observer", "Watchers", "print_step"]

Observer = Callable[[Event], None]
"""Told of everything that happens in a run, as it happens: ``InternalDispatchEvent`` s and what is streamed."""


class NamedWorkflow(Protocol):
    """What watchers need of a run's workflow."""

    @property
    def workflow_name(self) -> str:
        """What it is called."""

    @property
    def _stream_limit(self) -> int | None:
        """How many events of a run's stream are kept for readers that come later."""


class WatchedRun(Protocol):
    """What watchers need of the run."""

    @property
    def run_id(self) -> str:
        """Its id."""

    @property
    def workflow(self) -> NamedWorkflow:
        """Its workflow."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """Its event loop."""

    @property
    def is_done(self) -> bool:
        """Whether it is over."""

    @property
    def execution(self) -> Execution:
        """The run as data."""

    @property
    def trace(self) -> Trace | None:
        """Its spans, if anybody is told of them."""

    @property
    def above(self) -> WatchedRun | None:
        """The run that it is part of."""

    @property
    def watchers(self) -> Watchers:
        """Those who watch it."""

    def look_inside(self) -> None:
        """Have what happens inside noted, here and in all that is part of the run."""

    def last_event(self) -> StopEvent:
        """Return what its stream ends with, once it is over."""


class Watchers:
    """The watchers of one run. What a part of another run shows is shown above too."""

    __slots__ = ("_inner", "_observers", "_run", "_stream")

    def __init__(self, run: WatchedRun) -> None:
        self._run = run
        self._stream: Stream | None = None
        self._inner: Stream | None = None
        self._observers: tuple[Observer, ...] = ()

    def publish(self, event: Event, run_id: str | None = None) -> None:
        """Show an event to all, here and above. What comes after the run's end is not shown.

        Args:
            run_id: Of the run that it comes from, if that is one below.
        """
        run = self._run
        if run.is_done:
            return
        self._show(event, run_id or run.run_id)
        if run.above is not None:
            run.above.watchers.publish(event, run_id or run.run_id)

    @contextmanager
    def answering(self, step_run: StepRun) -> Iterator[Callable[[str], None]]:
        """Show one more reply of a model that a step run asks, to all, here and above.

        What it gives is called with each piece. Of a reply without a piece nothing is shown.
        """
        attempt, reply = getattr(step_run, "replies", (0, 0))
        reply = reply + 1 if attempt == step_run.attempt else 1
        step_run.replies = step_run.attempt, reply
        answer = StreamedReply(step_run.step.name, str(step_run.number), step_run.attempt, reply)
        is_shown = False

        def tell(text: str) -> None:
            nonlocal is_shown
            if text and not self._run.is_done:
                if not is_shown:
                    self._begin(answer, self._run.run_id)
                    is_shown = True
                answer.grow(text)
                self._observe(answer, text)

        try:
            yield tell
        finally:
            answer.end()

    def _begin(self, answer: StreamedReply, run_id: str) -> None:
        for stream in (self.stream, self._inner):
            if stream is not None:
                stream.publish(answer, run_id)
                answer.on_growth(stream.wake)
        if self._run.above is not None:
            self._run.above.watchers._begin(answer, run_id)

    def _observe(self, answer: StreamedReply, text: str) -> None:
        if self._observers:
            event = answer.event(text)
            for observer in self._observers:
                self._call(observer, event)
        if self._run.above is not None:
            self._run.above.watchers._observe(answer, text)

    def note(self, event: Event) -> None:
        """Show what happens inside to those who look there, here and above."""
        run = self._run
        self._tell(event, run.run_id)
        if run.above is not None and run.above.execution.observed:
            if not isinstance(event, ChildNote):
                name = run.workflow.workflow_name
                event = ChildNote.model_construct(run_id=run.run_id, workflow=name, event=event)
            run.above.watchers.note(event)

    def _show(self, event: Event, run_id: str) -> None:
        if self._stream is None:
            self._stream = Stream(self._run.workflow._stream_limit)
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
        """Tell ``observer`` of everything that happens from now on."""
        self._observers += (observer,)
        self._run.look_inside()

    @property
    def stream(self) -> Stream:
        """The stream of what the run publishes; made when there is something to publish, or somebody looks."""
        if self._stream is None:
            self._stream = Stream(self._run.workflow._stream_limit)
            if self._run.is_done:
                self._stream.publish(self._run.last_event(), self._run.run_id)
                self._stream.close()
        return self._stream

    def inner_stream(self) -> Stream:
        """Return the stream with internal events, which begins when somebody first asks for it."""
        if self._inner is None:
            self._inner = self.stream.copy()
            self._run.look_inside()
        return self._inner

    def close(self) -> None:
        """Show the last event to all: nothing more comes."""
        run = self._run
        if self._stream is not None or self._inner is not None or self._observers or run.trace is not None:
            self._show(run.last_event(), run.run_id)
            for stream in (self._stream, self._inner):
                if stream is not None:
                    stream.close()


def print_step(event: Event) -> None:
    """Print what a step does: an observer for runs of a workflow that is ``verbose``."""
    if not isinstance(event, StepStateChanged):
        return
    if event.step_state is StepState.RUNNING:
        print(f"Running step {event.name} on {event.input_event_name}")
    elif event.error is not None:
        print(f"Step {event.name} failed: {event.error}")
    elif event.step_state is StepState.NOT_RUNNING:
        print(f"Step {event.name} produced {event.output_event_name or 'no event'}")
