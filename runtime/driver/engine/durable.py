"""The durable side of an engine: its runs get ports to a store, and runs are claimed from there to go on."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.messages import Message
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import RunParkedError, StoreError, WorkflowError
from wfc.runtime.store.folding import fold, read_outcome, read_start, write_start
from wfc.runtime.store.journal import Claim, Created, Kept, Lease, Posted
from wfc.runtime.store.port import Port
from wfc.runtime.store.snapshots import StoredRun, shape_of, values_for
from wfc.runtime.store.sqlite import SqliteJournal
from wfc.runtime.store.values import Values

__all__ = ["Durable", "KeptPart"]

KeptPart = tuple[Claim, Kept | None]
"""A part of a run as it was claimed, and its journal, unless it is over."""


class Registry(Protocol):
    """The part of an engine that its durable side uses."""

    def run(self, run_id: str) -> Run | None:
        """Return the live run with an id."""

    def workflow(self, name: str, beside: type[Any] | None = None) -> StartableWorkflow:
        """Return the workflow of a name."""

    def admit(self, run: Run) -> Run:
        """Admit a run."""

    def version_of(self, workflow: StartableWorkflow) -> str:
        """Return what the code of a workflow is known by."""


class Durable:
    """The durable side of one engine."""

    def __init__(self, journal: SqliteJournal, registry: Registry) -> None:
        self.journal = journal
        self._registry = registry
        self._parts: dict[str, dict[str, KeptPart]] = {}  # of recovered runs, by the ids of both
        self._loop: asyncio.AbstractEventLoop | None = None  # which hears the bell
        self._tasks: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """Write what is left, and close the store."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self.journal.bell.socket)
        self.journal.close()

    # --- new runs

    def adopt(self, run: Run) -> None:
        """Give a new run a port to the store.

        Raises:
            SnapshotError: What it begins with cannot be kept.
        """
        self._listen(run.loop)
        if run.port is None:
            run.port = self._new_port(run)

    def _new_port(self, run: Run) -> Port:
        internals, execution = run.workflow._wfc, run.execution
        values = values_of(run.workflow)
        assert execution.inputs is not None
        parent, above = run.parent, None
        if parent is not None and (found := self._registry.run(parent.run_id)) is not None:
            above = found.port
        created = Created(
            internals.name,
            shape_of(internals.plan),
            self._registry.version_of(run.workflow),
            run.key,
            write_start(execution.inputs, execution.state, run.trace_context, values),
            run.now(),
            None if above is None else above.lease,
            0 if parent is None else parent.number,
            is_attached=run.above is not None,
        )
        return Port(run, self.journal, Lease(run.run_id), values, created=created)

    # --- rest

    def park(self, run: Run) -> bool:
        """Write a run that rests, with its parts, and let this process forget it; return whether it does rest."""
        every = [run, *_all_parts(run)]
        if any(one.port is None or not one.port.is_idle for one in every):
            return False
        for one in reversed(every):  # the run itself comes last, and gives up its parts
            assert one.port is not None
            one.port.park(_wake_at(one), partial(one.abandon, _parked(run)) if one is run else _nothing)
        return True

    def keep(self, run: Run) -> bool:
        """Write a run that was in memory until now and rests, and forget it; return whether it does rest."""
        every = [run, *_all_parts(run)]
        if any(one.execution.in_flight or one.execution.outcome is not None for one in every):
            return False
        for one in every:
            self.adopt(one)
        return self.park(run)

    # --- runs that are claimed

    async def claim(self, run_id: str) -> Run | None:
        """Claim a run and let it go on here; ``None`` if another process has it, or it is over.

        Raises:
            StoreError: It cannot go on: its workflow is another one now, or the store is damaged.
            RunUnknownError: Its workflow is not known here.
        """
        claims = await self.journal.claim(1, run_id)
        return await self.go_on(claims[0]) if claims else None

    async def go_on(self, claim: Claim) -> Run:
        """Let a claimed run go on here; if it cannot, it is given back.

        Raises:
            WorkflowError: It cannot go on.
        """
        self._listen(asyncio.get_running_loop())
        try:
            kept = await self.journal.read(claim.lease)
            self._parts[claim.lease.run_id] = await self._read_parts(claim.parts)
            run = self._restore(claim, kept, self._registry.workflow(claim.workflow))
            self._registry.admit(run)
        except BaseException:
            self._parts.pop(claim.lease.run_id, None)
            await self.journal.release(claim.lease)
            raise
        self.begin_now(run)
        return run

    def begin_now(self, run: Run) -> None:
        """Let a restored run take up what was under way, and what was posted to it meanwhile."""
        if run.passage is None and not run.has_begun:
            run.start()
            self._drop_unwanted(run)
        self._later(self.take_posted(run))

    async def _read_parts(self, parts: Iterable[Claim]) -> dict[str, KeptPart]:
        found: dict[str, KeptPart] = {}
        for part in parts:
            kept = None if part.outcome is not None else await self.journal.read(part.lease)
            found[part.lease.run_id] = part, kept
            self._parts[part.lease.run_id] = await self._read_parts(part.parts)
        return found

    def _restore(self, claim: Claim, kept: Kept, workflow: StartableWorkflow) -> Run:
        plan, values, lease = workflow._wfc.plan, values_of(workflow), claim.lease
        self._check(claim, workflow)
        event, state, trace = read_start(claim.start, plan, values)
        stored = StoredRun(lease.run_id, state)
        stored.execution = fold(kept, plan, lease.run_id, claim.start, values)
        stored.state = stored.execution.state
        stored.begun = kept.seq > 0
        stored.trace = trace
        if not stored.begun:
            stored.execution.inputs = event
        run = Run.going_on(workflow, stored, lease.run_id, engine=self._registry)
        run.key = claim.key
        tail = sum(map(len, kept.ticks))
        run.port = Port(
            run,
            self.journal,
            lease,
            values,
            seq=kept.seq,
            tail=tail,
            snapshot_size=len(kept.snapshot or b""),
        )
        return run

    def _check(self, claim: Claim, workflow: StartableWorkflow) -> None:
        plan, run_id = workflow._wfc.plan, claim.lease.run_id
        if claim.shape != shape_of(plan):
            raise StoreError(
                f"the run {run_id} was started by a version of `{claim.workflow}` with other steps or events than "
                f"this one has, and cannot go on with it"
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

    def _drop_unwanted(self, run: Run) -> None:
        """Cancel the parts that a recovered run does not want any more, which it had no time to tell them."""
        port = run.port
        assert port is not None

        def drop() -> None:
            for run_id, (claim, kept) in self._parts.pop(run.run_id, {}).items():
                if kept is None:
                    continue
                with contextlib.suppress(WorkflowError):
                    part = self._restore(claim, kept, self._registry.workflow(claim.workflow))
                    self._registry.admit(part)
                    part.cancel(f"the run that {run_id} was part of, {run.run_id}, does not want it any more")

        port.after(drop)

    # --- what is posted to runs

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let an event loop hear when somebody has posted something."""
        if self._loop is None or self._loop.is_closed():
            self._loop = loop
            loop.add_reader(self.journal.bell.socket, self._rung)

    def _rung(self) -> None:
        self.journal.bell.silence()
        for run_id in self.journal.addressed():
            run = self._registry.run(run_id)
            if run is not None and not run.loop.is_closed():
                run.loop.call_soon_threadsafe(lambda run=run: self._later(self.take_posted(run)))

    async def take_posted(self, run: Run) -> None:
        """Let a run take what was posted to it; what does not fit is dropped, and said."""
        port = run.port
        assert port is not None
        for number, item in await self.journal.posted(port.lease):
            if run.is_done or not port.take(number):
                continue
            try:
                _TAKERS[item.kind](run, item)
            except WorkflowError as error:
                run.loop.call_exception_handler({"message": "what was posted is refused", "exception": error})

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def values_of(workflow: StartableWorkflow) -> Values:
    """Return what writes and reads the values of a workflow's runs."""
    return values_for(workflow._wfc.plan, workflow._wfc.serializer)


def _nothing() -> None:
    """Do nothing."""


def _all_parts(run: Run) -> list[Run]:
    return [found for part in run.children.parts() for found in (part, *_all_parts(part))]


def _wake_at(run: Run) -> int | None:
    return min(run.execution.due_at.values(), default=None)


def _parked(run: Run) -> RunParkedError:
    return RunParkedError(f"the run {run.run_id} rests in its store until it is asked for", run.run_id)


def _answer(run: Run, item: Posted) -> None:
    data = json.loads(item.body)
    asker = run.asker_of(data["question"])
    if asker is not None:
        asker.answer(data["question"], data["value"], item.by)


def _receive(run: Run, item: Posted) -> None:
    data = json.loads(item.body)
    run.receive(Message(data["event"], data["fields"]), data.get("message_id"))


def _cancel(run: Run, item: Posted) -> None:
    run.cancel(json.loads(item.body)["reason"])


_TAKERS: dict[str, Callable[[Run, Posted], None]] = {"answer": _answer, "event": _receive, "cancel": _cancel}
