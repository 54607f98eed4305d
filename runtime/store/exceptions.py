"""Exceptions in snapshots: the runtime's own unchanged, others by class name and message."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from wfc.runtime import errors
from wfc.runtime.errors import SnapshotError, StepFailedError, WorkflowError
from wfc.runtime.values.stored_errors import read_stored, stored

__all__ = ["read_exception", "write_exception"]

_OWN: dict[str, type[Exception]] = {
    name: kind
    for name in errors.__all__
    if isinstance(kind := getattr(errors, name), type) and issubclass(kind, WorkflowError)
}

_OF_A_FAILED_STEP = ("step", "event", "attempt", "error", "name", "elapsed_seconds")

Write = Callable[[Any, int], Any]
Read = Callable[[Any, int], Any]


def write_exception(error: BaseException, write: Write, depth: int) -> dict[str, Any]:
    """Return an exception and its causes as JSON data."""
    kind = type(error)
    data: dict[str, Any]
    if isinstance(error, StepFailedError):  # also where it is of the class of what was raised, its cause
        attributes = {name: vars(error)[name] for name in _OF_A_FAILED_STEP if name in vars(error)}
        has = {name: _simple(value, write, depth) for name, value in attributes.items()}
        data = {"name": "StepFailedError", "said": [_unicode(str(error))], "has": has}
    elif _OWN.get(kind.__name__) is kind:
        attributes = {name: _simple(value, write, depth) for name, value in vars(error).items()}
        data = {"name": kind.__name__, "said": [_unicode(str(error))], "has": attributes}
    else:
        data = {name: _unicode(text) for name, text in stored(error).items()}
    cause = error.__cause__
    if isinstance(cause, Exception):
        data["cause"] = _place_of(cause, error) or write(cause, depth)
    return data


def _place_of(cause: Exception, error: BaseException) -> str | None:
    """Return where a failed step's error has its cause already: written twice, causes of causes would be endless."""
    known = error.error if isinstance(error, StepFailedError) else None
    if known is None:
        return None
    return "error" if cause is known else "cause of error" if cause is known.__cause__ else None


def _simple(value: Any, write: Write, depth: int) -> Any:
    if isinstance(value, str):
        return _unicode(value)
    try:
        data = write(value, depth)
        if isinstance(value, Exception):
            return data
        json.dumps(data, allow_nan=False, ensure_ascii=False).encode()
        return data
    except (ValueError, RecursionError):  # a SnapshotError is a ValueError
        return None  # such as the body of a reply that is no JSON


def _unicode(text: str) -> str:
    """Return a text of an error, whatever it is made of, as one that can be stored."""
    return text.encode(errors="backslashreplace").decode()


def read_exception(data: Any, read: Read, depth: int) -> Exception:
    """Return an exception from the data that ``write_exception`` returned.

    Raises:
        SnapshotError: The data has another form.
    """
    if not isinstance(data, dict):
        raise SnapshotError("where an error is to be, the snapshot has something else")
    if "name" in data:
        kind = _OWN.get(data["name"])
        if kind is None or not all(isinstance(one, str) for one in data["said"]):
            raise SnapshotError("the snapshot names an error that there is not")
        found = kind.__new__(kind)
        found.args = tuple(data["said"])
        expected = {"__cause__", "__context__", "__traceback__", "args"}
        for name, value in data["has"].items():
            if name in expected or name.startswith("__"):
                raise SnapshotError(f"an error in the snapshot has {name!r}")
            found.__dict__[str(name)] = read(value, depth)
    else:
        found = read_stored(data)
    if "cause" in data:
        known = getattr(found, "error", None)
        places = {"error": known, "cause of error": getattr(known, "__cause__", None)}
        cause = places[data["cause"]] if isinstance(data["cause"], str) else read(data["cause"], depth)
        if not isinstance(cause, Exception):
            raise SnapshotError("where an error is to be, the snapshot has something else")
        found.__cause__ = cause
    return found
