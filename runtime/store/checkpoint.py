"""A whole run as JSON data: its state, and all that is under way in it, at one moment."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.execution import Execution
from wfc.runtime.plan import Plan
from wfc.runtime.store.reading import VERSION, read_execution
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import write_execution

__all__ = ["read_checkpoint", "write_checkpoint"]


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


def read_checkpoint(data: Any, plan: Plan, run_id: str, values: Values) -> Execution:
    """Return the execution that was written.

    Raises:
        SnapshotError: The data is damaged.
    """
    state = values.read_model(data["state"], plan.state)
    return read_execution(data["execution"], plan, run_id, state, values, data["at"], version=data["version"])
