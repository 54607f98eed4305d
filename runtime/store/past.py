"""The past of a stored run: how it was after each tick, and what would be done again from there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Failed, ItemFailed, Tick
from wfc.runtime.errors import StepFailedError, StoreError
from wfc.runtime.events import event_name
from wfc.runtime.events.internal import EventEmitted
from wfc.runtime.plan import Plan
from wfc.runtime.plan.signature import Gives
from wfc.runtime.store.folding import fold
from wfc.runtime.store.journal import Kept
from wfc.runtime.store.replay import Replay, Replayed
from wfc.runtime.store.ticks import decode_tick
from wfc.runtime.store.timeline import StepLine
from wfc.runtime.store.values import Values

__all__ = ["Past", "StepAgain"]


class StepAgain(NamedTuple):
    """A step run that would be done again; ``acts``: it calls something outside, which happens once more."""

    number: int
    step: str
    status: str
    acts: bool


class Past:
    """A run's journal, read to its end.

    Args:
        kept: A snapshot from which to begin, where what was before is not kept.
        bodies: The ticks since.

    Raises:
        SnapshotError: What is kept is damaged.
        StoreError: It does not fit the plan's steps.
    """

    def __init__(
        self,
        plan: Plan,
        run_id: str,
        start: bytes,
        values: Values,
        kept: Kept | None,
        bodies: Sequence[bytes],
    ) -> None:
        self.replay = Replay(plan, run_id, start, values, kept)
        self._plan, self._run_id, self._start, self._values = plan, run_id, start, values
        self._base = kept or Kept(None, 0, ())
        self._bodies = bodies
        self._came: list[tuple[int, str]] = []
        for body in bodies:
            self._note(body, self.replay.tell(body))

    def _note(self, body: bytes, told: Replayed) -> None:
        """Note what has come from outside."""
        if told.kind == "Arrived":
            self._came += [
                (told.seq, event_name(one.event))
                for one in told.events
                if isinstance(one, EventEmitted) and one.step_name is None
            ]
        elif told.kind == "Answered":
            _, _, number, _, by, *_ = json.loads(body)
            step = next((line.step for line in self.replay.lines() if line.number == number), "?")
            self._came.append((told.seq, f"the answer of {by} to `{step}`"))

    @property
    def seq(self) -> int:
        """The number of the last tick."""
        return self.replay.seq

    def at(self, seq: int) -> Execution:
        """Return how the run was after a tick.

        Raises:
            StoreError: There is no such tick, or what was then is not kept any more.
        """
        if not 0 <= seq <= self.seq:
            raise StoreError(f"the run {self._run_id} has no tick {seq}: its last is {self.seq}")
        if seq < self._base.seq:
            raise StoreError(
                f"of the run {self._run_id} only what followed its tick {self._base.seq} can be told; how it was after "
                f"{seq} is pruned, or of another version of its workflow"
            )
        ticks = self._bodies[: seq - self._base.seq]
        kept = Kept(self._base.snapshot, self._base.snapshot_seq, ticks)
        execution = fold(kept, self._plan, self._run_id, self._start, self._values)
        if execution.outcome is not None:
            raise StoreError(f"after its tick {seq} the run {self._run_id} was over: name an earlier one")
        return execution

    def moment_of(self, seq: int) -> int:
        """Return the moment of a tick, in nanoseconds."""
        moment: int = json.loads(self._bodies[seq - self._base.seq - 1])[1]
        return moment

    def seq_at(self, moment: int) -> int:
        """Return the last tick that had come by a moment; 0: none had.

        Raises:
            StoreError: What was then is not kept any more.
        """
        for seq in range(self.seq, self._base.seq, -1):
            if self.moment_of(seq) <= moment:
                return seq
        if self._base.seq:
            raise StoreError(
                f"how the run {self._run_id} was then is pruned, or of another version of its workflow"
            )
        return 0

    def is_over_at(self, seq: int) -> bool:
        """Return whether the run was over after a tick."""
        ended = self.replay.ended_by
        return ended is not None and seq >= ended

    def lines(self) -> list[StepLine]:
        """Return the step runs that count, in the order in which they began."""
        return [line for line in self.replay.lines() if not line.is_undone and line.since > self._base.seq]

    def lines_of(self, step: str) -> list[StepLine]:
        """Return those of a step.

        Raises:
            StoreError: There is no such step.
        """
        if step not in self._plan.by_name:
            raise StoreError(f"the workflow has no step `{step}`")
        return [line for line in self.lines() if line.step == step]

    def _tick(self, seq: int, execution: Execution) -> Tick:
        tick, _ = decode_tick(self._bodies[seq - self._base.seq - 1], execution, self._values)
        return tick

    def before_failure(self) -> tuple[int, Execution]:
        """Return the tick before the failure by which the run is over, and how to go on from there.

        What has failed is tried anew, with all its retries.

        Raises:
            StoreError: What was then is not kept any more.
        """
        seq = self.replay.ended_by
        assert seq is not None
        while True:
            execution = self.at(seq - 1)
            tick = self._tick(seq, execution)
            run = execution.in_flight.get(getattr(tick, "number", 0))
            if run is None or not isinstance(tick, Failed | ItemFailed):
                return seq - 1, execution
            began = self.replay.ready_by.get(run.number, 0)
            if run.exit is Exit.BROKEN and began > self._base.seq and self._is_failure(began):
                seq = began  # the failure of what it waited for
                continue
            _try_anew(run, tick, execution.at)
            return seq - 1, execution

    def _is_failure(self, seq: int) -> bool:
        """Return whether a tick is the failure of what a pause waits for."""
        code = json.loads(self._bodies[seq - self._base.seq - 1])[0]
        return code in ("pause-failed", "item-failed")

    def beginning_of(self, step: str) -> int:
        """Return the tick by which the last run of a step has begun.

        Raises:
            StoreError: There is no such step, or it has not run.
        """
        own, _, beneath = step.partition("/")
        if beneath and own in self._plan.by_name:
            raise StoreError(
                f"a run goes back to a step of its own, such as `{own}`; from within an agent it is forked"
            )
        began = self.lines_of(step)
        if not began:
            raise StoreError(
                f"the step `{step}` has not run, as far as what the run {self._run_id} did is kept"
            )
        return began[-1].since

    def again_after(self, seq: int) -> list[StepAgain]:
        """Return the step runs that are done again if the run goes on from a tick, in the order of their numbers."""
        return [
            StepAgain(line.number, line.step, line.status, self._acts(line))
            for line in self.replay.lines()
            if not line.is_undone and (line.since > seq or line.until is None or line.until > seq)
        ]

    def _acts(self, line: StepLine) -> bool:
        step = self._plan.by_name.get(line.step)
        return step is not None and step.action is not None

    def came_after(self, seq: int) -> list[str]:
        """Return what has come from outside since a tick: the names of events, and who has answered what."""
        return [name for at, name in self._came if at > seq and self.replay.counts(at)]


def _try_anew(run: StepRun, tick: Failed | ItemFailed, at: int) -> None:
    """Let a step run that has failed be tried once more, with all its retries, but for what it has got already."""
    error = tick.error.error if isinstance(tick.error, StepFailedError) else tick.error
    if isinstance(tick, Failed) and tick.result is not None and not _asks_for_response(run):
        run.exit, run.result = Exit.RESULT, tick.result  # only what it does with the result has failed
    elif run.exit in (Exit.EXPIRED, Exit.BROKEN) or (
        run.exit is Exit.RESULT and getattr(error, "name", "") == "requirement"
    ):
        run.exit = Exit.ACTION
    if hasattr(run, "began"):
        run.began = at
    run.since, run.choice = run.attempt - 1, 0


def _asks_for_response(run: StepRun) -> bool:
    """Return whether a step looks at what came with an http reply, which is not kept."""
    return any(signature.asks_for(Gives.RESPONSE) for signature in run.step.exits.values())
