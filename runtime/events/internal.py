"""Internal events: what happens in a run, for observers and for ``stream_events(expose_internal=True)``."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from wfc.runtime.events import Event

__all__ = [
    "CacheHit",
    "CallWaits",
    "ChildNote",
    "EventEmitted",
    "InternalDispatchEvent",
    "LateEvent",
    "ModelCalled",
    "Searched",
    "StepNote",
    "StepState",
    "StepStateChanged",
    "UnhandledEvent",
]


class InternalDispatchEvent(Event):
    """An internal event of a run, for observers and for ``stream_events(expose_internal=True)``."""


class StepState(Enum):
    """The state of a step run: queued, running, to be retried, paused, cancelled, or done."""

    PREPARING = "preparing"
    RUNNING = "running"
    RETRYING = "retrying"
    WAITING = "waiting"
    CANCELLED = "cancelled"
    NOT_RUNNING = "not_running"


class StepStateChanged(InternalDispatchEvent):
    """A change of a step run's state: it began, is to be retried, or ended.

    ``worker_id`` is the step run's number in its run. ``retry_in`` is in seconds. ``item`` is which item of a ``map``
    runs, counted from 1; ``None``: the step itself.
    """

    name: str
    step_state: StepState
    worker_id: str
    input_event_name: str
    output_event_name: str | None = None
    attempt: int = 1
    error: str | None = None
    retry_in: float | None = None
    item: int | None = None


class StepNote(NamedTuple):
    """What a ``StepStateChanged`` says, for whoever makes thousands of them and shows none to anybody."""

    name: str
    step_state: StepState
    worker_id: int
    input_event_name: str
    output_event_name: str | None = None
    attempt: int = 1
    error: str | None = None
    retry_in: float | None = None


class EventEmitted(InternalDispatchEvent):
    """An event was emitted by a step or from outside (then ``step_name`` is ``None``)."""

    event: Event
    step_name: str | None = None


class ChildNote(InternalDispatchEvent):
    """An internal event of a run that is part of this one.

    Args:
        run_id: The id of the run in which it happened; it begins with the ids of the runs above.
        workflow: That run's workflow.
    """

    run_id: str
    workflow: str
    event: Event


class CacheHit(InternalDispatchEvent):
    """A step's call was skipped because the cache had its result, under this key."""

    step_name: str
    key: str


class CallWaits(InternalDispatchEvent):
    """A step's call waits for its turn, since what it calls may not be called at any time.

    Args:
        worker_id: The number of the step run, or of the item's, in its run; as in ``StepStateChanged``.
        name: What is called.
        rate: How many calls may begin in any stretch of so many seconds, if that is limited.
        at_once: How many may be under way, if that is limited.
        seconds: How long it has to wait at least, if the rate is why and that is known.
    """

    step_name: str
    worker_id: str
    attempt: int
    name: str
    rate: tuple[int, float] | None = None
    at_once: int | None = None
    seconds: float | None = None


class Searched(InternalDispatchEvent):
    """A step has searched collections of texts.

    Args:
        worker_id: The number of the step run, or of the item's, in its run; as in ``StepStateChanged``.
        query: What was searched for.
        collections: What was searched.
        considered: The passages that were considered, those that were given first: of each its ``collection id
            source score text`` (how it begins), its ``ranks`` by each order, how it was ``judged``, and what it was
            ``cut_by``.
    """

    step_name: str
    worker_id: str
    attempt: int
    query: str
    collections: tuple[str, ...]
    considered: list[dict[str, Any]]


class ModelCalled(InternalDispatchEvent):
    """A model has replied to a step.

    Args:
        worker_id: The number of the step run, or of the item's, in its run; as in ``StepStateChanged``.
        attempt: The attempt that the call belongs to. One attempt may ask several times.
        model: ``provider:name``.
        tokens_in: The number of tokens that the model was sent, those from its cache included.
        tokens_out: The number of tokens of its reply, what it has thought included.
        tokens_cached: The number of those that the provider took from its cache of prompts.
        cost_usd: What the call has cost in US dollars; ``None``: nobody knows the model's price.
    """

    step_name: str
    worker_id: str
    attempt: int
    model: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0
    cost_usd: float | None = None


class LateEvent(InternalDispatchEvent):
    """An event reached a join that had fired, and ended there."""

    event: Event
    step_name: str


class UnhandledEvent(InternalDispatchEvent):
    """An event from outside that no step accepts."""

    event_type: str
    qualified_name: str
    step_name: str | None = None
    idle: bool = False
