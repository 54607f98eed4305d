"""When a failed attempt is tried again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Protocol

from wfc.runtime.errors import ExpressionError, WorkflowValidationError, step_error

__all__ = ["RetryInfo", "RetryPolicy", "RetryRule", "seed_of"]


class RetryRule(Protocol):
    """Anything that decides about the next attempt; ``RetryPolicy`` does, and so may a class of your own."""

    def next(
        self, elapsed_time: float, attempts: int, error: Exception, *, seed: int | None = None
    ) -> float | None:
        """Seconds to wait before the next attempt, or ``None`` for no further one.

        Args:
            elapsed_time: Seconds since the first attempt began.
            attempts: How many have failed, from 1.
            error: What the last one raised.
            seed: For random waits, so that a replay waits the same.
        """
        ...


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Tries again, and waits longer each time.

    The wait before attempt n+1 is ``min(max_delay, delay * backoff**(n-1)) + uniform(0, jitter)`` seconds; a
    service that asks for a longer wait gets it if it fits ``max_delay``.

    Args:
        max_attempts: Counts the first one too.
        delay: Seconds before the second attempt.
        backoff: By how much each further wait is longer.
        max_delay: Seconds at most, or ``None``: no bound.
        jitter: Up to so many seconds more, drawn from run, step and attempt.
        total_timeout: No attempt starts later than this many seconds after the first, or ``None``: no bound.
        retry_on: Dotted names of the errors that it is for; none: any.
        never_on: Dotted names of those that it is not for.

    Raises:
        WorkflowValidationError: A number is out of range.
    """

    max_attempts: int = 3
    delay: float = 1.0
    backoff: float = 2.0
    max_delay: float | None = None
    jitter: float = 0.0
    total_timeout: float | None = None
    retry_on: Sequence[str] = ()
    never_on: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.max_attempts < 1 or self.delay < 0 or self.backoff < 0 or self.jitter < 0:
            raise WorkflowValidationError(
                f"max_attempts is at least 1, and delay, backoff and jitter are not negative: {self}"
            )

    def next(
        self, elapsed_time: float, attempts: int, error: Exception, *, seed: int | None = None
    ) -> float | None:
        """Seconds to wait before the next attempt, or ``None`` for no further one. See ``RetryRule``."""
        if attempts >= self.max_attempts or isinstance(error, ExpressionError):
            return None
        found = step_error(error)
        if not found.matches(*self.retry_on) or (self.never_on and found.matches(*self.never_on)):
            return None
        wait = self._wait(attempts) + random.Random(seed).uniform(0, self.jitter)  # noqa: S311 - no secret
        asked = found.retry_after
        if asked is not None and asked > wait and (self.max_delay is None or asked <= self.max_delay):
            wait = asked
        if self.total_timeout is not None and elapsed_time + wait > self.total_timeout:
            return None
        return wait

    def _wait(self, attempts: int) -> float:
        longest = float("inf") if self.max_delay is None else self.max_delay
        try:
            return min(longest, self.delay * self.backoff ** (attempts - 1))
        except OverflowError:
            return longest


@dataclass(frozen=True, slots=True)
class RetryInfo:
    """How the attempts of the present step run went so far.

    Args:
        retry_number: 0 on the first attempt.
        elapsed_seconds: Since the first attempt began; 0.0 on the first.
        last_exception: What the last attempt raised, or ``None``.
        last_failed_at: When, in UTC, or ``None``.
    """

    retry_number: int
    elapsed_seconds: float
    last_exception: Exception | None
    last_failed_at: datetime | None


def seed_of(run_id: str, step: str, number: int, attempt: int) -> int:
    """A seed for the random part of a wait: the same again in a replay, different for every step run."""
    return int.from_bytes(blake2b(f"{run_id}/{step}/{number}/{attempt}".encode(), digest_size=8).digest())
