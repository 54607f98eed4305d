"""The port of a run to its journal: a tick is applied at once, and what it makes happen is held until it is durable.

Held are the step runs that act, what is shown, messages, child runs, acknowledgements and the end. Step runs without
an action touch nothing outside: they go on at once, and their ticks join the same commit.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import Final

from wfc.runtime.core.advance import advance
from wfc.runtime.core.advance.releasing import finish_run, question_id
from wfc.runtime.core.advance.relevance import is_relevant
from wfc.runtime.core.effects import Effect, Publish, ResumeBody, StartChild
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Exit, Pause, StepRun
from wfc.runtime.core.ticks import Answered, Completed, Tick
from wfc.runtime.errors import RunLostError
from wfc.runtime.store.batches import Appends, Journal
from wfc.runtime.store.blobs import LARGE, Body
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.store.entries import entry_of
from wfc.runtime.store.folding import write_snapshot
from wfc.runtime.store.journal import (
    Created,
    Entry,
    InboxTaken,
    KeyTaken,
    Lease,
    Lost,
    Parked,
    Row,
    Snapshot,
    TaskAnswered,
)
from wfc.runtime.store.kept_runs import EndedRun, KeptRun
from wfc.runtime.store.rows import ended, tasks_in
from wfc.runtime.store.ticks import encode_tick
from wfc.runtime.store.values import Values

__all__ = ["Port"]

SHORTEST_TAIL: Final = 65_536
"""The bytes of ticks after which a snapshot is worth its while at the earliest."""

_ACTION: Final = Exit.ACTION  # to look up a member of an enum is slow before Python 3.12
_HELD: Final = (Publish, ResumeBody, StartChild)
"""The effects that others can see."""

Held = StepRun | Effect | Callable[[], None] | asyncio.Future[None]
"""What waits until it may happen: the start of a step run, an effect, a call, or somebody who waits himself."""


class Port:
    """The port of one run.

    Args:
        seq: The number of the last tick that is recorded.
        tail: The bytes of the ticks since the last snapshot.
        created: What is written of a new run, with its first tick.

    ``ready`` holds the step runs that may begin, in order, and ``pending`` is how many ticks and entries are with the
    journal and not durable yet; ``created_at`` is the moment of a run that was created here.
    """

    __slots__ = (
        "_batch",
        "_created",
        "_end",
        "_held",
        "_may_go_alone",
        "_rows",
        "_run",
        "_scheduled",
        "_seq",
        "_snapshot_size",
        "_tail",
        "_taken",
        "_ticks",
        "_turn",
        "_values",
        "cleans_up",
        "created_at",
        "is_parking",
        "lease",
        "pending",
        "ready",
    )

    def __init__(
        self,
        run: KeptRun,
        journal: Journal,
        lease: Lease,
        values: Values,
        *,
        seq: int = 0,
        tail: int = 0,
        snapshot_size: int = 0,
        created: Created | None = None,
    ) -> None:
        self.lease = lease
        self.ready: deque[StepRun] = deque()
        self.is_parking = False
        self.cleans_up = False  # whether its steps may still do so now that it is over
        self._run = run
        self._turn = journal.turn_of(run.loop)
        self._batch = self._turn.batch
        self._values = values
        self._seq = seq
        self._tail = tail
        self._snapshot_size = snapshot_size
        self._created = created
        self.created_at = None if created is None else created.at
        self._ticks: list[Body] = []
        self._rows: list[Row] = []
        self._held: list[Held] = []
        self._taken: set[int] = set()  # items of the inbox
        self.pending = 0
        self._scheduled = False
        self._end = False
        self._may_go_alone = False  # whether a tick that comes now may be handed over by itself

    # --- ticks

    def apply(self, tick: Tick) -> None:
        """Apply a tick, record it soon, and hold what it makes happen; one that can change nothing is ignored.

        Raises:
            SnapshotError: It cannot be written as JSON; nothing has changed.
        """
        run, lease = self._run, self.lease
        execution = run.execution
        if lease.lost is not None or self.is_parking:
            return
        asked = None
        if type(tick) is Completed and execution.outcome is None:
            if tick.number not in execution.in_flight:  # what `is_relevant` says, in a third of the time
                return
        elif not is_relevant(execution, tick):
            return
        elif type(tick) is Answered:
            asked = execution.paused.get(tick.number)
        if CRASHES:
            reach("encode")
        at = run.now()
        if at < execution.at:  # noqa: PLR1730 - the clock was put back; `max` takes a call for each tick
            at = execution.at
        body = encode_tick(tick, at, execution, self._values)
        advance(execution, tick, at)
        if CRASHES:
            reach("advanced")
        size = len(body)
        tail = self._tail + size
        if (
            not self._may_go_alone
            or tail >= SHORTEST_TAIL
            or size >= LARGE
            or execution.effects
            or execution.outcome is not None
            or asked is not None
        ):
            self._apply_more(execution, body, asked)
            return
        # the common case: nothing but the tick is to be recorded, and no entry is made for it
        self._tail = tail
        self.pending += 1
        seq = self._seq = self._seq + 1
        starting = execution.starting
        if len(starting) == 1 and starting[0].exit is _ACTION and starting[0].step.action is not None:
            held: StepRun | list[Held] = starting.pop()
        else:
            held = self._acting(execution)
        batch = self._batch
        if not batch.ticks:
            self._turn.begin()
        batch.ticks.append((lease, seq, body))
        batch.tickers.append(self)
        batch.held.append(held)

    def _acting(self, execution: Execution) -> list[Held]:
        """Return the step runs that are to begin and act; the others may begin now."""
        acting: list[Held] = []
        for step_run in execution.starting:
            if step_run.exit is _ACTION and step_run.step.action is not None:
                acting.append(step_run)
            else:
                self.ready.append(step_run)
        execution.starting.clear()
        return acting

    def _apply_more(self, execution: Execution, body: Body, asked: Pause | None) -> None:
        """Note what is to be recorded in the next turn: a tick, and what follows from it."""
        self._held += self._acting(execution)
        self._ticks.append(body)
        self._schedule()
        answered_by = "" if asked is None else ",".join(by for by, _ in asked.answers)
        if asked is not None and execution.paused.get(asked.run.number) is asked:  # it asks for more answers
            self._rows.append(TaskAnswered(question_id(execution, asked.run), answered_by))
        if execution.effects or execution.outcome is not None:
            self._hold(execution, answered_by)

    def _hold(self, execution: Execution, answered_by: str) -> None:
        """Hold what others could see of the last tick, and carry out the rest now."""
        effects = execution.take_effects()
        if execution.outcome is not None and not self._end:
            finish_run(execution)
            effects = [*effects, *execution.take_effects()]
        for effect in effects:
            if isinstance(effect, _HELD):
                if isinstance(effect, Publish):
                    self._rows.extend(tasks_in(effect.event, execution.at, answered_by))
                self._held.append(effect)
            else:
                self._run.carry_out_one(effect)
        if execution.outcome is not None and not self._end:
            self._end = True
            self.cleans_up = bool(execution.in_flight) or self._run.needs_closing
            over = ended(execution, execution.outcome, self._values)
            self._rows.append(over._replace(cleans_up=self.cleans_up))
            self._held.append(self._run.conclude)

    def release_run(self) -> None:
        """Keep no reference to the run, which is over."""
        run = self._run
        run.release_worker()  # nobody else will: what is still to be recorded comes back to nobody
        self._run = EndedRun(run.execution, run.now, run.loop)

    def forget(self, step_run: StepRun) -> None:
        """Let a step run that was cancelled not begin."""
        with contextlib.suppress(ValueError):
            self.ready.remove(step_run)

    # --- what does not come by ticks

    def open(self) -> None:
        """Record a new run that may not begin yet."""
        self._schedule()

    def note(self, row: Row) -> None:
        """Record something with what is written next."""
        self._may_go_alone = False
        self._rows.append(row)

    def take(self, item: int) -> bool:
        """Record that an item of the inbox is taken, with the tick that follows; return whether it is new here."""
        if item in self._taken:
            return False
        self._taken.add(item)
        self._rows.append(InboxTaken(item))
        self._schedule()
        return True

    def after(self, call: Callable[[], None]) -> None:
        """Call a function once all that has happened so far is durable; now, if it is."""
        if self._held or self.pending or self._ticks or self._rows or self._created:
            self._held.append(call)
            self._schedule()
        else:
            call()

    async def settled(self) -> None:
        """Wait until all that has happened so far is durable, the beginning of a new run too.

        Raises:
            RunLostError: It never will be.
        """
        if self.lease.lost is not None:
            raise RunLostError(str(self.lease.lost))
        if self._held or self.pending or self._ticks or self._rows or self._created:
            settled: asyncio.Future[None] = self._run.loop.create_future()
            self._held.append(settled)
            self._schedule()
            await settled

    # --- commits

    def _schedule(self) -> None:
        self._may_go_alone = False
        if not self._scheduled:
            self._scheduled = True
            self._turn.gather(self)

    def gather(self, batch: Appends) -> None:
        """Add to a batch what has come together in this turn of the loop."""
        self._scheduled = False
        if self.lease.lost is not None:
            return
        ticks, rows, held = self._ticks, self._rows, self._held
        if not (ticks or rows or self._created):
            if not self.pending:
                self._held = []
                self._release(held)
            self._look_whether_alone()
            return
        self._ticks, self._rows, self._held = [], [], []
        for body in ticks:
            self._tail += len(body)
        if self._tail >= SHORTEST_TAIL and self._tail >= self._snapshot_size and self._can_be_written():
            rows.append(self._snapshot(self._seq + len(ticks)))
        self.pending += 1
        batch.add(self, self._entry(ticks, rows), held)
        self._look_whether_alone()

    def _look_whether_alone(self) -> None:
        """Note whether a tick may be handed over by itself now: the store knows the run, and nothing waits."""
        waits = self._held or self._ticks or self._rows or self._scheduled or self._created
        self._may_go_alone = not (waits or self._end or not self.lease.number)

    def _entry(self, ticks: list[Body], rows: list[Row]) -> Entry:
        """Return what is written next, with its large values apart."""
        first = self._seq + 1
        self._seq += len(ticks)
        created, self._created = self._created, None
        return entry_of(self.lease, first, ticks, rows, created)

    def durable(self, held: StepRun | list[Held], lost: Lost | None) -> None:
        """Let happen what a tick or an entry has made happen, now that it is durable; or give the run up."""
        self.pending -= 1
        if CRASHES:
            reach("release")
        if lost is None:
            if type(held) is StepRun and self._run.execution.in_flight.get(held.number) is held:
                self.ready.append(held)
                self._run.go_on()
            else:
                self._release(_listed(held))
                self._look_whether_alone()
            if self._held and not self.pending:
                self._schedule()
        elif isinstance(lost, KeyTaken):
            self._held = [*_listed(held), *self._held]
            self._run.give_way(lost)
            self.give_up(str(lost))
        else:
            self._drop(_listed(held), RunLostError(str(lost)))

    def _drop(self, held: list[Held], error: RunLostError) -> None:
        self._held = [*held, *self._held]
        self.give_up(str(error))
        self._run.abandon(error)

    def give_up(self, reason: str) -> None:
        """Record nothing any more, and let nothing happen that waits for it."""
        self._may_go_alone = False
        if self.lease.lost is None:
            self.lease.lost = Lost(reason)
        self._run.release_worker()
        held, self._held = self._held, []
        for one in held:
            if isinstance(one, asyncio.Future) and not one.done():
                one.set_exception(RunLostError(reason))

    def _release(self, held: list[Held]) -> None:
        run, in_flight = self._run, self._run.execution.in_flight
        for one in held:
            if isinstance(one, StepRun):
                if in_flight.get(one.number) is one:  # else it was dropped meanwhile
                    self.ready.append(one)
            elif isinstance(one, StartChild):
                if one.number in run.execution.paused:
                    run.carry_out_one(one)
            elif isinstance(one, Effect):
                run.carry_out_one(one)
            elif isinstance(one, asyncio.Future):
                if not one.done():
                    one.set_result(None)
            else:
                one()
        if self.ready:
            run.wake_workers()
            return
        if not self.pending:
            run.release_worker()
        if self.is_idle:
            run.rests()

    # --- rest

    def rest_outside(self) -> Entry:
        """Return what is to be written so that a run rests which may not begin yet; no tick is taken any more."""
        self.is_parking = True
        return self._entry([], [Parked(None)])

    @property
    def seq(self) -> int:
        """The number of the last tick that is handed over to the journal."""
        return self._seq

    @property
    def is_recording(self) -> bool:
        """Whether something that has happened is not durable yet."""
        return self._scheduled or self.pending > 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way, held, or still to be recorded."""
        execution = self._run.execution
        return not (
            (execution.in_flight and not self._run.is_held_back)
            or execution.starting
            or self._held
            or self.pending
            or self._ticks
            or self._rows
            or execution.outcome is not None
            or not self._can_be_written()
        )

    def _can_be_written(self) -> bool:
        """Return whether the run has begun, is not over, and is not just beginning anew."""
        execution = self._run.execution
        has_begun = self._seq + len(self._ticks) > 0
        return has_begun and execution.outcome is None

    def _snapshot(self, seq: int) -> Snapshot:
        if CRASHES:
            reach("snapshot")
        body = write_snapshot(self._run.execution, self._values)
        self._tail, self._snapshot_size = 0, len(body)
        return Snapshot(seq, body)

    def park(self, wake_at: int | None, *, is_halted: bool = False) -> Entry:
        """Return what is to be written so that the run rests; from now on no tick is taken here.

        Args:
            is_halted: Whether nobody goes on with it before he is told to.

        Raises:
            SnapshotError: It cannot be written.
        """
        snapshot = self._snapshot(self._seq)
        self.is_parking = True
        rows, self._rows = self._rows, []
        return self._entry([], [*rows, snapshot, Parked(wake_at, is_halted)])


def _listed(held: StepRun | list[Held]) -> list[Held]:
    """Return what was held with a tick or an entry."""
    return [held] if isinstance(held, StepRun) else held
