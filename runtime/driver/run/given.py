"""What an action gave, noted on the tick of its step run where ticks are kept: a test can be made of the run then."""

from __future__ import annotations

import contextlib
import json
from typing import Any, Final, Protocol

from pydantic_core import to_json

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Completed, ItemCompleted, Tick

__all__ = ["note_error", "note_result"]

_PLAIN: Final = frozenset({int, str, bool, type(None)})
"""Classes whose values are JSON data as they are."""


class NotingRun(Protocol):
    """The interface of a run whose ticks are kept, or not."""

    @property
    def execution(self) -> Execution:
        """The run's state of execution, as data."""

    @property
    def port(self) -> object | None:
        """Where the run's ticks are kept."""


def note_result(run: NotingRun, tick: Tick, result: Any) -> Tick:
    """Return a tick, on which the result is noted if a spec's test could need it."""
    if (
        run.port is not None
        and run.execution.plan.is_generated
        and isinstance(tick, Completed | ItemCompleted)
    ):
        with contextlib.suppress(ValueError):  # what has no form in JSON cannot stand in a test either
            is_plain = type(result) in _PLAIN
            tick.gave = "give", result if is_plain else json.loads(to_json(result, by_alias=True))
    return tick


def note_error(run: NotingRun, tick: Completed | ItemCompleted, name: str) -> Tick:
    """Return the tick of a step run that goes on after an error, on which the name of the error is noted."""
    if run.port is not None and run.execution.plan.is_generated:
        tick.gave = "error", name
    return tick
