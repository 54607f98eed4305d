"""The state of a run as data: what is in flight, what waits, and what is to start.

Nothing here performs I/O. ``advance`` applies a tick to an execution; a driver carries out its effects.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, MutableSequence, Sequence
from typing import Any, Final

from wfc.runtime.core.effects import Effect
from wfc.runtime.core.event_waits import EventWait
from wfc.runtime.core.halt_ticks import Stops
from wfc.runtime.core.step_runs import NONE, Frame, Pause, Slots, StepRun
from wfc.runtime.events import Event, StartEvent, StopEvent
from wfc.runtime.plan import Plan
from wfc.runtime.plan.run_rules import RunExit
from wfc.runtime.plan.step import Step

__all__ = ["NONE", "OF_RUN", "Execution", "Timed"]

OF_RUN: Final = -1
"""The place of a step's index, for bounds on the whole run."""

_NO_EFFECTS: Any = ()
"""In place of a list, as in most runs most of the time."""

_NOBODY: set[int] = set()
_NO_FRAMES: list[Frame] = []

Timed = StepRun | Pause | tuple[Frame, Step]
"""An object that waits for a timer: a step run for its next attempt, a pause, or a join in a frame."""


class Execution:
    """The data of one run.

    ``starting`` holds step runs that are to start now, in order, and ``effects`` all else that the last ticks
    request; the driver empties both. ``outcome`` is ``None`` until the run is over, then its end
    event or its error.

    What most runs never have stands in the class. A run has its own only once it is set: thousands may be under way
    at once, and of each the garbage collector looks at all that it has.
    """

    __slots__ = (
        "__dict__",
        "_state",
        "at",
        "busy",
        "due",
        "effects",
        "event_waits",
        "in_flight",
        "inputs",
        "number",
        "observed",
        "outcome",
        "plan",
        "queues",
        "run_id",
        "starting",
        "workers",
    )

    in_brief: bool = False  # whether observers want to know what step runs have come to, and nothing else
    stops: Stops | None = None  # where the run halts, if its ticks are kept
    deadline: int | None = None  # the moment at which its time is up
    deadline_left: int | None = None  # the same in nanoseconds, while it stands still
    to_begin: StartEvent | None = None  # what a run that restarts is to begin with

    # what comes from outside, also when the run begins anew
    inbox: dict[int, Event] = NONE  # events that nobody has taken yet, by number, oldest first
    unclaimed: dict[type[Event], str] = NONE  # classes in it that no body has waited for: who sent them
    received: dict[str, None] = NONE  # ids of events
    asked_for: set[int] = _NOBODY  # the numbers of all step runs that have asked a question
    asked_waits: dict[str, None] = NONE  # ids of bodies' waits whose question has been published

    # since it began: see `begin`
    failing: Exception | None = None  # what has ended it, while an exit of the run is taken
    left_by: tuple[RunExit, ...] = ()  # the exits of the run that have led on, in order
    limits: Mapping[int, int] = NONE
    bounds: Mapping[tuple[str, int], float] = NONE  # worked out at the start: by name and step's index
    steps: int = 0  # step runs, if they are bounded
    tokens: int = 0  # of models, in and out
    cost_usd: float = 0.0  # of models, where their prices are known

    # under way: see `begin_way`
    way: type[Event] | None = None  # the event of an exit by which it goes on; ``None``: from its start
    reached: frozenset[Step] | None = None  # the steps on that way; ``None``: any
    timers: dict[int, Timed] = NONE  # what they are for, by number
    due_at: dict[int, int] = NONE  # the moments at which timers fire, by number
    paused: dict[int, Pause] = NONE  # by the step run's number
    expecting: dict[int, Pause] = NONE  # the pauses that an event from outside may end, by number
    runs: dict[int, int] = NONE  # step runs outside of items, of steps with a limit
    buffers: dict[Any, Any] = NONE  # what hand-written joins and `collect_events` have gathered
    root: Frame | None = None
    fell_short: tuple[Frame, Step, Slots] | None = None  # the last join of some that got too few
    asked: bool = False  # somebody outside was asked for an answer

    _state: Any

    def __init__(self, plan: Plan, run_id: str, state: Any) -> None:
        self.plan = plan
        self.run_id = run_id
        self.outcome: StopEvent | Exception | None = None
        self.observed = False
        self.number = 0  # of the last step run or timer
        self.at = 0  # the moment of the last tick
        self.in_flight: dict[int, StepRun] = {}  # by number
        # of a few the first is taken from a list as fast, and a queue is an eighth of the memory of a run
        self.starting: MutableSequence[StepRun] = deque() if plan.starts_many else []
        self.effects: list[Effect] = _NO_EFFECTS
        self._state = state  # ``None``: the plan's new one, which nobody has asked for yet
        self.inputs: StartEvent | None = None
        self.workers = plan.workers  # how many there are, by step index
        self.busy = [0] * plan.size  # workers at work, by step index
        self.queues: dict[int, deque[StepRun]] = NONE  # step runs that wait for a worker, by step index
        self.event_waits: dict[int, EventWait] = NONE  # bodies that wait for an event, by number
        self.due: list[Frame] = _NO_FRAMES  # batches of which an item may begin, once for each

    @property
    def state(self) -> Any:
        """The state that the steps share; one that nobody has given is made when it is first asked for."""
        if self._state is None:
            self._state = self.plan.new_state()
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state = state

    def begin(self, state: Any) -> None:
        """Reset to the beginning of a run, with nothing under way."""
        self._state = state
        self.inputs = None
        self.failing = None
        self.left_by = ()
        self.limits = self.bounds = NONE
        self.workers = self.plan.workers
        self.begin_counts()
        self.begin_way(None)

    def begin_counts(self) -> None:
        """Let the run's limits begin anew."""
        self.steps = self.tokens = 0
        self.cost_usd = 0.0

    def begin_way(self, way: type[Event] | None) -> None:
        """Reset all that is under way.

        Args:
            way: The event that an exit of the run emits, by which it goes on; ``None``: it begins at its start.
        """
        self.way = way
        self.reached = None if way is None else self.plan.reached_from(way)
        self.busy = [0] * self.plan.size
        self.queues = self.timers = self.due_at = self.paused = self.expecting = NONE
        self.runs = self.buffers = self.event_waits = NONE
        self.due = _NO_FRAMES
        self.root = self.fell_short = None
        self.asked = False

    def set_bounds(self, bounds: Mapping[tuple[str, int], float]) -> None:
        """Set the bounds that were worked out at the start of the run; they take the place of declared ones."""
        self.bounds = bounds
        workers = [(index, int(most)) for (name, index), most in bounds.items() if name == "num_workers"]
        if workers:
            self.workers = list(self.plan.workers)
            for index, most in workers:
                self.workers[index] = most

    @property
    def listens(self) -> bool:
        """Whether a step on the run's way takes events from outside."""
        reached = self.reached
        return bool(self.plan.listens) if reached is None else self.plan.listens_on(reached)

    @property
    def most_steps(self) -> int | None:
        """The number of steps that the run may take; ``None``: any number."""
        most = self.bounds.get(("steps", OF_RUN), self.plan.most_steps)
        return None if most is None else int(most)

    def timeout_of(self, step: Step) -> float | None:
        """The seconds that an attempt of a step may take; ``None``: any number."""
        return self.bounds.get(("timeout", step.index), step.timeout) if self.bounds else step.timeout

    def within_of(self, step: Step) -> float | None:
        """The seconds that a step's join waits at most: infinite if only ``until_of`` bounds it; ``None``: no bound."""
        if not self.bounds:
            return step.within
        within = self.bounds.get(("within", step.index), step.within)
        return math.inf if within is None and ("until", step.index) in self.bounds else within

    def until_of(self, step: Step) -> int | None:
        """The moment at which a step's join stops to wait; ``None``: there is none."""
        until = self.bounds.get(("until", step.index)) if self.bounds else None
        return None if until is None else int(until)

    def count_of(self, step: Step) -> int | None:
        """The number of a batch's events after which a join does not wait for more; ``None``: all."""
        if not self.bounds:
            return step.count
        count = self.bounds.get(("count", step.index), step.count)
        return None if count is None else int(count)

    def want(self, *effects: Effect) -> None:
        """Request effects from the driver."""
        if self.effects:
            self.effects.extend(effects)
        else:
            self.effects = list(effects)

    def take_effects(self) -> Sequence[Effect]:
        """Return the effects that the last ticks have requested, which are then settled."""
        effects, self.effects = self.effects, _NO_EFFECTS
        return effects

    def receive(self, message_id: str) -> None:
        """Record that an event from outside has arrived."""
        if self.received is NONE:
            self.received = {}
        self.received[message_id] = None
