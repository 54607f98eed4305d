"""The reading of an execution from JSON data, which is not trusted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from wfc.runtime.core.event_waits import EventWait
from wfc.runtime.core.execution import NONE, OF_RUN, Execution
from wfc.runtime.core.moments import LONGEST, SECOND, as_moment
from wfc.runtime.core.step_runs import (
    AwaitedEvent,
    Exit,
    Frame,
    FrameKind,
    ItemRuns,
    Pause,
    Slots,
    StepRun,
    WaitKey,
)
from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import StartEvent
from wfc.runtime.plan import Plan
from wfc.runtime.plan.pauses import Child, Items, Outside
from wfc.runtime.plan.run_rules import RUN_EXITS
from wfc.runtime.plan.step import Step
from wfc.runtime.store.gathered import read_gathered
from wfc.runtime.store.pausing import read_pause_value
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import step_key

__all__ = ["VERSION", "read_execution"]

VERSION = 2
"""The version of the snapshot format; a newer runtime reads older versions, or rejects them with an error."""

_LARGEST = 2**62


def read_execution(
    data: Any, table: Plan, run_id: str, state: Any, values: Values, now: int, *, version: int = VERSION
) -> Execution:
    """Return an execution as it was at a moment.

    Args:
        now: The moment at which the data was written, as the run counts moments.
        version: The version of the data's format.

    Raises:
        SnapshotError: The data is not that of an execution.
    """
    return _SnapshotReader(data, table, run_id, state, values, now, version).read()


class _SnapshotReader:
    def __init__(
        self,
        data: dict[str, Any],
        table: Plan,
        run_id: str,
        state: Any,
        values: Values,
        now: int,
        version: int,
    ) -> None:
        self._data = data
        self._table = table
        self._values = values
        self._now = now
        self._is_first = version == 1  # with seconds where later ones have nanoseconds
        self._execution = Execution(table, run_id, state)
        self._execution.at = now
        self._frames: list[Frame] = []
        self._states = [values.read_model(one, table.state) for one in self._list("states")]
        self._runs: dict[int, StepRun] = {}
        self._collects: dict[int, list[Any]] = {}  # what step runs have collected, by number
        self._placed: set[int] = set()  # step runs whose place is known: each has one
        self._steps = {step_key(step): step for step in table.steps}
        self._steps |= {step_key(step.item): step.item for step in table.steps if step.item is not None}

    def read(self) -> Execution:
        execution, data = self._execution, self._data
        execution.number = _number(data["number"])
        self._read_way()
        if "inputs" in data:
            execution.inputs = self._values.read_model(data["inputs"], StartEvent)
        for one in self._list("frames"):
            self._frames.append(self._frame(one))
        for one in self._list("runs"):
            run = self._run(one)
            if run.number in self._runs or run.number > execution.number:
                raise SnapshotError("the snapshot has two step runs of one number")
            self._runs[run.number] = run
        self._read_places()
        self._read_pauses()
        self._read_timers()
        self._fill_frames()
        self._read_rest()
        if len(self._placed) < len(self._runs):
            raise SnapshotError("the snapshot has step runs that are nowhere")
        self._count_workers()
        return execution

    def _read_way(self) -> None:
        """Read by which exits the run has gone on, and by which event."""
        execution, taken = self._execution, self._list("left_by")
        left_by = tuple(way for way in RUN_EXITS if way in taken)
        if len(left_by) < len(taken) or bool(left_by) != ("way" in self._data):
            raise SnapshotError("the snapshot has an exit of the run that there is not")
        if left_by:
            way = self._values.classes.event(self._data["way"])
            if not issubclass(way, self._table.events_of_exits):
                raise SnapshotError("the snapshot goes on by an event that no exit of the run emits")
            execution.left_by = tuple(sorted(left_by, key=taken.index))
            execution.begin_way(way)

    def _list(self, name: str) -> list[Any]:
        found = self._data.get(name, [])
        if not isinstance(found, list):
            raise SnapshotError(f"the snapshot's `{name}` is no list")
        return found

    # --- step runs

    def _step(self, index: Any) -> Step:
        if type(index) is not int or not 0 <= index < len(self._table.steps):
            raise SnapshotError("the snapshot names a step that the workflow does not have")
        return self._table.steps[index]

    def _bound(self, name: Any, index: Any, bound: Any) -> tuple[tuple[str, int], float]:
        known = type(index) is int and OF_RUN <= index < self._table.size
        if not known or not isinstance(bound, int | float) or not 0 <= bound < _LARGEST:
            raise SnapshotError("the snapshot has a bound that the workflow does not have")
        return (str(name), index), bound

    def _run(self, data: dict[str, Any]) -> StepRun:
        step = self._steps.get(data["step"])
        if step is None:
            raise SnapshotError(
                f"the snapshot names the step `{data['step']}`, which the workflow does not have"
            )
        event = None if step.of is not None else self._on(data["on"], step)
        frame = self._frame_at(data.get("frame"))
        run = StepRun(_number(data["n"]), step, event, frame, _path(data.get("path", [])))
        run.exit = Exit(data.get("exit", 0))
        if run.exit in (Exit.RESULT, Exit.BROKEN):
            run.result = self._values.read(data["result"])
            if run.exit is Exit.BROKEN and not isinstance(run.result, Exception):
                raise SnapshotError("where an error is to be, the snapshot has something else")
        run.attempt = _number(data.get("attempt", 1))
        run.round = _number(data.get("round", 1))
        run.sends = _number(data.get("sends", 0))
        if "about" in data:
            self._read_about(run, data["about"])
        if "collects" in data:
            self._collects[run.number] = data["collects"]
        if "done" in data:
            run.edits, run.sent = _number(data["done"][0]), [str(one) for one in data["done"][1:]]
        if "gone" in data:
            run.gone = [
                ((step.index, str(one)), self._values.read_event(event)) for one, event in data["gone"]
            ]
        return run

    def _on(self, data: Any, step: Step) -> Any:
        if isinstance(data, list):
            return self._values.read_event(data)
        if "list" in data:
            return [self._values.read_event(one) for one in data["list"]]
        found = {_number(at): self._values.read_event(one) for at, one in data["slots"]}
        if any(at >= len(step.slots) for at in found):
            raise SnapshotError(f"step `{step.name}` joins other events than those of the snapshot")
        return found

    def _read_about(self, run: StepRun, data: dict[str, Any]) -> None:
        if "key" in data:
            run.key = str(data["key"])
        if "choice" in data:
            run.choice, run.choices = _number(data["choice"]), _number(data["choices"])
            run.since = _number(data["since"])
        if "started_runs" in data:
            run.started_runs = _number(data["started_runs"])
        if "runs_before" in data:
            run.runs_before = _number(data["runs_before"])
        if "messages" in data:
            attempt, count = data["messages"]
            run.messages = _number(attempt), _number(count)
        if "ago" in data:
            run.began = self._now - self._nanoseconds(data["ago"])
        if "state" in data:
            run.snapshot = self._states[_number(data["state"])]
        if "started" in data:
            run.started = self._moment(data["started"])
        if "failed_at" in data:
            run.failed_at = self._moment(data["failed_at"])
        if "raised" in data:
            run.raised = _of(self._values.read(data["raised"]), Exception)
        if "answers" in data:
            run.answers = [
                AwaitedEvent(
                    self._wanted(one[:3]),
                    None if one[3] is None else self._values.read_event(one[3]),
                    _number(one[4]),
                )
                for one in data["answers"]
            ]

    def _nanoseconds(self, length: Any) -> int:
        """Return a length of time, which may be negative."""
        if self._is_first:
            return round(float(length) * SECOND)
        if type(length) is not int or abs(length) > LONGEST:
            raise SnapshotError("where a length of time is to be, the snapshot has something else")
        return length

    def _moment(self, data: Any) -> int:
        if self._is_first:
            return as_moment(_of(self._values.read(data), datetime))
        return _number(data)

    def _wanted(self, data: list[Any]) -> WaitKey:
        name, waiter_id, requirements = data
        return self._values.classes.event(name), waiter_id, dict(self._values.read(requirements))

    def _place(self, number: Any) -> StepRun:
        run = self._runs.get(number)
        if run is None or number in self._placed:
            raise SnapshotError("a step run in the snapshot is nowhere, or in two places")
        self._placed.add(number)
        return run

    def _read_places(self) -> None:
        execution = self._execution
        for number in self._list("at_work"):
            execution.in_flight[number] = self._place(number)
        for number in self._list("ready"):
            execution.in_flight[number] = run = self._place(number)
            execution.starting.append(run)
        queues: dict[int, deque[StepRun]] = {}
        for index, numbers in self._list("queues"):
            queues[index] = deque(self._place(number) for number in numbers)
            if any(run.step.index != index for run in queues[index]):
                raise SnapshotError("a step run in the snapshot waits for another step's worker")
        execution.queues = queues or NONE

    def _count_workers(self) -> None:
        busy = self._execution.busy
        for run in self._execution.in_flight.values():
            busy[run.step.index] += 1
        for pause in self._execution.paused.values():
            busy[pause.run.step.index] += pause.at_work

    # --- pauses and timers

    def _read_pauses(self) -> None:
        execution = self._execution
        paused: dict[int, Pause] = {}
        waiting: list[tuple[Pause, dict[str, Any]]] = []
        for data in self._list("paused"):
            run = self._place(data["run"])
            value = read_pause_value(data["for"], run.step, self._values)
            at_work = isinstance(value, Items) or (isinstance(value, Child) and not value.detach)
            pause = paused[run.number] = Pause(run, value, datetime.fromisoformat(data["began"]), at_work)
            pause.timers = {_number(number): Exit(exit) for number, exit in data["timers"]}
            if "expires" in data:
                pause.expires = datetime.fromisoformat(data["expires"])
            pause.answers = [(str(by), self._values.read(answer)) for by, answer in data.get("answers", [])]
            pause.seen = _number(data.get("seen", 0))
            if isinstance(value, Items):
                waiting.append((pause, data))
        for pause, data in waiting:
            self._read_items(pause, data)
        if any(run.step.of is not None and not hasattr(run, "parent") for run in self._runs.values()):
            raise SnapshotError("the snapshot has an item's run without a pause that waits for it")
        execution.paused = paused or NONE
        execution.expecting = {number: paused[number] for number in self._list("expecting")} or NONE
        if any(not isinstance(one.value, Outside) for one in execution.expecting.values()):
            raise SnapshotError("a pause in the snapshot waits for two things")

    def _read_items(self, pause: Pause, data: dict[str, Any]) -> None:
        assert isinstance(pause.value, Items)
        items = pause.items = ItemRuns(len(pause.value.items))
        items.given = self._values.read(data["given"])
        if len(items.given) != len(pause.value.items):
            raise SnapshotError("a pause in the snapshot has not as many results as items")
        for number, position in data.get("live", []):
            run = items.live[number] = self._runs[number]
            if run.step is not pause.run.step.item or not 0 <= position < len(items.given):
                raise SnapshotError("an item's run in the snapshot is not of its step")
            run.parent, run.position, run.event, run.frame = pause, position, pause.run.event, pause.run.frame
            run.path = (*pause.run.path, position)

    def _read_timers(self) -> None:
        execution = self._execution
        timers: dict[int, Any] = {}
        due_at: dict[int, int] = {}
        for number, left, kind, *about in self._list("timers"):
            if kind == "attempt":
                run = timers[number] = self._place(about[0])
                run.timer = _number(number)
            elif kind == "pause":
                pause = timers[number] = execution.paused[about[0]]
                if number not in pause.timers:
                    raise SnapshotError("a timer in the snapshot is of no pause")
            else:
                frame, step = self._frame_at(about[0]), self._step(about[1])
                if frame is None or step.join is None:
                    raise SnapshotError("a timer in the snapshot is of no join")
                timers[number] = frame, step
            due_at[_number(number)] = self._now + self._nanoseconds(left)
        execution.timers = timers or NONE
        execution.due_at = due_at or NONE

    # --- frames

    def _frame_at(self, at: Any) -> Frame | None:
        if at is None:
            return None
        if type(at) is not int or not 0 <= at < len(self._frames):
            raise SnapshotError("a frame of the snapshot is not there")
        return self._frames[at]

    def _frame(self, data: dict[str, Any]) -> Frame:
        """Return a frame without its references to step runs; its parent has been read before it."""
        fork = data.get("fork")
        made = Frame(
            self._frame_at(data.get("on")),
            FrameKind(data.get("kind", 0)),
            None if fork is None else self._step(fork),
            _path(data.get("path", [])),
            _number(data.get("n", 0)),
            tuple(self._step(index) for index in data.get("collectors", [])),
        )
        made.live, made.holds = _number(data.get("live", 0)), _number(data.get("holds", 0))
        made.replaced = bool(data.get("replaced", False))
        made.runs = {self._step(index).index: _number(count) for index, count in data.get("runs", [])}
        for index, value, arrived, fired, timer in data.get("joins", []):
            slots = made.joins[_join_key(self._step(index), value)] = Slots()
            slots.arrived = {_number(at): self._values.read_event(one) for at, one in arrived}
            slots.fired, slots.timer = bool(fired), None if timer is None else _number(timer)
        for index, found in data.get("collected", []):
            made.collected[self._step(index).index] = [
                (_path(path), self._values.read_event(event)) for path, event in found
            ]
        if data.get("pending"):
            made.pending = deque(
                (_number(position), self._values.read_event(event)) for position, event in data["pending"]
            )
        return made

    def _fill_frames(self) -> None:
        """Set the members of frames: step runs, and frames whose joins have a time-out."""
        for frame, data in zip(self._frames, self._list("frames"), strict=True):
            if data.get("members") is None:
                continue
            frame.members = {}
            for number in data["members"]:
                member = self._runs.get(number)
                if member is None:
                    timed = self._execution.timers.get(number)
                    if not isinstance(timed, tuple):
                        continue
                    frame.members[number] = timed[0]
                else:
                    frame.members[number] = member

    # --- the rest

    def _read_rest(self) -> None:
        execution, data, values = self._execution, self._data, self._values
        execution.root = self._frame_at(data.get("root"))
        execution.limits = {self._step(index).index: _number(most) for index, most in self._list("limits")}
        if bounds := dict(self._bound(*one) for one in self._list("bounds")):
            execution.set_bounds(bounds)
        execution.runs = {
            self._step(index).index: _number(count) for index, count in self._list("counts")
        } or NONE
        execution.steps, execution.tokens = _number(data.get("steps", 0)), _number(data.get("tokens", 0))
        execution.cost_usd = float(data.get("cost_usd", 0.0))
        execution.asked = bool(data.get("asked", False))
        if "restarts" in data:
            execution.to_begin = execution.inputs
        if "deadline" in data:
            execution.deadline = self._now + self._nanoseconds(data["deadline"])
        if "halted" in data:
            execution.deadline_left = _number(data["halted"])
        if "failing" in data:
            execution.failing = _of(values.read(data["failing"]), Exception)
        execution.inbox = {
            _number(number): values.read_event(event) for number, event in self._list("inbox")
        } or NONE
        execution.unclaimed = {
            values.classes.event(kind): str(sender) for kind, sender in self._list("unclaimed")
        } or NONE
        execution.received = _ids(self._list("received"))
        execution.asked_for = {_number(number) for number in self._list("asked_for")} or execution.asked_for
        execution.asked_waits = _ids(self._list("asked_waits"))
        waiters: dict[int, EventWait] = {}
        for number, of, name, waiter_id, requirements, attempt, *left in self._list("waits"):
            kind, _, wanted = self._wanted([name, waiter_id, requirements])
            waiter = waiters[_number(number)] = EventWait(kind, wanted, self._runs[of], waiter_id)
            waiter.attempt = _number(attempt)
            if left and left[0] is not None:
                waiter.until = self._now + self._nanoseconds(left[0])
        execution.event_waits = waiters or NONE
        execution.buffers = read_gathered(
            self._list("buffers"), execution, values, self._frame_at, self._collects
        )
        if "short" in data:
            at, index, key, value = data["short"]
            frame = self._frame_at(at)
            if frame is not None:
                slots = frame.joins[_join_key(self._step(key), value)]
                execution.fell_short = frame, self._step(index), slots


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise SnapshotError("where a number is to be, the snapshot has something else")
    return value


def _path(value: Any) -> tuple[int, ...]:
    return tuple(_number(one) for one in value)


def _of(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise SnapshotError(f"where a {kind.__name__} is to be, the snapshot has something else")
    return value


def _ids(names: Iterable[Any]) -> dict[str, None]:
    return dict.fromkeys(map(str, names)) or NONE


def _join_key(step: Step, value: Any) -> int | tuple[int, str]:
    return step.index if value is None else (step.index, str(value))
