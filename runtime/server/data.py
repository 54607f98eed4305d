"""What replies hold of runs, events, ends and tasks, as JSON data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from typing import Any, Final

from pydantic_core import to_json

from wfc.runtime.errors import StepFailedError
from wfc.runtime.events import Event, event_name
from wfc.runtime.events.internal import Searched
from wfc.runtime.store.sql.reading import RunRow, TaskRow
from wfc.runtime.store.timeline import StepLine
from wfc.runtime.values.outside_names import with_outside_names

__all__ = [
    "event_data",
    "json_bytes",
    "moment",
    "outcome_data",
    "run_data",
    "search_data",
    "step_data",
    "task_data",
]

_SECOND: Final = 1_000_000_000

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=str)
"""For texts with half characters, which pydantic's encoder refuses."""


def moment(at: int | None) -> str | None:
    """Return a moment in nanoseconds as RFC 3339 writes it."""
    if at is None:
        return None
    return f"{_second(at // _SECOND)}.{at % _SECOND // 1000:06d}Z"


@lru_cache(1024)  # thousands of moments of one run are within few seconds
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()[:19]


def event_data(event: Event) -> dict[str, Any]:
    """Return an event: its name, and its fields as they are named outside."""
    fields = with_outside_names(event, event.model_dump(mode="json", by_alias=True))
    return {"event": event_name(event), "with": fields}


def outcome_data(outcome: Any) -> dict[str, Any]:
    """Return how a run has ended: ``result`` is its end event, ``error`` what went wrong."""
    if outcome is None:
        return {}
    if isinstance(outcome, Event):
        return {"result": event_data(outcome)}
    told: dict[str, Any] = {"kind": type(outcome).__name__, "message": str(outcome)}
    if isinstance(outcome, StepFailedError):
        told["step"] = getattr(outcome, "step_name", None) or getattr(outcome, "step", None)
        told["name"] = outcome.name
    return {"error": {name: value for name, value in told.items() if value is not None}}


def run_data(row: RunRow) -> dict[str, Any]:
    """Return what a list shows of a run."""
    return {
        "run": row.run_id,
        "workflow": row.workflow,
        "version": row.version,
        "key": row.key,
        "status": row.status,
        "started": moment(row.started),
        "ended": moment(row.ended),
        "wakes": moment(row.wake_at),
        "open_tasks": row.open_tasks,
        "recoveries": row.recoveries,
    }


def search_data(seq: int, search: Searched) -> dict[str, Any]:
    """Return what a step has searched, by a tick: what was found with which score, and what was cut by which rule."""
    return {
        "tick": seq,
        "step": search.step_name,
        "query": search.query,
        "collections": list(search.collections),
        "considered": search.considered,
    }


def step_data(line: StepLine) -> dict[str, Any]:
    """Return a step run as a timeline shows it."""
    return {
        "number": line.number,
        "step": line.step,
        "took": line.took,
        "began": moment(line.began),
        "ended": moment(line.ended),
        "attempts": line.attempts,
        "status": "undone" if line.is_undone else line.status,
        "gave": line.gave,
        "error": line.error,
        "tokens": line.tokens,
        "cost_usd": round(line.cost_usd, 6),
    }


def task_data(row: TaskRow) -> dict[str, Any]:
    """Return a task; what it is about too, if it was read with that."""
    told: dict[str, Any] = {
        "task": row.task_id,
        "run": row.run_id,
        "workflow": row.workflow,
        "step": row.step,
        "title": row.title,
        "assign": row.assign,
        "passed_on": [{**one._asdict(), "at": moment(one.at)} for one in row.passed_on],
        "opened": moment(row.opened),
        "expires": moment(row.expires),
        "closed": moment(row.closed),
        "because": row.because,
        "answered_by": [one for one in (row.answered_by or "").split(",") if one],
    }
    if row.about:
        told |= {name: row.about.get(name) for name in ("form", "show", "prefill", "quorum")}
    return told


def json_bytes(data: object) -> bytes:
    """Return data as JSON; what reorders or hides text on a screen is written as ``\\\\uXXXX``, and NaN as ``null``.

    Half characters and the like, which no encoding has, are written so too.
    """
    try:
        raw = to_json(data, inf_nan_mode="null", fallback=str)  # in a third of the encoder's time
    except ValueError:  # half characters
        text = _ENCODER.encode(_without_nan(data))
    else:
        if raw.isascii() and b"\x7f" not in raw:  # JSON itself writes the other control characters so
            return raw
        text = raw.decode()
    if not text.isprintable():
        text = "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)
    return text.encode("utf-8", "backslashreplace")


def _without_nan(data: object) -> object:
    """Return data with null for each NaN and infinity."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Mapping):
        return {name: _without_nan(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_without_nan(value) for value in data]
    return data
