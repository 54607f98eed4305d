"""When a failed attempt is tried again."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b

from wfc.runtime.errors import ExpressionError, WorkflowValidationError, step_error

__all__ = ["RetryPolicy", "asked_wait", "read_retry_after", "seconds_of", "seed_of"]


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
        """Seconds to wait before the next attempt, or ``None`` for no further one. See ``plan.retries.RetryRule``."""
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
    """A stretch of time in seconds."""
    return span.total_seconds() if isinstance(span, timedelta) else float(span)


def asked_wait(error: BaseException) -> float | None:
    """Seconds that a service asks to wait before another try, or ``None``.

    Known of our own errors, of any with a number ``retry_after``, and of those of HTTP clients, which have the
    ``response`` with its ``headers``.
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


def read_retry_after(text: str) -> float | None:
    """The seconds that a ``Retry-After`` header asks for: a number of them, or a date. ``None``: it is neither."""
    try:
        seconds = float(text)
    except ValueError:
        from email.utils import mktime_tz, parsedate_tz

        moment = parsedate_tz(text)
        if moment is None:
            return None
        seconds = mktime_tz(moment) - time.time()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def seed_of(run_id: str, step: str, number: int, attempt: int) -> int:
    """A seed for the random part of a wait: the same again in a replay, different for every step run."""
    return int.from_bytes(blake2b(f"{run_id}/{step}/{number}/{attempt}".encode(), digest_size=8).digest())
