"""The durable side of an engine: its new runs get ports to a store, and others are claimed from there to go on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Container, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

from wfc.runtime.driver.engine.inboxes import Inboxes, LiveRuns
from wfc.runtime.driver.engine.kept_values import values_of
from wfc.runtime.driver.engine.recovering import AdmittingEngine, Recovering
from wfc.runtime.driver.engine.resting import Resting
from wfc.runtime.driver.gates import GateName, StoredAdmission
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import StoreError
from wfc.runtime.store.folding import write_start
from wfc.runtime.store.journal import Created, Entry, Lease, PlacesWanted, WantedPlace
from wfc.runtime.store.port import Port
from wfc.runtime.store.sql import places, selecting
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.values import Values
from wfc.runtime.store.versions.describing import describe

__all__ = ["NO_PLACES", "Durable", "runs_above"]

NO_PLACES: Final[Mapping[GateName, int]] = {}


class Registry(LiveRuns, AdmittingEngine, Protocol):
    """The part of an engine that its durable side uses."""

    async def end_at_rest(self, run_ids: Sequence[str]) -> None:
        """Take up runs that are to be cancelled, where nobody else has them."""


class Durable:
    """The durable side of one engine.

    ``inboxes`` has what is posted to its runs, ``resting`` puts them to rest, and by ``recovering`` they go on.
    """

    def __init__(self, journal: SqlJournal, registry: Registry) -> None:
        self.journal = journal
        self._registry = registry
        self._tasks: set[asyncio.Task[None]] = set()
        self.inboxes = Inboxes(journal, registry, self.later)
        self.resting = Resting(journal, registry, self.inboxes, self.adopt, self.later)
        self.recovering = Recovering(journal, registry, self.inboxes.listen)

    def close(self) -> None:
        """Write what is left, and close the store."""
        self.inboxes.close()
        self.journal.close()

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something be done soon, in this loop."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- new runs

    def adopt(self, run: Run, names: Mapping[GateName, int] = NO_PLACES, way: str = "") -> None:
        """Give a new run a port to the store.

        Args:
            names: The gates that it waits at before it begins, if it has not passed them already.
            way: What a second start under its key does, if it has just been started.

        Raises:
            SnapshotError: What it begins with cannot be kept.
        """
        self.inboxes.listen(run.loop)
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
        created = self._created(run, values_of(run.workflow))._replace(is_queued=True, is_quiet=is_quiet)
        if run.key is not None:
            created = created._replace(when_running=_of_second(run.workflow._wfc.run_rules.when_running))
        return Entry(Lease(run.run_id), 1, [], [], created)

    def _new_port(self, run: Run, wanted: Sequence[WantedPlace] = (), way: str = "") -> Port:
        values = values_of(run.workflow)
        created = self._created(run, values)
        if wanted:
            created = created._replace(places=wanted, when_running=_of_second(way))
        elif run.passage is not None:  # it was under way in memory
            created = created._replace(places=_wanted(run.passage.places()), has_places=True)
        return Port(run, self.journal, Lease(run.run_id), values, created=created)

    def _created(self, run: Run, values: Values) -> Created:
        internals, execution = run.workflow._wfc, run.execution
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
        self.inboxes.listen(run.loop)
        self.inboxes.awaited.follow(run, run_id)

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
