"""What steps emit, and what their tails save, as JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import Any

from pydantic import BaseModel

from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import StartEvent
from wfc.runtime.plan.outcomes import UNHANDLED, All, Batch, Fail, Restart
from wfc.runtime.store.values import Values
from wfc.runtime.values.drafts import Saved

__all__ = ["read_emitted", "read_saved", "write_emitted", "write_saved"]


def write_emitted(emitted: Any, values: Values) -> Any:
    """Return what a step run emits as JSON data.

    Raises:
        SnapshotError: It cannot be written.
    """
    if isinstance(emitted, All):
        return {"$": "all", "of": [write_emitted(one, values) for one in emitted.events]}
    if isinstance(emitted, Batch):
        of = [values.write(one) for one in emitted]
        name = values.classes.name(emitted.event)
        return {"$": "batch", "of": of, "event": name, "concurrency": emitted.concurrency}
    if isinstance(emitted, Fail):
        return {"$": "fail", "of": emitted.text}
    if isinstance(emitted, Restart):
        return {"$": "restart", "of": values.write_model(emitted.event)}
    if emitted is UNHANDLED:
        return {"$": "unhandled"}
    return values.write(emitted)


def read_emitted(data: Any, values: Values) -> Any:
    """Return what a step run emits from JSON data.

    Raises:
        SnapshotError: It is not as it was written.
    """
    tag = data.get("$") if isinstance(data, dict) else None
    if tag == "model":  # as nearly always
        return values.read_model(data.get("of"), BaseModel, 1)
    if tag == "all":
        return All(*(read_emitted(one, values) for one in data["of"]))
    if tag == "batch":
        event = values.classes.event(data["event"])
        return Batch(event, [values.read(one) for one in data["of"]], concurrency=data["concurrency"])
    if tag == "fail":
        return Fail(data["of"])
    if tag == "restart":
        return Restart(values.read_model(data["of"], StartEvent))
    if tag == "unhandled":
        return UNHANDLED
    return values.read(data)


def write_saved(saved: Saved, state: BaseModel, values: Values) -> Any:
    """Return a change of a state as JSON data; of a list to which something was added, only what was added.

    Args:
        state: The state before the change.

    Raises:
        SnapshotError: A value cannot be written.
    """
    if saved is None:
        return None
    if isinstance(saved, BaseModel):
        return values.write_model(saved)
    before = _fields(state)
    return {name: _write_field(value, before.get(name), values) for name, value in saved.items()}


def _fields(state: BaseModel) -> Mapping[str, Any]:
    """Return what a state holds, declared or not."""
    extra = state.__pydantic_extra__
    return {**state.__dict__, **extra} if extra else state.__dict__


def _write_field(value: Any, before: Any, values: Values) -> Any:
    if type(value) is list and type(before) is list and _goes_on(value, before):
        return {"$": "more", "of": [values.write(one) for one in value[len(before) :]]}
    return values.write(value)


def _goes_on(value: list[Any], before: list[Any]) -> bool:
    """Return whether a list begins with the very objects of another one; `[1] == [True]` would be too little."""
    return 0 < len(before) <= len(value) and all(map(is_, before, value))


def read_saved(data: Any, state: BaseModel, values: Values) -> Saved:
    """Return a change of a state from JSON data.

    Raises:
        SnapshotError: It is not as it was written.
    """
    if data is None:
        return None
    if isinstance(data, list):
        return values.read_model(data, type(state))
    before = _fields(state)
    return {name: _read_field(one, before.get(name), values) for name, one in data.items()}


def _read_field(data: Any, before: Any, values: Values) -> Any:
    if isinstance(data, dict) and data.get("$") == "more":
        if type(before) is not list:
            raise SnapshotError("something is added to a list that is not there")
        return [*before, *(values.read(one) for one in data["of"])]
    return values.read(data)
