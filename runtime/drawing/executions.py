"""The recorded history of a run: which steps ran, on which events, in which order, how long and how often."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from wfc.runtime.drawing.graph import Arrow, Box, Graph
from wfc.runtime.drawing.rendering import render
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.errors import WorkflowRuntimeError
from wfc.runtime.errors.raised import step_error
from wfc.runtime.events import Event, StartEvent, StopEvent, event_name
from wfc.runtime.events.internal import EventEmitted
from wfc.runtime.plan.outcomes import All
from wfc.runtime.tracing import (
    Dispatched,
    EventHandler,
    Span,
    SpanHandler,
    active_span,
    conventions,
    get_dispatcher,
)

__all__ = [
    "EventSeen",
    "RecordedExecution",
    "StepSeen",
    "draw_run",
    "execution_graph",
    "execution_of",
    "record_executions",
]

Role = Literal["event", "start", "end"]
_SHAPES: Final[dict[Role, str]] = {"event": "ellipse", "start": "start", "end": "end"}

MOST_RUNS: Final = 100
MOST_STEPS: Final = 5_000
"""Step runs that are kept of one run, and as many events; what comes after is counted."""

Outcome = Literal["running", "done", "failed", "cancelled"]


@dataclass
class EventSeen:
    """An event of a run.

    Args:
        name: The name of its class.
        by: The number of the step run that emitted it; ``None``: it came from outside.
        role: Whether it started or ended the run.
    """

    name: str
    by: int | None
    role: Role = "event"


@dataclass
class StepSeen:
    """A step run.

    Args:
        name: The step's name.
        number: The number of the step run in its run.
        events: The events it ran on, by their indices in the execution's list.
        began: Nanoseconds since the run began.
        ended: The same, or ``None`` while it runs.
        error: The dotted name of the error with which it failed.
    """

    name: str
    number: int
    events: list[int]
    began: int
    ended: int | None = None
    attempts: int = 1
    outcome: Outcome = "running"
    error: str | None = None


@dataclass
class RecordedExecution:
    """The history of a run, in chronological order.

    Args:
        began: Nanoseconds since 1970.
        left_out: The number of step runs and events that are not in the lists, because there were too many.
    """

    workflow: str
    run_id: str
    began: int
    steps: list[StepSeen] = field(default_factory=list)
    events: list[EventSeen] = field(default_factory=list)
    ended: int | None = None
    outcome: Outcome = "running"
    left_out: int = 0


class _Recorder(SpanHandler, EventHandler):
    """A handler of spans and events that records the last runs."""

    def __init__(self) -> None:
        self.executions: OrderedDict[str, RecordedExecution] = OrderedDict()
        self._places: dict[str, dict[int, tuple[Event, int]]] = {}  # indices of events, for unfinished runs

    def enter(self, span: Span) -> None:
        run_id: str = span.attributes.get(conventions.RUN_ID, "")
        if span.kind == "run":
            self._places[run_id] = {}
            self.executions[run_id] = RecordedExecution(span.name, run_id, span.started)
            if len(self.executions) > MOST_RUNS:
                self._forget()
        elif span.kind == "step" and (execution := self.executions.get(run_id)) is not None:
            found = [self._place(execution, event, None) for event in _events_in(span.content)]
            places = [place for place in found if place is not None]
            if len(execution.steps) >= MOST_STEPS:
                execution.left_out += 1
                return
            number = span.attributes[conventions.STEP_RUN]
            seen = StepSeen(span.name, number, places, span.started - execution.began)
            span.kept[self] = seen
            execution.steps.append(seen)

    def _forget(self) -> None:
        """Discard the run that ended longest ago, or the oldest one if all are still running."""
        over = (one for one in self.executions.values() if one.ended is not None)
        oldest = next(over, None) or next(iter(self.executions.values()))
        del self.executions[oldest.run_id]
        self._places.pop(oldest.run_id, None)

    def exit(self, span: Span) -> None:
        execution = self.executions.get(span.attributes.get(conventions.RUN_ID, ""))
        if execution is None or span.ended is None:
            return
        outcome: Outcome = "done"
        if span.error is not None or span.is_cancelled:
            outcome = "failed" if span.error is not None else "cancelled"
        if span.kind == "run":
            execution.ended, execution.outcome = span.ended - execution.began, outcome
            self._places.pop(execution.run_id, None)
            self.executions.move_to_end(execution.run_id)
        elif span.kind == "step" and (seen := span.kept.get(self)) is not None:
            seen.ended, seen.outcome = span.ended - execution.began, outcome
            seen.attempts = span.attributes.get(conventions.ATTEMPTS, 1)
            seen.error = step_error(span.error).name if span.error is not None else None
            for event in _emitted(span.result):
                self._place(execution, event, seen.number)

    def handle(self, dispatched: Dispatched) -> None:
        event, root = dispatched.event, dispatched.span
        if not isinstance(event, EventEmitted) or root is None:
            return
        execution = self.executions.get(root.attributes.get(conventions.RUN_ID, ""))
        if execution is not None:
            self._place(execution, event.event, _sender(execution.run_id) if event.step_name else None)

    def _place(self, execution: RecordedExecution, event: Event, by: int | None) -> int | None:
        """Return the index of an event in the list, to which it is added when first seen."""
        places = self._places.get(execution.run_id)
        if places is None:
            return None
        known = places.get(id(event))
        if known is not None:
            seen = execution.events[known[1]]
            seen.by = by if seen.by is None else seen.by
            return known[1]
        if len(execution.events) >= MOST_STEPS:
            execution.left_out += 1
            return None
        role: Role = "event"
        if isinstance(event, StartEvent | StopEvent):
            role = "start" if isinstance(event, StartEvent) else "end"
        execution.events.append(EventSeen(event_name(event), by, role))
        places[id(event)] = event, len(execution.events) - 1  # a reference, so that its id is not reused
        return len(execution.events) - 1


_RECORDER: Final = _Recorder()


def record_executions(name: str = "root") -> None:
    """Record the history of runs that start from now on, for the last hundred. A second call has no effect.

    Without it no history is recorded. It costs time and memory, and is meant for development.

    Args:
        name: The dispatcher's name, such as a module's or ``module.Class``: only its workflows are recorded.
    """
    dispatcher = get_dispatcher(name)
    if _RECORDER not in dispatcher.span_handlers:
        dispatcher.add_span_handler(_RECORDER)
        dispatcher.add_event_handler(_RECORDER)


def execution_of(handler: WorkflowHandler) -> RecordedExecution:
    """Return the history of a run so far.

    Raises:
        WorkflowRuntimeError: The run was not recorded, or is not among the last hundred.
    """
    found = _RECORDER.executions.get(handler.run_id)
    if found is None:
        raise WorkflowRuntimeError(
            f"nothing is known of the run {handler.run_id}: call `wfc.runtime.drawing.record_executions()` before it "
            "starts"
        )
    return found


def draw_run(handler: WorkflowHandler, format: str = "html") -> str:
    """Return a drawing of what has happened in a run; ``record_executions`` must have been called before it started.

    Args:
        format: ``html``, one page that loads nothing; ``mermaid``; or ``dot``.

    Raises:
        WorkflowRuntimeError: The run was not recorded.
        ValueError: There is no such format.
    """
    return render(execution_graph(execution_of(handler)), format)


def execution_graph(execution: RecordedExecution, max_label_length: int | None = None) -> Graph:
    """Return what happened as a graph: step runs in their order, with times and attempts, and events.

    Args:
        max_label_length: Longer names are cut; ``None``: none are.
    """
    boxes = [Box("outside", "outside", "external_step")]
    arrows = []
    for at, event in enumerate(execution.events):
        boxes.append(Box(f"event {at}", _SHAPES[event.role], _cut(event.name, max_label_length)))
        arrows.append(Arrow("outside" if event.by is None else f"step {event.by}", f"event {at}"))
    counts: dict[str, int] = {}
    for seen in execution.steps:
        count = counts[seen.name] = counts.get(seen.name, 0) + 1
        boxes.append(_step_box(seen, _cut(f"{seen.name}#{count}", max_label_length)))
        arrows += [Arrow(f"event {at}", f"step {seen.number}") for at in seen.events]
    known = {box.id for box in boxes}
    shown = tuple(arrow for arrow in arrows if arrow.source in known)
    if not any(arrow.source == "outside" for arrow in shown):
        boxes = boxes[1:]
    return Graph(execution.workflow, tuple(boxes), shown, _summary(execution))


def _step_box(seen: StepSeen, title: str) -> Box:
    notes = [_times(seen)]
    if seen.attempts > 1:
        notes.append(f"{seen.attempts} attempts")
    if seen.outcome != "done":
        notes.append(seen.outcome + (f": {seen.error}" if seen.error else ""))
    shape = "fail" if seen.outcome == "failed" else "box"
    return Box(f"step {seen.number}", shape, title, tuple(notes))


def _summary(execution: RecordedExecution) -> str:
    said = f"run {execution.run_id}: {execution.outcome}"
    if execution.ended is not None:
        said += f" after {_seconds(execution.ended)}"
    if execution.left_out:
        said += f"; {execution.left_out} more step runs and events are not shown"
    return said


def _times(seen: StepSeen) -> str:
    took = "" if seen.ended is None else f", took {_seconds(seen.ended - seen.began)}"
    return f"at {_seconds(seen.began)}{took}"


def _seconds(nanoseconds: int) -> str:
    milliseconds = nanoseconds / 1_000_000
    return f"{milliseconds:.1f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.2f} s"


def _cut(label: str, most: int | None) -> str:
    return label if most is None or len(label) <= most else f"{label[: most - 1]}*"


def _sender(run_id: str) -> int | None:
    """Return the number of the step run whose code is running, if it belongs to this run."""
    span = active_span()
    while span is not None and span.kind != "step":
        span = span.parent
    if span is None or span.attributes.get(conventions.RUN_ID) != run_id:
        return None
    number: int = span.attributes[conventions.STEP_RUN]
    return number


def _events_in(content: dict[str, Any]) -> list[Event]:
    event = content.get(conventions.CONTENT + "event")
    if isinstance(event, Event):
        return [event]
    return list(event.values() if isinstance(event, dict) else event or ())


def _emitted(result: Any) -> list[Event]:
    found = result.events if isinstance(result, All) else result if isinstance(result, list) else [result]
    return [one for one in found if isinstance(one, Event)]
