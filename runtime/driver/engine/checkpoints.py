"""The part of an engine that lets stored runs go on from an earlier tick: retried, rewound, or as a run beside."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from wfc.runtime.core.advance import advance
from wfc.runtime.core.advance.releasing import finish_run
from wfc.runtime.core.advance.relevance import is_relevant
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Rewound, Tick
from wfc.runtime.driver.engine import converting
from wfc.runtime.driver.engine.converting import Converted, convert, said_of_refusals
from wfc.runtime.driver.engine.kept_values import next_moment, open_tasks, values_of
from wfc.runtime.driver.engine.retold import RetoldRuns
from wfc.runtime.driver.engine.successors import successor
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.edits import Edits
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.errors import RunUnknownError, StoreError, WorkflowTimeoutError
from wfc.runtime.plan.pauses import Child
from wfc.runtime.store.blobs import Body
from wfc.runtime.store.checkpoint import write_checkpoint
from wfc.runtime.store.entries import entry_of
from wfc.runtime.store.folding import write_snapshot
from wfc.runtime.store.journal import (
    Entry,
    Lease,
    Lost,
    Parked,
    Row,
    Snapshot,
    TasksReset,
    VersionChanged,
)
from wfc.runtime.store.judgement.verdicts import Verdict
from wfc.runtime.store.past import Past, StepAgain
from wfc.runtime.store.rows import ended
from wfc.runtime.store.sql import selecting
from wfc.runtime.store.sql.altering import Standing, standing
from wfc.runtime.store.ticks import encode_tick
from wfc.runtime.store.versions.describing import describe
from wfc.runtime.store.versions.reading import is_of_plan

__all__ = ["CheckpointedRuns", "Rewinding"]

_MAY_BE_RETRIED = ("failed", "cancelled", "dead")


class Rewinding(NamedTuple):
    """What it means that a run goes on from an earlier tick.

    Args:
        run_id: The run; of a fork the new one.
        to: The tick after which it goes on; what came after that counts no more.
        last: Its last tick.
        failed_by: The error by which it is over, if it is.
        again: The step runs that are done again.
        came: What has come from outside since, which is gone: events by name, and answers.
        parts: The runs that are parts of it and go on from where they have failed, too.
        verdicts: What it means for it that it moves to another version of its workflow, if it does.
    """

    run_id: str
    to: int
    last: int
    failed_by: str
    again: tuple[StepAgain, ...]
    came: tuple[str, ...]
    parts: tuple[Rewinding, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


class _Altered(NamedTuple):
    """A run that is to be changed: where it is, its past, and how it is to be."""

    standing: Standing
    past: Past
    to: int
    goal: Execution
    then: tuple[Tick, ...] = ()  # what happens to it after that


class CheckpointedRuns(RetoldRuns, Protocol):
    """The part of an engine with a store that lets runs go on from an earlier tick."""

    def version_of(self, workflow: RunWorkflow[Run]) -> str:
        """Return what the code of a workflow is known by; empty if nobody has said it."""

    async def retry(self, run_id: str, *, version: str = "", dry_run: bool = False) -> Rewinding:
        """Let a run that has failed, or was cancelled, go on from what has failed; return what is done again.

        It rests then, and is due at once: a worker takes it up, or ``resume``. Parts of it that have failed go on from
        there too. It moves to the version of its code that this engine has.

        Args:
            version: A mended version to which it moves, where it can go on there from what has failed; what its code is
                known by. The code that it has must be known, too, to tell what has failed.
            dry_run: Whether nothing is changed.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: It has not failed, it is a part of another run, somebody has changed it meanwhile, what was
                before its failure is not kept, or it cannot go on with the mended version.
        """
        self._check_root(run_id)
        altered = list(self._to_retry(run_id))
        told = _told(altered)._replace(verdicts=self._judged(altered, version))
        if not dry_run:
            await self._go_back(altered, "retry", version)
        return told

    async def rewind(
        self,
        run_id: str,
        at: int,
        *,
        state: Mapping[str, Any] | None = None,
        by: str = "",
        dry_run: bool = False,
    ) -> Rewinding:
        """Let a run go on from how it was after a tick; return what is done again. What came after stays readable.

        Args:
            state: What is changed in its state then: values as JSON data, by path.
            by: The person who changes it, such as ``user:ann``.

        Raises:
            InvalidValueError: A value does not fit the state, or there is no such place in it.
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: It has no such tick, or is not kept so far back; it is a part of another run, somebody works
                on it, or has changed it meanwhile.
        """
        self._check_root(run_id)
        past, found = self.past_of(run_id)
        goal = past.at(at)
        then = tuple(Edits(state or {}).ticks(goal, by))
        altered = [_Altered(found, past, at, goal, then), *self._parts_to_retry(run_id, goal)]
        told = _told(altered)
        if not dry_run:
            await self._go_back(altered, "rewind")
        return told

    def beginning_of_step(self, run_id: str, step: str) -> int:
        """Return the tick by which the last run of a step has begun, with what it got.

        Raises:
            RunUnknownError: There is no run of that id, or its workflow is not known here.
            StoreError: There is no such step, or it has not run.
        """
        past, _ = self.past_of(run_id)
        return past.beginning_of(step)

    # --- what is to be changed

    def _check_root(self, run_id: str) -> None:
        root = self.store.root_of(run_id)
        if root not in (None, run_id):
            raise StoreError(f"the run {run_id} is a part of {root}, and goes back with that one only")
        if self.run(run_id) is not None or self.store.is_worked_on(run_id):
            raise StoreError(f"a process works on the run {run_id}: it goes back when it rests or is over")

    def past_of(self, run_id: str) -> tuple[Past, Standing]:
        """Return the past of a stored run, and where it is.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: The workflow has other steps now, or the journal is damaged.
        """
        found = self.store.select(partial(standing, run_id=run_id))
        if found is None:
            raise RunUnknownError(f"there is no run `{run_id}` in this store")
        began = self.beginning_of(run_id)
        workflow = self.workflow(began.workflow, version=began.version)
        kept = self.kept_before(run_id, began)
        bodies = self.store.select(
            partial(selecting.bodies_after, number=began.number, since=0 if kept is None else kept.seq)
        )
        past = Past(workflow._wfc.plan, run_id, began.start, values_of(workflow), kept, bodies)
        return past, found._replace(seq=past.seq)

    def _to_retry(self, run_id: str) -> Iterator[_Altered]:
        """Yield a run that has failed, as it is to go on, and its parts that have.

        Raises:
            StoreError: It has not failed, or what was then is not kept.
        """
        past, found = self.past_of(run_id)
        if found.status not in _MAY_BE_RETRIED:
            raise StoreError(f"the run {run_id} has not failed: it is {found.status}")
        execution = past.replay.execution
        if execution.outcome is None:  # it was given up, or has been cut off
            to, goal = past.seq, past.at(past.seq)
        else:
            to, goal = past.before_failure()
            is_late = isinstance(execution.failing or execution.outcome, WorkflowTimeoutError)
            if is_late and goal.deadline is not None:
                goal.deadline = goal.at + (goal.deadline - found.started)  # all its time once more
        yield _Altered(found, past, to, goal)
        yield from self._parts_to_retry(run_id, goal)

    def _parts_to_retry(self, run_id: str, goal: Execution) -> Iterator[_Altered]:
        for part in _parts_wanted(run_id, goal):
            found = self.store.runs(run_id=part)
            if found and found[0].status in _MAY_BE_RETRIED:
                yield from self._to_retry(part)

    # --- writing it

    async def _go_back(self, altered: list[_Altered], why: str, version: str = "") -> None:
        await self.alter(
            [
                self.entry_of(one.past, one.standing, [Rewound(one.to, why, one.goal), *one.then], version)
                for one in altered
            ]
        )

    def _judged(self, altered: list[_Altered], version: str) -> tuple[Verdict, ...]:
        """Return what a move to another version means for runs that go back.

        Raises:
            StoreError: One cannot go on there.
        """
        found: list[Verdict] = []
        for one in altered if version else ():
            converted = self._converted(one.goal, one.standing, version)
            found += () if converted is None else converted.verdicts
        return tuple(found)

    def _converted(self, execution: Execution, found: Standing, version: str) -> Converted | None:
        """Return a run in the terms of another version; ``None``: it is in these terms.

        Raises:
            StoreError: It cannot go on there.
        """
        own = self.workflow(found.workflow, version=found.version)
        other = successor(self, found.workflow, version)
        began = self.beginning_of(execution.run_id)
        if is_of_plan(began.shape, other._wfc.plan):
            return None
        checkpoint = write_checkpoint(execution, values_of(own))
        old = describe(own._wfc.plan).data
        converted = convert(execution.run_id, old, checkpoint, began.start, other)
        if said := said_of_refusals([(execution.run_id, one) for one in converted.verdicts]):
            raise StoreError(
                f"the run {execution.run_id} cannot go on with the mended version, and stays as it is: {said}"
            )
        return converted

    async def alter(self, entries: list[Entry]) -> None:
        """Write what was changed in runs that nobody works on, in one commit.

        Raises:
            StoreError: Somebody works on one of them, or has changed it meanwhile.
        """
        try:
            await self.store.alter(entries)
        except Lost as lost:
            raise StoreError(str(lost)) from None

    def entry_of(self, past: Past, found: Standing, ticks: Sequence[Tick], version: str = "") -> Entry:
        """Return the entry by which ticks happen to a run that nobody works on; it rests then, or is due.

        Args:
            version: Another version, to which it moves after that.

        Raises:
            SnapshotError: It cannot be written.
            StoreError: It cannot go on with that version.
        """
        execution = past.replay.execution
        workflow = self.workflow(found.workflow, version=found.version)
        bodies = self.applied(execution, ticks, found)
        seq = found.seq + len(bodies)
        other = successor(self, found.workflow, version) if version else workflow
        rows: list[Row] = [TasksReset(open_tasks(execution), execution.at)]
        rows += converting.rows_of_renaming(found.workflow, other) if version else ()
        if execution.outcome is None:
            rests = _rest_of(execution)
            if version and (converted := self._converted(execution, found, version)) is not None:
                more, moved, _ = converting.moved_rows(converted, other, version, seq)
                lease = Lease(execution.run_id, found.number, found.epoch)
                return entry_of(lease, found.seq + 1, [*bodies, *more], [*rows, *moved, rests])
            rows += [Snapshot(seq, write_snapshot(execution, values_of(workflow))), rests]
        else:
            finish_run(execution)
            rows.append(ended(execution, execution.outcome, values_of(workflow)))
        version = version or self.version_of(workflow)
        if version not in ("", found.version):
            rows.insert(0, VersionChanged(version))
        return entry_of(Lease(execution.run_id, found.number, found.epoch), found.seq + 1, bodies, rows)

    def applied(self, execution: Execution, ticks: Sequence[Tick], found: Standing) -> list[Body]:
        """Apply ticks to a run that nobody works on; return them as they are written."""
        values = values_of(self.workflow(found.workflow, version=found.version))
        bodies = []
        for tick in ticks:
            if not is_relevant(execution, tick):
                continue
            at = max(time.time_ns(), execution.at)
            bodies.append(encode_tick(tick, at, execution, values))
            advance(execution, tick, at)
            execution.take_effects()
            execution.starting.clear()
        return bodies


def _rest_of(execution: Execution) -> Parked:
    """Return how a run rests: until a moment, until something comes from outside, or until its halt is ended."""
    if execution.stops is not None and execution.stops.at:
        return Parked(None, is_halted=True)
    has_work = execution.in_flight or execution.inputs is None or (execution.inbox and execution.expecting)
    has_joined = any(pause.joined for pause in execution.paused.values())  # a run whose end is told once
    return Parked(time.time_ns() if has_work or has_joined else next_moment(execution))


def _parts_wanted(run_id: str, goal: Execution) -> Iterator[str]:
    """Yield the ids of the parts that a run waits for, and of those that bodies have started which run again."""
    for number, pause in goal.paused.items():
        if isinstance(pause.value, Child) and not pause.value.detach:
            again = f".{pause.run.attempt}" if pause.run.attempt > 1 else ""
            yield f"{run_id}/{pause.run.step.name}/{number}{again}"
    for number, run in goal.in_flight.items():
        for count in range(getattr(run, "runs_before", 0), getattr(run, "started_runs", 0)):
            yield f"{run_id}/{run.step.name}/{number}" + (f".{count + 1}" if count else "")


def _told(altered: list[_Altered]) -> Rewinding:
    first, *others = map(_told_of, altered)
    return first._replace(parts=tuple(others))


def _told_of(altered: _Altered) -> Rewinding:
    past, to = altered.past, altered.to
    execution = past.replay.execution
    outcome = execution.outcome
    failed_by = str(outcome) if isinstance(outcome, Exception) else ""
    again, came = tuple(past.again_after(to)), tuple(past.came_after(to))
    return Rewinding(execution.run_id, to, past.seq, failed_by, again, came)
