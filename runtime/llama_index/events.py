"""``workflows.events``: what steps take and emit, and what a run shows of itself."""

from __future__ import annotations

from wfc.runtime.events import (
    CollectionReleaseEvent,
    DictState,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StepFailedEvent,
    StopEvent,
    WorkflowCancelledEvent,
    WorkflowFailedEvent,
    WorkflowTimedOutEvent,
)
from wfc.runtime.events.internal import (
    EventEmitted,
    InternalDispatchEvent,
    StepState,
    StepStateChanged,
    UnhandledEvent,
)
from wfc.runtime.values.dict_like import DictLike as DictLikeModel

__all__ = [
    "CollectionReleaseEvent",
    "DictLikeModel",
    "DictState",
    "Event",
    "EventEmitted",
    "EventType",
    "HumanResponseEvent",
    "IdleReleasedEvent",
    "InputRequiredEvent",
    "InternalDispatchEvent",
    "StartEvent",
    "StepFailedEvent",
    "StepState",
    "StepStateChanged",
    "StopEvent",
    "UnhandledEvent",
    "WorkflowCancelledEvent",
    "WorkflowFailedEvent",
    "WorkflowIdleEvent",
    "WorkflowTimedOutEvent",
]

EventType = type[Event]


class WorkflowIdleEvent(InternalDispatchEvent):
    """Says that a run waits for what is outside. No run of ours shows it; programs may mention it."""


class IdleReleasedEvent(StopEvent):
    """Ends a run that a server has put aside. No run of ours ends by it; programs may mention it."""
