"""The data of a run besides its execution: clock, deadline, state, resources and config."""

from __future__ import annotations

import asyncio
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from wfc.runtime.authoring.resource import Resources
from wfc.runtime.core.execution import NONE, OF_RUN, Execution
from wfc.runtime.core.halt_ticks import Continued, Halted, Place
from wfc.runtime.core.moments import SECOND, as_moment
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Arrived, Cancelled, Tick
from wfc.runtime.driver.gates import Admission
from wfc.runtime.driver.run.bounds import BoundsAtStart
from wfc.runtime.driver.run.children import Parent, RelatedRun
from wfc.runtime.driver.run.doubles import Double
from wfc.runtime.driver.run.future import RunFuture
from wfc.runtime.driver.run.needs import RunEngine, RunWorkflow
from wfc.runtime.driver.run.timers import Timers
from wfc.runtime.errors import WorkflowError, WorkflowTimeoutError
from wfc.runtime.events import StartEvent, StopEvent
from wfc.runtime.plan.run_rules import Limits
from wfc.runtime.store.kept import KeptSnapshot
from wfc.runtime.store.port import Port
from wfc.runtime.store.snapshots import StoredRun
from wfc.runtime.tracing.runs import trace_of
from wfc.runtime.values.spans import span
from wfc.runtime.values.state import StateStore

__all__ = ["StatefulRun"]

R = TypeVar("R", bound=RelatedRun)

