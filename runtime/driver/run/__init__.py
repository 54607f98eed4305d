"""One run of a workflow, carried out in an asyncio event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from wfc.runtime.core.advance import advance
from wfc.runtime.core.effects import (
    CancelTask,
    CheckInbox,
    Effect,
    NotifyObservers,
    Publish,
    ResumeBody,
    StartAgain,
    StartChild,
    StartTimer,
    StopChild,
    StopTimer,
    TakeRunExit,
)
from wfc.runtime.core.execution import NONE
from wfc.runtime.core.moments import SECOND
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import (
    Cancelled,
    Recovered,
    Started,
    Tick,
    TimerFired,
)
from wfc.runtime.driver.run.bounds import take_bounds
from wfc.runtime.driver.run.breakpoints import Breakpoints
from wfc.runtime.driver.run.children import NO_CHILDREN, Children
from wfc.runtime.driver.run.ending import end, last_event
from wfc.runtime.driver.run.event_waits import EventWaits
from wfc.runtime.driver.run.halting_places import check_place, paused_above, place_of
from wfc.runtime.driver.run.leaving import take_exit
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.part_breakpoints import PartBreakpoints
from wfc.runtime.driver.run.questions import read_answer, take_from_inbox
from wfc.runtime.driver.run.snapshots import snapshot_of
from wfc.runtime.driver.run.step_runs import started_at
from wfc.runtime.driver.run.timers import Timers
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.driver.run.workers import WorkingRun
from wfc.runtime.errors import (
    ContextStateError,
    WorkflowError,
)
from wfc.runtime.events import StopEvent
from wfc.runtime.plan.inputs import RunInfo
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.store.journal import KeyTaken
from wfc.runtime.store.snapshots import StoredRun
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["Run"]

_RUNNING: set[Run] = set()  # asyncio itself holds tasks only weakly


class Run(WorkingRun["Run"]):
    """A run of a workflow in an event loop.

    Args:
        state: The initial state; ``None``: a new one.
        doubles: The test doubles of step actions, by step name.
        clock: Returns the time of day; by default the loop's calendar, or the computer's clock.
        config: The workflow's config; ``None``: the config from the environment.
        engine: The engine of the run; ``None``: the engine of its workflow.
        trace_parent: The span that started the run, as plain data: see ``trace_context``. By itself the one
            that is active here.
        stored: The stored run to resume, if the run is not new.
    """

    __slots__ = ()

    breakpoints: Breakpoints | PartBreakpoints[Breakpoints] | None = None
    active_at_end: Sequence[str] = ()  # the steps that were at work when its time was up
    closing: asyncio.Task[None] | None = None  # what closes its resources
    _watchers: Watchers | None = None
    _event_waits: EventWaits | None = None

    @classmethod
    def going_on(
        cls,
        workflow: RunWorkflow[Run],
        stored: StoredRun,
        run_id: str | None,
        **options: Any,
    ) -> Run:
        """Return a run that resumes a stored one, for an engine to admit.

        Raises:
            ContextStateError: The stored run belongs to another workflow.
        """
        execution = stored.execution
        if execution is None or execution.plan is not workflow._wfc.plan:
            raise ContextStateError("this context is of a run of another workflow")
        assert execution.inputs is not None
        if stored.trace:
            options.setdefault("trace_parent", stored.trace)
        execution.run_id = run_id or stored.run_id
        return cls(
            workflow,
            execution.inputs,
            execution.run_id,
            state=stored.state,
            stored=stored,
            **options,
        )

    # --- from start to end

    def begin(self) -> None:
        """Start the run in the event loop's next iteration, unless it was cancelled before its turn."""
        if self in _RUNNING:
            return
        _RUNNING.add(self)
        if self.trace is not None:
            self._begin_trace()
        self.spawn_worker(begin=True)

    def start(self) -> None:
        """Take the start event, and the events sent since then, unless the run is already over."""
        execution = self.execution
        if execution.outcome is not None:
            return
        self.has_begun = True
        stored = self._stored
        if stored is not None:
            self._stored = None
        if self.port is not None and (stored is not None or self.passage is not None):
            self.engine.recovered(self)
        if stored is not None and stored.begun:
            self._resume(stored)
            self._take_early()
            return
        assert execution.inputs is not None
        try:
            limits, self.bounds = take_bounds(self)
        except WorkflowError as error:
            self.apply(Cancelled(error))
            return
        self.apply(Started(execution.inputs, limits, self.bounds, self.timeout))
        if self.breakpoints is not None:
            self.breakpoints.record()
        if self.execution.deadline is not None:
            self.watch_deadline()
        for tick in stored.early if stored is not None else ():
            self.apply(tick)
        if self.early:
            self._take_early()

    def cancel(self, reason: str = "the run was cancelled") -> None:
        """End the run, or let it go on by its exit. What its steps have already done stays done."""
        if self.is_elsewhere:
            self.engine.cancel_elsewhere(self, reason)
            return
        if not self.has_begun and self.execution.plan.events_of_exits:
            self.begin()
            self.start()  # at once, so that bounds are known and nothing else begins after the exit
        super().cancel(reason)

    def _resume(self, stored: StoredRun) -> None:
        """Resume the run from where it was when it was stored."""
        execution = self.execution
        if stored.asked_before:
            self.children = Children(self)
            self.children.asked_before = stored.asked_before
        self.parked = {run_id: data for run_id, _, data in stored.children}
        rest = self.now() - execution.at
        for tick in stored.early:
            self.apply(tick)
        if stored.taken:
            self.apply(Recovered(tuple(run.number for run in execution.starting), rest))
        else:  # it comes from a journal: it was not put aside, and nobody knows what had begun
            self.apply(Recovered())
        if execution.stops is not None:
            self._breaking_here().restore(execution.stops)
        if isinstance(self.breakpoints, Breakpoints):
            self.breakpoints.do_put_off()
        self.watch_deadline()

    def _take_early(self) -> None:
        early, self.early = self.early, None
        for tick in early or ():
            self.apply(tick)

    def apply(self, tick: Tick) -> None:
        """Apply a tick and carry out its effects, except starting step runs; with a journal once that is durable."""
        if self.port is not None:
            self.port.apply(tick)
            return
        execution = self.execution
        advance(execution, tick, self.now())
        if execution.effects or execution.outcome is not None:
            self.carry_out()

    def take(self, tick: Tick) -> None:
        """Apply a tick from outside, and start the step runs that are then ready.

        Raises:
            RunParkedError: The run is just being put to rest in its store, and would not get it.
        """
        if self.port is not None and self.is_parking:
            self.check_here()
        self.apply(tick)
        if self.ready:
            self.wake_workers()

    def carry_out(self) -> bool:
        """Carry out the effects of the last ticks, except starting step runs; return whether the run is over."""
        execution = self.execution
        if self.port is None:  # which holds them
            if execution.effects:
                self.carry_out_effects()
            if execution.outcome is not None:
                self.conclude()
        return execution.outcome is not None

    def conclude(self) -> None:
        """Begin the end of the run, unless it has begun."""
        if not self.is_ending:
            self.is_ending = True
            end(self)

    def carry_out_effects(self) -> None:
        """Carry out the effects of the last ticks."""
        for effect in self.execution.take_effects():
            self.carry_out_one(effect)

    def carry_out_one(self, effect: Effect) -> None:
        """Carry out an effect."""
        if isinstance(effect, NotifyObservers):
            self.watchers.note(effect.event)
        elif isinstance(effect, Publish):
            self.watchers.publish(effect.event, is_durable=True)
        elif isinstance(effect, StartTimer):
            self._start_timer(effect.timer, effect.due)
        elif isinstance(effect, StopTimer):
            if self.timers is not None:
                self.timers.stop(effect.timer)
        elif isinstance(effect, ResumeBody):
            self.event_waits.resolve(effect.waiter, effect.event)
        elif isinstance(effect, CancelTask):
            self.children.stop_of(effect.run.number)
            if self.port is not None:
                self.port.forget(effect.run)
            if effect.run.task is not None:
                effect.run.task.cancel()
        elif isinstance(effect, CheckInbox):
            if tick := take_from_inbox(self, effect.number):
                self.apply(tick)
        elif isinstance(effect, TakeRunExit):
            self.apply(take_exit(self, effect.way))
        elif isinstance(effect, StartAgain):
            self._start_again()
        elif isinstance(effect, StartChild):
            self.engine.start_child(self, effect)
        elif isinstance(effect, StopChild):
            self.children.stop(effect.number)

    # --- what its port asks for

    def give_way(self, taken: KeyTaken) -> None:
        """Be told that it was not created: another run has its key."""
        self.engine.give_way(self, taken)

    def rests(self) -> None:
        """Let the engine know that nothing happens before somebody answers, or a timer fires."""
        self.engine.rests(self)

    def abandon(self, error: Exception) -> None:
        """Stop all that is under way here, without a trace in the run: it goes on elsewhere, or later."""
        if self.is_done:
            return
        for part in self.children.parts():
            part.abandon(error)
        if self.port is not None:
            self.port.give_up(str(error))
        execution = self.execution
        execution.paused, execution.inbox, execution.outcome = NONE, NONE, error
        self.future.add_done_callback(lambda future: future.exception())  # whoever awaits it is told
        self.conclude()

    # --- timers, and beginning anew

    def _start_timer(self, timer: int, due: int) -> None:
        if self.timers is None:
            self.timers = Timers(self.loop, self._timer_fired)
        # less than none for one that is overdue: after a rest the earliest comes first
        self.timers.start(timer, (due - self.execution.at) / SECOND)

    def _timer_fired(self, timer: int) -> None:
        if not self.is_parking:  # else it is due again when the run rests
            self.take(TimerFired(timer))

    def _start_again(self) -> None:
        """Start the run again in the event loop's next iteration, under its own id.

        Not at once: a run may restart for ever, and others must have their turn meanwhile.
        """
        if CRASHES:
            reach("restart")
        self.has_begun = False
        self.children.stop_all()
        if self.trace is not None:
            self.trace.drop_steps()
        self.stop_deadline()
        self.spawn_worker(begin=True)

    def _begin_trace(self) -> None:
        assert self.trace is not None
        starter = None
        if self.parent is not None:
            other = self.above or self.engine.run(self.parent.run_id)
            if other is not None and other.trace is not None:
                starter = other.trace.span_of(self.parent.number)
        places = None if self.execution.plan.places is None else partial(place_of, self)
        inputs = self.execution.inputs
        self.trace.begin(self.workflow, self.workflow._wfc.name, self.run_id, inputs, starter, places)
        if self.trace.event_handlers:
            self.look_inside()

    def last_event(self) -> StopEvent:
        """Return the last event of the run's stream, once the run is over."""
        return last_event(self)

    def finish(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Release a run that is over; ``tasks`` are those that clean up after it."""
        _RUNNING.discard(self)
        if self.timers is not None or self._event_waits is not None:
            self.timers = self._event_waits = None  # they know the run, which is freed without the collector
        self._variables = None  # whoever still has the run need not keep the variables of its caller alive
        self.engine.ended(self)
        if self.port is not None:
            self.port.release_run()
        if self.passage is not None:
            self.passage.over(tasks)

    # --- what calls of the workflow's functions ask for

    def context_of(self, step_run: StepRun) -> Any:
        """Return the context of a step run."""
        return self.workflow._wfc.context_for(self, step_run)

    def info_of(self, step_run: StepRun) -> RunInfo:
        """Return the value of ``run`` in a step's expressions."""
        counted = step_run if step_run.step.of is None else step_run.parent.run
        return RunInfo(self.run_id, step_run.attempt, started_at(step_run, self.execution), counted.round)

    def part_for(self, step_run: StepRun, name: str) -> Any:
        """Return the workflow for a step's parameter; runs that it starts are parts of the step's run."""
        return self.workflow._wfc.part_for(self, step_run, name)

    @property
    def event_waits(self) -> EventWaits:
        """The step bodies that wait for an event."""
        if self._event_waits is None:
            self._event_waits = EventWaits(self.loop, self.execution, self.take)
        return self._event_waits

    def add_child(self, known_as: int | str, child: Run, number: int) -> None:
        """Add a run that the step run of this number has started."""
        if self.children is NO_CHILDREN:
            self.children = Children(self)
        self.children.add(known_as, child, number)

    # --- what those outside ask for

    @property
    def watchers(self) -> Watchers:
        """The run's watchers, created on first use: most runs have none."""
        if self._watchers is None:
            self._watchers = Watchers(self)
        return self._watchers

    def show_end(self) -> None:
        """Show the last event to all watchers, if there are any, and close the streams."""
        if self._watchers is not None or self.trace is not None:
            self.watchers.close()

    def look_inside(self) -> None:
        """Record internal events, in this run and in all of its parts."""
        self.execution.observed = True
        self.bare = False
        for part in self.children.parts():
            part.look_inside()

    def breaking(self) -> Breakpoints:
        """Return the run's breakpoints, created on first use, which also report when the run halts.

        Those of an agent at work are those of the run at the top.
        """
        here = self._breaking_here()
        return here.top if isinstance(here, PartBreakpoints) else here

    def _breaking_here(self) -> Breakpoints | PartBreakpoints[Breakpoints]:
        if self.breakpoints is None:
            if self.execution.plan.places is not None and paused_above(self) is not None:
                assert self.above is not None
                self.breakpoints = PartBreakpoints(self, self.above.breaking())
            else:
                self.breakpoints = Breakpoints(self)
            for part in self.children.parts():  # the agents at work halt with it
                if part.execution.plan.places is not None:
                    part.breaking()
        return self.breakpoints

    @property
    def is_to_be_restored(self) -> bool:
        """Whether it is a stored run that had begun, and has not been restored here yet."""
        return self._stored is not None and self._stored.begun

    def check_place(self, place: str) -> None:
        """Check a place to halt at.

        Raises:
            WorkflowStepDoesNotExistError: There is none.
        """
        check_place(type(self.workflow), place)

    @property
    def is_held_back(self) -> bool:
        """Whether the run has halted at a breakpoint, and all that is at work only waits for it to go on."""
        return self.breakpoints is not None and self.breakpoints.holds_all

    def asker_of(self, question: str) -> Run | None:
        """Return the run that asked a question: this one, or one below it; ``None`` if that run is over."""
        if self.children.has_asked_before(question):
            return None
        for part in self.children.parts():
            if question.startswith(f"{part.run_id}/"):
                return part.asker_of(question)
        return self

    def answer(self, question: str, value: object, by: str, state: Mapping[str, Any] | None = None) -> None:
        """Accept an answer to a question, unless the question is closed or this person has answered it.

        Args:
            state: What is changed in the state in the same moment: values as JSON data, by path.

        Raises:
            InvalidValueError: Such a value does not fit the state, or there is no such place in it.
            UnknownQuestionError: The run never asked this question.
            InvalidAnswerError: The answer does not fit.
            RunParkedError: The run rests in its store by now, or is just being put there.
        """
        self.check_here()
        tick = read_answer(self, question, value, by, state)
        if tick is not None:
            self.take(tick)

    def snapshot(
        self, serializer: BaseSerializer | None = None, *, include_state: bool = True
    ) -> dict[str, Any]:
        """Return the run as JSON data: all that is needed to resume it; for a run that is over, its state.

        Raises:
            SnapshotError: Something in it cannot be written as JSON.
        """
        return snapshot_of(self, serializer, include_state=include_state)
