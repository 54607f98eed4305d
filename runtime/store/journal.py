"""The interface of a store of runs: entries appended in order, claims, an inbox, and what is read back.

A run's journal is the list of its ticks, gapless from 1, each as JSON text. A store keeps them beside the runs
themselves, their open tasks, what was posted to them, and snapshots from which a fold may begin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from wfc.runtime.store.blobs import Body

__all__ = [
    "NUMBER",
    "AuditEntry",
    "Claim",
    "Created",
    "EndAwaited",
    "Ended",
    "Entry",
    "Fate",
    "InboxTaken",
    "Kept",
    "KeyTaken",
    "Lease",
    "Lost",
    "Parked",
    "PlacesWanted",
    "PlanChanged",
    "Posted",
    "Row",
    "RunStatus",
    "Snapshot",
    "TaskAnswered",
    "TaskClosed",
    "TaskDelegated",
    "TaskOpened",
    "TaskReminded",
    "TasksReset",
    "VersionChanged",
    "WantedPlace",
    "WorkflowRenamed",
]

NUMBER: Final = b"%19d"
"""The form of a number in a text whose parts are found by their places: as wide as the largest of a store."""

RunStatus = Literal["queued", "live", "parked", "halted", "done", "failed", "cancelled", "dead"]
"""Where a run is: not begun, under way, resting, over in one of three ways, or given up after too many recoveries."""

Fate = Literal["new", "ended", "unknown", "answered", "closed"]
"""What became of something that was posted to a run; the last two of an answer that came after another one."""


class Lease:
    """The right to append to a run, until somebody else claims it.

    Args:
        run_id: The run's id.
        number: The run's number in the store; 0 until the store has given it one.
        epoch: How often the run has been claimed; only the last one's appends are taken.

    ``stamp`` is the number and the epoch as text, each as wide as a ``NUMBER``.
    """

    __slots__ = ("_epoch", "_number", "lost", "run_id", "stamp")

    def __init__(self, run_id: str, number: int = 0, epoch: int = 1) -> None:
        self.run_id = run_id
        self.lost: Lost | None = None  # set by the store when an append has failed: no later one may succeed
        self._set(number, epoch)

    def _set(self, number: int, epoch: int) -> None:
        self._number, self._epoch, self.stamp = number, epoch, 2 * NUMBER % (number, epoch)

    @property
    def number(self) -> int:
        """The run's number in the store."""
        return self._number

    @number.setter
    def number(self, number: int) -> None:
        self._set(number, self._epoch)

    @property
    def epoch(self) -> int:
        """How often the run has been claimed."""
        return self._epoch

    @epoch.setter
    def epoch(self, epoch: int) -> None:
        self._set(self._number, epoch)


class Lost(Exception):  # noqa: N818 - it is handed over, and becomes an error of the run's
    """The reason for which a run cannot be appended to any more: somebody else has it, or the store failed."""


class KeyTaken(Lost):
    """The reason for which a run is not created: another one has its key, and is not over."""

    def __init__(self, workflow: str, key: str, run_id: str) -> None:
        super().__init__(f"a run of {workflow} with the key {key!r} is not over: {run_id}")
        self.run_id = run_id


class WantedPlace(NamedTuple):
    """A place among the runs of a workflow, of which only so many may be under way at once.

    Args:
        gate: Which of its runs are counted: ``key:…`` or ``runs:…``.
        most: How many there may be.
    """

    workflow: str
    gate: str
    most: int


class PlacesWanted(NamedTuple):
    """The wait of a run for its places; it begins when it has all of them."""

    places: Sequence[WantedPlace]


class TaskOpened(NamedTuple):
    """A question to people. ``body`` is the task as JSON text; ``expires`` is a moment; ``answered_by`` are the names
    of those who have answered so far, with commas between them.
    """

    task_id: str
    step: str
    title: str
    assign: Sequence[str]
    body: str
    opened: int
    expires: int | None
    answered_by: str = ""


class TaskAnswered(NamedTuple):
    """An answer to a question that asks for more of them; ``by`` are those who have answered so far."""

    task_id: str
    by: str


class TaskClosed(NamedTuple):
    """The end of a question, and why; ``by`` are those who answered."""

    task_id: str
    because: str
    at: int
    by: str


class TasksReset(NamedTuple):
    """The questions that are open after a run went back; those that were open besides are closed."""

    open: Sequence[TaskOpened]
    at: int


class VersionChanged(NamedTuple):
    """The move of a run, with the parts of it that are not over, to another version of its code."""

    version: str


class WorkflowRenamed(NamedTuple):
    """The move of a run to another name of its workflow, with the parts of it that are parts of that workflow."""

    workflow: str


class PlanChanged(NamedTuple):
    """The move of a run to another plan.

    Args:
        version: What its code is known by; empty if nobody keeps it.
        shape: The digest of the plan.
        plan: The plan's description.
        start: What the run began with, in the terms of that plan.
        since: The tick by which it has moved; what was before is in the terms of the plan that it had.
    """

    version: str
    shape: str
    plan: str
    start: bytes
    since: int


class EndAwaited(NamedTuple):
    """The wait of a paused step run, with a number, for the end of another run that is no part of its own.

    It is told of that end by way of its inbox, also if the other run is over by now, or is not there.
    """

    number: int
    run_id: str


