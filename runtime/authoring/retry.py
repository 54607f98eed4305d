"""Retry policies: whether and when a failed attempt is repeated."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b

from wfc.runtime.errors import ExpressionError, WorkflowValidationError
from wfc.runtime.errors.raised import step_error

__all__ = ["RetryPolicy", "asked_wait", "read_retry_after", "seconds_of", "seed_of"]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """A policy that retries failed attempts with exponentially growing waits.

    The wait before attempt n+1 is ``min(max_delay, delay * backoff**(n-1)) + uniform(0, jitter)`` seconds. A
    longer wait that a service asks for is observed if it does not exceed ``max_delay``.

    Args:
        max_attempts: The maximum number of attempts, including the first.
        delay: Seconds before the second attempt.
        backoff: The factor by which each further wait is longer.
        max_delay: The longest wait in seconds; ``None``: no bound.
        jitter: The maximum of a pseudo-random addition in seconds, seeded by run, step and attempt.
        total_timeout: Seconds after the first attempt beyond which no further one starts; ``None``: no bound.
        retry_on: Dotted names of the errors to retry; empty: all errors.
        never_on: Dotted names of the errors never to retry.

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
        """Return the seconds to wait before the next attempt, or ``None`` for no further attempt.

        See ``plan.retries.RetryRule``.
        """
        if attempts >= self.max_attempts or isinstance(error, ExpressionError):
            return None
        found = step_error(error)
        if not found.matches(*self.retry_on) or (self.never_on and found.matches(*self.never_on)):
            return None
        wait = self._wait(attempts) + random.Random(seed).uniform(0, self.jitter)  # noqa: S311 - no secret
        asked = asked_wait(error)
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


def seconds_of(span: float | timedelta) -> float:
    """Return a duration in seconds."""
    return span.total_seconds() if isinstance(span, timedelta) else float(span)


def asked_wait(error: BaseException) -> float | None:
    """Return the seconds that a service asks to wait before the next attempt, or ``None``.

    They are taken from the runtime's own errors, from any error with a number ``retry_after``, and from the
    errors of HTTP clients, which have a ``response`` with ``headers``.
    """
    asked = getattr(error, "retry_after", None)
    if asked is None:
        headers = getattr(getattr(error, "response", None), "headers", None)
        get = getattr(headers, "get", None)
        asked = (get("retry-after") or get("Retry-After")) if callable(get) else None
    if isinstance(asked, str):
        return read_retry_after(asked)
    if isinstance(asked, bool) or not isinstance(asked, int | float) or not 0 <= asked < float("inf"):
        return None
    return float(asked)


def read_retry_after(text: str, now: float | None = None) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for; ``None``: neither a number nor a date.

    Args:
        now: The time from which a date is counted, in seconds since 1970; ``None``: that of the machine.
    """
    try:
        seconds = float(text)
    except ValueError:
        from email.utils import mktime_tz, parsedate_tz

        moment = parsedate_tz(text)
        if moment is None:
            return None
        seconds = mktime_tz(moment) - (time.time() if now is None else now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def seed_of(run_id: str, step: str, number: int, attempt: int) -> int:
    """Return the seed for the random part of a wait: the same in a replay, different for every step run."""
    return int.from_bytes(blake2b(f"{run_id}/{step}/{number}/{attempt}".encode(), digest_size=8).digest())
