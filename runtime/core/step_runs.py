"""Step runs, pauses, and the frames that keep events together, as data."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum
from typing import Any

from wfc.runtime.events import Event, event_name
from wfc.runtime.plan.pauses import SKIP, PauseValue
from wfc.runtime.plan.step import Step

__all__ = [
    "NONE",
    "AwaitedEvent",
    "Exit",
    "Frame",
    "FrameKind",
    "ItemRuns",
    "Path",
    "Pause",
    "Slots",
    "StepRun",
    "WaitKey",
]

NONE: dict[Any, Any] = {}
"""A shared empty dictionary in place of those that most runs and frames never need.

Never written to: code that has something to store creates a new dictionary first.
"""

Path = tuple[int, ...]
"""A step run's place among the items and branches of a batch; empty outside of batches."""


class Exit(IntEnum):
    """The way that a step run takes: through its action, or straight to another exit."""

    ACTION = 0
    LIMIT = 1
    TIMEOUT = 2  # of its join
    RESULT = 3  # what it paused for is available
    EXPIRED = 4  # the pause took too long
    BROKEN = 5  # what it paused for has failed
    DROPPED = 6  # none any more: it was cancelled
    MATCH = 7  # the value that matches its event to others is computed
    REMINDED = 8  # none: who watches is told that it still pauses


class FrameKind(IntEnum):
    """The origin of a frame: a fork's completion, an `each`, one item of an `each`, or a caught error."""

    FORK = 0
    BATCH = 1
    ITEM = 2
    RECOVERY = 3


_NOTHING: deque[tuple[int, Event]] = deque(maxlen=0)
"""A shared empty queue, in place of those that most frames never need."""

_OF_A_BATCH = (FrameKind.BATCH, FrameKind.ITEM)


class Slots:
    """The events that have arrived at one join in one frame."""

    __slots__ = ("arrived", "fired", "timer")

    def __init__(self) -> None:
        self.arrived: dict[int, Event] = {}  # by the position of the event's parameter
        self.fired = False
        self.timer: int | None = None


class Frame:
    """One link of the stack of frames that events carry; events that share a frame belong together.

    Args:
        parent: The rest of the stack.
        kind: What opened it.
        fork: The step that opened it; ``None``: the start of the run. For a recovery it is the handler.
        path: The place in the enclosing batch where it was opened.
        number: The number of the step run that opened it.
        collectors: The steps that collect it, if it is a batch.

    ``members`` holds the step runs in it and above it, by number, and the frames above it whose joins have a
    time-out, by number of the timer. It is kept only where a join may cancel them.

    ``pending`` are the items of a batch that begin one after the other, each with its position; while there are any,
    they count as alive.

    ``live`` counts step runs in this frame and frames opened in it that are alive themselves; ``holds`` is
    the number of those that are time-outs of joins. A batch at 0 is complete; a fork's frame in
    which nothing but time-outs is left cannot fill its joins any more.
    """

    __slots__ = (
        "collected",
        "collectors",
        "fork",
        "holds",
        "in_batch",
        "joins",
        "kind",
        "live",
        "members",
        "number",
        "parent",
        "path",
        "pending",
        "replaced",
        "runs",
    )

    def __init__(
        self,
        parent: Frame | None,
        kind: FrameKind,
        fork: Step | None,
        path: Path = (),
        number: int = 0,
        collectors: tuple[Step, ...] = (),
    ) -> None:
        self.parent = parent
        self.kind = kind
        self.fork = fork
        self.path = path
        self.number = number
        self.collectors = collectors
        self.in_batch: bool = (parent is not None and parent.in_batch) or kind in _OF_A_BATCH
        self.live = 0
        self.holds = 0
        self.replaced = False
        self.joins: dict[int | tuple[int, str], Slots] = (
            NONE  # by step index, and by the value that events share
        )
        self.members: dict[int, StepRun | Frame] | None = None
        self.runs: dict[int, int] = NONE  # step runs of an item, by step index
        self.collected: dict[int, list[tuple[Path, Event]]] = NONE  # of a batch, by step index
        self.pending: deque[tuple[int, Event]] = _NOTHING  # of a batch: items that have not begun

    def slots_for(self, key: int | tuple[int, str]) -> Slots:
        """Return what has arrived at a join, which may be nothing yet."""
        slots = self.joins.get(key)
        if slots is None:
            if self.joins is NONE:
                self.joins = {}
            slots = self.joins[key] = Slots()
        return slots

    def collected_by(self, index: int) -> list[tuple[Path, Event]]:
        """Return what a step has collected of the batch, which may be nothing yet."""
        if self.collected is NONE:
            self.collected = {}
        return self.collected.setdefault(index, [])

    def drop_pending(self) -> bool:
        """Let the items of a batch that have not begun never begin; return whether there were any."""
        had, self.pending = bool(self.pending), _NOTHING
        return had

    def keep(self, number: int, member: StepRun | Frame) -> None:
        """Add a step run, or a frame with a time-out, to the members of each frame that keeps members."""
        frame: Frame | None = self
        while frame is not None:
            if frame.members is not None:
                frame.members[number] = member
            frame = frame.parent

    def forget(self, number: int) -> None:
        """Remove a member from each frame that keeps members."""
        frame: Frame | None = self
        while frame is not None:
            if frame.members is not None:
                frame.members.pop(number, None)
            frame = frame.parent

    def enter(self) -> None:
        """Count one more step run, or one more frame that came alive."""
        frame: Frame | None = self
        while frame is not None:
            frame.live += 1
            if frame.live > 1:
                return
            frame = frame.parent


