"""The driver: carries a run out in an asyncio event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from wfc.runtime.authoring.resource import Resources
from wfc.runtime.core.advance import advance
from wfc.runtime.core.advance.cancelling import affected
from wfc.runtime.core.effects import StartTimer
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Cancelled, Started, StepsCancelled, Tick
from wfc.runtime.driver.about import part_for, run_info
from wfc.runtime.driver.context import StepContext
from wfc.runtime.driver.engine.children import ChildRun, Parent, stop_all
from wfc.runtime.driver.run.arrivals import arrival
from wfc.runtime.driver.run.effects import do
from wfc.runtime.driver.run.ending import Ending
from wfc.runtime.driver.run.timers import Timers
from wfc.runtime.driver.run.tracing import trace_of
from wfc.runtime.driver.run.waiting import Waits
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.driver.run.workers import Workers
from wfc.runtime.errors import (
    ExpressionError,
    SettingsError,
    WorkflowCancelledByUser,
    WorkflowStepDoesNotExistError,
    WorkflowTimeoutError,
)
from wfc.runtime.events import Event, StartEvent, StopEvent
from wfc.runtime.plan.inputs import RunInfo
from wfc.runtime.values.state import StateStore

if TYPE_CHECKING:
    from wfc.runtime.driver.engine import Engine
    from wfc.runtime.driver.engine.gates import Passage
    from wfc.runtime.driver.run.breakpoints import Breakpoints
    from wfc.runtime.store.resuming import Resumed
    from wfc.runtime.workflow import Workflow

__all__ = ["Double", "Run"]

Double = Callable[["StepContext"], Coroutine[Any, Any, Any]]
"""Stands in for a step's action: gives its result, or raises."""

