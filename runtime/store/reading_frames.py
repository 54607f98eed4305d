"""The reading of frames from the JSON data of an execution."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from wfc.runtime.core.step_runs import Frame, FrameKind, StepRun
from wfc.runtime.errors import SnapshotError
from wfc.runtime.plan import Plan
from wfc.runtime.plan.step import Step
from wfc.runtime.store.reading_values import join_key, natural, path_of, step_named
from wfc.runtime.store.values import Values

__all__ = ["FrameReader"]


class FrameReader:
    """The frames that have been read so far; a frame's parent is read before it."""

    def __init__(self, table: Plan, values: Values) -> None:
        self._table = table
        self._values = values
        self._frames: list[Frame] = []

    def step(self, name: Any) -> Step:
        """Return the step of a name.

        Raises:
            SnapshotError: The workflow has no such step.
        """
        return step_named(name, self._table)

    def at(self, at: Any) -> Frame | None:
        """Return the frame at a position of the data; ``None`` for none.

        Raises:
            SnapshotError: There is none at that position so far.
        """
        if at is None:
            return None
        if type(at) is not int or not 0 <= at < len(self._frames):
            raise SnapshotError("a frame of the snapshot is not there")
        return self._frames[at]

    def add(self, data: dict[str, Any]) -> None:
        """Read a frame without its references to step runs."""
        fork = data.get("fork")
        made = Frame(
            self.at(data.get("on")),
            FrameKind(data.get("kind", 0)),
            None if fork is None else self.step(fork),
            path_of(data.get("path", [])),
            natural(data.get("n", 0)),
            tuple(map(self.step, data.get("collectors", []))),
        )
        made.live, made.holds = natural(data.get("live", 0)), natural(data.get("holds", 0))
        made.replaced = bool(data.get("replaced", False))
        made.runs = {self.step(step).index: natural(count) for step, count in data.get("runs", [])}
        self._read_joins(made, data)
        for step, found in data.get("collected", []):
            made.collected_by(self.step(step).index).extend(
                (path_of(path), self._values.read_event(event)) for path, event in found
            )
        if data.get("pending"):
            made.pending = deque(
                (natural(position), self._values.read_event(event)) for position, event in data["pending"]
            )
        self._frames.append(made)

    def _read_joins(self, made: Frame, data: dict[str, Any]) -> None:
        for name, value, arrived, fired, timer in data.get("joins", []):
            slots = made.slots_for(join_key(self.step(name), value))
            slots.arrived = {natural(at): self._values.read_event(one) for at, one in arrived}
            slots.fired, slots.timer = bool(fired), None if timer is None else natural(timer)

    def fill(
        self, all_data: Sequence[dict[str, Any]], runs: Mapping[int, StepRun], timers: Mapping[int, Any]
    ) -> None:
        """Set the members of frames: step runs, and frames whose joins have a time-out."""
        for frame, data in zip(self._frames, all_data, strict=True):
            if data.get("members") is None:
                continue
            frame.members = {}
            for known_as in data["members"]:
                member = runs.get(known_as)
                if member is None:
                    timed = timers.get(known_as)
                    if not isinstance(timed, tuple):
                        continue
                    frame.members[known_as] = timed[0]
                else:
                    frame.members[known_as] = member