WaitKey = tuple[type[Event], str | None, Mapping[str, Any]]
"""An event's class, a name for the wait, and the values that the event's fields must have."""


class AwaitedEvent:
    """An event that a body has waited for, and the last attempt that received it; ``None``: it did not come in time."""

    __slots__ = ("attempt", "event", "key")

    def __init__(self, key: WaitKey, event: Event | None, attempt: int) -> None:
        self.key = key
        self.event = event
        self.attempt = attempt


class StepRun:
    """One run of a step: on an event, on a join's events by parameter position, or on a list of them.

    What most have never, or never but once, stands in the class, as in ``Execution``.
    """

    __slots__ = (
        "__dict__",
        "began",
        "event",
        "exit",
        "frame",
        "number",
        "path",
        "started",
        "step",
        "task",
    )

    attempt = 1
    choice = 0  # which of a model and its fallbacks
    since = 0  # the last attempt before the present choice
    round = 1  # how often the step has run by now, if that is counted
    sends = 0  # events sent so far, which orders them in a batch
    keeps_place = False  # among those at work, until its next attempt

    parent: Pause  # of an item's run: the pause that waits for it
    position: int  # of the item among all
    result: Any  # what it paused for, or the error that came instead
    timer: int  # of the next attempt

    # set where it gets a worker for the first time:
    began: int  # the moment from which its retries count
    started: int  # the same, not changed by other models, nor by a rest in a snapshot
    snapshot: Any  # of the state, for steps that see it

    # what its body has done, for when it is cut off and runs again; all but the first two where ticks are kept
    started_runs: int  # of other workflows
    runs_before: int  # how many of them attempts have started that have failed
    edits: int  # how many changes of the state
    sent: list[str]  # digests of events
    given: list[Event] | None  # what has been collected, for who has asked

    # The driver sets these, and only for steps that need them:
    touched: Any  # what the present attempt of a body has done so far
    draft: Any  # of the state, for the tail that is being evaluated
    response: Any
    resources: dict[str, Any]  # what its parameters ask for
    raised: Exception  # by the last attempt
    error: Exception  # the same as a ``StepError``
    failed_at: int  # the moment of it
    key: str  # by which a service knows a repeated request
    messages: tuple[int, int]  # the attempt that sends, and how many it has sent
    replies: tuple[int, int]  # the attempt in which models reply, and how many replies it has got
    fresh: list[tuple[Any, str]]  # results of calls to be kept, and where
    collects: list[Any]  # what to take back if the attempt fails
    gone: list[Any]  # what it has collected and others have taken: not to be collected again
    answers: list[AwaitedEvent]  # what its body has waited for, and got
    choices: int  # how many models its body can choose of
    called: bool  # whether the attempt has got past its inputs

    def __init__(
        self,
        number: int,
        step: Step,
        event: Any,
        frame: Frame | None,
        path: Path,
        exit: Exit = Exit.ACTION,
    ) -> None:
        self.number = number
        self.step = step
        self.event = event
        self.frame = frame
        self.path = path
        self.exit = exit
        self.task: Any = None  # the driver's, while an attempt runs

    @property
    def item(self) -> int | None:
        """Which item of a ``map`` this is a run for, counted from 1; ``None``: it is none."""
        return None if self.step.of is None else self.position + 1

    @property
    def event_name(self) -> str:
        """The class name of the event that it runs on, or the names of several."""
        event = self.event
        if isinstance(event, Event):
            return event_name(event)
        events = event if isinstance(event, list) else list(event.values())
        names = list(dict.fromkeys(event_name(one) for one in events))
        return " and ".join(names) if names else "nothing"


class Pause:
    """A step run that waits, while none of its code runs.

    Args:
        run: The step run.
        value: What it waits for.
        began: When the wait began, in UTC.
        at_work: Whether it keeps its worker meanwhile.

    ``timers`` maps the number of each timer to the way the wait ends when it runs out. ``answers`` holds who
    answered a question, and what, in order. ``seen`` is the number of the last kept event that was checked
    for it. ``joined`` is the id of the run whose end it waits for, if another one had been there already.
    """

    __slots__ = (
        "answers",
        "at_work",
        "began",
        "expires",
        "items",
        "joined",
        "run",
        "seen",
        "timers",
        "value",
    )

    def __init__(self, run: StepRun, value: PauseValue, began: datetime, at_work: bool) -> None:
        self.run = run
        self.value = value
        self.began = began
        self.at_work = at_work
        self.expires: datetime | None = None
        self.timers: dict[int, Exit] = {}
        self.answers: list[tuple[str, Any]] = []
        self.seen = 0
        self.items: ItemRuns | None = None
        self.joined = ""


class ItemRuns:
    """The results of a pause's items so far; ``live`` holds the runs of the unfinished ones, by number."""

    __slots__ = ("given", "live")

    def __init__(self, count: int) -> None:
        self.given: list[Any] = [SKIP] * count
        self.live: dict[int, StepRun] = {}
