"""The snapshot of a run in memory, with those of its parts."""

from __future__ import annotations

from typing import Any

from wfc.runtime.driver.run.reachable import ReachableRun
from wfc.runtime.errors import SnapshotError
from wfc.runtime.store.snapshots import StoredRun, write_outcome, write_run
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["snapshot_of"]


def snapshot_of(
    run: ReachableRun[Any], serializer: BaseSerializer | None, *, include_state: bool = True
) -> dict[str, Any]:
    """Return a run as JSON data: all that is needed to resume it; for a run that is over, its state.

    Raises:
        SnapshotError: Something in it cannot be written as JSON.
    """
    execution = run.execution
    stored = StoredRun(run.run_id, execution.state if include_state else None)
    name = run.workflow._wfc.name
    if execution.outcome is not None:
        return write_run(name, execution.plan, stored, serializer)
    if execution.inputs is None:
        raise SnapshotError("this run is just beginning anew: write its snapshot afterwards")
    if execution.timers and (run.timers is None or not execution.timers.keys() <= run.timers.running()):
        raise SnapshotError("this run is just telling what happens in it: write its snapshot afterwards")
    stored.execution = execution
    stored.taken = max(run.now(), execution.at)
    stored.trace = run.trace_context
    stored.begun = run.has_begun
    stored.early = run.early or []
    stored.children = [
        (part.run_id, number, _snapshot_of_part(part, serializer))
        for part, number in run.children.numbered_parts()
    ]
    stored.asked_before = run.children.asked_before
    return write_run(name, execution.plan, stored, serializer)


def _snapshot_of_part(part: ReachableRun[Any], serializer: BaseSerializer | None) -> dict[str, Any]:
    data = snapshot_of(part, serializer)
    outcome = part.execution.outcome
    if outcome is not None:  # which the run above has not heard of yet
        data["outcome"] = write_outcome(part.execution.plan, outcome, serializer)
    return data
