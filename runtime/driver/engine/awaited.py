"""Stored runs that wait for the ends of runs which they have joined, and which go on elsewhere."""

from __future__ import annotations

import contextlib
import json
from collections import defaultdict
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from wfc.runtime.core.ticks import PauseFailed
from wfc.runtime.driver.engine.child_ends import resolve
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import RunLostError, StepError, StoreError, WorkflowError
from wfc.runtime.plan.pauses import Child
from wfc.runtime.store.folding import read_outcome
from wfc.runtime.store.journal import EndAwaited
from wfc.runtime.store.snapshots import values_for
from wfc.runtime.store.sql import joining
from wfc.runtime.store.sql.journal import SqlJournal

__all__ = ["AwaitedEnds"]


class KnownWorkflows(Protocol):
    """The part of an engine that knows its workflows."""

    def workflow(self, name: str, beside: type[Any] | None = None, version: str = "") -> StartableWorkflow:
        """Return the workflow of a name."""


class AwaitedEnds:
    """The runs of a process that wait for ends of others, of which their inboxes tell them.

    A run that was not begun may also stand for one of another process, which it has joined.

    Args:
        take_soon: Lets a run look into its inbox.
        later: Lets something be done soon, in the running loop.
    """

    def __init__(
        self,
        journal: SqlJournal,
        registry: KnownWorkflows,
        take_soon: Callable[[Run], None],
        later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._journal = journal
        self._registry = registry
        self._take_soon = take_soon
        self._later = later
        self._followed: defaultdict[str, list[Run]] = defaultdict(
            list
        )  # those who stand for others, by their ids
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

    # --- runs that stand for others

    def follow(self, run: Run, run_id: str) -> None:
        """Let a run that was not begun stand for one of another process, and end as that does."""
        run.is_elsewhere = True
        run.run_id = run_id
        self._followed[run_id].append(run)
        self._later(self._begin_to_follow(run, run_id))

    async def _begin_to_follow(self, run: Run, run_id: str) -> None:
        try:
            await self._journal.write(partial(joining.follow, owner=self._journal.owner, run_id=run_id))
            self.look()  # it may be over by now
        except StoreError as error:
            run.abandon(RunLostError(str(error)))

    def look(self) -> None:
        """Let those end that stand for runs which are over.

        Raises:
            StoreError: The store cannot be read.
        """
        if not self._followed:
            return
        ended = self._journal.select(partial(joining.ends_of, run_ids=list(self._followed)))
        for run_id, data in ended.items():
            for run in self._followed.pop(run_id):
                if not run.loop.is_closed():
                    run.loop.call_soon_threadsafe(
                        self._end_as, run, data or {"run": run_id, "status": "unknown"}
                    )
        if ended:
            self._later(self._stop_following())

    async def _stop_following(self) -> None:
        with contextlib.suppress(StoreError):
            await self._journal.write(partial(joining.stop_following, owner=self._journal.owner))

    def _end_as(self, run: Run, data: dict[str, Any]) -> None:
        if run.is_done:
            return
        try:
            _, run.execution.outcome = self._end(run, data)
        except WorkflowError as error:
            run.execution.outcome = RunLostError(str(error))
        run.conclude()

    def close(self) -> None:
        """Let nobody wait any more for runs of other processes."""
        for runs in list(self._followed.values()):
            for run in runs:
                if not run.loop.is_closed():
                    run.abandon(RunLostError("the engine was closed"))
        self._followed.clear()
