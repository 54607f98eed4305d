"""``workflows.events``: what steps take and emit, and what a run shows of itself."""

from __future__ import annotations

from wfc.runtime.events import (
    CollectionReleaseEvent,
    DictState,
    Event,
    EventEmitted,
    HumanResponseEvent,
    InputRequiredEvent,
    InternalDispatchEvent,
    StartEvent,
    StepFailedEvent,
    StepState,
    StepStateChanged,
    StopEvent,
    UnhandledEvent,
    WorkflowCancelledEvent,
    WorkflowFailedEvent,
    WorkflowTimedOutEvent,
)

__all__ = [
    "CollectionReleaseEvent",
    "DictState",
    "Event",
    "EventEmitted",
    "EventType",
    "HumanResponseEvent",
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
    "WorkflowTimedOutEvent",
]

EventType = type[Event]
