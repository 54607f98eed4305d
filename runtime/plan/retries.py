"""The rule for a step's next attempt, and the information that an attempt has about earlier ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

__all__ = ["RetryInfo", "RetryRule"]


@runtime_checkable
class RetryRule(Protocol):
    """Protocol of rules that decide about the next attempt: ``RetryPolicy``, or a class of your own."""

    def next(
        self, elapsed_time: float, attempts: int, error: Exception, *, seed: int | None = None
    ) -> float | None:
        """Return the seconds to wait before the next attempt, or ``None`` for no further one.

        Args:
            elapsed_time: Seconds since the first attempt began.
            attempts: How many have failed, from 1.
            error: What the last one raised.
            seed: For random waits, so that a replay waits the same.
        """
        ...


@dataclass(frozen=True, slots=True)
class RetryInfo:
    """Information about the attempts of the current step run so far.

    Args:
        retry_number: 0 on the first attempt.
        elapsed_seconds: Seconds since the first attempt began; 0.0 on the first.
        last_exception: What the last attempt raised, or ``None``.
        last_failed_at: When the last attempt failed, in UTC, or ``None``.
    """

    retry_number: int
    elapsed_seconds: float
    last_exception: Exception | None
    last_failed_at: datetime | None
