"""Stored runs that wait for the ends of runs which they have joined, and which go on elsewhere."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from wfc.runtime.core.ticks import PauseFailed
from wfc.runtime.driver.engine.child_ends import resolve
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import StepError, WorkflowError
from wfc.runtime.plan.pauses import Child
from wfc.runtime.store.folding import read_outcome
from wfc.runtime.store.journal import EndAwaited
from wfc.runtime.store.snapshots import values_for

__all__ = ["AwaitedEnds"]


class KnownWorkflows(Protocol):
    """The part of an engine that knows its workflows."""

    def workflow(self, name: str, beside: type[Any] | None = None, version: str = "") -> StartableWorkflow:
        """Return the workflow of a name."""


class AwaitedEnds:
    """The runs of a process that wait for ends of others, of which their inboxes tell them.

    Args:
        take_soon: Lets a run look into its inbox.
    """

    def __init__(self, registry: KnownWorkflows, take_soon: Callable[[Run], None]) -> None:
        self._registry = registry
        self._take_soon = take_soon
        self._waiting: defaultdict[str, set[Run]] = defaultdict(set)  # by the ids of those that they wait for

    def add(self, run: Run, number: int, run_id: str) -> None:
        """Let a run be told of the end of another one, for its paused step run; it may be over already."""
        assert run.port is not None
        self._waiting[run_id].add(run)
        run.future.add_done_callback(lambda _: self._drop(run_id, run))
        run.port.note(EndAwaited(number, run_id))
        run.port.after(partial(self._take_soon, run))

    def _drop(self, run_id: str, run: Run) -> None:
        waiting = self._waiting.get(run_id, set())
        waiting.discard(run)
        if not waiting:
            self._waiting.pop(run_id, None)

    def ended(self, run_id: str) -> None:
        """Let those who wait for a run look into their inboxes, as it has ended in this process."""
        for run in list(self._waiting.get(run_id, ())):
            if not run.loop.is_closed():
                run.loop.call_soon_threadsafe(self._take_soon, run)

    def take(self, run: Run, body: str) -> None:
        """Let a run take the end that it has waited for; it may wait for it no more."""
        data = json.loads(body)
        pause = run.execution.paused.get(data["number"])
        if pause is None or pause.joined != data["run"] or not isinstance(pause.value, Child):
            return
        try:
            workflow, outcome = self._end(run, data)
        except WorkflowError as error:
            failure = StepError("workflow.failed", str(error))
            run.take(PauseFailed(data["number"], failure))
        else:
            resolve(run, data["number"], pause.value, workflow, outcome)

    def _end(self, run: Run, data: dict[str, Any]) -> tuple[StartableWorkflow, Any]:
        """Return the workflow of a run that is over, and how it has ended.

        Raises:
            WorkflowError: Nobody knows that.
        """
        joined = f"the run {data['run']}, for whose end the step has waited,"
        if data["status"] == "unknown":
            raise StepError("workflow.failed", f"{joined} is in the store no more: nobody knows how it ended")
        workflow = self._registry.workflow(data["workflow"], type(run.workflow), data["version"])
        if "outcome" not in data:
            raise StepError("workflow.failed", f"{joined} was given up: it came no further")
        internals = workflow._wfc
        values = values_for(internals.plan, internals.serializer)
        return workflow, read_outcome(data["outcome"].encode(), values)
