"""Random workflows under random schedules, without a loop: whatever happens in whatever order, promises are kept.

The ticks alone give the same run again, and a run that was written down and read goes on as if nothing had been.
``pytest -m slow tests/runtime/core/test_model.py -s`` plays 100,000 schedules; ``WFC_SEED`` asks for others, and
``WFC_WORKFLOWS`` for another number of workflows, with twenty schedules each.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import Any, get_args

import pytest
from folding import Fold
from random_workflows import NOW, Begin, End, Maker, Mark

from wfc.runtime import (
    All,
    Delay,
    EachOf,
    Event,
    InputRequiredEvent,
    Items,
    LateEvent,
    LimitError,
    Outside,
    Question,
    StepError,
    StepFailedError,
    StepState,
    StepStateChanged,
    StuckError,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowTimeoutError,
)
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.advance import advance
from wfc.runtime.core.body_ticks import Collected, Edited, WaitEnded, Waiting
from wfc.runtime.core.effects import CancelTask, CheckInbox, NotifyObservers, StartTimer, StopTimer
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Exit, Frame, FrameKind, StepRun
from wfc.runtime.core.ticks import (
    Answered,
    Arrived,
    AttemptFailed,
    Cancelled,
    Completed,
    Delegated,
    Failed,
    InboxEventTaken,
    ItemCompleted,
    ItemFailed,
    MatchValueComputed,
    Paused,
    Recovered,
    Started,
    StepsCancelled,
    Tick,
    TimerFired,
)
from wfc.runtime.store.classes import Classes
from wfc.runtime.store.reading import read_execution
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import write_execution


class Asked(InputRequiredEvent):
    text: str


class Play:
    """One run, driven tick by tick; and, from some moment on, what was read of its snapshot beside it."""

    def __init__(
        self, maker: Maker, workflow: type[Workflow], rng: random.Random, *, folds: bool = True
    ) -> None:
        self.maker, self.rng, self.plan = maker, rng, definition_of(workflow).plan
        self.values = Values(Classes.of(self.plan))
        self.execution = self.fresh()
        self.twin: Execution | None = None
        self.ticks: list[Any] = []
        self.emitted: dict[int, type[Event]] = {}
        self.acting: dict[int, StepRun] = {}
        self.timers: set[int] = set()
        self.done: set[int] = set()
        self.runs_on: Counter[tuple[int, str]] = Counter()
        self.fired: set[tuple[str, int]] = set()
        self.late: set[int] = set()
        self.opened: dict[
            tuple[str, Any], list[int]
        ] = {}  # the places of what batches and forks were opened on
        self.frames: dict[int, Frame] = {}
        self.has_cancelled = False
        self.cut_off: set[int] = set()
        self.fold = Fold(self.execution) if folds else None
        self.keeps_places = rng.random() < 0.8  # else the run is recorded as before items did so
        self.apply(Started(Begin(), {}))

    def fresh(self) -> Execution:
        made = Execution(self.plan, "r", self.plan.new_state())
        made.observed = True
        return made

    def event(self, kind: type[Event], run: StepRun, item: int | None = None, *, up: bool = False) -> Event:
        first = next(iter(events_of(run)), None)
        at = list(getattr(first, "at", []))
        if first is None and run.step.fork is not None:  # of a batch without items, or a join out of time
            at = [*self.opened[run.step.fork.name, run.path], *([0] if up else [])]
        at = at[:-1] if up else at if item is None else [*at, item]
        n = len(self.emitted) + 1
        self.emitted[n] = kind
        return kind(n=n, at=at)

    def opens(self, run: StepRun) -> None:
        self.opened[run.step.name, run.path] = list(getattr(run.event, "at", []))

    def collect(self, run: StepRun) -> bool:
        self.apply(Collected(run.number, None, self.maker.gathers[run.step.name], None))
        for other in (self.twin, self.fold.execution if self.fold is not None else None):
            if other is not None:
                assert other.in_flight[run.number].given == run.given
        return run.given is not None

    # --- what happens

    def apply(self, tick: Tick) -> None:
        self.ticks.append(tick)
        if isinstance(tick, TimerFired):
            self.note_time_up(tick)
        at = moment(len(self.ticks))
        waiting = {number: [one.n for _, one in frame.pending] for number, frame in self.frames.items()}  # type: ignore[attr-defined]
        if self.twin is not None:
            advance(self.twin, tick, at)
        if self.fold is not None:
            self.fold.advance(self.execution, tick, at)
        else:
            advance(self.execution, tick, at)
        self.note_count_reached(waiting)
        self.see()

    def see(self) -> None:
        """Takes in what the tick has led to, and holds it against what is promised."""
        execution, twin = self.execution, self.twin
        if twin is not None:
            assert [run.number for run in twin.starting] == [run.number for run in execution.starting]
            assert [type(want) for want in twin.effects] == [type(want) for want in execution.effects]
            assert type(twin.outcome) is type(execution.outcome)
            assert twin.number == execution.number
            twin.starting.clear()
            twin.take_effects()
        while execution.starting:
            self.begins(execution.starting.pop(0))
        self.check_items_under_way()
        self.check_places()
        wants, execution.effects = execution.effects, []
        for want in wants:
            if isinstance(want, StartTimer):
                self.timers.add(want.timer)
            elif isinstance(want, StopTimer):
                self.timers.discard(want.timer)
            elif isinstance(want, CancelTask):
                self.acting.pop(want.run.number, None)
                self.has_cancelled = True
                self.end_waits(want.run)
            elif isinstance(want, NotifyObservers) and isinstance(want.event, LateEvent):
                self.late.add(want.event.event.n)  # type: ignore[attr-defined]
            elif isinstance(want, NotifyObservers) and isinstance(want.event, StepStateChanged):
                self.has_cancelled |= want.event.step_state is StepState.CANCELLED
            elif isinstance(want, CheckInbox):
                self.look(want.number)

    def note_time_up(self, tick: TimerFired) -> None:
        """Items of a batch that have not begun when its time is up need never begin, unless its join says so."""
        waiting = self.execution.timers.get(tick.timer)
        if isinstance(waiting, tuple) and isinstance(waiting[1].join, EachOf):
            frame, step_ = waiting
            if step_.join.rest != "finish":
                self.late.update(one.n for _, one in frame.pending)  # type: ignore[attr-defined]

    def note_count_reached(self, waiting: dict[int, list[int]]) -> None:
        """Items of a batch that have not begun when its join has got as many as it waits for need never begin."""
        for number, items in waiting.items():
            frame = self.frames[number]
            joins = [one.join for one in frame.collectors]
            if items and not frame.pending and any(isinstance(one, EachOf) and one.count for one in joins):
                self.late.update(items)

    def check_items_under_way(self) -> None:
        """No batch has more items under way than it says."""
        execution = self.execution
        acting = [run for run in self.acting.values() if run.exit is not Exit.DROPPED]
        runs = [*acting, *(pause_.run for pause_ in execution.paused.values())]
        runs += [run for queue in execution.queues.values() for run in queue if run.exit is not Exit.DROPPED]
        frames = [run.frame for run in runs]
        for timed in execution.timers.values():
            frames.append(
                timed.frame if isinstance(timed, StepRun) else timed[0] if isinstance(timed, tuple) else None
            )
        items: dict[int, set[int]] = {}
        for found in frames:
            frame = found
            while frame is not None:
                if frame.kind is FrameKind.ITEM and frame.parent is not None:
                    items.setdefault(id(frame.parent), set()).add(id(frame))
                    self.frames[id(frame.parent)] = frame.parent
                frame = frame.parent
        for batch, of_batch in items.items():
            opener = self.frames[batch].fork
            most = self.maker.at_once.get(opener.name) if opener is not None else None
            assert most is None or len(of_batch) <= most, "too many items of a batch are under way"

    def check_places(self) -> None:
        """As many are counted at work as are; and of the items of a map no more are under way than may be."""
        execution = self.execution
        if execution.outcome is not None or not self.keeps_places:
            return
        at_work = [run.step for run in execution.in_flight.values()]
        at_work += [pause_.run.step for pause_ in execution.paused.values() if pause_.at_work]
        at_work += [
            one.step
            for one in execution.timers.values()
            if isinstance(one, StepRun) and one.step.of is not None
        ]
        counts = Counter(step_.index for step_ in at_work)
        assert execution.busy == [counts[index] for index in range(len(execution.busy))]
        for step_ in at_work:
            if step_.of is not None:
                assert counts[step_.index] <= step_.num_workers, "too many items of a map are under way"

    def look(self, number: int) -> None:
        pause_ = self.execution.paused.get(number)
        if pause_ is not None and isinstance(pause_.value, Outside):
            for at, event in self.execution.inbox.items():
                if isinstance(event, pause_.value.event):
                    self.apply(InboxEventTaken(number, at))
                    return

    def begins(self, run: StepRun) -> None:
        assert run.number not in self.done, "a step run that was done runs again"
        if run.number in self.acting:
            raise AssertionError("a step run was started twice")
        self.acting[run.number] = run
        if run.number in self.cut_off:
            self.cut_off.remove(run.number)
            return
        frame = run.frame
        while frame is not None:
            self.frames[id(frame)] = frame
            frame = frame.parent
        is_new = run.exit in (Exit.ACTION, Exit.LIMIT, Exit.TIMEOUT)
        if not is_new or run.attempt > 1 or run.step.of is not None:
            return
        if run.step.slots:
            key = run.step.name, id(run.frame)
            assert key not in self.fired, "a join fired twice in a frame"
            self.fired.add(key)
        events = events_of(run)
        for one in events:
            if isinstance(one, Mark):
                self.runs_on[one.n, run.step.name] += 1
                assert self.runs_on[one.n, run.step.name] == 1, "an event was delivered twice"
        if run.step.collects:
            places = [one.at for one in events]  # type: ignore[attr-defined]
            assert places == sorted(places), "items are out of order"

    def go(self) -> None:
        """One thing happens, if there is one that can."""
        rng, execution = self.rng, self.execution
        chance = rng.random()
        if chance < 0.01:
            self.disturb()
        elif chance < 0.06 and self.maker.received:
            kind = rng.choice(self.maker.received)
            n = len(self.emitted) + 1
            self.emitted[n] = kind
            self.apply(Arrived(kind(n=n)))
        elif self.acting and chance < 0.1:
            self.touch(rng.choice(list(self.acting.values())))
        elif self.acting and (chance < 0.75 or not (self.timers or execution.paused)):
            self.ends(self.acting.pop(rng.choice(list(self.acting))))
        else:
            ways: list[Tick] = [TimerFired(timer) for timer in sorted(self.timers)]
            ways += [
                Answered(number, None, "ann")
                for number, one in execution.paused.items()
                if isinstance(one.value, Question)
            ]
            ways += [
                Delegated(number, ("bob", f"user {number}"), "bob", "ann", "")
                for number, one in execution.paused.items()
                if isinstance(one.value, Question) and len(one.value.assign) == 0
            ]
            if ways:
                tick = rng.choice(ways)
                if isinstance(tick, TimerFired):
                    self.timers.discard(tick.timer)
                self.apply(tick)
            elif not self.acting and self.maker.received:
                self.apply(Arrived(rng.choice(self.maker.received)(n=0)))

    def disturb(self) -> None:
        chance = self.rng.random()
        if chance < 0.1:
            self.apply(Cancelled(WorkflowCancelledByUser("enough")))
        elif chance < 0.2:
            self.apply(Cancelled(WorkflowTimeoutError("late")))
        elif chance < 0.6:
            self.has_cancelled = True
            self.apply(StepsCancelled(self.rng.choice(self.plan.steps), None))
        elif chance < 0.8:
            self.dies()
        elif self.acting:
            self.fails(self.acting.pop(self.rng.choice(list(self.acting))))

    def touch(self, run: StepRun) -> None:
        """The body of a step run, or a person, does something to the run meanwhile."""
        chance, waits = self.rng.random(), self.waits_of(run)
        value = self.rng.choice([[1], [True, len(self.ticks)], {"a": None}, "text", 2.5])
        saved = {self.rng.choice("abc"): value}
        acts = run.exit is Exit.ACTION and run.step.action is not None
        if chance < 0.1:
            self.apply(Edited(None, 0, saved))
        elif chance < 0.5 and acts:
            self.apply(Edited(run.number, getattr(run, "edits", 0) + 1, self.rng.choice([saved, None])))
        elif chance < 0.7 and waits:
            self.apply(WaitEnded(self.rng.choice(waits), timed_out=self.rng.random() < 0.5))
        elif acts and self.maker.received:
            kind, name = self.rng.choice(self.maker.received), self.rng.choice([None, "a", "b"])
            seconds = self.rng.choice([None, 1.0, 2.5])
            self.apply(Waiting(run.number, kind, name, {}, Asked(text="?"), seconds))

    def waits_of(self, run: StepRun) -> list[int]:
        return [number for number, wait in self.execution.event_waits.items() if wait.run is run]

    def end_waits(self, run: StepRun) -> None:
        """A body that ends does not wait any more."""
        for number in self.waits_of(run):
            self.apply(WaitEnded(number, timed_out=False))

    def dies(self) -> None:
        """The process ends, and another one goes on; some of the step runs had not begun, and some time has passed."""
        for run in list(self.acting.values()):
            if run.step.name in self.maker.gathers and self.rng.random() < 0.5:
                self.collect(run)
        acting, self.acting = self.acting, {}
        self.cut_off = set(acting)
        attempts = {number: run.attempt for number, run in acting.items()}
        touched = {run.number for run in acting.values() if self.waits_of(run) or hasattr(run, "collects")}
        waits = [
            self.execution.event_waits[number] for run in acting.values() for number in self.waits_of(run)
        ]
        ready = tuple(one for one in acting if self.rng.random() < 0.3 and one not in touched)
        self.apply(Recovered(ready, self.rng.choice([0, 0, 5_000_000_000, -3_000_000_000])))
        assert set(self.acting) == set(acting) and not self.cut_off
        for number, run in acting.items():
            acts = run.step.action is not None and run.exit is Exit.ACTION and number not in ready
            assert run.attempt == attempts[number] + acts
        for wait in waits:  # the bodies come to them again
            if wait.run.number in self.acting:
                before = self.waits_of(wait.run)
                self.apply(Waiting(wait.run.number, wait.event_type, wait.waiter_id, {}, None, 9.0))
                for number in set(self.waits_of(wait.run)).difference(before):
                    found = self.execution.event_waits[number]
                    assert found.until == wait.until or wait.until is None

    def ends(self, run: StepRun) -> None:
        step_ = run.step
        self.end_waits(run)
        if run.exit is Exit.MATCH:
            self.apply(MatchValueComputed(run.number, "1"))
        elif run.exit in (Exit.BROKEN, Exit.TIMEOUT, Exit.LIMIT) or (
            run.exit is Exit.ACTION and step_.retry is not None and self.rng.random() < 0.3
        ):
            self.fails(run)
        elif step_.of is not None:
            self.done.add(run.number)
            self.apply(ItemCompleted(run.number, run.position))
        elif step_.pauses and run.exit is Exit.ACTION:
            value: Any = {
                Question: lambda: Question(None),
                Delay: lambda: Delay(3.0),
                Outside: lambda: Outside(self.wanted(step_)),
                Items: lambda: Items(range(self.rng.choice([0, 1, 2, 4]))),
            }[step_.pauses[0]]()
            self.apply(Paused(run.number, value, NOW, step_.bound))
        else:
            self.done.add(run.number)
            if step_.pauses == (Items,) and run.exit is Exit.RESULT:
                places = [one for one in run.result if one is not None]
                assert places == sorted(places), "items are out of order"
            emitted = self.maker.gives[step_.name](self, run)
            if self.execution.outcome is None:
                self.apply(Completed(run.number, emitted))

    def wanted(self, step_: Any) -> Any:
        wanted = step_.signature.result.__args__[0]
        return get_args(wanted) or wanted

    def fails(self, run: StepRun) -> None:
        self.end_waits(run)
        error = StepError("busy", "no")
        if run.step.retry is not None and run.exit is Exit.ACTION and run.attempt < 3:
            keeps_place = self.keeps_places and run.step.of is not None
            self.apply(AttemptFailed(run.number, 1.0, error, keeps_place=keeps_place))
        elif run.step.of is not None:
            self.done.add(run.number)
            self.apply(ItemFailed(run.number, error))
        else:
            self.done.add(run.number)
            self.apply(Failed(run.number, StepFailedError(run.step.name, run.event_name, run.attempt, error)))

    # --- what is written down

    def written(self, execution: Execution) -> str:
        return json.dumps(write_execution(execution, self.values, execution.at))

    def split(self) -> None:
        """Reads what is written of the run; from now on both go on side by side."""
        text = self.written(self.execution)
        twin = read_execution(
            json.loads(text), self.plan, "r", self.plan.new_state(), self.values, self.execution.at
        )
        twin.observed = True
        assert twin.due_at == self.execution.due_at
        assert self.written(twin) == text
        assert twin.busy == self.execution.busy
        self.twin = twin

    def replay(self) -> Execution:
        again = self.fresh()
        for count, tick in enumerate(self.ticks, 1):
            advance(again, tick, moment(count))
            again.starting.clear()
            again.take_effects()
        return again

    def check_end(self) -> None:
        execution, twin = self.execution, self.twin
        outcome = execution.outcome
        assert isinstance(
            outcome,
            End | LimitError | StepFailedError | StuckError | WorkflowCancelledByUser | WorkflowTimeoutError,
        ), outcome
        if isinstance(outcome, StuckError) and "can no longer move" in str(outcome):
            assert not (execution.in_flight or execution.timers or execution.paused)
        if twin is not None:
            assert self.written(twin) == self.written(execution)
            assert str(twin.outcome) == str(outcome)
        again = self.replay()
        assert str(again.outcome) == str(outcome)
        assert self.written(again) == self.written(execution)
        if not self.has_cancelled:
            self.check_nothing_is_lost()

    def check_nothing_is_lost(self) -> None:
        execution = self.execution
        kept = set(self.late)
        queued = [run for queue in execution.queues.values() for run in queue]
        kept.update(one.n for run in queued for one in events_of(run) if isinstance(one, Mark))
        kept.update(
            one.n
            for frame in self.frames.values()
            for slots in frame.joins.values()
            for one in slots.arrived.values()
        )
        kept.update(
            one.n for frame in self.frames.values() for found in frame.collected.values() for _, one in found
        )
        kept.update(one.n for frame in self.frames.values() for _, one in frame.pending)
        lost = {
            (n, step_.name)
            for n, kind in self.emitted.items()
            for step_ in self.plan.acceptors(kind)
            if n not in kept and not self.runs_on[n, step_.name]
        }
        last = len(self.ticks) and self.ticks[-1]
        if isinstance(last, Completed):  # what ends a run need not be delivered
            lost = {one for one in lost if one[0] not in numbers_of(last.emitted)}
        if lost and not isinstance(execution.outcome, End):
            return  # the tick that failed was not carried out to its end
        assert not lost, f"events were delivered to nobody: {lost}"


def moment(count: int) -> int:
    """When the tick of a number happens."""
    return 1_700_000_000_000_000_000 + 250_000_000 * count


def events_of(run: StepRun) -> list[Event]:
    on = run.event
    return [on] if isinstance(on, Event) else on if isinstance(on, list) else list(on.values())


def numbers_of(emitted: Any) -> set[int]:
    if isinstance(emitted, All):
        return {n for one in emitted.events for n in numbers_of(one)}
    if isinstance(emitted, list):
        return {n for one in emitted for n in numbers_of(one)}
    return {emitted.n} if isinstance(emitted, Mark) else set()


def play(seed: str, maker: Maker, workflow: type[Workflow], *, folds: bool = True) -> Play:
    rng = random.Random(seed)  # noqa: S311
    found = Play(maker, workflow, rng, folds=folds)
    at = rng.randrange(40)
    for count in range(1500):
        if found.execution.outcome is not None:
            break
        if count == at or (count > at and rng.random() < 0.02):
            found.split()
        found.go()
    else:
        raise AssertionError("nothing ends this run")
    found.check_end()
    return found


def play_many(seed: str, workflows: int, schedules: int) -> Counter[str]:
    """Plays so many schedules of each of so many workflows; how they ended. One in four is folded from JSON beside."""
    ends: Counter[str] = Counter()
    for one in range(workflows):
        maker = Maker(random.Random(f"{seed}/{one}"))  # noqa: S311
        workflow = maker.make()
        for two in range(schedules):
            name = f"{seed}/{one}/{two}"
            try:
                found = play(name, maker, workflow, folds=two % 4 == 0)
            except BaseException:
                print(f"the schedule {name} of a workflow of {len(maker.steps)} steps")
                raise
            ends[type(found.execution.outcome).__name__] += 1
            ends["ticks"] += len(found.ticks)
    return ends


def test_whatever_happens_the_promises_hold(seed: str) -> None:
    ends = play_many(seed, 40, 10)
    assert ends["End"] > 100


@pytest.mark.slow
def test_a_hundred_thousand_schedules(seed: str) -> None:
    count = int(os.environ.get("WFC_WORKFLOWS", "5000"))
    ends = play_many(seed, count, 20)
    print(dict(ends))
    assert sum(ends.values()) - ends["ticks"] == count * 20
