"""A whole run as JSON data: its state, and all that is under way in it, at one moment."""

from __future__ import annotations

import json
from typing import Any

from wfc.runtime.core.execution import Execution
from wfc.runtime.plan import Plan
from wfc.runtime.store.reading import VERSION, read_execution
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import write_execution

__all__ = ["checkpoint_in", "read_checkpoint", "write_checkpoint"]


def write_checkpoint(execution: Execution, values: Values) -> dict[str, Any]:
    """Return an execution that is not over as JSON data, to go on with by the ticks that follow.

    Raises:
        SnapshotError: It cannot be written.
    """
    now = execution.at
    return {
        "version": VERSION,
        "at": now,
        "state": values.write_model(execution.state),
        "execution": write_execution(execution, values, now),
    }


def checkpoint_in(body: bytes) -> bytes:
    """Return how a run was after it moved to another version, from the tick by which it did, as JSON text.

    Its moments are relative to one of its own, so that its timers have gone on all the same.
    """
    at, checkpoint = json.loads(body)[1], json.loads(body)[3]
    return json.dumps({**checkpoint, "moved_at": at}, ensure_ascii=False, separators=(",", ":")).encode()


def read_checkpoint(data: Any, plan: Plan, run_id: str, values: Values) -> Execution:
    """Return the execution that was written.

    Raises:
        SnapshotError: The data is damaged.
    """
    state = values.read_model(data["state"], plan.state)
    found = read_execution(
        data["execution"], plan, run_id, state, values, data["at"], version=data["version"]
    )
    found.at = data.get("moved_at", found.at)
    return found
