"""Snapshots of runs, and runs that go on from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from wfc.runtime.core.advance.run_exits import exit_for, fail
from wfc.runtime.core.advance.stuck import check_not_stuck
from wfc.runtime.core.effects import CheckInbox, StartChild, TakeRunExit
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Arrived
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import ContextStateError, SnapshotError, WorkflowRuntimeError
from wfc.runtime.events import StartEvent, StopEvent, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.plan.pauses import Child
from wfc.runtime.plan.step import Step
from wfc.runtime.store.classes import Classes
from wfc.runtime.store.reading import read_execution
from wfc.runtime.store.serializers import JsonSerializer
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import step_key, write_execution
from wfc.runtime.values.serializers import BaseSerializer

if TYPE_CHECKING:
    from wfc.runtime.workflow import Workflow

__all__ = ["VERSION", "Resumed", "resumed", "shape_of", "snapshot_of", "snapshot_of_state"]

VERSION = 1
"""Of snapshots: a newer runtime reads those of older ones, or says that it does not."""

_SHAPES: WeakKeyDictionary[Plan, str] = WeakKeyDictionary()


# --- writing


def snapshot_of_state(
    workflow: Workflow, state: Any, serializer: BaseSerializer | None = None
) -> dict[str, Any]:
    """A state with which a run may begin, as JSON data.

    Raises:
        SnapshotError: It cannot be written.
    """
    values = _values(workflow, serializer)
    return {**_head(workflow), "state": None if state is None else values.write_model(state)}


def snapshot_of(
    run: Run, serializer: BaseSerializer | None = None, *, include_state: bool = True
) -> dict[str, Any]:
    """A run as JSON data: all that it needs to go on; of one that is over, its state.

    Raises:
        SnapshotError: Something in it cannot be written as JSON.
    """
    execution, values = run.execution, _values(run.workflow, serializer)
    data = snapshot_of_state(run.workflow, execution.state if include_state else None, serializer)
    data["run_id"] = run.run_id
    if execution.outcome is not None:
        return data
    if execution.inputs is None:
        raise SnapshotError("this run is just beginning anew: write its snapshot afterwards")
    data["taken"] = run.clock().isoformat()
    if run.deadline is not None:
        data["deadline"] = max(0.0, run.deadline.when() - run.loop.time())
    if trace := run.trace_context:
        data["trace"] = trace
    left = run.timers.left() if run.timers is not None else {}
    data["execution"] = write_execution(execution, values, left, run.loop.time())
    data["begun"] = run.has_begun
    if run.early:
        data["early"] = [_early(tick, values) for tick in run.early if isinstance(tick, Arrived)]
    children = [
        [child.run.run_id, child.number, _snapshot_of_child(child.run, serializer)]
        for child in run.children.values()
        if child.run.above is run
    ]
    if children:
        data["children"] = children
    if run.asked_below:
        data["asked_below"] = {run_id: sorted(numbers) for run_id, numbers in run.asked_below.items()}
    return data


def _snapshot_of_child(run: Run, serializer: BaseSerializer | None) -> dict[str, Any]:
    data = snapshot_of(run, serializer)
    outcome = run.execution.outcome
    if outcome is not None:  # which the run above has not heard of yet
        data["outcome"] = _values(run.workflow, serializer).write(outcome)
    return data


def _early(tick: Arrived, values: Values) -> list[Any]:
    return [values.write_model(tick.event), None if tick.step is None else tick.step.name, tick.message_id]


def _head(workflow: Workflow) -> dict[str, Any]:
    return {
        "wfc": VERSION,
        "workflow": workflow.workflow_name,
        "shape": shape_of(type(workflow).table()),
    }


def _values(workflow: Workflow, serializer: BaseSerializer | None) -> Values:
    classes = Classes.of(type(workflow).table()).and_these(getattr(serializer, "allowed_types", ()))
    # a `JsonSerializer` writes nothing that `Values` does not write by itself
    return Values(classes, None if type(serializer) is JsonSerializer else serializer)


def shape_of(table: Plan) -> str:
    """A digest of what steps a workflow has, what they accept and emit, and what its state is made of."""
    found = _SHAPES.get(table)
    if found is None:
        said = [f"{table.state.__name__}({','.join(sorted(table.state.model_fields))})"]
        said += [_said_of(step) for step in table.steps]
        found = _SHAPES[table] = hashlib.sha256("\n".join(said).encode()).hexdigest()[:32]
    return found


def _said_of(step: Step) -> str:
    accepts = "|".join(event_name(event) for event in step.accepts)
    emits = "|".join(event_name(event) for event in step.emits)
    pauses = "|".join(kind.__name__ for kind in step.pauses)
    ways = ",".join(sorted(step.exits))
    return f"{step_key(step)}:{accepts}>{emits}:{step.join!r}:{pauses}:{ways}:{step.item is not None}"


# --- reading


class Resumed:
    """A run that has been read and has not begun to go on.

    Args:
        execution: ``None`` for one that was over, of which the state is left.
        left: Seconds of its timers.
        deadline: Seconds of the whole run's.
        children: Snapshots of the runs that are parts of it: their ids, the step runs that they are for, and they.
    """

    def __init__(self, run_id: str, state: Any) -> None:
        self.run_id = run_id
        self.state = state
        self.execution: Execution | None = None
        self.data: dict[str, Any] = {}
        self.left: dict[int, float] = {}
        self.begun = True
        self.early: list[Arrived] = []
        self.taken: datetime | None = None
        self.deadline: float | None = None
        self.children: list[tuple[str, int, dict[str, Any]]] = []
        self.asked_below: dict[str, frozenset[str]] = {}
        self.trace: dict[str, str] | None = None

    def make_run(
        self,
        workflow: Workflow,
        run_id: str | None,
        start_event: StartEvent | None,
        inputs: Mapping[str, Any],
        **options: Any,
    ) -> Run:
        """The run, for an engine to admit.

        Raises:
            ContextStateError: It is given inputs, or it is no run of this workflow.
        """
        execution = self.execution
        if execution is None or execution.plan is not type(workflow).table():
            raise ContextStateError("this context is of a run of another workflow")
        if start_event is not None or inputs:
            raise ContextStateError("the run of this context goes on where it was, so it takes no inputs")
        assert execution.inputs is not None
        if self.trace:
            options.setdefault("trace_parent", self.trace)
        execution.run_id = run_id or self.run_id
        return Run(workflow, execution.inputs, execution.run_id, state=self.state, resumed=self, **options)

    def go_on(self, run: Run) -> None:
        """Has the run do what it was doing."""
        execution = run.execution
        now = run.loop.time()
        if self.asked_below:
            run.asked_below = dict(self.asked_below)
        run.parked = {run_id: data for run_id, _, data in self.children}
        for step_run in _live(execution):
            if hasattr(step_run, "began"):
                step_run.began += now
        self._begin_again(execution)
        run.restore_timers(self._timers_left(run.clock()))
        self._want(execution)
        run.carry_out()
        for tick in self.early:
            run.apply(tick)
        try:
            check_not_stuck(execution, None)
        except WorkflowRuntimeError as error:
            fail(execution, error)
            run.carry_out()

    def _begin_again(self, execution: Execution) -> None:
        """What was at work begins again, before what was ready: as a further attempt that costs no retry."""
        parts: dict[int, int] = {}
        for _, number, _ in self.children:
            parts[number] = parts.get(number, 0) + 1
        ready = {step_run.number for step_run in execution.starting}
        again = [one for one in execution.in_flight.values() if one.number not in ready]
        for step_run in again:
            if step_run.step.plain or hasattr(step_run, "began"):
                step_run.attempt += 1
                if hasattr(step_run, "since"):
                    step_run.since += 1
            if hasattr(step_run, "started_runs"):
                step_run.started_runs = max(0, step_run.started_runs - parts.get(step_run.number, 0))
        execution.starting.extendleft(reversed(again))

    def _timers_left(self, now: datetime) -> dict[int, float]:
        """People and other services have not waited for us: what a pause waits for comes by the calendar."""
        assert self.execution is not None
        gone = max(0.0, (now - self.taken).total_seconds()) if self.taken is not None else 0.0
        of_pauses = {timer for pause in self.execution.paused.values() for timer in pause.timers}
        return {
            timer: max(0.0, left - gone) if timer in of_pauses else left for timer, left in self.left.items()
        }

    def _want(self, execution: Execution) -> None:
        """What it wants can be read off the execution."""
        if execution.failing is not None and (way := exit_for(execution.failing)) is not None:
            execution.effects.append(TakeRunExit(way))
        for number, pause in execution.paused.items():
            if isinstance(pause.value, Child):
                execution.effects.append(StartChild(number, pause.value, pause.run.attempt))
        if execution.inbox:
            execution.effects.extend(CheckInbox(number) for number in execution.expecting)


def _live(execution: Execution) -> list[StepRun]:
    timed = [one for one in execution.timers.values() if isinstance(one, StepRun)]
    queued = [one for queue in execution.queues.values() for one in queue]
    return [
        *execution.in_flight.values(),
        *queued,
        *timed,
        *(pause.run for pause in execution.paused.values()),
    ]


def resumed(workflow: Workflow, data: Any, serializer: BaseSerializer | None = None) -> Resumed:
    """A run, or the state of one that is over, from a snapshot, which may come from anybody.

    Raises:
        SnapshotError: It is damaged, or of another workflow or version.
    """
    return _guarded(lambda: _resumed(workflow, data, serializer))


def _guarded(read: Callable[[], Resumed]) -> Resumed:
    try:
        return read()
    except SnapshotError:
        raise
    except RecursionError:
        raise SnapshotError("the snapshot is nested too deep") from None
    except Exception as error:  # also what the classes' own validators raise
        raise SnapshotError(f"the snapshot is damaged: {type(error).__name__}: {error}") from error


def _resumed(workflow: Workflow, data: Any, serializer: BaseSerializer | None) -> Resumed:
    if not isinstance(data, dict) or "wfc" not in data:
        raise SnapshotError("this is no snapshot of a run")
    _check_head(workflow, data)
    values, table = _values(workflow, serializer), type(workflow).table()
    given = data.get("state")
    state = table.new_state() if given is None else values.read_model(given, table.state)
    found = Resumed(_text(data.get("run_id", "")), state)
    if "outcome" in data:
        found.execution = Execution(table, found.run_id, state)
        outcome = values.read(data["outcome"])
        if not isinstance(outcome, StopEvent | Exception):
            raise SnapshotError("where an end is to be, the snapshot has something else")
        found.execution.outcome = outcome
        found.execution.inputs = StartEvent()
    elif "execution" in data:
        _read_run(found, data, table, values)
    found.data = data
    return found


def _check_head(workflow: Workflow, data: dict[str, Any]) -> None:
    if data["wfc"] != VERSION:
        raise SnapshotError(f"the snapshot has the version {data['wfc']!r}, and this runtime reads {VERSION}")
    mine = _head(workflow)
    if data.get("workflow") != mine["workflow"]:
        raise SnapshotError(f"the snapshot is of `{data.get('workflow')}`, and not of `{mine['workflow']}`")
    if data.get("shape") != mine["shape"]:
        raise SnapshotError(
            f"the snapshot is of a version of `{mine['workflow']}` with other steps or events than this one"
        )


def _read_run(found: Resumed, data: dict[str, Any], table: Plan, values: Values) -> None:
    found.execution, found.left = read_execution(
        data["execution"], table, found.run_id, found.state, values, 0.0
    )
    if found.execution.inputs is None:
        raise SnapshotError("the snapshot does not say what the run was started with")
    found.begun = bool(data["begun"])
    found.taken = datetime.fromisoformat(data["taken"])
    found.deadline = float(data["deadline"]) if "deadline" in data else None
    for event, name, message_id in data.get("early", []):
        step = None if name is None else table.by_name[name]
        found.early.append(Arrived(values.read_event(event), step, None, message_id))
    for run_id, number, child in data.get("children", []):
        found.children.append((_text(run_id), int(number), child))
    found.asked_below = {
        _text(run_id): frozenset(map(_text, numbers))
        for run_id, numbers in data.get("asked_below", {}).items()
    }
    found.trace = {_text(name): _text(value) for name, value in data.get("trace", {}).items()}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise SnapshotError("where a text is to be, the snapshot has something else")
    return value
