"""The durable side of an engine: its runs get ports to a store, and runs are claimed from there to go on."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Container, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

from pydantic_core import to_json

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.moments import SECOND, as_moment
from wfc.runtime.driver.engine.awaited import AwaitedEnds
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.engine.posted import take_item
from wfc.runtime.driver.gates import GateName, StoredAdmission
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.questions import open_questions, read_answer
from wfc.runtime.errors import (
    RunEndedError,
    RunLostError,
    RunParkedError,
    RunUnknownError,
    StoreError,
    WorkflowError,
)
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.store.folding import fold, read_outcome, read_start, write_start
from wfc.runtime.store.journal import (
    Claim,
    Created,
    Entry,
    Kept,
    Lease,
    Lost,
    PlacesWanted,
    TaskOpened,
    WantedPlace,
)
from wfc.runtime.store.port import Port
from wfc.runtime.store.snapshots import StoredRun, values_for
from wfc.runtime.store.sql import places, selecting
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.values import Values
from wfc.runtime.store.versions.describing import describe
from wfc.runtime.store.versions.reading import is_of_plan

__all__ = ["Durable", "KeptPart", "next_moment", "open_tasks", "values_of"]

SOON = 10 * SECOND
"""A run that a timer wakes within this time is not put to rest."""

_OF_TASKS = ("title", "show", "form", "prefill", "assign", "quorum", "asked_at", "expires_at")

NO_PLACES: Final[Mapping[GateName, int]] = {}

BEFORE_IT_BEGINS: Final = ("place", "cancel")
"""What a run takes that may not begin yet."""

KeptPart = tuple[Claim, Kept | None]
"""A part of a run as it was claimed, and its journal, unless it is over."""


class Registry(Protocol):
    """The part of an engine that its durable side uses."""

    def run(self, run_id: str) -> Run | None:
        """Return the live run with an id."""

    def workflow(self, name: str, beside: type[Any] | None = None, version: str = "") -> StartableWorkflow:
        """Return the workflow of a name."""

    def admit(self, run: Run) -> Run:
        """Admit a run."""

    def rests(self, run: Run) -> None:
        """Be told that nothing happens in a run before somebody answers, or a timer fires."""

    async def end_at_rest(self, run_ids: Sequence[str]) -> None:
        """Take up runs that are to be cancelled, where nobody else has them."""

    def version_of(self, workflow: RunWorkflow[Run]) -> str:
        """Return what the code of a workflow is known by."""


class Durable:
    """The durable side of one engine."""

    def __init__(self, journal: SqlJournal, registry: Registry) -> None:
        self.journal = journal
        self._registry = registry
        self._parts: dict[str, dict[str, KeptPart]] = {}  # of recovered runs, by the ids of both
        self._loop: asyncio.AbstractEventLoop | None = None  # which hears the bell
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: Counter[str] = Counter()  # the ids of runs whose inboxes are being read
        self.awaited = AwaitedEnds(journal, registry, self.take_soon, self.later)

    def close(self) -> None:
        """Write what is left, and close the store."""
        self.awaited.close()
        self.journal.stop_listening()
        self.journal.close()

    # --- new runs

    def adopt(self, run: Run, names: Mapping[GateName, int] = NO_PLACES, way: str = "") -> None:
        """Give a new run a port to the store.

        Args:
            names: The gates that it waits at before it begins, if it has not passed them already.
            way: What a second start under its key does, if it has just been started.

        Raises:
            SnapshotError: What it begins with cannot be kept.
        """
        self._listen(run.loop)
        wanted = _wanted(names)
        if run.port is not None and wanted and not self._is_inside(run, wanted):
            run.port.note(PlacesWanted(wanted))
        elif run.port is not None:
            if isinstance(run.passage, StoredAdmission):
                run.passage.is_inside = True
            return
        else:
            run.port = self._new_port(run, wanted, way)
        if wanted:
            run.port.open()
            run.port.after(partial(self._look_at_places, run, wanted))
            if way == "replace" and (others := self.others_of(run, {run.run_id})):
                run.port.after(lambda: self.later(self._registry.end_at_rest(others)))

    async def enqueue(self, run: Run, *, is_quiet: bool = False) -> None:
        """Record a run that begins when it is claimed.

        Raises:
            SnapshotError: What it begins with cannot be kept.
            Lost: The store has a run of this id.
            StoreError: The store cannot be written.
        """
        await self.journal.append_together([self.queued(run, is_quiet=is_quiet)])

    def queued(self, run: Run, *, is_quiet: bool = False) -> Entry:
        """Return what creates a run that begins when it is claimed.

        Raises:
            SnapshotError: What it begins with cannot be kept.
        """
        created = self._created(run)._replace(is_queued=True, is_quiet=is_quiet)
        if run.key is not None:
            created = created._replace(when_running=_of_second(run.workflow._wfc.run_rules.when_running))
        return Entry(Lease(run.run_id), 1, [], [], created)

    def _new_port(self, run: Run, wanted: Sequence[WantedPlace] = (), way: str = "") -> Port:
        created = self._created(run)
        if wanted:
            created = created._replace(places=wanted, when_running=_of_second(way))
        elif run.passage is not None:  # it was under way in memory
            created = created._replace(places=_wanted(run.passage.places()), has_places=True)
        return Port(run, self.journal, Lease(run.run_id), values_of(run.workflow), created=created)

    def _created(self, run: Run) -> Created:
        internals, execution = run.workflow._wfc, run.execution
        values = values_of(run.workflow)
        plan = describe(internals.plan)
        assert execution.inputs is not None
        parent, above = run.parent, None
        if parent is not None and (found := self._registry.run(parent.run_id)) is not None:
            above = found.port
        return Created(
            internals.name,
            plan.digest,
            self._registry.version_of(run.workflow),
            run.key,
            write_start(execution.inputs, execution.state, run.trace_context, values),
            run.now(),
            None if above is None else above.lease,
            0 if parent is None else parent.number,
            is_attached=run.above is not None,
            plan=plan.body,
        )

    # --- places

    def others_of(self, run: Run, known: Container[str]) -> list[str]:
        """Return the ids of the runs under the key of a run that are not over, except some, the oldest first."""
        found = partial(selecting.of_key, workflow=run.workflow._wfc.name, key=run.key or "")
        return [run_id for run_id in self.journal.select(found) if run_id not in known]

    def _is_inside(self, run: Run, wanted: Sequence[WantedPlace]) -> bool:
        return self.journal.select(partial(places.is_inside, run_id=run.run_id, wanted=wanted))

    def _look_at_places(self, run: Run, wanted: Sequence[WantedPlace]) -> None:
        """Let a run begin that has its places by now; else it waits until its inbox tells it, or rests so long."""
        assert isinstance(run.passage, StoredAdmission)
        if self._is_inside(run, wanted):
            run.passage.let_in()
        else:
            self._registry.rests(run)

    def follow(self, run: Run, run_id: str) -> None:
        """Let a run that was not begun stand for one of another process, and end as that does."""
        self._listen(run.loop)
        self.awaited.follow(run, run_id)

    def leave_places(self, run: Run) -> None:
        """Give the places of a run that is over to others, now that its steps have cleaned up."""
        port = run.port
        if port is not None and port.cleans_up and port.lease.lost is None:
            self.later(self._leave_places(port.lease.number))

    async def _leave_places(self, number: int) -> None:
        with contextlib.suppress(
            StoreError, RuntimeError
        ):  # a store that is closed: they are free a little later
            await self.journal.write(partial(places.leave, number=number))

    # --- rest

    def park(self, run: Run) -> bool:
        """Begin to write a run that rests, with its parts, and to forget it here; return whether it does rest.

        One that was in memory until now is written for the first time.

        Raises:
            SnapshotError: It cannot be written.
        """
        if run.port is not None and run.port.is_parking:  # as somebody else has asked for it too
            return True
        if isinstance(run.passage, StoredAdmission) and not run.passage.is_inside:
            return self._park_outside(run)
        every = list(dict.fromkeys([run, *_all_parts(run)]))
        if any(one.run_id in self._reading or one.children.has_news or not _rests(one) for one in every):
            return False
        if any(self._waits_here(one, every) for one in every):
            return False
        if run.breakpoints is not None and not run.breakpoints.note_held():
            return False  # it rests once that is recorded
        is_halted = run.breakpoints is not None and run.breakpoints.is_halted
        for one in every:
            if one.port is None:
                self.adopt(one)
                self._note_questions(one)
        wake_at = None if is_halted else min(filter(None, map(_wake_at, every)), default=None)
        entries = [
            one.port.park(wake_at, is_halted=is_halted and one is run)
            for one in every
            if one.port is not None
        ]
        self.later(self._park(run, entries))
        return True

    def _park_outside(self, run: Run) -> bool:
        """Begin to put a run to rest that may not begin yet; it is due when it has its places."""
        port = run.port
        if port is None or port.is_recording or run.early or run.run_id in self._reading or run.is_done:
            return False
        self.later(self._park(run, [port.rest_outside()]))
        return True

    def _waits_here(self, run: Run, parked: Container[Run]) -> bool:
        """Return whether a run waits for one that it has joined, which is under way in this process."""
        joined = (self._registry.run(one.joined) for one in run.execution.paused.values() if one.joined)
        return any(one is not None and not one.is_done and one not in parked for one in joined)

    def _note_questions(self, run: Run) -> None:
        """Record the open questions of a run that was in memory until now."""
        assert run.port is not None
        for row in open_tasks(run.execution):
            run.port.note(row)

    async def _park(self, run: Run, entries: list[Entry]) -> None:
        try:
            await self.journal.append_together(entries)
        except (Lost, StoreError) as error:
            run.abandon(RunLostError(str(error)))
        else:
            told = f"the run {run.run_id} rests in its store until somebody answers, or its time has come"
            if run.breakpoints is not None and run.breakpoints.is_halted:
                told = f"the run {run.run_id} has halted, and rests in its store until it is resumed"
            run.abandon(RunParkedError(told, run.run_id))

    # --- runs that are claimed

    async def claim(self, run_id: str) -> Run:
        """Claim a run and let it go on here.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            RunEndedError: It is over.
            RunLostError: Another process has it.
            StoreError: It cannot go on: its workflow is another one now, or the store is damaged.
        """
        claims = await self.journal.claim(1, run_id)
        if claims:
            return await self.go_on(claims[0])
        rows = self.journal.runs(run_id=run_id)
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
        found = self.journal.described(run_id)
        if found is not None:
            kept = await self.journal.read(found.lease)
            copy = self._read(found, kept, self._workflow_of(found))
            read_answer(copy, question, value, by, state)

    async def go_on(self, claim: Claim) -> Run:
        """Let a claimed run go on here; if it cannot, it is given back.

        Raises:
            WorkflowError: It cannot go on.
        """
        self._listen(asyncio.get_running_loop())
        try:
            kept = await self.journal.read(claim.lease)
            self._parts[claim.lease.run_id] = await self._read_parts(claim.parts)
            run = self._restore(claim, kept, self._workflow_of(claim))
            self._registry.admit(run)
        except BaseException:
            self._parts.pop(claim.lease.run_id, None)
            await self.journal.release(claim.lease)
            raise
        self.begin_now(run)
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
            kept = None if part.outcome is not None else await self.journal.read(part.lease)
            found[part.lease.run_id] = part, kept
            self._parts[part.lease.run_id] = await self._read_parts(part.parts)
        return found

    def _restore(self, claim: Claim, kept: Kept, workflow: StartableWorkflow) -> Run:
        """Return a claimed run as it was, with a port by which it goes on."""
        run = self._read(claim, kept, workflow)
        run.port = Port(
            run,
            self.journal,
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

    # --- what is posted to runs

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let an event loop hear when somebody has posted something."""
        if self._loop is None or self._loop.is_closed():
            self._loop = loop
            self.journal.listen(loop, self._rung)

    def _rung(self) -> None:
        with contextlib.suppress(StoreError):  # the next sign of life of this process rings again
            self._take_what_was_posted()

    def _take_what_was_posted(self) -> None:
        self.awaited.look()
        for run_id in self.journal.addressed():
            run = self._registry.run(run_id)
            if run is not None and not run.loop.is_closed():
                run.loop.call_soon_threadsafe(self.take_soon, run)

    def take_soon(self, run: Run) -> None:
        """Let a run take what was posted to it, soon; until then it does not rest."""
        self._reading[run.run_id] += 1
        self.later(self._take_posted_first(run))

    async def _take_posted_first(self, run: Run) -> None:
        try:
            with contextlib.suppress(StoreError):  # as above
                await self.take_posted(run)
        finally:
            self._reading[run.run_id] -= 1
            if not self._reading[run.run_id]:
                del self._reading[run.run_id]
            self._registry.rests(run)

    async def take_posted(self, run: Run) -> None:
        """Let a run take what was posted to it; what does not fit is dropped, and said."""
        port = run.port
        assert port is not None
        for number, item in await self.journal.posted(port.lease):
            if run.waits_for_its_turn and item.kind not in BEFORE_IT_BEGINS:
                continue  # it takes the rest when it has begun
            if run.execution.outcome is not None or run.is_done or port.is_parking or not port.take(number):
                continue  # what is put to rest is due again by what was posted; what ends takes nothing more
            try:
                if item.kind == "place":
                    if isinstance(run.passage, StoredAdmission):
                        run.passage.let_in()
                elif item.kind == "end":
                    self.awaited.take(run, item.body)
                else:
                    take_item(run, item)
            except WorkflowError as error:
                run.loop.call_exception_handler({"message": "what was posted is refused", "exception": error})

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something be done soon, in this loop."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def runs_above(run: Run) -> Iterator[Run]:
    """Yield the runs that a run is a part of, from below."""
    above = run.above
    while above is not None:
        yield above
        above = above.above


