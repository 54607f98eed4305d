"""Ticks that change nothing any more: what they are about is over."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.body_ticks import ChildJoined, ChildStarted, Collected, WaitEnded, Waiting
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import (
    Answered,
    AttemptFailed,
    Completed,
    Delegated,
    Failed,
    InboxEventDropped,
    InboxEventsRefused,
    InboxEventTaken,
    ItemCompleted,
    ItemFailed,
    MatchValueComputed,
    Paused,
    PauseFailed,
    PauseResolved,
    Rewound,
    RunExitTaken,
    Tick,
    TimerFired,
)

__all__ = ["is_relevant"]

_OF_WORK = frozenset(
    {
        AttemptFailed,
        ChildStarted,
        Collected,
        Completed,
        Failed,
        ItemCompleted,
        ItemFailed,
        MatchValueComputed,
        Paused,
        Waiting,
    }
)
_OF_PAUSES = frozenset(
    {
        Answered,
        ChildJoined,
        Delegated,
        InboxEventTaken,
        InboxEventsRefused,
        PauseFailed,
        PauseResolved,
    }
)


def is_relevant(execution: Execution, tick: Tick) -> bool:
    """Return whether a tick can change a run; a journal has no others, for nobody could say what they are about."""
    kind = type(tick)
    about: Any = tick
    if execution.outcome is not None:
        return kind is Rewound
    if kind in _OF_WORK:
        return about.number in execution.in_flight
    if kind in _OF_PAUSES:
        return about.number in execution.paused
    if isinstance(tick, InboxEventDropped):
        return tick.event in execution.inbox
    if isinstance(tick, WaitEnded):
        return tick.wait in execution.event_waits
    if isinstance(tick, TimerFired):
        return tick.timer in execution.timers
    return not isinstance(tick, RunExitTaken) or execution.failing is not None
