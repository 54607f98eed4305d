"""Snapshots: the writing and reading of runs as JSON data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.moments import as_datetime, as_moment, seconds_later
from wfc.runtime.core.ticks import Arrived
from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import StartEvent, StopEvent, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.plan.step import Step
from wfc.runtime.store.classes import Classes
from wfc.runtime.store.reading import BY_NAME, VERSION, read_execution
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import write_execution
from wfc.runtime.values.serializers import BaseSerializer

__all__ = [
    "VERSION",
    "StoredRun",
    "read_run",
    "shape_of",
    "values_for",
    "write_outcome",
    "write_run",
    "write_state",
]

_SHAPES: WeakKeyDictionary[Plan, tuple[str, str]] = WeakKeyDictionary()


class StoredRun:
    """A run as it is written to a snapshot, or as it has been read from one and is not yet resumed.

    ``execution`` is ``None`` for one that was over, of which the state is left; ``taken`` is the moment at which it was
    put aside, if it was; ``early`` is what was sent before it began. ``children`` has the runs that are parts of it:
    their ids, the numbers of the step runs that they are for, and their snapshots. ``data`` is what it was read from.
    """

    def __init__(self, run_id: str, state: Any) -> None:
        self.run_id = run_id
        self.state = state
        self.execution: Execution | None = None
        self.data: dict[str, Any] = {}
        self.begun = True
        self.early: list[Arrived] = []
        self.taken = 0
        self.children: list[tuple[str, int, dict[str, Any]]] = []
        self.asked_before: dict[str, frozenset[str]] = {}
        self.trace: dict[str, str] | None = None


# --- writing


def write_state(
    name: str, plan: Plan, state: Any, serializer: BaseSerializer | None = None
) -> dict[str, Any]:
    """Return a state with which a run of a workflow may begin, as JSON data.

    Args:
        name: The workflow's.

    Raises:
        SnapshotError: It cannot be written.
    """
    written = None if state is None else values_for(plan, serializer).write_model(state)
    return {**_head(name, plan), "state": written}


def write_run(
    name: str, plan: Plan, run: StoredRun, serializer: BaseSerializer | None = None
) -> dict[str, Any]:
    """Return a run as JSON data: all that is needed to resume it, or the state of a run that is over.

    Args:
        name: The workflow's.

    Raises:
        SnapshotError: Something in it cannot be written as JSON.
    """
    data = write_state(name, plan, run.state, serializer)
    data["run_id"] = run.run_id
    if run.execution is None:
        return data
    data["taken"] = as_datetime(run.taken).isoformat()
    if run.trace:
        data["trace"] = run.trace
    values = values_for(plan, serializer)
    data["execution"] = write_execution(run.execution, values, run.taken)
    data["begun"] = run.begun
    if run.early:
        data["early"] = [_early(tick, values) for tick in run.early]
    if run.children:
        data["children"] = [list(child) for child in run.children]
    if run.asked_before:
        data["asked_below"] = {run_id: sorted(numbers) for run_id, numbers in run.asked_before.items()}
    return data


def write_outcome(
    plan: Plan, outcome: StopEvent | Exception, serializer: BaseSerializer | None = None
) -> Any:
    """Return the end of a run as JSON data."""
    return values_for(plan, serializer).write(outcome)


def _early(tick: Arrived, values: Values) -> list[Any]:
    return [values.write_model(tick.event), None if tick.step is None else tick.step.name, tick.message_id]


def _head(name: str, plan: Plan) -> dict[str, Any]:
    return {"wfc": VERSION, "workflow": name, "shape": shape_of(plan)}


def values_for(plan: Plan, serializer: BaseSerializer | None) -> Values:
    """Return the object that writes and reads the values in snapshots of a workflow."""
    further = () if serializer is None else serializer.allowed_types
    return Values(Classes.of(plan).and_these(further), serializer)


def shape_of(plan: Plan, version: int = VERSION) -> str:
    """Return a digest of a workflow's steps, of what they accept and emit, and of its state's structure.

    Args:
        version: Of the format of snapshots; before the third one steps were known by their order, and so counts that.
    """
    found = _SHAPES.get(plan)
    if found is None:
        state = f"{plan.state.__name__}({','.join(sorted(plan.state.model_fields))})"
        steps = [_said_of(step) for step in plan.steps]
        found = _SHAPES[plan] = _digest([state, *steps]), _digest([state, *sorted(steps)])
    return found[version >= BY_NAME]


def _digest(said: list[str]) -> str:
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:32]


def _said_of(step: Step) -> str:
    accepts = "|".join(event_name(event) for event in step.accepts)
    emits = "|".join(event_name(event) for event in step.emits)
    pauses = "|".join(kind.__name__ for kind in step.pauses)
    ways = ",".join(sorted(step.exits))
    return f"{step.key}:{accepts}>{emits}:{step.join!r}:{pauses}:{ways}:{step.item is not None}"


# --- reading


def read_run(name: str, plan: Plan, data: Any, serializer: BaseSerializer | None = None) -> StoredRun:
    """Read a run, or the state of one that is over, from a snapshot, which is not trusted.

    Raises:
        SnapshotError: The snapshot is damaged, or of another workflow or version.
    """
    return _guarded(lambda: _read(name, plan, data, serializer))


def _guarded(read: Callable[[], StoredRun]) -> StoredRun:
    try:
        return read()
    except SnapshotError:
        raise
    except RecursionError:
        raise SnapshotError("the snapshot is nested too deep") from None
    except Exception as error:  # also what the classes' own validators raise
        raise SnapshotError(f"the snapshot is damaged: {type(error).__name__}: {error}") from error


def _read(name: str, plan: Plan, data: Any, serializer: BaseSerializer | None) -> StoredRun:
    if not isinstance(data, dict) or "wfc" not in data:
        raise SnapshotError("this is no snapshot of a run")
    _check_head(name, plan, data)
    values = values_for(plan, serializer)
    given = data.get("state")
    state = plan.new_state() if given is None else values.read_model(given, plan.state)
    found = StoredRun(_text(data.get("run_id", "")), state)
    if "outcome" in data:
        found.execution = Execution(plan, found.run_id, state)
        outcome = values.read(data["outcome"])
        if not isinstance(outcome, StopEvent | Exception):
            raise SnapshotError("where an end is to be, the snapshot has something else")
        found.execution.outcome = outcome
        found.execution.inputs = StartEvent()
    elif "execution" in data:
        _read_execution(found, data, plan, values)
    found.data = data
    return found


def _check_head(name: str, plan: Plan, data: dict[str, Any]) -> None:
    if data["wfc"] not in range(1, VERSION + 1):
        raise SnapshotError(f"the snapshot has the version {data['wfc']!r}, and this runtime reads {VERSION}")
    if data.get("workflow") != name:
        raise SnapshotError(f"the snapshot is of `{data.get('workflow')}`, and not of `{name}`")
    if data.get("shape") != shape_of(plan, data["wfc"]):
        raise SnapshotError(
            f"the snapshot is of a version of `{name}` with other steps or events than this one"
        )


def _read_execution(found: StoredRun, data: dict[str, Any], plan: Plan, values: Values) -> None:
    found.taken = as_moment(datetime.fromisoformat(data["taken"]))
    found.execution = read_execution(
        data["execution"], plan, found.run_id, found.state, values, found.taken, version=data["wfc"]
    )
    if "deadline" in data:  # of the first version
        found.execution.deadline = seconds_later(found.taken, float(data["deadline"]))
    if found.execution.inputs is None:
        raise SnapshotError("the snapshot does not say what the run was started with")
    found.begun = bool(data["begun"])
    for event, name, message_id in data.get("early", []):
        step = None if name is None else plan.by_name[name]
        found.early.append(Arrived(values.read_event(event), step, None, message_id))
    for run_id, number, child in data.get("children", []):
        found.children.append((_text(run_id), int(number), child))
    found.asked_before = {
        _text(run_id): frozenset(map(_text, numbers))
        for run_id, numbers in data.get("asked_below", {}).items()
    }
    found.trace = {_text(name): _text(value) for name, value in data.get("trace", {}).items()}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise SnapshotError("where a text is to be, the snapshot has something else")
    return value
