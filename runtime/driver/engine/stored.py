"""The stored runs of an engine: what there is, what happened, and what people do with them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from wfc.runtime.core.body_ticks import ChildJoined
from wfc.runtime.driver.engine.bringing import BroughtItems, as_json
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.engine.durable import NO_PLACES, Durable, runs_above
from wfc.runtime.driver.engine.kept_values import values_of
from wfc.runtime.driver.gates import GateName
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.loops import call_and_await
from wfc.runtime.driver.messages import EventData, fields_of, name_of
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import (
    RunEndedError,
    RunExistsError,
    RunLostError,
    RunParkedError,
    RunUnknownError,
    SnapshotError,
    WorkflowConfigurationError,
    WorkflowError,
)
from wfc.runtime.events import Event, StartEvent
from wfc.runtime.store.folding import read_outcome
from wfc.runtime.store.journal import Entry, KeyTaken
from wfc.runtime.store.sql import places, starting
from wfc.runtime.store.sql.claiming import MOST_RECOVERIES
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.sql.reading import RunRow

__all__ = ["HistoryTick", "StoredRuns", "event_data", "topic_message_id"]


class HistoryTick(NamedTuple):
    """Something that happened to a run: its number, when (in nanoseconds), what kind of tick, and its data."""

    seq: int
    at: int
    kind: str
    data: list[Any]


class StoredRuns(BroughtItems, Protocol):
    """The part of an engine with a store that lists its runs, lets them go on, and brings them what people say."""

    _durable: Durable | None
    _to_park: set[str]

    @property
    def store(self) -> SqlJournal:
        """The store of the runs.

        Raises:
            WorkflowConfigurationError: The engine has none.
        """
        return self.kept.journal

    @property
    def kept(self) -> Durable:
        """The durable side of the engine.

        Raises:
            WorkflowConfigurationError: The engine has no store.
        """
        if self._durable is None:
            raise WorkflowConfigurationError("this engine has no store: `Engine(store=…)` gives it one")
        return self._durable

    def close(self) -> None:
        """Give back the runs that are under way, and close the store, if there is one."""
        if self._durable is not None:
            for run in self.live_runs():
                if run.port is not None and not run.loop.is_closed():
                    run.abandon(RunLostError("the engine was closed"))
            self._durable.close()
            self._durable = None

    def live_runs(self) -> list[Run]:
        """Return the runs that are under way in this process."""

    # --- what there is

    def list_runs(
        self, *, status: str | None = None, workflow: str | None = None, most: int = 1000
    ) -> list[RunRow]:
        """Return the stored runs, the newest first."""
        return self.store.runs(status=status, workflow=workflow, most=most)

    def show(self, run_id: str) -> RunRow:
        """Return what a list shows of a stored run.

        Raises:
            RunUnknownError: There is none of that id.
        """
        found = self.store.runs(run_id=run_id)
        if not found:
            raise RunUnknownError(f"there is no run `{run_id}` in this store")
        return found[0]

    def worker_on(self, row: RunRow) -> str:
        """Return the name of the live process that has a run; empty if none has it."""
        has_it = row.ended is None and row.owner is not None and self.store.is_worked_on(row.run_id)
        return row.owner or "" if has_it else ""

    def note_on(self, row: RunRow) -> str:
        """Return what is to be said of a run besides its status: that it is due, and no process works on it."""
        if row.status == "dead":
            return f"given up: taken up {MOST_RECOVERIES} times in a row without coming any further"
        if row.ended is not None or self.worker_on(row):
            return ""
        if row.status == "halted":
            return "halted at a breakpoint"
        if self.store.select(partial(places.is_outside, run_id=row.run_id)):
            return "waits for its turn"
        if row.status != "parked":
            return "nobody works on it"
        return "overdue, nobody works on it" if (row.wake_at or time.time_ns() + 1) <= time.time_ns() else ""

    def history(self, run_id: str) -> list[HistoryTick]:
        """Return what has happened to a stored run, as far as it is still kept.

        Raises:
            RunUnknownError: There is none of that id.
        """
        self.show(run_id)
        found = []
        for seq, body in self.store.history(run_id):
            kind, at, *data = json.loads(body)
            found.append(HistoryTick(seq, at, kind, data))
        return found

    def outcome(self, run_id: str) -> Any:
        """Return how a stored run has ended: its end event or its error; ``None``: it is not over.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
        """
        row = self.show(run_id)
        if row.outcome is None:
            return None
        return read_outcome(row.outcome, values_of(self.workflow(row.workflow, version=row.version)))

    # --- what goes on

    def make_durable(
        self, run: Run, places: Mapping[GateName, int] = NO_PLACES, way: str = "", *, waits: bool = False
    ) -> None:
        """Let a run that is admitted be recorded, if the engine has a store.

        Args:
            places: What it waits for before it begins, if it has not got it already.
            way: What a second start under its key does, if it has just been started.
            waits: Whether it does not begin at once, and is to be known nevertheless.

        Raises:
            SnapshotError: What it begins with cannot be kept.
        """
        if self._durable is not None:
            try:
                self._durable.adopt(run, places, way)
            except SnapshotError:
                self.ended(run)
                raise
            if waits and run.port is not None:
                run.port.open()

    def give_way(self, run: Run, taken: KeyTaken) -> None:
        """Let a run that was not created, as another one has its key, be that one, or fail."""
        is_above = any(above.run_id == taken.run_id for above in runs_above(run))
        if is_above or run.workflow._wfc.run_rules.when_running != "join":
            run.abandon(RunExistsError(str(taken), taken.run_id))
            return
        self.ended(run)
        if run.passage is not None:
            run.passage.over(set())
        run.passage = run.port = None
        above, parent = run.above, run.parent
        if above is not None and parent is not None and above.children.has(parent.number, run):
            above.children.remove(parent.number)
            above.take(ChildJoined(parent.number, taken.run_id))
            self.await_end(above, parent.number, taken.run_id)
        elif above is not None and above.children.has(run.run_id, run):
            above.children.remove(run.run_id)
        self.kept.follow(run, taken.run_id)

    def cancel_elsewhere(self, run: Run, reason: str) -> None:
        """Cancel the run of another process that a run here stands for."""
        self.kept.later(self._cancel_elsewhere(run.run_id, reason))

    async def _cancel_elsewhere(self, run_id: str, reason: str) -> None:
        with contextlib.suppress(WorkflowError):  # it is over, as whoever follows it is told
            await self.cancel(run_id, reason)

    async def end_at_rest(self, run_ids: Sequence[str]) -> None:
        """Take up runs that are to be cancelled, by what is in their inboxes, where nobody else has them."""
        for run_id in run_ids:
            if not self.store.is_worked_on(run_id) or await self.is_stranded(run_id, "cancel"):
                with contextlib.suppress(WorkflowError):  # somebody was faster, or a worker has its code
                    await self.resume(run_id)

    def await_end(self, run: Run, number: int, run_id: str) -> None:
        """Let a stored run be told of the end of another one, which goes on elsewhere, for its paused step run."""
        self.kept.inboxes.awaited.add(run, number, run_id)

    def part_of(self, run: Run, run_id: str, workflow: StartableWorkflow) -> Run | None:
        """Return the part that a recovered run had, to go on with it."""
        return None if self._durable is None else self._durable.recovering.part_of(run, run_id, workflow)

    async def enqueue(
        self,
        workflow: StartableWorkflow,
        start_event: StartEvent,
        run_id: str | None = None,
        *,
        is_quiet: bool = False,
    ) -> str:
        """Record a run that is to begin when somebody resumes it; return its id, or that of the run that it joins.

        Args:
            is_quiet: Whether nobody is told of it, nor of the runs that it starts.

        Raises:
            RunExistsError: The store has a run of this id, or one with its key, which only one run may have.
            SnapshotError: What it begins with cannot be kept.
            StoreError: The store cannot be written.
        """
        run = self._prepared(workflow, start_event, run_id)
        if self.store.runs(run_id=run.run_id):
            raise RunExistsError(f"the store has a run with the id {run.run_id!r}", run.run_id)
        try:
            await self.kept.enqueue(run, is_quiet=is_quiet)
        except KeyTaken as taken:
            if workflow._wfc.run_rules.when_running != "join":
                raise RunExistsError(str(taken), taken.run_id) from None
            return taken.run_id
        return run.run_id

    def queued_entry(self, workflow: StartableWorkflow, start_event: StartEvent, run_id: str) -> Entry:
        """Return what creates a run that is to begin when somebody resumes it, for a commit with something else.

        Raises:
            SnapshotError: What it begins with cannot be kept.
            ExpressionError: Its key cannot be computed.
        """
        return self.kept.queued(self._prepared(workflow, start_event, run_id))

    def begin(self, workflow: StartableWorkflow, start_event: StartEvent, run_id: str) -> Run:
        """Let a new run of a workflow without rules about its runs begin in this process, and return it.

        Raises:
            RunExistsError: A run of this id is under way here.
            SnapshotError: What it begins with cannot be kept.
        """
        return self.admit(self._prepared(workflow, start_event, run_id))

    def admit(self, run: Run) -> Run:
        """Admit a new run; return it, or the existing run that it joins."""

    def _prepared(self, workflow: StartableWorkflow, start_event: StartEvent, run_id: str | None) -> Run:
        run = workflow._wfc.prepare(workflow, start_event=start_event, run_id=run_id, engine=self)
        rules = workflow._wfc.run_rules
        if rules.key is not None:
            run.key = rules.key(run)
        return run

    async def resume(self, run_id: str) -> WorkflowHandler[Any]:
        """Let a stored run go on in this process, unless it does so already.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            RunEndedError: It is over.
            RunLostError: Another process has it.
            StoreError: It cannot go on.
        """
        root = self.store.root_of(run_id) or run_id
        return WorkflowHandler(await self.here(root) or await self.kept.recovering.claim(root))

    async def park(self, run_id: str) -> None:
        """Wait until a run rests, write it, and let this process forget it; return when it is so, or it is over.

        Whoever awaits it gets a ``RunParkedError``.

        Raises:
            RunUnknownError: There is no live run of that id here.
            SnapshotError: It cannot be written.
        """
        run = self.run(run_id)
        if run is None:
            raise RunUnknownError(f"there is no run `{run_id}` here")
        if not self.kept.resting.park(run):
            self._to_park.add(run_id)
            run.watchers.observe(partial(self._look, run))
        await asyncio.wait([run.future])
        self._to_park.discard(run_id)

    def _look(self, run: Run, _: Event) -> None:
        """Look whether a run rests after something has happened in it."""
        run.loop.call_soon(self.rests, run)

    def recovered(self, run: Run) -> None:
        """Let a stored run that goes on here get what was posted to it, and drop the parts that it does not want."""
        self.kept.inboxes.take_soon(run)
        self.kept.recovering.drop_unwanted(run)

    def rests(self, run: Run) -> None:
        """Be told that nothing happens in a run before somebody answers, or a timer fires."""
        while run.above is not None:
            run = run.above
        if run.run_id in self._to_park and not run.is_done and self.kept.resting.park(run):
            self._to_park.discard(run.run_id)

    async def cancel(self, run_id: str, reason: str = "the run was cancelled") -> None:
        """Cancel a stored run; return when that is recorded, or a live process has been told.

        Raises:
            RunUnknownError: There is none of that id.
            RunEndedError: It is over.
            StoreError: It cannot be cancelled.
        """
        row = self.show(run_id)
        if row.ended is not None:
            raise RunEndedError(f"the run {run_id} is over")
        run = await self.here(run_id)
        if run is None and self.store.is_worked_on(run_id):
            if not await self.bring_elsewhere(run_id, "cancel", {"reason": reason}, ""):
                await self.cancel(run_id, reason)
            return
        if run is None:
            if await self.resume_unless_taken(run_id) is None:
                await self.cancel(run_id, reason)
                return
            run = self.run(run_id)
        if run is not None:
            try:
                await call_and_await(run.loop, run.cancel, reason)
            except RunParkedError:  # it came to rest meanwhile
                await self.cancel(run_id, reason)
            else:
                await asyncio.wait([run.future])
                run.future.exception()  # it is known: no complaint if nobody awaits the run

    async def post(self, run_id: str, event: Event | EventData, *, message_id: str | None = None) -> None:
        """Bring an event to a stored run, which need not be live; return when that is recorded.

        Raises:
            RunUnknownError: There is none of that id.
            RunEndedError: It is over.
            InvalidMessageError: The event does not fit, as far as that is known here.
        """
        run = await self.here(run_id)
        if run is not None and run.port is not None and run.waits_for_its_turn:
            await run.recorded()  # until it begins, what is posted is kept in its inbox
        elif run is not None:
            await self.take_before(run)
            with contextlib.suppress(RunParkedError):  # it came to rest meanwhile
                await call_and_await(run.loop, run.receive, event, message_id)
                await run.recorded()
                return
        await self.bring(run_id, "event", event_data(event, message_id), "")

    async def take_before(self, run: Run) -> None:
        """Let a run that had to wait for others take what was posted to it meanwhile, before what comes now."""
        if self._durable is None or run.port is None or run.passage is None:
            return
        taking = self.kept.inboxes.take_posted(run)
        if asyncio.get_running_loop() is run.loop:
            await taking
        else:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(taking, run.loop))

    async def post_to_stored(self, run_id: str, event: Event | EventData, message_id: str | None) -> bool:
        """Bring an event to a run that is not live here, if the engine's store has it; return whether it does.

        Raises:
            RunEndedError: It is over.
            InvalidMessageError: The event has no form in JSON.
        """
        if self._durable is None or not self.store.runs(run_id=run_id):
            return False
        await self.post(run_id, event, message_id=message_id)
        return True

    async def keep_for_topic(
        self, topic: str, event: Event | EventData, message_id: str | None
    ) -> tuple[str, bool] | None:
        """Keep an event for all who listen to a topic, now or later, if the engine has a store.

        Returns:
            The id under which a run takes it once, and whether it is new; ``None``: there is no store.

        Raises:
            InvalidMessageError: The event has no form in JSON.
        """
        if self._durable is None:
            return None
        body = as_json(fields_of(event))
        number, is_new = await self.store.write(
            lambda connection: starting.publish(connection, topic, name_of(event), body, message_id)
        )
        return topic_message_id(number), is_new


def topic_message_id(number: int) -> str:
    """Return the id under which a run takes a message of a topic once, whoever brings it."""
    return f"topic-{number}"


def event_data(event: Event | EventData, message_id: str | None) -> dict[str, Any]:
    """Return an event as it stands in an inbox."""
    return {"event": name_of(event), "fields": dict(fields_of(event)), "message_id": message_id}
