"""Events that a step's body collects by itself, with ``Context.collect_events``."""

from __future__ import annotations

from collections import Counter, deque

from wfc.runtime.core.body_ticks import Collected
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.events import Event

__all__ = ["CollectedEvents", "collect", "event_collected", "uncollect"]


class CollectedEvents:
    """The events that ``collect_events`` has kept under one name."""

    __slots__ = ("by_kind", "count", "expected", "needed", "taken_by")

    def __init__(self) -> None:
        self.by_kind: dict[type[Event], deque[Event]] = {}
        self.count = 0
        self.expected: list[type[Event]] = []
        self.needed: Counter[type[Event]] = Counter()
        self.taken_by: int | None = None  # the number of the step run that has got them all

    def is_for(self, expected: list[type[Event]]) -> bool:
        """Return whether this list looks like the last one.

        Only the lengths and the first and last entries are compared: there may be thousands of entries.
        """
        known = self.expected
        return known is expected or (
            len(known) == len(expected) and known[0] is expected[0] and known[-1] is expected[-1]
        )

    def expect(self, expected: list[type[Event]]) -> None:
        """Set the expected classes, and drop the kept events that exceed them."""
        self.expected = expected
        self.needed = Counter(expected)
        for kind, same in self.by_kind.items():
            while len(same) > self.needed[kind]:
                same.pop()
        self.count = sum(map(len, self.by_kind.values()))


def event_collected(execution: Execution, tick: Collected) -> None:
    """Collect an event for the body of a step run."""
    run = execution.in_flight.get(tick.number)
    if run is not None:
        event = run.event if tick.event is None else tick.event
        run.given = collect(execution, run, event, tick.expected, tick.buffer_id)


def collect(
    execution: Execution, run: StepRun, event: Event, expected: list[type[Event]], buffer_id: str | None
) -> list[Event] | None:
    """Keep an event until there is one for each expected class; see ``Context.collect_events``."""
    if not expected:
        return []
    key = (run.step.index, buffer_id or "")
    if hasattr(run, "gone") and (key, event) in run.gone:
        run.gone.remove((key, event))
        return None
    kept: CollectedEvents | None = execution.buffers.get(key)
    if kept is None:
        if execution.buffers is NONE:
            execution.buffers = {}
        kept = execution.buffers[key] = CollectedEvents()
    if not kept.is_for(expected):
        kept.expect(expected)
    kind = type(event)
    same = kept.by_kind.get(kind)
    if same is None:
        same = kept.by_kind[kind] = deque()
    if len(same) >= kept.needed[kind]:
        return None
    same.append(event)
    kept.count += 1
    if not hasattr(run, "collects"):
        run.collects = []
    run.collects.append((key, kept, event))
    if kept.count < len(expected):
        return None
    if kept.expected != expected:
        kept.expect(expected)  # it only looked like what was expected before
        if kept.count < len(expected):
            return None
    del execution.buffers[key]
    kept.taken_by = run.number
    given = {one: iter(queue) for one, queue in kept.by_kind.items()}
    return [next(given[one]) for one in expected]


def uncollect(execution: Execution, run: StepRun) -> None:
    """Undo what a failed attempt has collected, so that the next attempt collects it again."""
    collects = getattr(run, "collects", ())
    if collects and execution.buffers is NONE:
        execution.buffers = {}
    for key, kept, event in reversed(collects):
        if kept.taken_by is not None and kept.taken_by != run.number:
            if not hasattr(run, "gone"):
                run.gone = []
            run.gone.append((key, event))
            continue
        kept.taken_by = None
        same = kept.by_kind[type(event)]
        if event in same:  # else it was dropped since, as one too many
            same.remove(event)
            kept.count -= 1
        newer: CollectedEvents | None = execution.buffers.get(key)
        execution.buffers[key] = kept
        if newer is not None and newer is not kept:
            for kind, queue in newer.by_kind.items():
                kept.by_kind.setdefault(kind, deque()).extend(queue)
            kept.count += newer.count
    run.collects = []
