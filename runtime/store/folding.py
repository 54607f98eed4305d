"""An execution from what a journal keeps of it: a snapshot, and the ticks since, folded."""

from __future__ import annotations

import json
from typing import Any

from wfc.runtime.core.advance import advance
from wfc.runtime.core.advance.relevance import is_relevant
from wfc.runtime.core.execution import Execution
from wfc.runtime.errors import StoreError
from wfc.runtime.events import StartEvent
from wfc.runtime.plan import Plan
from wfc.runtime.store.checkpoint import read_checkpoint, write_checkpoint
from wfc.runtime.store.journal import Kept
from wfc.runtime.store.json_text import as_json_text
from wfc.runtime.store.ticks import decode_tick
from wfc.runtime.store.values import Values

__all__ = ["fold", "read_outcome", "read_start", "write_snapshot", "write_start"]


def write_start(event: StartEvent, state: Any, trace: dict[str, str], values: Values) -> bytes:
    """Return what a run begins with as JSON text.

    Raises:
        SnapshotError: It cannot be written.
    """
    body = b'{"event":%b,"state":%b' % (values.model_text(event), values.model_text(state))
    return b'%b,"trace":%b}' % (body, as_json_text(trace)) if trace else body + b"}"


def read_start(body: bytes, plan: Plan, values: Values) -> tuple[StartEvent, Any, dict[str, str]]:
    """Return the start event of a run, its first state, and the span that has started it.

    Raises:
        SnapshotError: It is damaged.
    """
    data = json.loads(body)
    event = values.read_model(data["event"], StartEvent)
    return event, values.read_model(data["state"], plan.state), dict(data.get("trace", {}))


def write_snapshot(execution: Execution, values: Values) -> bytes:
    """Return an execution as JSON text, to go on with by the ticks that follow.

    Raises:
        SnapshotError: It cannot be written.
    """
    return as_json_text(write_checkpoint(execution, values))


def fold(kept: Kept, plan: Plan, run_id: str, start: bytes, values: Values) -> Execution:
    """Return the execution that a snapshot and ticks make; nothing of it is at work. Without inputs it has not begun.

    Args:
        start: What the run began with.

    Raises:
        SnapshotError: What is kept is damaged.
        StoreError: The ticks do not follow from each other: they are of other steps than the plan's.
    """
    if kept.snapshot is not None:
        execution = read_checkpoint(json.loads(kept.snapshot), plan, run_id, values)
    else:
        _, state, _ = read_start(start, plan, values)
        execution = Execution(plan, run_id, state)
    for number, body in enumerate(kept.ticks, kept.snapshot_seq + 1):
        tick, at = decode_tick(body, execution, values)
        if not is_relevant(execution, tick):
            raise StoreError(
                f"the run {run_id} cannot go on: its tick {number} ({type(tick).__name__}) is of something that "
                f"has not happened, by the steps that there are now"
            )
        advance(execution, tick, at)
        execution.take_effects()
        execution.starting.clear()
    return execution


def read_outcome(body: bytes, values: Values) -> Any:
    """Return how a run has ended: its end event, or its error.

    Raises:
        SnapshotError: It is damaged.
    """
    return values.read(json.loads(body))
