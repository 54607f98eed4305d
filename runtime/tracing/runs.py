"""The spans of a run, of its step runs and of their attempts; created only if handlers are registered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Completed, Failed, Tick
from wfc.runtime.errors import StepFailedError, WorkflowCancelledByUser
from wfc.runtime.errors.raised import step_error
from wfc.runtime.events import Event, StartEvent, StopEvent, event_name
from wfc.runtime.events.internal import ChildNote, StepStateChanged
from wfc.runtime.plan.outcomes import All
from wfc.runtime.tracing import (
    EventHandler,
    Span,
    SpanHandler,
    active_instrument_tags,
    active_span,
    conventions,
    handlers_at,
    has_handlers,
    notify,
)

__all__ = ["Trace", "trace_of"]

_CROWDED = 64


def trace_of(workflow: object, carried: Mapping[str, str] | None) -> Trace | None:
    """Return a trace for a run that is about to start here; ``None`` if no handler applies to its workflow.

    Args:
        carried: What ``Span.carry`` returned for the parent elsewhere, or before a restart. By default the
            parent is the span that is active here, such as a step's that starts the run.
    """
    if not has_handlers():
        return None
    kind = type(workflow)
    event_handlers, span_handlers = handlers_at(f"{kind.__module__}.{kind.__qualname__}")
    if not event_handlers and not span_handlers:
        return None
    return Trace(event_handlers, span_handlers, carried)


class Trace:
    """The tracing of one run.

    Args:
        event_handlers: Handlers of its events.
        span_handlers: Handlers of its spans.
        carried: See ``trace_of``.
    """

    __slots__ = (
        "_carried",
        "_crowded",
        "_last",
        "_last_number",
        "_parent",
        "_place_of",
        "_run_id",
        "_steps",
        "_tags",
        "event_handlers",
        "root",
        "span_handlers",
    )
    _last: Span | None

    def __init__(
        self,
        event_handlers: tuple[EventHandler, ...],
        span_handlers: tuple[SpanHandler, ...],
        carried: Mapping[str, str] | None,
    ) -> None:
        self.event_handlers = event_handlers
        self.span_handlers = span_handlers
        self.root: Span | None = None
        self._carried = carried
        self._parent = active_span() if not carried else None
        self._tags = dict(active_instrument_tags())
        self._steps: dict[int, tuple[Span, StepRun]] = {}  # of step runs that are not over, by number
        self._crowded = _CROWDED  # how many there may be before those are sought that were dropped
        self._place_of: Callable[[StepRun], str] | None = None
        self._last_number, self._last = 0, None  # the one that ended last, of which the run has yet to tell

    def begin(
        self,
        workflow: object,
        name: str,
        run_id: str,
        inputs: StartEvent | None,
        starter: Span | None,
        place_of: Callable[[StepRun], str] | None = None,
    ) -> None:
        """Open the run's span.

        Args:
            name: The workflow's name.
            starter: The span of the step run that has started this run, and that of its run above it.
            place_of: Returns the place of a step run within an agent, such as ``settle/turn 3/refund``; empty for one
                that has none.
        """
        self._run_id = run_id
        self._place_of = place_of
        self._find_parent(starter)
        self.root = Span(
            "run",
            name,
            self.span_handlers,
            parent=self._parent,
            carried=self._carried,
            tags=self._tags,
            attributes={
                conventions.OPERATION: conventions.INVOKE_WORKFLOW,
                conventions.WORKFLOW: name,
                conventions.RUN_ID: run_id,
            },
            content={conventions.CONTENT + "inputs": inputs},
            owner=workflow,
        )

    def see(self, event: Event) -> None:
        """Pass an event of this run to the handlers; child runs do so for their own events."""
        if not self.event_handlers or isinstance(event, ChildNote):
            return
        span = self.root
        if isinstance(event, StepStateChanged):
            number = int(event.worker_id)
            span = self._span_of(number) or (self._last if self._last_number == number else span)
        notify(self.event_handlers, event, span)

    async def attempt(self, make: Callable[[StepRun], Awaitable[Tick]], step_run: StepRun) -> Tick:
        """Make an attempt in a span of its own."""
        step = self._span_of(step_run.number) or self._open(step_run)
        if step_run.step.action is None or step_run.exit is not Exit.ACTION:
            return self.settled(step_run, await make(step_run))
        name = f"{step_run.step.name} {step_run.attempt}"
        one = step.below("attempt", name, attributes={conventions.ATTEMPT: step_run.attempt})
        tokens = one.activate()
        try:
            tick = await make(step_run)
        except BaseException as error:
            one.fail(error)
            if _is_dropped(step_run):
                self._close(step_run.number)
            raise
        finally:
            one.deactivate(tokens)
        one.close(result=getattr(tick, "emitted", None), error=getattr(tick, "error", None))
        return self.settled(step_run, tick)

    def settled(self, step_run: StepRun, tick: Tick) -> Tick:
        """End a step run's span after an attempt, unless a retry or pause follows; return the tick."""
        span = self._span_of(step_run.number)
        if span is not None and isinstance(tick, Completed | Failed):
            del self._steps[step_run.number]
            self._last_number, self._last = step_run.number, span
            span.attributes[conventions.ATTEMPTS] = step_run.attempt
            if isinstance(tick, Completed):
                if names := _emitted(tick.emitted):
                    span.attributes[conventions.EMITTED] = names
                span.close(result=tick.emitted)
            elif isinstance(tick, Failed):
                span.close(error=_own(tick.error))
        return tick

    def span_of(self, number: int) -> Span | None:
        """Return the span of a step run that is not over; else that of the run."""
        return self._span_of(number) or self.root

    def _span_of(self, number: int) -> Span | None:
        found = self._steps.get(number)
        return None if found is None else found[0]

    def _find_parent(self, starter: Span | None) -> None:
        """Put a child run below the span of the step run that starts it, whatever code runs here."""
        if starter is None or self._carried:
            return
        root: Span | None = starter
        while root is not None and root.kind != "run":
            root = root.parent
        span = self._parent
        while span is not None and span is not root:
            span = span.parent
        if span is None:
            self._parent = starter

    def _open(self, step_run: StepRun) -> Span:
        assert self.root is not None
        if len(self._steps) >= self._crowded:
            for number in [at for at, (_, one) in self._steps.items() if _is_dropped(one)]:
                self._close(number)
            self._crowded = 2 * len(self._steps) + _CROWDED
        attributes = {
            conventions.STEP: step_run.step.name,
            conventions.STEP_RUN: step_run.number,
            conventions.EVENT: step_run.event_name,
            conventions.RUN_ID: self._run_id,
        }
        if place := self._place_of(step_run) if self._place_of is not None else "":
            attributes[conventions.PLACE] = place
        span = self.root.below(
            "step",
            place or step_run.step.name,
            attributes=attributes,
            content={conventions.CONTENT + "event": step_run.event},
        )
        self._steps[step_run.number] = span, step_run
        return span

    def _close(self, number: int) -> None:
        span, _ = self._steps.pop(number)
        span.close(cancelled=True)

    def drop_steps(self) -> None:
        """End the spans of all unfinished step runs: none of them continues."""
        for number in list(self._steps):
            self._close(number)

    def end(self, outcome: StopEvent | Exception) -> None:
        """End the run's span, and those of its unfinished step runs."""
        self.drop_steps()
        if self.root is None:
            return  # it never began
        if isinstance(outcome, StopEvent):
            self.root.attributes[conventions.EMITTED] = [event_name(outcome)]
            self.root.close(result=outcome)
        elif isinstance(outcome, WorkflowCancelledByUser):
            self.root.close(cancelled=True)
        else:
            self.root.close(error=_own(outcome))


def _is_dropped(step_run: StepRun) -> bool:
    return step_run.exit is Exit.DROPPED


def _own(error: Exception) -> Exception:
    """Return the error with its dotted name."""
    return error.error if isinstance(error, StepFailedError) else step_error(error)


def _emitted(emitted: Any) -> list[str]:
    """Return the names of the events that a step run emitted."""
    events = (
        emitted.events if isinstance(emitted, All) else emitted if isinstance(emitted, list) else [emitted]
    )
    return list(dict.fromkeys(event_name(one) for one in events if isinstance(one, Event)))
