"""The events that hand-written steps have collected; step runs in progress collect theirs again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from wfc.runtime.core.advance.collecting import CollectedEvents
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import Frame, StepRun
from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import Event
from wfc.runtime.store.values import Values

__all__ = ["Gathered", "read_gathered"]

MOST = 1_000_000
"""The maximum number of events that a step may wait for."""


class Gathered:
    """The buffers of an execution, as they will be when the step runs in progress begin again.

    ``gone`` holds the events that they have collected and others have already taken, by step run number.
    """

    def __init__(self, execution: Execution, at_work: Iterable[StepRun]) -> None:
        self._buffers: dict[Any, Any] = {**execution.buffers}
        self._copies: dict[int, CollectedEvents] = {}
        self.gone: dict[int, list[Any]] = {}
        for run in at_work:
            if hasattr(run, "collects"):
                self._take_back(run)

    def _take_back(self, run: StepRun) -> None:
        for key, kept, event in reversed(run.collects):
            if kept.taken_by is not None and kept.taken_by is not run:
                gone = self.gone.setdefault(run.number, [*getattr(run, "gone", ())])
                gone.append((key, event))
                continue
            copy = self._copy(key, kept)
            same = copy.by_kind[type(event)]
            if event in same:
                same.remove(event)
            newer = self._buffers.get(key)
            self._buffers[key] = copy
            if newer is not None and newer is not copy:
                for kind, queue in newer.by_kind.items():
                    copy.by_kind.setdefault(kind, deque()).extend(queue)

    def _copy(self, key: Any, kept: CollectedEvents) -> CollectedEvents:
        copy = self._copies.get(id(kept))
        if copy is None:
            copy = self._copies[id(kept)] = CollectedEvents()
            copy.by_kind = {kind: deque(queue) for kind, queue in kept.by_kind.items()}
            copy.expected = kept.expected
            if self._buffers.get(key) is kept:
                self._buffers[key] = copy
        return copy

    def write(self, values: Values, place: Callable[[Frame | None], int | None]) -> list[Any]:
        """Return the buffers as JSON data.

        Args:
            place: A function that returns a frame's position in the snapshot.
        """
        data: list[Any] = []
        for (step, about), one in self._buffers.items():
            if isinstance(one, tuple):
                waiting = [[values.write_model(event) for event in queue] for queue in one]
                data.append([step, "pair", place(about), waiting])
            else:
                kept = [values.write_model(event) for queue in one.by_kind.values() for event in queue]
                if kept:
                    expected = [
                        [values.classes.name(kind), len(list(same))] for kind, same in groupby(one.expected)
                    ]
                    data.append([step, "collect", about, kept, expected])
        return data


def read_gathered(
    data: list[Any], execution: Execution, values: Values, frame_at: Callable[[Any], Frame | None]
) -> dict[Any, Any]:
    """Return the buffers of an execution.

    Raises:
        SnapshotError: The data has another form.
    """
    buffers: dict[Any, Any] = {}
    for index, kind, about, kept, *more in data:
        if kind == "pair":
            step = execution.plan.steps[index]
            if len(kept) != len(step.slots):
                raise SnapshotError(f"step `{step.name}` joins other events than those of the snapshot")
            buffers[index, frame_at(about)] = tuple(
                deque(values.read_event(event) for event in queue) for queue in kept
            )
        else:
            buffers[index, str(about)] = _collection(
                [values.read_event(event) for event in kept], more[0], values
            )
    return buffers or NONE


def _collection(kept: list[Event], expected: list[Any], values: Values) -> CollectedEvents:
    if sum(count for _, count in expected) > MOST or any(count < 0 for _, count in expected):
        raise SnapshotError(f"a step cannot wait for more than {MOST} events")
    made = CollectedEvents()
    for event in kept:
        made.by_kind.setdefault(type(event), deque()).append(event)
    made.expect([kind for name, count in expected for kind in [values.classes.event(name)] * count])
    return made
