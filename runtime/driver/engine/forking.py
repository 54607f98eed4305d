"""The part of an engine that forks stored runs: a new run goes on from how another was, with its agents under way."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Rewound, Tick
from wfc.runtime.driver.engine.checkpoints import CheckpointedRuns, Rewinding
from wfc.runtime.driver.engine.kept_values import open_tasks, values_of
from wfc.runtime.driver.run.edits import Edits
from wfc.runtime.errors import RunExistsError, StoreError
from wfc.runtime.plan.pauses import Child
from wfc.runtime.store.entries import entry_of
from wfc.runtime.store.folding import write_snapshot
from wfc.runtime.store.journal import Created, Entry, Lease, Parked, Row, Snapshot, TasksReset
from wfc.runtime.store.past import Past
from wfc.runtime.store.sql import paging
from wfc.runtime.store.sql.altering import Standing
from wfc.runtime.store.timeline import StepLine

__all__ = ["ForkedRuns", "Moment"]

LOOKED_AT: Final = 10
"""The agents of a step in which a place is looked for, the last ones: each is read wholly."""

MOST_PLACES: Final = 20
"""How many places are named where there was none of that name."""


class Moment(NamedTuple):
    """When a place within an agent was reached.

    Args:
        at: The moment, in nanoseconds.
        ticks: Of each agent on the way there its tick, by its id.
    """

    at: int
    ticks: Mapping[str, int]


class _Copied(NamedTuple):
    """A run that goes on as another one: that, with its past, and how it is to be.

    Args:
        number: The step run that waits for it in the one above; 0: it is no part of another.
        agents: The agents that it waits for.
    """

    run_id: str
    past: Past
    standing: Standing
    to: int
    goal: Execution
    number: int
    agents: Sequence[_Copied]


class ForkedRuns(CheckpointedRuns, Protocol):
    """The part of an engine with a store that forks runs."""

    async def fork(
        self,
        run_id: str,
        at: int | Moment | None = None,
        *,
        state: Mapping[str, Any] | None = None,
        by: str = "",
        new_id: str | None = None,
        dry_run: bool = False,
    ) -> Rewinding:
        """Record a new run that goes on from how another was after a tick, by default the last; return what it does.

        Its agents under way go on from where they were at the moment of that tick; other workflows that it waits for
        begin anew for the new run. It rests, and is due at once.

        Args:
            at: The tick, or the moment of a place within an agent; see ``point_of``.
            state: What is changed in its state: values as JSON data, by path.
            by: The person who changes it, such as ``user:ann``.

        Raises:
            InvalidValueError: A value does not fit the state, or there is no such place in it.
            RunUnknownError: There is none of that id, or its workflow is not known here.
            RunExistsError: There is a run with the new id.
            StoreError: It has no such tick, is not kept so far back, or went on while it was read.
        """
        past, found = self.past_of(run_id)
        moment: Moment | None = None
        if isinstance(at, Moment):
            moment, to = at, past.seq_at(at.at)
        else:
            to = past.seq if at is None else at
        goal = past.at(to)
        if moment is None and at is not None:
            moment = Moment(goal.at, {})
        agents = tuple(self._agents_in(run_id, goal, moment))
        if moment is not None and (missing := set(moment.ticks) - {each.run_id for each in _all(agents)}):
            raise StoreError(f"the run {min(missing)} was not under way at that moment")
        copied = _Copied(run_id, past, found, to, goal, 0, agents)
        if moment is None:
            self._check_rested(copied)
        then = Edits(state or {}).ticks(goal, by)
        made = new_id or uuid.uuid4().hex
        if self.store.runs(run_id=made):
            raise RunExistsError(f"the store has a run with the id {made!r}", made)
        told = _told_of(copied, made)
        if not dry_run:
            await self.alter(list(self._entries(copied, made, then)))
        return told

    def point_of(self, run_id: str, place: str) -> int | Moment:
        """Return from where a run is forked at a place: the tick by which the last run of a step has begun, or when a
        place within an agent was reached last, such as ``answer/turn 3`` or ``answer/turn 3/refund``. It is looked
        for in the last ten agents of the step.

        Raises:
            RunUnknownError: There is no run of that id, or its workflow is not known here.
            StoreError: There was no such place, as far as what was done is kept.
        """
        step, _, beneath = place.partition("/")
        past, _ = self.past_of(run_id)
        if not beneath:
            return past.beginning_of(place)
        lines = past.lines_of(step)
        if not lines:
            raise StoreError(f"the run {run_id} has run no step `{step}`")
        seen: dict[str, None] = {}
        found = self._moment_in(run_id, lines, beneath, seen)
        if found is None:
            known = ", ".join(f"`{step}/{each}`" for each in islice(seen, MOST_PLACES))
            more = f" and {len(seen) - MOST_PLACES} more" if len(seen) > MOST_PLACES else ""
            is_all = sum(line.attempts for line in lines) <= LOOKED_AT
            raise StoreError(
                f"the run {run_id} was at no place `{place}`"
                + (f"; it was at {known}{more}" if known else f": no agent of `{step}` has had a turn")
                + ("" if is_all else f"; only the last {LOOKED_AT} agents of `{step}` were looked at")
            )
        return found

    def _moment_in(
        self, above: str, lines: Sequence[StepLine], place: str, seen: dict[str, None]
    ) -> Moment | None:
        """Return when an agent that one of these step runs has waited for was at a place last.

        Args:
            seen: Takes the places where these agents were, as far as they are looked at.
        """
        turn, _, rest = place.partition("/")
        tool, _, beneath = rest.partition("/")
        for run_id, past in islice(self._agents_of(above, lines), LOOKED_AT):
            own = past.lines()
            seen.update(dict.fromkeys(line.place for line in own if line.place))
            here = [line for line in own if line.place == (f"{turn}/{tool}" if tool else turn)]
            if beneath:
                within = self._moment_in(run_id, here, beneath, {})
                if within is not None:
                    to = past.seq_at(within.at)
                    return Moment(within.at, {run_id: to, **within.ticks})
            elif here:
                to = here[-1].since
                return Moment(past.moment_of(to), {run_id: to})
        return None

    def _agents_of(self, above: str, lines: Sequence[StepLine]) -> Iterator[tuple[str, Past]]:
        """Yield the agents that step runs have waited for, the last one first."""
        for line in reversed(lines):
            for attempt in range(line.attempts, 0, -1):
                run_id = part_id(above, line.step, line.number, attempt)
                if self.store.runs(run_id=run_id):
                    past, found = self.past_of(run_id)
                    if self._is_agent(found):
                        yield run_id, past

    def _agents_in(self, run_id: str, goal: Execution, moment: Moment | None) -> Iterator[_Copied]:
        """Yield the agents that a run waits for, as they were at a moment, or are now.

        Raises:
            StoreError: One is over now, which the run has not taken yet; it would begin anew.
        """
        for number, pause in goal.paused.items():
            if not isinstance(pause.value, Child) or pause.value.detach or pause.joined:
                continue
            part = part_id(run_id, pause.run.step.name, number, pause.run.attempt)
            if not self.store.runs(run_id=part):
                continue  # it was cut off before that began
            past, found = self.past_of(part)
            if not self._is_agent(found):
                continue
            to = past.seq if moment is None else moment.ticks.get(part) or past.seq_at(moment.at)
            if moment is None and past.is_over_at(to):
                raise _went_on(run_id)
            if to == 0 or past.is_over_at(to):
                continue  # nothing was done by then, or all of it
            within = past.at(to)
            agents = tuple(self._agents_in(part, within, moment))
            yield _Copied(part, past, found, to, within, number, agents)

    def _check_rested(self, copied: _Copied) -> None:
        """Check that a run and its agents are still where they were read, so that all are of one moment.

        Raises:
            StoreError: One has gone on.
        """
        read = {
            copied.run_id: copied.past.seq,
            **{each.run_id: each.past.seq for each in _all(copied.agents)},
        }
        now = self.store.select(partial(paging.progress, run_ids=list(read)))
        for run_id, seq in read.items():
            if run_id not in now or now[run_id].seq != seq:
                raise _went_on(run_id)

    def _is_agent(self, found: Standing) -> bool:
        return self.workflow(found.workflow, version=found.version)._wfc.plan.places is not None

    def _entries(
        self, copied: _Copied, made: str, then: Sequence[Tick] = (), above: Lease | None = None
    ) -> Iterator[Entry]:
        """Yield the entries for a new run that goes on as another was, and for the agents that it waits for."""
        began, goal = self.beginning_of(copied.run_id), copied.goal
        workflow = self.workflow(began.workflow, version=began.version)
        execution = Execution(workflow._wfc.plan, made, workflow._wfc.plan.new_state())
        goal.run_id = made
        bodies = self.applied(
            execution, [Rewound(copied.to, "fork", goal, copied.run_id), *then], copied.standing
        )
        version = self.version_of(workflow) or began.version
        now = time.time_ns()
        created = Created(
            began.workflow,
            began.shape,
            version,
            copied.standing.key,
            began.start,
            now,
            parent=above,
            parent_number=copied.number,
            is_attached=above is not None,
        )
        rows: list[Row] = [
            TasksReset(open_tasks(execution), now),
            Snapshot(len(bodies), write_snapshot(execution, values_of(workflow))),
            Parked(now),
        ]
        lease = Lease(made)
        yield entry_of(lease, 1, bodies, rows, created)
        for each in copied.agents:
            yield from self._entries(each, made + each.run_id.removeprefix(copied.run_id), above=lease)


def part_id(above: str, step: str, number: int, attempt: int) -> str:
    """Return the id of the run that a step run waits for."""
    return f"{above}/{step}/{number}" + (f".{attempt}" if attempt > 1 else "")


def _went_on(run_id: str) -> StoreError:
    return StoreError(f"the run {run_id} went on while it was read: fork it once more")


def _all(agents: Sequence[_Copied]) -> Iterator[_Copied]:
    for each in agents:
        yield each
        yield from _all(each.agents)


def _told_of(copied: _Copied, made: str) -> Rewinding:
    """Return what a copy does again; what waits for an agent that goes on is not done again."""
    past, to = copied.past, copied.to
    waiting = {each.number for each in copied.agents}
    again = tuple(one for one in past.again_after(to) if one.number not in waiting)
    parts = tuple(_told_of(each, made + each.run_id.removeprefix(copied.run_id)) for each in copied.agents)
    return Rewinding(made, to, past.seq, "", again, tuple(past.came_after(to)), parts)
