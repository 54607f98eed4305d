"""The events that hand-written steps have collected, and which step runs can give theirs back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, groupby
from typing import Any

from wfc.runtime.core.advance.collecting import CollectedEvents
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import Frame, StepRun
from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import Event
from wfc.runtime.store.reading_values import step_named
from wfc.runtime.store.values import Values

__all__ = ["Gathered", "read_expected", "read_gathered", "write_expected"]

MOST = 1_000_000
"""The maximum number of events that a step may wait for."""


class Gathered:
    """The buffers of an execution, and those that its step runs have taken events from and may have to give back to."""

    def __init__(self, execution: Execution, runs: Iterable[StepRun]) -> None:
        self._keys = execution.plan.keys
        self._pairs = {key: one for key, one in execution.buffers.items() if isinstance(one, tuple)}
        self._places: dict[int, int] = {}  # of collections in the data, by identity
        self._collections: list[tuple[Any, CollectedEvents, bool]] = []
        for key, one in execution.buffers.items():
            if isinstance(one, CollectedEvents):
                self._add(key, one, is_open=True)
        for run in runs:
            for key, one, _ in getattr(run, "collects", ()):
                if id(one) not in self._places:
                    self._add(key, one, is_open=False)

    def _add(self, key: Any, one: CollectedEvents, *, is_open: bool) -> None:
        self._places[id(one)] = len(self._collections)
        self._collections.append((key, one, is_open))

    def held_by(self, run: StepRun) -> list[list[int]]:
        """Return what a step run has collected: the places of collections, and of its events in them."""
        found = []
        for _, one, event in getattr(run, "collects", ()):
            kept = [id(each) for each in _kept(one)]
            if id(event) in kept:
                found.append([self._places[id(one)], kept.index(id(event))])
        return found

    def write(self, values: Values, place: Callable[[Frame | None], int | None]) -> list[Any]:
        """Return the buffers as JSON data.

        Args:
            place: A function that returns a frame's position in the snapshot.
        """
        data: list[Any] = []
        for (index, about), one, is_open in self._collections:
            step = self._keys[index]
            kept = [values.write_model(event) for event in _kept(one)]
            data.append(
                [step, "collect", about, kept, write_expected(one.expected, values), is_open, one.taken_by]
            )
        for (index, about), pair in self._pairs.items():
            step = self._keys[index]
            waiting = [[values.write_model(event) for event in queue] for queue in pair]
            data.append([step, "pair", place(about), waiting])
        return data


def _kept(one: CollectedEvents) -> Iterator[Event]:
    return chain.from_iterable(one.by_kind.values())


def write_expected(expected: list[type[Event]], values: Values) -> list[Any]:
    """Return the classes that a body collects as JSON data."""
    return [[values.classes.name(kind), len(list(same))] for kind, same in groupby(expected)]


def read_expected(data: list[Any], values: Values) -> list[type[Event]]:
    """Return the classes that a body collects.

    Raises:
        SnapshotError: There are too many, or the data has another form.
    """
    if sum(count for _, count in data) > MOST or any(count < 0 for _, count in data):
        raise SnapshotError(f"a step cannot wait for more than {MOST} events")
    return [kind for name, count in data for kind in [values.classes.event(name)] * count]


def read_gathered(
    data: list[Any],
    execution: Execution,
    values: Values,
    frame_at: Callable[[Any], Frame | None],
    held: Mapping[int, list[Any]],
) -> dict[Any, Any]:
    """Return the buffers of an execution, and give its step runs what they have collected.

    Args:
        held: What step runs have collected, by their number: see ``Gathered.held_by``.

    Raises:
        SnapshotError: The data has another form.
    """
    buffers: dict[Any, Any] = {}
    collections: list[tuple[Any, CollectedEvents, list[Event]]] = []
    for named, kind, about, kept, *more in data:
        step = step_named(named, execution.plan)
        if kind == "pair":
            if len(kept) != len(step.slots):
                raise SnapshotError(f"step `{step.name}` joins other events than those of the snapshot")
            buffers[step.index, frame_at(about)] = tuple(
                deque(values.read_event(event) for event in queue) for queue in kept
            )
            continue
        events, key = [values.read_event(event) for event in kept], (step.index, str(about))
        one = _collection(events, read_expected(more[0], values))
        collections.append((key, one, events))
        is_open, one.taken_by = more[1:] or (True, None)
        if is_open:
            buffers[key] = one
    runs = {run.number: run for run in chain(execution.in_flight.values(), _paused(execution))}
    for number, found in held.items():
        runs[number].collects = [(*collections[at][:2], collections[at][2][which]) for at, which in found]
    return buffers or NONE


def _paused(execution: Execution) -> Iterator[StepRun]:
    return (pause.run for pause in execution.paused.values())


def _collection(kept: list[Event], expected: list[type[Event]]) -> CollectedEvents:
    made = CollectedEvents()
    for event in kept:
        made.by_kind.setdefault(type(event), deque()).append(event)
    made.expect(expected)
    return made
