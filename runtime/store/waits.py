"""What a run that rests waits for, read from its snapshot alone: its code is not needed for that."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final, NamedTuple

from wfc.runtime.core.moments import as_moment

__all__ = ["HALTED", "Wait", "waits_in"]

_WHAT: Final = {
    "Question": "an answer",
    "Outside": "an event",
    "Delay": "a time",
    "Until": "a time",
    "Child": "another run",
    "Items": "its items",
}


HALTED: Final = "to be resumed: the run halted"
"""How it begins what a run waits for that has halted at a breakpoint."""


class Wait(NamedTuple):
    """Something that a step of a run waits for, and the moment until which it does; ``None``: for ever."""

    step: str
    what: str
    until: int | None


def waits_in(snapshot: bytes) -> list[Wait]:
    """Return what the steps of a run wait for, by its snapshot, the earliest to end first."""
    data = json.loads(snapshot)
    execution, at = data["execution"], data["at"]
    steps = {run["n"]: run["step"] for run in execution.get("runs", ())}
    due = {number: at + left for number, left, *_ in execution.get("timers", ())}
    waits = (_wait(pause, steps, due) for pause in execution.get("paused", ()))
    found = sorted(waits, key=lambda wait: (wait.until is None, wait.until or 0))
    if (stops := execution.get("stops")) is not None and stops[2]:
        found.insert(0, Wait(stops[4], f"{HALTED} {stops[2]} it", None))
    return found


def _wait(pause: dict[str, Any], steps: dict[int, str], due: dict[int, int]) -> Wait:
    kind, title = pause["for"]["kind"], pause["for"].get("title")
    until = min((due[number] for number, *_ in pause.get("timers", ()) if number in due), default=None)
    if pause.get("expires") is not None:
        until = as_moment(datetime.fromisoformat(pause["expires"]))
    what = _WHAT.get(kind, kind)
    return Wait(steps.get(pause["run"], "?"), f"{what}: {title}" if title else what, until)
