"""What a server serves: the workflows and the store of an engine, and what happens beside its requests."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from wfc.runtime.driver.engine import Engine
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.engine.metrics import WorkerMetrics
from wfc.runtime.driver.engine.starting import TriggerStarter
from wfc.runtime.driver.engine.telling import Teller
from wfc.runtime.driver.engine.working import Load, Worker, WorkerNote
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import (
    RunExistsError,
    RunLostError,
    RunParkedError,
    RunUnknownError,
    StoreError,
    WorkflowError,
)
from wfc.runtime.events import StartEvent
from wfc.runtime.server.access import Access, Principal
from wfc.runtime.server.auditing import Audit
from wfc.runtime.server.calls import Problem
from wfc.runtime.server.changes import Changes
from wfc.runtime.server.feeds import Feeds
from wfc.runtime.server.hooked import hooks_of
from wfc.runtime.server.openings import Openings
from wfc.runtime.server.watching import Watch
from wfc.runtime.store.journal import AuditEntry, Lost
from wfc.runtime.store.sql import paging
from wfc.runtime.store.sql.reading import RunRow
from wfc.runtime.store.sql.selecting import DueRun

__all__ = ["Installation", "ServerBounds", "WorkflowSource"]

DRAINED_IN: Final = 8.0
"""The seconds that runs under way have when the server ends, before they are given back."""

ANEW_AFTER: Final = 5.0
"""The seconds after which a worker begins again that has given up."""


class WorkflowSource(NamedTuple):
    """What a workflow was made from, and its Python: the texts of files, by their paths."""

    spec: Mapping[str, str]
    python: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ServerBounds:
    """The most that a server takes upon itself.

    Args:
        body: Bytes of a request's body.
        streams: Streams in all.
        streams_each: Streams of one principal.
        waits: Requests that wait for a run, in all.
    """

    body: int = 1_000_000
    streams: int = 2000
    streams_each: int = 8
    waits: int = 500


@dataclass
class Installation:
    """The workflows and the store of an engine, as a server serves them.

    Args:
        workflows: Those that may be started; they are added to the engine.
        load: Lets the engine know the code of stored runs; by default it knows what was added to it.
        worker: The class of the worker that lets runs go on in this process; ``None``: others do.
        teller: Tells people of questions and failures meanwhile.
        key: What links are signed with; without it there are none.
        sources: What workflows were made from, by their names, as far as it is to be shown.
        kept_python: Returns the Python of a version of a workflow, by the paths of files; ``None``: it is not there.
        openings: What people without tokens may use.
        beside: Further ones of ``endpoint.Endpoint``, such as those of authors.
        address: Where the server is reached from outside, for links; by default where it was asked.
    """

    engine: Engine
    workflows: Sequence[StartableWorkflow]
    access: Access
    load: Load = lambda due: None
    worker: type[Worker] | None = Worker
    at_once: int = 100
    bounds: ServerBounds = field(default_factory=ServerBounds)
    teller: Teller | None = None
    key: bytes = b""
    address: str = ""
    sources: Mapping[str, WorkflowSource] = field(default_factory=dict)
    kept_python: Callable[[str, str], Mapping[str, str] | None] = lambda workflow, version: None
    openings: Openings = field(default_factory=Openings)
    beside: Sequence[Any] = ()
    note: Callable[[str], None] = lambda text: None

    def __post_init__(self) -> None:
        """Let the engine know the workflows."""
        for one in self.workflows:
            self.engine.add(one, version=self.engine.version_of(one))
        self.hooks = hooks_of(self.workflows)
        self.offered = {one._wfc.name: one for one in self.workflows}
        self.openings.check(self.offered)
        self.watch = Watch(self.engine.store)
        self.feeds = Feeds(self.engine, self.watch)
        self.changes = Changes(self.engine.store)
        self.metrics = WorkerMetrics(self.engine)
        self.audit = Audit(self.engine.store)
        self.is_draining = False
        self.drains = asyncio.Event()
        self._loaded: set[tuple[str, str]] = set()
        self._resting: set[asyncio.Task[None]] = set()
        self._left: set[asyncio.Future[Any]] = set()
        self._tasks: list[asyncio.Task[Any]] = []
        self._working: Worker | None = None
        self.has_no_worker = False  # as the one that there was has given up
        self._starting: asyncio.Lock = asyncio.Lock()
        self.waits = 0
        self.answering: set[tuple[str, str]] = set()  # which task is being answered by whom

    # --- beside the requests

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Let runs go on, and watch them, as long as this lasts; then give back what is under way."""
        await self.begin()
        try:
            yield
        finally:
            await self.end()

    async def begin(self) -> None:
        """Begin to work, unless that has been done."""
        async with self._starting:
            if self._tasks:
                return
            await self.audit.drop_old()
            starter = TriggerStarter(self.engine, self.workflows, self.note)
            if self.worker is not None:
                await starter.look_and_note()
                self._working = self._new_worker(self.worker)
            # from here on nothing can fail: who begins again after a failure begins all of it
            self._tasks.append(asyncio.create_task(self.watch.run()))
            if self.worker is None:
                return
            self._tasks.append(asyncio.create_task(self._keep_working(self.worker)))
            self._tasks.append(asyncio.create_task(starter.run(self.drains)))
            if self.teller is not None:
                self._tasks.append(asyncio.create_task(self.teller.run(self.drains)))

    def _new_worker(self, kind: type[Worker]) -> Worker:
        return kind(self.engine, self._has_code, self._tell, at_once=self.at_once)

    async def _keep_working(self, kind: type[Worker]) -> None:
        """Let runs go on until the server is to end, also after the store or its queue was away for long."""
        told = ""
        while not self.is_draining:
            if self._working is None or self._working.has_left:
                self._working = self._new_worker(kind)
            self.has_no_worker = False
            try:
                await self._working.run(grace=DRAINED_IN)
                return
            except StoreError as error:
                self.has_no_worker = True
                if str(error) != told:
                    told = str(error)
                    self.note(f"no run is worked on until this is mended: {told}")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.drains.wait(), ANEW_AFTER)

    def drain(self) -> None:
        """Take no work any more, and end all streams."""
        self.is_draining = True
        self.drains.set()
        self.feeds.end()
        self.changes.end()
        if self._working is not None:
            self._working.drain()

    async def end(self) -> None:
        """Return once what was under way has ended, rests, or was given back."""
        self.drain()
        for task in self._tasks[1:]:
            with contextlib.suppress(WorkflowError):
                await task
        for one in (*self._tasks[:1], *self._resting):
            one.cancel()
        self._tasks = []

    def _tell(self, note: WorkerNote) -> None:
        self.metrics.note(note)
        if note.what == "begins":
            self.feeds.begins(note.run_id)
        self.watch.look_now()
        if note.what in {"refused", "failed"}:
            self.note(f"{note.run_id}  {note.workflow}  {note.what}: {note.because}")

    async def begin_here(
        self, workflow: StartableWorkflow, start: StartEvent, run_id: str, noted: AuditEntry | None
    ) -> Run | None:
        """Let a new run begin in this process, if the worker has room for it, and return it once it is durable.

        A run that may have to wait for others, by rules of its workflow, begins when it is claimed, as does one where
        workers share a queue.

        Args:
            noted: What the audit gets by the same commit.

        Raises:
            Lost: There is a run of this id.
            Problem: The store cannot be written.
        """

        def begin() -> Run:
            run = self.engine.begin(workflow, start, run_id)
            if noted is not None and run.port is not None:
                run.port.note(noted)
            return run

        if (
            self._working is None
            or self.engine.store.has_queue
            or not workflow._wfc.run_rules.has_none
            or workflow._wfc.gate is not None
        ):
            return None
        try:
            try:
                return await self._working.begin(begin)
            except RunExistsError:
                if (run := self.engine.run(run_id)) is not None and run.port is not None:
                    await run.port.settled()  # nobody is told of it before it is durable
                raise Lost(run_id) from None
        except RunLostError as error:
            if await asyncio.to_thread(self.engine.store.runs, run_id=run_id):
                raise Lost(run_id) from None
            raise Problem(503, "store.unavailable", f"the run cannot be recorded now: {error}") from None

    def look_now(self) -> None:
        """Let the worker and those who wait look at what has just been recorded."""
        if self._working is not None:
            self._working.look_now()
        self.watch.look_now()

    def rest_soon(self, handler: WorkflowHandler[Any] | None) -> None:
        """Let a run that goes on in this process rest in its store as soon as it can."""
        if handler is not None:
            task = asyncio.create_task(self._rest(handler))
            self._resting.add(task)
            task.add_done_callback(self._resting.discard)
        self.look_now()

    def keep(self, work: asyncio.Future[Any]) -> None:
        """Let something come to its end that nobody waits for any more."""
        self._left.add(work)
        work.add_done_callback(self._forget)

    def _forget(self, work: asyncio.Future[Any]) -> None:
        self._left.discard(work)
        if not work.cancelled() and (error := work.exception()) is not None:
            self.note(str(error))
        self.watch.look_now()

    async def _rest(self, handler: WorkflowHandler[Any]) -> None:
        with contextlib.suppress(WorkflowError):
            await self.engine.park(handler.run_id)
        self.watch.look_now()

    # --- code

    def _has_code(self, due: DueRun) -> str | None:
        known = due.workflow, due.version
        if known in self._loaded:
            return None
        try:
            found = self.engine.workflow(due.workflow, version=due.version)
            if not due.version or self.engine.version_of(found) == due.version:
                return None
        except RunUnknownError:
            pass
        reason = self.load(due)
        if reason is None:
            self._loaded.add(known)
        return reason

    def load_code(self, row: RunRow) -> None:
        """Let the engine know the code of a run.

        Raises:
            Problem: It is not there.
        """
        reason = self._has_code(DueRun(row.run_id, row.workflow, row.version))
        if reason is not None:
            raise Problem(409, "run.code_missing", f"what the run consists of is not known here: {reason}")

    # --- who may see what

    async def run_for(self, principal: Principal, run_id: str) -> RunRow:
        """Return a run that somebody may see.

        Raises:
            Problem: There is none, or not for this one, which looks the same from outside.
        """
        return await asyncio.to_thread(self.find_run, principal, run_id)

    def find_run(self, principal: Principal, run_id: str) -> RunRow:
        """Return a run that somebody may see, by a look at the store that may take a while.

        Raises:
            Problem: There is none, or not for this one.
        """
        rows = self.engine.store.runs(run_id=run_id)
        if not rows or not principal.knows(rows[0].workflow):
            raise Problem(404, "run.unknown", f"there is no run `{run_id}`")
        return rows[0]

    def workflow_for(self, principal: Principal, name: str) -> StartableWorkflow:
        """Return a workflow that somebody may see.

        Raises:
            Problem: There is none, or not for this one.
        """
        found = self.offered.get(name)
        if found is None or not principal.knows(name):
            raise Problem(404, "workflow.unknown", f"there is no workflow `{name}`")
        return found

    async def workflows_for(self, principal: Principal) -> list[str] | None:
        """Return the names of the workflows with runs that somebody may see; ``None``: all."""
        if principal.knows_all:
            return None
        found = await asyncio.to_thread(self.engine.store.select, paging.known_workflows)
        return [name for name in found if principal.knows(name)]

    # --- waiting

    async def wait_for(self, run_id: str, seconds: float) -> None:
        """Return once a run is over or rests, or some seconds have passed, or the server is to end.

        Raises:
            Problem: Too many wait already.
        """
        if self.waits >= self.bounds.waits:
            raise Problem(429, "waits.full", "too many wait for runs", headers={"Retry-After": "5"})
        until, before = time.monotonic() + seconds, None
        self.waits += 1
        try:
            while (left := until - time.monotonic()) > 0 and not self.is_draining:
                if (run := self.engine.run(run_id)) is not None and not run.is_done:
                    over, _ = await asyncio.wait(
                        [run.future], timeout=min(left, 1.0)
                    )  # without looks at the store
                    outcome = run.execution.outcome if over else None
                    if isinstance(outcome, RunParkedError) and await self.goes_on(run_id):
                        continue
                    if over and not isinstance(outcome, RunLostError):
                        return
                    continue
                found = await self.watch.changed(run_id, before, min(left, 1.0))
                if found is not None and found.rests and not await self.goes_on(run_id):
                    return
                before = found
        finally:
            self.waits -= 1

    async def goes_on(self, run_id: str) -> bool:
        """Return whether a run that has rested does not rest by now, or is woken."""
        return await asyncio.to_thread(self.engine.store.select, partial(paging.goes_on, run_id=run_id))
