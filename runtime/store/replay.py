"""A run told again from its journal: what each tick has shown, and what has become of each step run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from wfc.runtime.core.advance import advance
from wfc.runtime.core.advance.recovering import under_way
from wfc.runtime.core.advance.releasing import finish_run
from wfc.runtime.core.advance.relevance import is_relevant
from wfc.runtime.core.body_ticks import Edited
from wfc.runtime.core.effects import NotifyObservers, Publish
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.halt_ticks import Continued, Halted
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import (
    AttemptFailed,
    Failed,
    ItemFailed,
    ModelUsed,
    Recovered,
    Rewound,
    SearchMade,
    Tick,
)
from wfc.runtime.errors import StoreError
from wfc.runtime.events import Event, StopEvent
from wfc.runtime.events.internal import Searched, StepNote, StepState, StepStateChanged
from wfc.runtime.plan import Plan
from wfc.runtime.store.folding import fold
from wfc.runtime.store.journal import Kept
from wfc.runtime.store.state_changes import StateChange, changes_between
from wfc.runtime.store.ticks import decode_tick
from wfc.runtime.store.timeline import StepLine, Timeline
from wfc.runtime.store.values import Values
from wfc.runtime.values.drafts import draft_of

__all__ = ["Replay", "Replayed"]


class Replayed(NamedTuple):
    """What a tick of a run has shown.

    Args:
        seq: The tick's number.
        at: Its moment, in nanoseconds.
        kind: What kind of tick it is.
        events: What whoever watched the run was shown, with what is internal.
        back_to: The tick after which the run is as it was again, if it went back.
        step: The step whose doing it was; empty: no step's.
        by: Who has edited the state, if somebody has.
        changes: What has changed in the state, if that was asked for.
        halted: Where the run has halted by it, such as ``before charge``; ``goes on``: it has ended the halt.
    """

    seq: int
    at: int
    kind: str
    events: tuple[Event, ...]
    back_to: int | None = None
    step: str = ""
    by: str = ""
    changes: tuple[StateChange, ...] = ()
    halted: str = ""


_RUNNING: Final = StepState.RUNNING  # to look up a member of an enum is slow before Python 3.12
_TIMEOUT: Final = Exit.TIMEOUT

_STATES: Final = frozenset({StepNote, StepStateChanged})  # of thousands of ticks each look at a class counts

_MOVED: Final = b'["upgraded",'
"""How the tick begins by which a run moves to another version: from there on its steps are others."""


class Replay:
    """A run that is told again from its journal; ``execution`` is how it was after the last tick that was told.

    ``first`` is the tick since which it is told.

    Args:
        start: What the run began with.
        kept: A snapshot from which to begin, and the ticks that are not told; ``None``: all are told.

    Raises:
        SnapshotError: What is kept is damaged.
    """

    def __init__(
        self, plan: Plan, run_id: str, start: bytes, values: Values, kept: Kept | None = None
    ) -> None:
        self.execution: Execution = fold(kept or Kept(None, 0, ()), plan, run_id, start, values)
        self.execution.observed = True
        self.notes_changes = False  # whether what changes in the state is told
        self.first = self.seq = 0 if kept is None else kept.seq
        self.ready_by: dict[int, int] = {}  # the last tick that let a step run go on, by its number
        self.searches: list[tuple[int, Searched]] = []  # each with the tick that tells it
        self.ended_by: int | None = None  # the tick by which the run is over
        self._failing_by = 0  # the tick that an exit of the run was taken for
        self._returns: list[tuple[int, int]] = []  # the ticks by which the run went back, and to which
        self._values = values
        self._timeline = Timeline()
        self._lines = self._timeline.lines
        for one in self.execution.in_flight.values():
            self._begin(one, "running")
        for pause in self.execution.paused.values():
            self._begin(pause.run, "waits")

    def _begin(self, run: StepRun, status: str) -> None:
        self._lines[run.number] = StepLine(
            run.number,
            run.step.name,
            run.event_name,
            getattr(run, "began", self.execution.at),
            attempts=run.attempt,
            status=status,
            since=self.seq,
            place=self._place_of(run),
        )

    def _place_of(self, run: StepRun | None) -> str:
        """Return the place of a step run that begins now; empty for one that has none."""
        places = self.execution.plan.places
        return (
            "" if places is None or run is None else places.of(run.step.name, run.event, self.execution.state)
        )

    def _note(self, event: StepStateChanged | StepNote) -> None:
        """Note what a step run has come to, and where it is within an agent."""
        new = self._timeline.note(event, self.execution.at, self.seq)
        if new is not None and self.execution.plan.places is not None:
            new.place = self._place_of(self.execution.in_flight.get(new.number))

    def check_next(self, seq: int) -> None:
        """Check whether a tick is the one that follows those that were told.

        Raises:
            StoreError: It is a later one: the run was pruned meanwhile.
        """
        if seq != self.seq + 1:
            raise StoreError(
                f"what followed tick {self.seq} of the run `{self.execution.run_id}` was pruned: "
                f"follow it since {seq - 1}"
            )

    def skip(self, body: bytes) -> None:
        """Tell the next tick to nobody: only what has become of step runs is noted, which takes two thirds of the time.

        Raises:
            SnapshotError: It is damaged.
            StoreError: It does not follow from those before: it is of other steps than the plan's.
        """
        self.execution.in_brief = True
        try:
            self.tell(body)
        finally:
            self.execution.in_brief = False

    def tell(self, body: bytes) -> Replayed:
        """Tell the next tick.

        Raises:
            SnapshotError: It is damaged.
            StoreError: It does not follow from those before: it is of other steps than the plan's.
        """
        execution = self.execution
        if body.startswith(_MOVED):
            raise StoreError(
                f"with its tick {self.seq + 1} the run {execution.run_id} moved to another version of its workflow; "
                f"what came then is told since that tick"
            )
        tick, at = decode_tick(body, execution, self._values)
        self.seq += 1
        if not is_relevant(execution, tick):
            told = (
                f"the tick {self.seq} of the run {execution.run_id} does not fit the steps that there are now"
            )
            raise StoreError(told)
        events: list[Any] = list(_before(execution, tick)) if isinstance(tick, _FAILING) else []
        was_failing = execution.failing is not None
        run = execution.in_flight.get(getattr(tick, "number", None) or 0)
        before = draft_of(execution.state) if self.notes_changes else None
        advance(execution, tick, at)
        is_over = execution.outcome is not None
        if execution.failing is not None and not was_failing:
            self._failing_by = self.seq
        if is_over:
            self.ended_by = self._failing_by if was_failing else self.seq
            finish_run(execution)
        events += self._follows(tick)
        for event in events:
            if type(event) in _STATES:
                self._note(event)
        if is_over:
            if isinstance(execution.outcome, StopEvent):
                events.append(execution.outcome)
            self._timeline.cut_off(execution.at)
        back_to = None
        if isinstance(tick, SearchMade):
            events.append(self._searched(tick, run))
        elif isinstance(tick, ModelUsed):
            self._timeline.pay(tick.number, tick.tokens, tick.cost_usd)
        elif isinstance(tick, Rewound):
            back_to = tick.to
            self._go_back(tick.to)
        return Replayed(
            self.seq,
            execution.at,
            type(tick).__name__,
            tuple(events),
            back_to,
            "" if run is None else run.step.name,
            tick.by if isinstance(tick, Edited) else "",
            () if before is None else tuple(changes_between(before, execution.state)),
            _halt_of(tick),
        )

    def _searched(self, tick: SearchMade, run: StepRun | None) -> Searched:
        """Note a search, and return what watchers were told of it."""
        line = self._lines.get(tick.number)
        found = Searched.model_construct(
            step_name=line.step if line is not None else "",
            worker_id=str(tick.number),
            attempt=run.attempt if run is not None else 1,
            query=tick.told["query"],
            collections=tuple(tick.told["collections"]),
            considered=tick.told["considered"],
        )
        self.searches.append((self.seq, found))
        return found

    def _follows(self, tick: Tick) -> list[Any]:
        """Return what is shown of what follows from a tick, and note which step runs may go on by it."""
        execution = self.execution
        events = [one.event for one in execution.effects if isinstance(one, (Publish, NotifyObservers))]
        for begun in execution.starting:
            self.ready_by[begun.number] = self.seq
            if begun.exit <= _TIMEOUT and not (type(tick) is Recovered and begun.step.action is None):
                brief = execution.in_brief
                events.append(_note_of_beginning(begun) if brief else _state(begun, _RUNNING))
        execution.take_effects()
        execution.starting.clear()
        return events

    def _go_back(self, to: int) -> None:
        """Note what is undone, and what is under way again."""
        self.ended_by = None
        self._returns.append((self.seq, to))
        execution = self.execution
        for number in execution.in_flight:
            self.ready_by[number] = self.seq
        ends = self._timeline.ends()
        for number, line in list(self._lines.items()):
            is_undone = not self.counts(line.since)
            ended = [end for end in ends.get(number, ()) if self.counts(end.until)]
            if ended and not is_undone:
                self._lines[number] = replace(line, is_undone=False, **ended[-1]._asdict())
            elif is_undone:
                line.is_undone = True
            else:
                self._lines[number] = replace(line, ended=None, until=None, gave="", is_undone=False)
        for run in under_way(execution):
            number, waits = run.number, run.number in execution.paused
            if number not in self._lines and (waits or number in execution.in_flight):
                self._begin(run, "")  # of another run that this one was made of
            if number in self._lines:
                self._lines[number].status = "waits" if waits else "running"

    def counts(self, seq: int) -> bool:
        """Return whether the run as it is now has come about by a tick, among others; it may have gone back."""
        last = self.seq
        for by, to in reversed(self._returns):
            if by > last:  # what went back itself is undone
                continue
            if seq >= by:
                return seq <= last
            last = to
        return seq <= last

    def lines(self) -> list[StepLine]:
        """Return the step runs that have been told, in the order in which they began."""
        return list(self._lines.values())


def _halt_of(tick: Tick) -> str:
    if isinstance(tick, Halted) and tick.at:
        return f"{tick.at} {tick.step}"
    return "goes on" if isinstance(tick, Continued) else ""


_FAILING: Final = (AttemptFailed, Failed, ItemFailed)


def _before(execution: Execution, tick: AttemptFailed | Failed | ItemFailed) -> Iterable[StepStateChanged]:
    """Yield what is shown of a tick that only the driver says, and not what follows from it."""
    run = execution.in_flight.get(tick.number)
    if run is None:
        return
    if isinstance(tick, AttemptFailed):
        yield _state(run, StepState.RETRYING, str(tick.error), tick.delay)
    else:
        yield _state(run, StepState.NOT_RUNNING, str(tick.error))


def _state(
    run: StepRun, state: StepState, error: str | None = None, retry_in: float | None = None
) -> StepStateChanged:
    return StepStateChanged(
        name=run.step.name,
        step_state=state,
        worker_id=str(run.number),
        input_event_name=run.event_name,
        attempt=run.attempt,
        error=error,
        retry_in=retry_in,
        item=run.item,
    )


def _note_of_beginning(run: StepRun) -> StepNote:
    return StepNote(run.step.name, _RUNNING, run.number, run.event_name, None, run.attempt)