_SETTLING = threading.RLock()
"""Held while the future of a run's end is made, or a run comes to its end: several threads may ask for it."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class StatefulRun(Generic[R]):
    """The part of a run with its clock, deadline, state, resources and config; ``R`` is ``Run``.

    What most runs never have stands in the class, as in ``Execution``.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_future",
        "bounds",
        "doubles",
        "engine",
        "execution",
        "has_begun",
        "is_done",
        "is_ending",
        "loop",
        "now",
        "passage",
        "port",
        "run_id",
        "trace",
        "workflow",
    )

    key: str | None = None
    parent: Parent | None = None  # whoever started it
    above: R | None = None  # the same if this is part of it
    parked: Mapping[str, Any] = NONE  # snapshots of runs that may be part of this one, by id
    is_elsewhere = False  # it stands for a run that another process has, of which it only hears the end
    clock: Callable[[], datetime] = staticmethod(_utc_now)
    bounds_ahead: BoundsAtStart | WorkflowError | None = None  # those of the next start
    has_bounds = False  # as it has begun elsewhere, or before
    early: list[Arrived] | None = None  # what was sent before it began
    double_parts: Callable[[Any], None] | None = None  # puts doubles into runs that are its actions
    timers: Timers | None = None
    kept: KeptSnapshot | None = None  # of one that was cancelled, as it was before
    _stored: StoredRun | None = None
    _config: Any = None
    _deadline: asyncio.TimerHandle | None = None
    _store: StateStore[Any] | None = None
    _resources: Resources | None = None

    def __init__(
        self,
        workflow: RunWorkflow[R],
        start_event: StartEvent,
        run_id: str,
        # not by keyword alone, as they are meant: Python would look for each default by its name
        engine: RunEngine[R] | None = None,
        state: Any = None,
        doubles: Mapping[str, Double] | None = None,
        clock: Callable[[], datetime] | None = None,
        config: Any = None,
        trace_parent: Mapping[str, str] | None = None,
        stored: StoredRun | None = None,
    ) -> None:
        self.workflow = workflow
        self.engine = engine or workflow._wfc.engine
        self.run_id = run_id
        self.passage: Admission | None = None
        self.port: Port | None = None  # to its journal; none in memory
        plan = workflow._wfc.plan
        known = None
        if stored is not None:
            self._stored = stored
            self.has_bounds = stored.begun
            known = stored.execution
        if known is None and state is None and plan.declares_state:
            state = plan.new_state()  # at once: if a field has no default, it is told here
        execution = self.execution = known or Execution(plan, run_id, state)
        execution.inputs = start_event
        self.loop = asyncio.get_running_loop()
        self.is_ending = self.is_done = False
        self._future: RunFuture | None = None
        self.doubles = doubles
        # as the run counts moments; it does not know the run, which is freed without the garbage collector
        self.now: Callable[[], int] = time.time_ns
        # a loop whose clock jumps has a calendar that goes with it
        today: Callable[[], datetime] | None = clock or getattr(self.loop, "today", None)
        if today is not None and today is not _utc_now:
            self.clock, self.now = today, lambda: as_moment(today())
        if known is None:
            execution.at = self.now()
        if config is not None:
            self._config = config
        self.bounds: Mapping[tuple[str, int], float] = execution.bounds  # worked out at the start
        self.has_begun = False
        self.trace = trace_of(workflow, trace_parent)
        self._set_up()

    @abstractmethod
    def _set_up(self) -> None:
        """Set what the other parts of a run hold before it begins, none of which is an argument."""

    @property
    def waits_for_its_turn(self) -> bool:
        """Whether it may not begin yet, as other runs of its key or its workflow are at work."""
        return self.passage is not None and not self.passage.may_begin

    @abstractmethod
    def apply(self, tick: Tick) -> None:
        """Apply a tick and carry out its effects, except starting step runs."""

    @abstractmethod
    def take(self, tick: Tick) -> None:
        """Apply a tick from outside, and start the step runs that are then ready."""

    @property
    @abstractmethod
    def is_parking(self) -> bool:
        """Whether the run is just being put to rest, so that it takes nothing here any more."""

    @property
    def future(self) -> RunFuture:
        """The future of the run's end, made when it is first asked for: many runs are over before anybody waits."""
        if self._future is None:
            with _SETTLING:
                if self._future is None:
                    made = RunFuture(loop=self.loop)
                    if self.is_done:
                        made.settle(self.execution.outcome)
                    self._future = (
                        made  # only now: whoever sees it before the end is told by the run's own thread
                    )
        return self._future

    def settle(self) -> None:
        """Be over, by the outcome of the execution: let those know who wait for it."""
        outcome = self.execution.outcome
        with _SETTLING:
            self.is_done = True
            known = self._future
        if known is not None:
            known.settle(outcome)
        elif not isinstance(outcome, StopEvent):
            _ = self.future  # by which a failure is reported that nobody asks for

    @property
    def limits(self) -> Limits | None:
        """The bounds on models: those worked out at the start, or else those of the class."""
        declared = self.execution.plan.limits
        if not self.bounds:
            return declared
        usual = declared or Limits()
        tokens = self.bounds.get(("tokens", OF_RUN), usual.tokens)
        return replace(
            usual,
            tokens=None if tokens is None else int(tokens),
            cost_usd=self.bounds.get(("cost_usd", OF_RUN), usual.cost_usd),
        )

    @property
    def timeout(self) -> float | None:
        """The number of seconds that the run may take."""
        return self.bounds.get(("deadline", OF_RUN), self.workflow._wfc.timeout)

    def active_steps(self) -> list[str]:
        """Return the names of the steps that are running, paused, or wait to be tried again."""
        execution = self.execution
        waiting = [one.step.name for one in execution.timers.values() if isinstance(one, StepRun)]
        paused = [pause.run.step.name for pause in execution.paused.values()]
        at_work = [run.step.name for run in execution.in_flight.values()]
        return list(dict.fromkeys([*at_work, *waiting, *paused]))

    # --- its deadline

    def watch_deadline(self) -> None:
        """Wait for the deadline that the execution has, counted from its last tick, unless the run is over."""
        self.stop_deadline()
        execution = self.execution
        if execution.deadline is not None and execution.outcome is None:
            left = max(0, execution.deadline - execution.at) / SECOND
            self._deadline = self.loop.call_later(left, self._run_out_of_time)

    def stop_deadline(self) -> None:
        """Stop to wait for the run's deadline."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _run_out_of_time(self) -> None:
        names = ", ".join(f"`{name}`" for name in self.active_steps()) or "none"
        said = f"the run took longer than {span(self.timeout)}; at work: {names}"
        if not self.is_parking:  # else it is due again when the run rests
            self.take(Cancelled(WorkflowTimeoutError(said)))

    def note_halt(self, at: Place, number: int, place: str, held: tuple[int, ...]) -> None:
        """Let the run's deadline stand still, while the run is halted; record where it is, if its ticks are kept."""
        if self.port is not None:
            self.apply(Halted(at, number, place, held))
        elif self.execution.deadline is not None:
            self.apply(Halted())
        self.stop_deadline()

    def end_halt(self) -> None:
        """Let the run's deadline go on after a halt."""
        execution = self.execution
        if execution.deadline_left is not None or (execution.stops is not None and execution.stops.at):
            self.apply(Continued())
            self.watch_deadline()

    # --- what its steps use

    @property
    def resources(self) -> Resources:
        """The resources that the steps use."""
        if self._resources is None:
            self._resources = Resources(self.workflow._wfc.resource_manager)
        return self._resources

    @property
    def needs_closing(self) -> bool:
        """Return whether steps have used resources that must be closed with the run."""
        return self._resources is not None and self._resources.pool.has_closers

    async def close_resources(self) -> None:
        """Close the resources that the steps have used."""
        await self.resources.pool.close()

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
            self._config = self.workflow._wfc.read_config()
        return self._config

    @property
    def trace_context(self) -> dict[str, str]:
        """The run's span as plain data: the ``trace_parent`` of runs below it, here or after a restart.

        It is empty if there is no tracing.
        """
        return self.trace.root.carry() if self.trace is not None and self.trace.root is not None else {}
