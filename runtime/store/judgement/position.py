"""Where a run stands, by what a change of its workflow may touch: names of steps, events and classes, and no values."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["FramePosition", "JoinPosition", "RunPosition", "StepPosition"]


class StepPosition(NamedTuple):
    """A run of a step that is under way.

    Args:
        at: Whether it works, waits for a worker, is to be tried again, or waits for something outside.
        events: The classes of the events that it runs on.
        exit: The exit that it is about to take; empty: its action, or what follows from that.
        has_result: Whether its action is done, so that only what follows from the result is left.
        pause: The kind of what it waits for; empty: nothing.
        awaits: The classes of the events that it waits for.
        form: The place of its form among the step's; ``None``: its question has none.
        filled: The fields of the form that are named in the question: filled, or with choices.
        is_shared: Whether several people are to answer.
        given: How many of its items are done.
        has_parts: Whether runs of other workflows go on for it, which are known by its name.
    """

    number: int
    step: str
    at: Literal["work", "queue", "retry", "pause"]
    events: tuple[str, ...] = ()
    attempt: int = 1
    exit: str = ""
    has_result: bool = False
    pause: str = ""
    awaits: tuple[str, ...] = ()
    form: int | None = None
    filled: tuple[str, ...] = ()
    is_shared: bool = False
    given: int = 0
    has_parts: bool = False


class JoinPosition(NamedTuple):
    """The events that have arrived at a join, in one frame."""

    step: str
    arrived: tuple[str, ...]
    has_fired: bool
    has_timer: bool


class FramePosition(NamedTuple):
    """What keeps events together that belong together: the branches of a fork, a batch, an item of one.

    Args:
        fork: The step that has opened it; ``None``: the start of the run.
    """

    kind: Literal["fork", "batch", "item", "recovery"]
    fork: str | None
    collectors: tuple[str, ...] = ()
    joins: tuple[JoinPosition, ...] = ()


class RunPosition(NamedTuple):
    """Where a run stands.

    Args:
        has_begun: Whether its first step has run; else there is nothing but its inputs and its state.
        pending: The classes of the events that nobody has taken yet.
        values: The classes of all that it holds.
        mentions: The classes that it names besides.
        gathered: Steps written by hand that hold events.
        counts: How often steps have run whose runs are counted.
        limits: The steps of which a limit was worked out when it started.
        way: The event of an exit of the run by which it goes on; empty: it is on its usual course.
        left_by: The exits of the run that it has taken.
    """

    has_begun: bool = True
    steps: tuple[StepPosition, ...] = ()
    frames: tuple[FramePosition, ...] = ()
    pending: tuple[str, ...] = ()
    values: frozenset[str] = frozenset()
    mentions: frozenset[str] = frozenset()
    gathered: tuple[str, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    limits: frozenset[str] = frozenset()
    way: str = ""
    left_by: tuple[str, ...] = ()