def _wanted(names: Mapping[GateName, int]) -> list[WantedPlace]:
    """Return gates as the store has them."""
    return [WantedPlace(workflow, f"{what}:{value}", most) for (what, workflow, value), most in names.items()]


def _of_second(way: str) -> str:
    """Return what the creation of a run does by itself about others of its key."""
    return way if way in {"reject", "join", "replace"} else ""


def _not_wanted(run_id: str) -> str:
    return f"the run that {run_id} was part of does not want it any more"


def values_of(workflow: RunWorkflow[Run]) -> Values:
    """Return what writes and reads the values of a workflow's runs."""
    return values_for(workflow._wfc.plan, workflow._wfc.serializer)


def open_tasks(execution: Execution) -> list[TaskOpened]:
    """Return the rows for the questions of a run that are open."""
    found = []
    for one in open_questions(execution):
        about = {name: getattr(one, name) for name in _OF_TASKS}
        expires = None if one.expires_at is None else as_moment(one.expires_at)
        body, asked = to_json(about).decode(), as_moment(one.asked_at)
        found.append(TaskOpened(one.id, one.step, one.title, one.assign, body, asked, expires))
    return found


def _all_parts(run: Run) -> list[Run]:
    return [found for part in run.children.parts() for found in (part, *_all_parts(part))]


def _rests(run: Run) -> bool:
    """Return whether nothing happens in a run, apart from its parts, before somebody answers or a timer fires."""
    execution = run.execution
    soon = run.now() + SOON
    is_halted = run.breakpoints is not None and run.breakpoints.is_halted  # then it does not wake by itself
    if not is_halted and any(due < soon for due in execution.due_at.values()):
        return False
    if run.port is not None:  # a part that has just been restored begins a moment later
        return run.has_begun and run.port.is_idle
    return run.has_begun and execution.outcome is None and not execution.in_flight and not run.early


def _wake_at(run: Run) -> int | None:
    return next_moment(run.execution)


def next_moment(execution: Execution) -> int | None:
    """Return the moment at which something happens in a run by itself; ``None``: never."""
    moments = [*execution.due_at.values(), *([] if execution.deadline is None else [execution.deadline])]
    return min(moments, default=None)
