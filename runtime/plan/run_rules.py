"""Rules for whole runs of a class: the events they take from outside, their bounds, their exits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from wfc.runtime.events import Event

__all__ = [
    "RUN_EXITS",
    "RUN_EXIT_KEYS",
    "Bounds",
    "Limits",
    "Receives",
    "RetryBounds",
    "RunExit",
    "StepBounds",
    "WhenRunning",
]

WhenRunning = Literal["reject", "queue", "replace", "join", "parallel"]
"""The effect of a second start under a key while the first run is not over."""

RunExit = Literal["run_error", "run_deadline", "run_cancel"]
"""The exits that a run may end by when a step has failed, time is up or the run was cancelled."""

RUN_EXIT_KEYS: Final[dict[RunExit, str]] = {
    "run_error": "on_error",
    "run_deadline": "on_deadline",
    "run_cancel": "on_cancel",
}
"""The keys of these exits in a spec, by which people know them."""

RUN_EXITS: Final[tuple[RunExit, ...]] = tuple(RUN_EXIT_KEYS)


@dataclass(frozen=True, slots=True)
class Receives:
    """An event that runs take from outside.

    Args:
        event: Its class.
        key: The attribute whose value must be the run's key; ``None``: it is sent by run id or topic only.
        topic: The only topic under which it is taken; ``None``: any.
    """

    event: type[Event]
    key: str | None = None
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on a run, and on how many there are at once; ``None``: no bound.

    Args:
        steps: Step runs.
        tokens: Of models, in and out.
        cost_usd: Of models, in US dollars.
        concurrent_runs: Runs of this workflow under way at once in an engine; further ones wait their turn. With
            ``@runs_per``, for each value that it returns.
    """

    steps: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    concurrent_runs: int | None = None


@dataclass(frozen=True, slots=True)
class RetryBounds:
    """Parts of a step's ``RetryPolicy`` that are worked out when a run starts; ``None``: those of the policy."""

    max_attempts: int | None = None
    delay: timedelta | float | None = None
    backoff: float | None = None
    max_delay: timedelta | float | None = None
    jitter: timedelta | float | None = None
    total_timeout: timedelta | float | None = None


@dataclass(frozen=True, slots=True)
class StepBounds:
    """Bounds on a step that are worked out when a run starts; ``None``: those that the step declares.

    Args:
        timeout: Of one attempt, or of one attempt at an item.
        num_workers: How many of its runs, or of its items, may be at work at once.
        items: The greatest number of items of its ``Items``.
        quorum: How many people must answer its ``Question``.
        within: How long its join waits.
        until: The moment at which its join stops to wait; of ``within`` and ``until`` the earlier counts.
        retry: Parts of its retry policy.
        count: How many events of a batch its join waits for.
    """

    timeout: timedelta | float | None = None
    num_workers: int | None = None
    items: int | None = None
    quorum: int | None = None
    within: timedelta | float | None = None
    until: datetime | None = None
    retry: RetryBounds | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on a run that are worked out when it starts; ``None``: those that the class declares.

    Args:
        deadline: For the whole run.
        steps: See ``Limits``, as the next ones.
        tokens: Of models.
        cost_usd: Of models.
        concurrent_runs: Of this workflow.
        of_steps: Those on steps, by name.
    """

    deadline: timedelta | float | None = None
    steps: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    concurrent_runs: int | None = None
    of_steps: Mapping[str, StepBounds] = field(default_factory=dict)