class TaskDelegated(NamedTuple):
    """The passing on of a question to somebody, so that from now on those in ``assign`` are asked."""

    task_id: str
    assign: Sequence[str]
    to: str
    by: str
    because: str
    at: int


class TaskReminded(NamedTuple):
    """A reminder of a question that is still open."""

    task_id: str
    at: int


class InboxTaken(NamedTuple):
    """The taking of something out of the run's inbox, in the commit of the tick that it has become."""

    item: int


class Snapshot(NamedTuple):
    """A run as it is after a tick, as JSON text; it takes the place of an earlier one."""

    seq: int
    body: Body


class Parked(NamedTuple):
    """The rest of a run of which nothing is under way, until somebody posts to it or until a moment.

    Args:
        is_halted: Whether it has halted at a breakpoint, so that only whoever is told to goes on with it.
    """

    wake_at: int | None
    is_halted: bool = False


class Ended(NamedTuple):
    """The end of a run, and how, as JSON text.

    Args:
        trouble: What people are told of it, of ``schemas.tell.WHAT``; empty: nothing.
        error: What went wrong, in words.
        step: The step that failed, if one did.
        cleans_up: Whether steps are still at work, or resources are to be closed, so that it has its places a while.
    """

    status: RunStatus
    at: int
    outcome: bytes
    trouble: str = ""
    error: str = ""
    step: str = ""
    cleans_up: bool = False


class AuditEntry(NamedTuple):
    """Something that was done, or was refused to somebody who is known.

    Args:
        at: The moment, in nanoseconds since 1970.
        who: As principals are named: ``user:ann``.
        via: By what this one was known: ``token``, ``link``, ``webhook``, ``form``.
        action: The name of the endpoint, such as ``cancel_run``.
        target: The run, task, workflow or file that it was done to.
        result: The status of the reply or the code of the problem; behind a colon the reason that was given.
    """

    at: int
    who: str
    via: str
    action: str
    target: str
    result: str


Row = (
    TaskOpened
    | TaskClosed
    | TaskDelegated
    | TaskAnswered
    | TaskReminded
    | TasksReset
    | VersionChanged
    | WorkflowRenamed
    | PlanChanged
    | EndAwaited
    | PlacesWanted
    | InboxTaken
    | Snapshot
    | Parked
    | Ended
    | AuditEntry
)


class Created(NamedTuple):
    """A new run, written before its first tick.

    Args:
        start: The start event, as JSON text.
        shape: The digest of the plan of the workflow's steps.
        version: What its code is known by; empty if nobody keeps it.
        parent: The lease of the run that it is a part of or was started by.
        parent_number: The step run of the parent that it was started for.
        is_attached: Whether it is a part of its parent.
        is_queued: Whether it begins only when it is claimed.
        is_quiet: Whether nobody is told of it, nor of the runs that it starts: it tells people itself.
        plan: The description of the plan, which is kept once; empty: the store has it.
        when_running: What becomes of it, or of the others, if there are runs of its key that are not over: ``reject``,
            ``join`` or ``replace``; otherwise nothing.
        places: What it waits for before it begins.
        has_places: Whether it has them, as it was under way before it is written for the first time.
    """

    workflow: str
    shape: str
    version: str
    key: str | None
    start: bytes
    at: int
    parent: Lease | None = None
    parent_number: int = 0
    is_attached: bool = False
    is_queued: bool = False
    is_quiet: bool = False
    plan: str = ""
    when_running: str = ""
    places: Sequence[WantedPlace] = ()
    has_places: bool = False


class Entry(NamedTuple):
    """What is written of a run in one commit: all of it, or nothing.

    Args:
        created: The run itself, if it is new.
        ticks: Their bodies, of which the first has the number ``seq``.
        rows: What else follows from them.
        blobs: Large values that the bodies mention, by digest.
        mentions: For each body that mentions blobs its number, and their digests; 0 is the snapshot.
    """

    lease: Lease
    seq: int
    ticks: Sequence[Body]
    rows: Sequence[Row] = ()
    created: Created | None = None
    blobs: Mapping[str, bytes] = {}
    mentions: Sequence[tuple[int, Sequence[str]]] = ()


class Kept(NamedTuple):
    """What a store keeps of a run's past: a snapshot and where it was taken, and the ticks since, gapless."""

    snapshot: bytes | None
    snapshot_seq: int
    ticks: Sequence[bytes]

    @property
    def seq(self) -> int:
        """The number of the last tick."""
        return self.snapshot_seq + len(self.ticks)


class Claim(NamedTuple):
    """A run that was claimed, with the runs that are parts of it, which are claimed with it.

    ``outcome`` is how it ended, if it is over: so is a part whose end the run above has not heard of yet.
    One that is claimed by itself although it is a part is left over (``is_left_over``): the run above it is over.
    """

    lease: Lease
    workflow: str
    shape: str
    version: str
    key: str | None
    status: RunStatus
    start: bytes
    parent_number: int
    recoveries: int
    outcome: bytes | None
    parts: Sequence[Claim] = ()
    is_left_over: bool = False


class Posted(NamedTuple):
    """Something for a run from outside: an answer, its passing on, an event, the wish to cancel it, an edit of it,
    the end of a run that it waits for, or that it has its places and may begin.
    """

    kind: Literal["answer", "delegation", "event", "cancel", "edit", "end", "place"]
    body: str
    by: str
    at: int
