"""The writing of an execution as JSON data: what is in progress and what waits, without its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from wfc.runtime.core.execution import OF_RUN, Execution
from wfc.runtime.core.step_runs import Exit, Frame, Pause, Slots, StepRun
from wfc.runtime.events import Event
from wfc.runtime.store.gathered import Gathered
from wfc.runtime.store.pausing import write_pause_value
from wfc.runtime.store.values import Values

if TYPE_CHECKING:
    from wfc.runtime.plan import Plan

__all__ = ["write_bounds", "write_execution"]

_ABOUT_A_RUN: Final = ("key", "started_runs", "runs_before", "messages")
"""The optional attributes of a step run that are plain data."""


def write_execution(execution: Execution, values: Values, now: int) -> dict[str, Any]:
    """Return an execution that is not over as JSON data; moments are nanoseconds from now on, or until now.

    Args:
        now: The current moment, as the run counts moments; it is for who reads the data to know.

    Raises:
        SnapshotError: Something in it cannot be written.
    """
    return _Writer(execution, values, now).write()


def write_bounds(bounds: Mapping[tuple[str, int], float], plan: Plan) -> list[list[Any]]:
    """Return bounds that were worked out at the start of a run, with the names of steps; ``None``: of the run."""
    return [
        [name, None if index == OF_RUN else plan.keys[index], bound]
        for (name, index), bound in bounds.items()
    ]


class _Writer:
    def __init__(self, execution: Execution, values: Values, now: int) -> None:
        self._execution = execution
        self._keys = execution.plan.keys
        self._values = values
        self._now = now
        self._frames: dict[int, int] = {}
        self._frames_in_order: list[Frame] = []
        self._states: dict[tuple[int, ...], int] = {}
        self._states_in_order: list[Any] = []
        ready = {run.number for run in execution.starting}
        self._at_work = [number for number in execution.in_flight if number not in ready]
        paused = (pause.run for pause in execution.paused.values())
        self._gathered = Gathered(execution, chain(execution.in_flight.values(), paused))

    def write(self) -> dict[str, Any]:
        execution = self._execution
        queues = {
            index: [run for run in queue if run.exit is not Exit.DROPPED]
            for index, queue in execution.queues.items()
        }
        timed = [one for one in execution.timers.values() if isinstance(one, StepRun)]
        paused = [pause.run for pause in execution.paused.values()]
        every = chain(execution.in_flight.values(), chain.from_iterable(queues.values()), timed, paused)
        runs = {run.number: run for run in every}
        data: dict[str, Any] = {
            "number": execution.number,
            "inputs": self._maybe_event(execution.inputs),
            "runs": [self._run(run) for run in runs.values()],
            "at_work": self._at_work,
            "ready": [run.number for run in execution.starting],
            "queues": [[self._keys[index], [run.number for run in queue]] for index, queue in queues.items()],
            "paused": [self._pause(pause) for pause in execution.paused.values()],
            "expecting": list(execution.expecting),
            "timers": [self._timer(number) for number in execution.timers],
            "root": self._frame(execution.root),
            "waits": [self._wait(number) for number in execution.event_waits],
            "short": self._short(),
            "buffers": self._gathered.write(self._values, self._frame),
            **self._counts(),
            **self._from_outside(),
        }
        data["frames"] = self._all_frames(runs)
        data["states"] = self._states_in_order
        return {name: one for name, one in data.items() if one not in (None, [], {})}

    def _counts(self) -> dict[str, Any]:
        execution = self._execution
        failing = execution.failing
        return {
            "limits": [[self._keys[index], most] for index, most in execution.limits.items()],
            "bounds": write_bounds(execution.bounds, execution.plan),
            "counts": [[self._keys[index], count] for index, count in execution.runs.items()],
            "steps": execution.steps or None,
            "tokens": execution.tokens or None,
            "cost_usd": execution.cost_usd or None,
            "asked": execution.asked or None,
            "failing": None if failing is None else self._values.write(failing),
            "left_by": list(execution.left_by),
            "way": None if execution.way is None else self._values.classes.name(execution.way),
            "restarts": execution.to_begin is not None or None,
            "deadline": None if execution.deadline is None else execution.deadline - self._now,
            "halted": execution.deadline_left,
            "stops": None if execution.stops is None else list(astuple(execution.stops)),
        }

    def _from_outside(self) -> dict[str, Any]:
        execution = self._execution
        return {
            "inbox": [[number, self._event(event)] for number, event in execution.inbox.items()],
            "unclaimed": [
                [self._values.classes.name(kind), sender] for kind, sender in execution.unclaimed.items()
            ],
            "received": list(execution.received),
            "asked_for": sorted(execution.asked_for),
            "asked_waits": list(execution.asked_waits),
        }

    # --- events

    def _event(self, event: Event) -> list[Any]:
        return self._values.write_model(event)

    def _maybe_event(self, event: Event | None) -> list[Any] | None:
        return None if event is None else self._event(event)

    # --- step runs

    def _run(self, run: StepRun) -> dict[str, Any]:
        data: dict[str, Any] = {"n": run.number, "step": run.step.key}
        if run.step.of is None:  # of items the pause that they belong to says it
            data["on"] = self._on(run.event)
            if run.frame is not None:
                data["frame"] = self._frame(run.frame)
            if run.path:
                data["path"] = list(run.path)
        if run.exit is not Exit.ACTION:
            data["exit"] = int(run.exit)
            if run.exit in (Exit.RESULT, Exit.BROKEN):
                data["result"] = self._values.write(run.result)
        if run.attempt > 1:
            data["attempt"] = run.attempt
        if run.round > 1:
            data["round"] = run.round
        if run.sends:
            data["sends"] = run.sends
        if hasattr(run, "began") or hasattr(run, "answers") or hasattr(run, "started"):
            data["about"] = self._about(run)
        if gone := getattr(run, "gone", None):
            data["gone"] = [[key[1], self._event(event)] for key, event in gone]
        if held := self._gathered.held_by(run):
            data["collects"] = held
        edits, sent = getattr(run, "edits", 0), getattr(run, "sent", [])
        if edits or sent:
            data["done"] = [edits, *sent]
        return data

    def _on(self, event: Any) -> Any:
        if isinstance(event, Event):
            return self._event(event)
        if isinstance(event, list):
            return {"list": [self._event(one) for one in event]}
        return {"slots": [[at, self._event(one)] for at, one in event.items()]}

    def _about(self, run: StepRun) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name in _ABOUT_A_RUN:
            if hasattr(run, name):
                value = getattr(run, name)
                data[name] = list(value) if isinstance(value, tuple) else value
        if hasattr(run, "began"):
            data["ago"] = self._now - run.began
            data["started"] = run.started
            if run.since or run.choice:
                data |= {"choice": run.choice, "choices": getattr(run, "choices", 1), "since": run.since}
        if hasattr(run, "snapshot"):
            data["state"] = self._state(run.snapshot)
        if hasattr(run, "raised"):
            data["failed_at"] = run.failed_at
            data["raised"] = self._values.write(run.raised)
        if hasattr(run, "answers"):
            data["answers"] = [
                [*self._wanted(one.key), self._maybe_event(one.event), one.attempt] for one in run.answers
            ]
        return data

    def _wanted(self, wanted: tuple[type[Event], str | None, Mapping[str, Any]]) -> list[Any]:
        kind, waiter_id, requirements = wanted
        return [self._values.classes.name(kind), waiter_id, self._values.write(dict(requirements))]

    def _state(self, state: Any) -> int:
        """Return a state's position among those of the snapshot; copies of a state are written once."""
        same = tuple(map(id, (*vars(state).values(), *(state.__pydantic_extra__ or {}).values())))
        at = self._states.get(same)
        if at is None:
            at = self._states[same] = len(self._states_in_order)
            self._states_in_order.append(self._values.write_model(state))
        return at

    def _wait(self, number: int) -> list[Any]:
        waiter = self._execution.event_waits[number]
        left = None if waiter.until is None else waiter.until - self._now
        return [number, waiter.run.number, *self._wanted(waiter.key), waiter.attempt, left]

    # --- pauses and timers

    def _pause(self, pause: Pause) -> dict[str, Any]:
        data: dict[str, Any] = {
            "run": pause.run.number,
            "for": write_pause_value(pause.value, pause.run.step, self._values),
            "began": pause.began.isoformat(),
            "timers": [[number, int(exit)] for number, exit in pause.timers.items()],
        }
        if pause.expires is not None:
            data["expires"] = pause.expires.isoformat()
        if pause.answers:
            data["answers"] = [[by, self._values.write(answer)] for by, answer in pause.answers]
        if pause.seen:
            data["seen"] = pause.seen
        if pause.joined:
            data["joined"] = pause.joined
        if pause.items is not None:
            data["given"] = self._values.write(pause.items.given)
            data["live"] = [[number, run.position] for number, run in pause.items.live.items()]
        return data

    def _timer(self, number: int) -> list[Any]:
        one = self._execution.timers[number]
        data: list[Any] = [number, self._execution.due_at[number] - self._now]
        if isinstance(one, StepRun):
            return [*data, "attempt", one.number, *([True] if one.keeps_place else [])]
        if isinstance(one, Pause):
            return [*data, "pause", one.run.number]
        frame, step = one
        return [*data, "join", self._frame(frame), step.key]

    # --- frames

    def _frame(self, frame: Frame | None) -> int | None:
        """Return the position of a frame among those of the snapshot, which is after its parent's."""
        if frame is None:
            return None
        new: list[Frame] = []
        at: Frame | None = frame
        while at is not None and id(at) not in self._frames:
            new.append(at)
            at = at.parent
        for one in reversed(new):
            self._frames[id(one)] = len(self._frames_in_order)
            self._frames_in_order.append(one)
        return self._frames[id(frame)]

    def _all_frames(self, runs: Mapping[int, StepRun]) -> list[dict[str, Any]]:
        return [self._frame_data(frame, runs) for frame in self._frames_in_order]

    def _frame_data(self, frame: Frame, runs: Mapping[int, StepRun]) -> dict[str, Any]:
        data: dict[str, Any] = {
            "on": self._frame(frame.parent),
            "kind": int(frame.kind),
            "fork": None if frame.fork is None else frame.fork.key,
            "path": list(frame.path),
            "n": frame.number,
            "collectors": [step.key for step in frame.collectors],
            "live": frame.live,
            "holds": frame.holds,
            "replaced": frame.replaced,
            "joins": [[*self._join_key(key), *self._slots(slots)] for key, slots in frame.joins.items()],
            "runs": [[self._keys[index], count] for index, count in frame.runs.items()],
            "collected": [
                [self._keys[index], [[list(path), self._event(event)] for path, event in found]]
                for index, found in frame.collected.items()
            ],
            "pending": [[position, self._event(event)] for position, event in frame.pending],
        }
        data = {name: one for name, one in data.items() if type(one) is int or one not in (None, [], False)}
        if frame.members is not None:  # also if it has none
            timers = self._execution.timers
            data["members"] = [number for number in frame.members if number in runs or number in timers]
        return data

    def _slots(self, slots: Slots) -> list[Any]:
        arrived = [[at, self._event(event)] for at, event in slots.arrived.items()]
        return [arrived, slots.fired, slots.timer]

    def _short(self) -> list[Any] | None:
        found = self._execution.fell_short
        if found is None:
            return None
        frame, step, slots = found
        key = next((key for key, one in frame.joins.items() if one is slots), None)
        return None if key is None else [self._frame(frame), step.key, *self._join_key(key)]

    def _join_key(self, key: int | tuple[int, str]) -> list[Any]:
        index, value = (key, None) if isinstance(key, int) else key
        return [self._keys[index], value]
