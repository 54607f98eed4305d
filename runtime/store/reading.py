"""The reading of an execution from JSON data, which is not trusted."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import Any

from wfc.runtime.core.event_waits import EventWait
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.moments import LONGEST, SECOND, as_moment
from wfc.runtime.core.step_runs import (
    AwaitedEvent,
    Exit,
    ItemRuns,
    Pause,
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
from wfc.runtime.store.reading_frames import FrameReader
from wfc.runtime.store.reading_values import (
    bounds_in,
    ids,
    instance,
    join_key,
    natural,
    path_of,
    read_stops,
    step_named,
)
from wfc.runtime.store.values import Values

__all__ = ["BY_NAME", "VERSION", "read_execution"]

VERSION = 3
"""The version of the snapshot format; a newer runtime reads older versions, or rejects them with an error."""

BY_NAME = 3
"""The first version in which steps stand by name, and not by their place among the others."""


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
        self._frames = FrameReader(table, values)
        self._states = [values.read_model(one, table.state) for one in self._list("states")]
        self._runs: dict[int, StepRun] = {}
        self._collects: dict[int, list[Any]] = {}  # what step runs have collected, by number
        self._placed: set[int] = set()  # step runs whose place is known: each has one

    def read(self) -> Execution:
        execution, data = self._execution, self._data
        execution.number = natural(data["number"])
        self._read_way()
        if "inputs" in data:
            execution.inputs = self._values.read_model(data["inputs"], StartEvent)
        for one in self._list("frames"):
            self._frames.add(one)
        for one in self._list("runs"):
            run = self._run(one)
            if run.number in self._runs or run.number > execution.number:
                raise SnapshotError("the snapshot has two step runs of one number")
            self._runs[run.number] = run
        self._read_places()
        self._read_pauses()
        self._read_timers()
        self._frames.fill(self._list("frames"), self._runs, execution.timers)
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

    def _run(self, data: dict[str, Any]) -> StepRun:
        step = step_named(data["step"], self._table)
        event = None if step.of is not None else self._on(data["on"], step)
        frame = self._frames.at(data.get("frame"))
        run = StepRun(natural(data["n"]), step, event, frame, path_of(data.get("path", [])))
        run.exit = Exit(data.get("exit", 0))
        if run.exit in (Exit.RESULT, Exit.BROKEN):
            run.result = self._values.read(data["result"])
            if run.exit is Exit.BROKEN and not isinstance(run.result, Exception):
                raise SnapshotError("where an error is to be, the snapshot has something else")
        run.attempt = natural(data.get("attempt", 1))
        run.round = natural(data.get("round", 1))
        run.sends = natural(data.get("sends", 0))
        if "about" in data:
            self._read_about(run, data["about"])
        if "collects" in data:
            self._collects[run.number] = data["collects"]
        if "done" in data:
            run.edits, run.sent = natural(data["done"][0]), [str(one) for one in data["done"][1:]]
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
        found = {natural(at): self._values.read_event(one) for at, one in data["slots"]}
        if any(at >= len(step.slots) for at in found):
            raise SnapshotError(f"step `{step.name}` joins other events than those of the snapshot")
        return found

    def _read_about(self, run: StepRun, data: dict[str, Any]) -> None:
        if "key" in data:
            run.key = str(data["key"])
        if "choice" in data:
            run.choice, run.choices = natural(data["choice"]), natural(data["choices"])
            run.since = natural(data["since"])
        if "started_runs" in data:
            run.started_runs = natural(data["started_runs"])
        if "runs_before" in data:
            run.runs_before = natural(data["runs_before"])
        if "messages" in data:
            attempt, count = data["messages"]
            run.messages = natural(attempt), natural(count)
        if "ago" in data:
            run.began = self._now - self._nanoseconds(data["ago"])
        if "state" in data:
            run.snapshot = self._states[natural(data["state"])]
        if "started" in data:
            run.started = self._moment(data["started"])
        if "failed_at" in data:
            run.failed_at = self._moment(data["failed_at"])
        if "raised" in data:
            run.raised = instance(self._values.read(data["raised"]), Exception)
        if "answers" in data:
            run.answers = [
                AwaitedEvent(
                    self._wanted(one[:3]),
                    None if one[3] is None else self._values.read_event(one[3]),
                    natural(one[4]),
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
            return as_moment(instance(self._values.read(data), datetime))
        return natural(data)

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
        for name, numbers in self._list("queues"):
            index = step_named(name, self._table).index
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
        for one in self._execution.timers.values():
            if isinstance(one, StepRun):
                busy[one.step.index] += one.keeps_place

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
            pause.timers = {natural(number): Exit(exit) for number, exit in data["timers"]}
            if "expires" in data:
                pause.expires = datetime.fromisoformat(data["expires"])
            pause.answers = [(str(by), self._values.read(answer)) for by, answer in data.get("answers", [])]
            pause.seen = natural(data.get("seen", 0))
            pause.joined = str(data.get("joined", ""))
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
                run.timer = natural(number)
                run.keeps_place = about[1:] == [True]
            elif kind == "pause":
                pause = timers[number] = execution.paused[about[0]]
                if number not in pause.timers:
                    raise SnapshotError("a timer in the snapshot is of no pause")
            else:
                frame, step = self._frames.at(about[0]), self._frames.step(about[1])
                if frame is None or step.join is None:
                    raise SnapshotError("a timer in the snapshot is of no join")
                timers[number] = frame, step
            due_at[natural(number)] = self._now + self._nanoseconds(left)
        execution.timers = timers or NONE
        execution.due_at = due_at or NONE

    # --- the rest

    def _read_rest(self) -> None:
        execution, data, values = self._execution, self._data, self._values
        execution.root = self._frames.at(data.get("root"))
        execution.limits = {
            self._frames.step(index).index: natural(most) for index, most in self._list("limits")
        }
        if bounds := bounds_in(self._list("bounds"), self._table):
            execution.set_bounds(bounds)
        execution.runs = {
            self._frames.step(index).index: natural(count) for index, count in self._list("counts")
        } or NONE
        execution.steps, execution.tokens = natural(data.get("steps", 0)), natural(data.get("tokens", 0))
        execution.cost_usd = float(data.get("cost_usd", 0.0))
        execution.asked = bool(data.get("asked", False))
        if "restarts" in data:
            execution.to_begin = execution.inputs
        if "deadline" in data:
            execution.deadline = self._now + self._nanoseconds(data["deadline"])
        if "halted" in data:
            execution.deadline_left = natural(data["halted"])
        if "stops" in data:
            execution.stops = read_stops(data["stops"])
        if "failing" in data:
            execution.failing = instance(values.read(data["failing"]), Exception)
        execution.inbox = {
            natural(number): values.read_event(event) for number, event in self._list("inbox")
        } or NONE
        execution.unclaimed = {
            values.classes.event(kind): str(sender) for kind, sender in self._list("unclaimed")
        } or NONE
        execution.received = ids(self._list("received"))
        execution.asked_for = {natural(number) for number in self._list("asked_for")} or execution.asked_for
        execution.asked_waits = ids(self._list("asked_waits"))
        waiters: dict[int, EventWait] = {}
        for number, of, name, waiter_id, requirements, attempt, *left in self._list("waits"):
            kind, _, wanted = self._wanted([name, waiter_id, requirements])
            waiter = waiters[natural(number)] = EventWait(kind, wanted, self._runs[of], waiter_id)
            waiter.attempt = natural(attempt)
            if left and left[0] is not None:
                waiter.until = self._now + self._nanoseconds(left[0])
        execution.event_waits = waiters or NONE
        execution.buffers = read_gathered(
            self._list("buffers"), execution, values, self._frames.at, self._collects
        )
        if "short" in data:
            at, index, key, value = data["short"]
            frame = self._frames.at(at)
            if frame is not None:
                slots = frame.joins[join_key(self._frames.step(key), value)]
                execution.fell_short = frame, self._frames.step(index), slots
