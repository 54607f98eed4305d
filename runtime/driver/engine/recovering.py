"""Runs that are claimed from the store go on, with the parts that they had."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from wfc.runtime.driver.engine.awaited import KnownWorkflows
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.engine.kept_values import values_of
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.needs import RunEngine, RunWorkflow
from wfc.runtime.driver.run.questions import read_answer
from wfc.runtime.errors import (
    RunEndedError,
    RunLostError,
    RunParkedError,
    RunUnknownError,
    StoreError,
    WorkflowError,
)
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.store.folding import fold, read_outcome, read_start
from wfc.runtime.store.journal import Claim, Kept
from wfc.runtime.store.port import Port
from wfc.runtime.store.snapshots import StoredRun
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.versions.reading import is_of_plan

__all__ = ["Recovering"]

KeptPart = tuple[Claim, Kept | None]
"""A part of a run as it was claimed, and its journal, unless it is over."""


class AdmittingEngine(KnownWorkflows, RunEngine[Run], Protocol):
    """The part of an engine that takes in the runs that go on."""

    def admit(self, run: Run) -> Run:
        """Admit a run."""

    def version_of(self, workflow: RunWorkflow[Run]) -> str:
        """Return what the code of a workflow is known by."""


class Recovering:
    """Lets stored runs go on in one process.

    Args:
        listen: Lets an event loop hear when somebody has posted something.
    """

    def __init__(
        self,
        journal: SqlJournal,
        registry: AdmittingEngine,
        listen: Callable[[asyncio.AbstractEventLoop], None],
    ) -> None:
        self._journal = journal
        self._registry = registry
        self._listen = listen
        self._parts: dict[str, dict[str, KeptPart]] = {}  # of recovered runs, by the ids of both

    async def claim(self, run_id: str) -> Run:
        """Claim a run and let it go on here.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            RunEndedError: It is over.
            RunLostError: Another process has it.
            StoreError: It cannot go on: its workflow is another one now, or the store is damaged.
        """
        claims = await self._journal.claim(1, run_id)
        if claims:
            return await self.go_on(claims[0])
        rows = self._journal.runs(run_id=run_id)
        if not rows:
            raise RunUnknownError(f"there is no run `{run_id}` in this store")
        if rows[0].ended is not None:
            raise RunEndedError(f"the run {run_id} is over")
        raise RunLostError(f"another process has the run {run_id}")

    async def check_answer(
        self, run_id: str, question: str, value: object, by: str, state: Mapping[str, Any] | None = None
    ) -> None:
        """Check an answer against a run that another process has, as the run is now.

        Raises:
            WorkflowError: The answer does not fit, or the run cannot be read.
        """
        found = self._journal.described(run_id)
        if found is not None:
            kept = await self._journal.read(found.lease)
            copy = self._read(found, kept, self._workflow_of(found))
            read_answer(copy, question, value, by, state)

    async def go_on(self, claim: Claim) -> Run:
        """Let a claimed run go on here; if it cannot, it is given back.

        Raises:
            WorkflowError: It cannot go on.
        """
        self._listen(asyncio.get_running_loop())
        try:
            kept = await self._journal.read(claim.lease)
            self._parts[claim.lease.run_id] = await self._read_parts(claim.parts)
            run = self._restore(claim, kept, self._workflow_of(claim))
            self._registry.admit(run)
        except BaseException:
            self._parts.pop(claim.lease.run_id, None)
            await self._journal.release(claim.lease)
            raise
        if run.passage is None and not run.has_begun:  # else it takes up what was under way when it may begin
            run.start()
            if CRASHES:
                reach("recovered")
        if claim.is_left_over and not run.execution.left_by and run.execution.failing is None:
            run.cancel(_not_wanted(run.run_id))
        return run

    def begin_now(self, run: Run) -> None:
        """Let a restored run take up what was under way, and what was posted to it meanwhile."""
        if run.passage is None and not run.has_begun:
            run.start()
            if CRASHES:
                reach("recovered")

    async def _read_parts(self, parts: Iterable[Claim]) -> dict[str, KeptPart]:
        found: dict[str, KeptPart] = {}
        for part in parts:
            kept = None if part.outcome is not None else await self._journal.read(part.lease)
            found[part.lease.run_id] = part, kept
            self._parts[part.lease.run_id] = await self._read_parts(part.parts)
        return found

    def _restore(self, claim: Claim, kept: Kept, workflow: StartableWorkflow) -> Run:
        """Return a claimed run as it was, with a port by which it goes on."""
        run = self._read(claim, kept, workflow)
        run.port = Port(
            run,
            self._journal,
            claim.lease,
            values_of(workflow),
            seq=kept.seq,
            tail=sum(map(len, kept.ticks)),
            snapshot_size=len(kept.snapshot or b""),
        )
        return run

    def _workflow_of(self, claim: Claim) -> StartableWorkflow:
        return self._registry.workflow(claim.workflow, version=claim.version)

    def _read(self, claim: Claim, kept: Kept, workflow: StartableWorkflow) -> Run:
        plan, values, run_id = workflow._wfc.plan, values_of(workflow), claim.lease.run_id
        self._check(claim, workflow)
        event, _, trace = read_start(claim.start, plan, values)
        execution = fold(kept, plan, run_id, claim.start, values)
        stored = StoredRun(run_id, execution.state)
        stored.execution = execution
        stored.begun = execution.inputs is not None
        execution.inputs = execution.inputs or event
        stored.trace = trace
        run = Run.going_on(workflow, stored, run_id, engine=self._registry)
        run.key = claim.key
        return run

    def _check(self, claim: Claim, workflow: StartableWorkflow) -> None:
        plan, run_id = workflow._wfc.plan, claim.lease.run_id
        if not is_of_plan(claim.shape, plan):
            raise StoreError(
                f"the run {run_id} has a version of `{claim.workflow}` with other steps or events than this one has, "
                f"and cannot go on with it"
            )
        version = self._registry.version_of(workflow)
        if claim.version and version and claim.version != version:
            raise StoreError(
                f"the run {run_id} was started by the version {claim.version[:12]} of `{claim.workflow}`, and goes "
                f"on with that one only; here is {version[:12]}"
            )

    # --- parts of them

    def part_of(self, run: Run, run_id: str, workflow: StartableWorkflow) -> Run | None:
        """Return the part that a recovered run had, restored; one that is over has its end already.

        Raises:
            WorkflowError: It cannot be restored.
        """
        found = self._parts.get(run.run_id, {}).pop(run_id, None)
        if found is None:
            return None
        claim, kept = found
        if kept is not None:
            return self._restore(claim, kept, workflow)
        assert claim.outcome is not None
        stored = StoredRun(run_id, workflow._wfc.plan.new_state())
        event, _, _ = read_start(claim.start, workflow._wfc.plan, values_of(workflow))
        over = Run(workflow, event, run_id, engine=self._registry, state=stored.state)
        over.execution.outcome = read_outcome(claim.outcome, values_of(workflow))
        over.conclude()
        return over

    def drop_unwanted(self, run: Run) -> None:
        """Cancel the parts that a recovered run does not want any more, which it had no time to tell them.

        A body that begins again may come to ask for the runs that it has started; what it has not asked for is
        cancelled when the run is over.
        """
        port = run.port
        if port is not None and self._parts.get(run.run_id):
            run.loop.call_soon(port.after, partial(self._drop, run, run.execution.in_flight))
            run.future.add_done_callback(lambda _: self._drop_rest(run))

    def _drop_rest(self, run: Run) -> None:
        if not isinstance(run.execution.outcome, RunLostError | RunParkedError):
            self._drop(run, ())
        self._parts.pop(run.run_id, None)

    def _drop(self, run: Run, at_work: Container[int]) -> None:
        """Cancel what is left of a recovered run's parts, except those of step runs that are at work."""
        parts = {} if run.is_parking else self._parts.get(run.run_id, {})
        for run_id, (claim, kept) in list(parts.items()):
            if claim.parent_number in at_work:
                continue
            del parts[run_id]
            if kept is not None:
                with contextlib.suppress(WorkflowError):
                    part = self._restore(claim, kept, self._workflow_of(claim))
                    self._registry.admit(part)
                    part.cancel(_not_wanted(run_id))


def _not_wanted(run_id: str) -> str:
    return f"the run that {run_id} was part of does not want it any more"