_RUNNING: set[Run] = set()  # asyncio itself holds tasks only weakly


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Run:
    """One run, under way in an event loop.

    Args:
        state: To begin with; ``None``: a fresh one.
        doubles: What stands in for the actions of steps, by the steps' names.
        clock: Tells the time of day; by itself the loop's calendar, or the computer's.
        config: The workflow's config; ``None``: what the environment says.
        engine: What it belongs to; ``None``: what its workflow belongs to.
        trace_parent: The span that started the run, as plain data: see ``trace_context``. By itself the one
            that is active here.
        resumed: What it goes on with, if it is no new one.
    """

    __slots__ = (
        "__weakref__",
        "_config",
        "_resources",
        "_store",
        "_waits",
        "above",
        "asked_below",
        "breakpoints",
        "children",
        "clock",
        "deadline",
        "doubles",
        "early",
        "ending",
        "engine",
        "execution",
        "future",
        "has_begun",
        "key",
        "loop",
        "parent",
        "parked",
        "passage",
        "resumed",
        "run_id",
        "timers",
        "trace",
        "watchers",
        "workers",
        "workflow",
    )

    def __init__(
        self,
        workflow: Workflow,
        start_event: StartEvent,
        run_id: str,
        *,
        state: Any = None,
        doubles: Mapping[str, Double] | None = None,
        clock: Callable[[], datetime] | None = None,
        config: Any = None,
        engine: Engine | None = None,
        trace_parent: Mapping[str, str] | None = None,
        resumed: Resumed | None = None,
    ) -> None:
        self.workflow = workflow
        self.engine = engine or workflow.engine
        self.key: str | None = None
        self.parent: Parent | None = None  # whoever started it
        self.above: Run | None = None  # the same if this is part of it
        self.children: dict[int | str, ChildRun] = (
            NONE  # by the number of a step run that has paused, or by id
        )
        self.asked_below: dict[str, frozenset[str]] = NONE  # by parts that are over: what asked, by run id
        self.passage: Passage | None = None
        self.breakpoints: Breakpoints | None = None
        self.run_id = run_id
        table = type(workflow).table()
        self.resumed = resumed
        self.parked: Mapping[str, Any] = NONE  # snapshots of runs that may be part of this one, by id
        known = None if resumed is None else resumed.execution
        self.execution: Execution = known or Execution(
            table, run_id, table.new_state() if state is None else state
        )
        self.execution.inputs = start_event
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[StopEvent] = self.loop.create_future()
        self.doubles = doubles
        # a loop whose clock jumps has a calendar that goes with it
        self.clock: Callable[[], datetime] = clock or getattr(self.loop, "today", None) or _utc_now
        self._config = config
        self.has_begun = False
        self.trace = trace_of(workflow, trace_parent)
        self.workers = Workers(self)
        self.workers.bare = not doubles and self.trace is None
        self.watchers = Watchers(self)
        self._store: StateStore[Any] | None = None
        self.deadline: asyncio.TimerHandle | None = None
        self.timers: Timers | None = None
        self._waits: Waits | None = None
        self.early: list[Tick] | None = None
        self._resources: Resources | None = None
        self.ending: Ending | None = None

    # --- from start to end

    def begin(self) -> None:
        """Starts it, at the loop's next turn."""
        _RUNNING.add(self)
        if self.trace is not None:
            self.trace.begin(self)
        self._start_deadline()
        self.workers.spawn(self.workers.work(begin=True))

    def start(self) -> None:
        """Takes in the start event, and what was sent since."""
        execution = self.execution
        self.has_begun = True
        resumed, self.resumed = self.resumed, None
        if resumed is not None and resumed.begun:
            resumed.go_on(self)
            self._take_early()
            return
        assert execution.inputs is not None
        try:
            limits = self._limits() if execution.plan.has_limits else NONE
        except Exception as error:
            failure = ExpressionError(f"a bound on step runs cannot be computed: {error}")
            failure.__cause__ = error
            self.apply(Cancelled(error if isinstance(error, SettingsError) else failure))
            return
        self.apply(Started(execution.inputs, limits))
        for tick in resumed.early if resumed is not None else ():
            self.apply(tick)
        self._take_early()

    def _limits(self) -> dict[int, int]:
        """How often steps may run that compute it, by step index."""
        inputs = self.execution.inputs
        return {
            step.index: step.max_runs(self, StepRun(0, step, inputs, None, ()), None)
            for step in self.execution.plan.steps
            if callable(step.max_runs)
        }

    def _take_early(self) -> None:
        early, self.early = self.early, None
        for tick in early or ():
            self.apply(tick)

    def apply(self, tick: Tick) -> None:
        """Takes a tick in, and does what is then wanted, but for starting step runs."""
        advance(self.execution, tick)
        self.carry_out()

    def take(self, tick: Tick) -> None:
        """Takes in a tick from outside, and has what is then ready started."""
        self.apply(tick)
        if self.execution.starting:
            self.workers.wake()

    def carry_out(self) -> None:
        """Does what the last ticks made the execution want, but for starting step runs."""
        if self.execution.effects:
            self.do_what_is_wanted()
        if self.execution.outcome is not None and self.ending is None:
            self.ending = Ending(self)
            self.ending.begin()

    def do_what_is_wanted(self) -> None:
        """Empties the list of wants, and does what it said."""
        wants, self.execution.effects = self.execution.effects, []
        for want in wants:
            do(self, want)

    def restore_timers(self, left: Mapping[int, float]) -> None:
        """Starts timers with the seconds that are left of each."""
        for timer, seconds in left.items():
            do(self, StartTimer(timer, seconds))

    def begin_anew(self, event: StartEvent) -> None:
        """Starts it once more, as itself, with another event."""
        self.execution.inputs = event
        if self.children:
            stop_all(self)
        if self.trace is not None:
            self.trace.let_go()
        if self.deadline is not None:
            self.deadline.cancel()
        self._start_deadline()
        self.start()

    def _start_deadline(self) -> None:
        timeout = self.workflow.timeout
        if timeout is not None:
            left = self.resumed.deadline if self.resumed is not None else None
            self.deadline = self.loop.call_later(timeout if left is None else left, self.out_of_time, timeout)

    def out_of_time(self, timeout: float) -> None:
        """Ends it: it has taken so many seconds."""
        names = ", ".join(f"`{name}`" for name in self.active_steps()) or "none"
        self.take(
            Cancelled(WorkflowTimeoutError(f"the run took longer than {timeout:g} s; at work: {names}"))
        )

    def cancel(self, reason: str = "the run was cancelled") -> None:
        """Ends the run at once. What its steps have already done stays done."""
        self.take(Cancelled(WorkflowCancelledByUser(reason)))

    def cancel_step(self, which: str | int) -> int:
        """Cancels a step's runs, or one by its number, with what follows from them; how many that were.

        Raises:
            WorkflowStepDoesNotExistError: There is no step of that name.
        """
        step = number = None
        if isinstance(which, str):
            step = self.execution.plan.by_name.get(which)
            if step is None:
                raise WorkflowStepDoesNotExistError(f"there is no step `{which}`")
        else:
            number = which
        count = len(affected(self.execution, step, number))
        if count:
            self.take(StepsCancelled(step, number))
        return count

    def active_steps(self) -> list[str]:
        """The names of the steps that are running, paused, or wait to be tried again."""
        execution = self.execution
        waiting = [one.step.name for one in execution.timers.values() if isinstance(one, StepRun)]
        paused = [pause.run.step.name for pause in execution.paused.values()]
        at_work = [run.step.name for run in execution.in_flight.values()]
        return list(dict.fromkeys([*at_work, *waiting, *paused]))

    @property
    def is_done(self) -> bool:
        """Whether it is over."""
        return self.future.done()

    # --- what contexts and handlers ask for

    def context_of(self, step_run: StepRun) -> StepContext:
        """Return the context for a step run."""
        return StepContext(self, step_run)

    def info_of(self, step_run: StepRun) -> RunInfo:
        """Return what ``run`` means in a step."""
        return run_info(self, step_run)

    def part_for(self, step_run: StepRun, name: str) -> Workflow | None:
        """Return the workflow for a step's parameter."""
        return part_for(self, step_run, name)

    def takes(self, event: Event, is_from_outside: bool = True) -> bool:
        """Whether a step accepts an event, or somebody waits for it, or may wait."""
        execution = self.execution
        return (
            bool(execution.plan.acceptors(type(event)))
            or (is_from_outside and type(event) in execution.plan.received)
            or any(waiter.takes(event) for waiter in execution.event_waits.values())
        )

    def send(
        self,
        event: Event,
        step: str | None = None,
        sender: StepRun | None = None,
        message_id: str | None = None,
    ) -> None:
        """Takes in an event from a step run, or from outside.

        Raises:
            UndeclaredResultError: No step accepts it, or the named one does not.
            WorkflowStepDoesNotExistError: There is no step of that name.
            RunEndedError: The run has ended.
        """
        tick = arrival(self, event, step, sender, message_id)
        if tick is None:
            return
        if self.has_begun:
            self.take(tick)
        else:
            self.early = [*(self.early or ()), tick]

    def is_over(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Lets go of a run that is over; ``tasks`` are those that clean up after it."""
        _RUNNING.discard(self)
        self.engine.ended(self)
        if self.passage is not None:
            self.passage.over(tasks)

    @property
    def trace_context(self) -> dict[str, str]:
        """The run's span as plain data: ``trace_parent`` for what belongs below it, here or after a restart.

        Empty where nobody is told of spans.
        """
        return self.trace.root.carry() if self.trace is not None and self.trace.root is not None else {}

    @property
    def waits(self) -> Waits:
        """The bodies of steps that wait for an event."""
        if self._waits is None:
            self._waits = Waits(self)
        return self._waits

    @property
    def resources(self) -> Resources:
        """What its steps ask for besides events."""
        if self._resources is None:
            self._resources = Resources(self.workflow.resource_manager)
        return self._resources

    @property
    def needs_closing(self) -> bool:
        """Whether its steps have used what is to be closed with it."""
        return self._resources is not None and self._resources.pool.has_closers

    @property
    def store(self) -> StateStore[Any]:
        """The run's state."""
        if self._store is None:
            self._store = StateStore(self.execution)
        return self._store

    @property
    def config(self) -> Any:
        """The workflow's config, read when first asked for.

        Raises:
            SettingsError: A value is missing or does not fit.
        """
        if self._config is None:
            self._config = self.workflow.read_config()
        return self._config
