"""Retry policies composed of parts: which errors to retry, how long to wait, when to stop.

``retry_policy(retry=…, wait=…, stop=…)`` makes one, for ``@step(retry_policy=…)``. Conditions on errors and those to
stop are joined with ``|`` and ``&``, waits with ``+``. All names and parameters are those of llama-index-workflows.
``RetryPolicy`` here is the protocol of all policies; ``wfc.runtime.RetryPolicy`` is a ready-made one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from wfc.runtime.authoring.retry import asked_wait
from wfc.runtime.llama_index.retry_policy.conditions import (
    RetryCondition,
    StopCondition,
    WaitStrategy,
    retry_all,
    retry_always,
    retry_any,
    retry_if_exception,
    retry_if_exception_cause_type,
    retry_if_exception_message,
    retry_if_exception_type,
    retry_if_not_exception_message,
    retry_if_not_exception_type,
    retry_never,
    retry_unless_exception_type,
    stop_after_attempt,
    stop_after_delay,
    stop_all,
    stop_any,
    stop_before_delay,
    stop_never,
)
from wfc.runtime.llama_index.retry_policy.waits import (
    time_unit_type,
    wait_chain,
    wait_combine,
    wait_exponential,
    wait_exponential_jitter,
    wait_fixed,
    wait_full_jitter,
    wait_incrementing,
    wait_none,
    wait_random,
    wait_random_exponential,
)
from wfc.runtime.plan.retries import RetryInfo, RetryRule

__all__ = [
    "ConstantDelayRetryPolicy",
    "ExponentialBackoffRetryPolicy",
    "RetryCondition",
    "RetryInfo",
    "RetryPolicy",
    "StopCondition",
    "WaitStrategy",
    "retry_all",
    "retry_always",
    "retry_any",
    "retry_if_exception",
    "retry_if_exception_cause_type",
    "retry_if_exception_message",
    "retry_if_exception_type",
    "retry_if_not_exception_message",
    "retry_if_not_exception_type",
    "retry_never",
    "retry_policy",
    "retry_unless_exception_type",
    "stop_after_attempt",
    "stop_after_delay",
    "stop_all",
    "stop_any",
    "stop_before_delay",
    "stop_never",
    "time_unit_type",
    "wait_chain",
    "wait_combine",
    "wait_exponential",
    "wait_exponential_jitter",
    "wait_fixed",
    "wait_full_jitter",
    "wait_incrementing",
    "wait_none",
    "wait_random",
    "wait_random_exponential",
]

RetryPolicy = RetryRule

LONGEST_ASKED_WAIT = 600.0
"""Seconds that a service may ask for by itself, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class _Composed:
    retry: RetryCondition | None
    wait: WaitStrategy
    stop: StopCondition
    max_retry_after: float

    def next(
        self, elapsed_time: float, attempts: int, error: Exception, *, seed: int | None = None
    ) -> float | None:
        """Return the seconds to wait before the next attempt, or ``None`` to give up. See ``RetryRule``."""
        if self.retry is not None and not self.retry(error):
            return None
        delay = self.wait(max(attempts - 1, 0), seed=seed)  # waits count from 0, failures from 1
        asked = asked_wait(error)
        if asked is not None and delay < asked <= self.max_retry_after:
            delay = asked
        return None if self.stop(attempts, elapsed_time, upcoming_sleep=delay) else delay


def retry_policy(
    retry: RetryCondition | None = None,
    wait: WaitStrategy = wait_fixed(5),  # noqa: B008 - it cannot be changed
    stop: StopCondition = stop_after_attempt(3),  # noqa: B008
    *,
    max_retry_after: float = LONGEST_ASKED_WAIT,
) -> RetryRule:
    """Return a policy of three parts. By default any error is retried after 5 s, with at most three attempts.

    Args:
        retry: Which errors are retried; ``None``: all.
        wait: How long to wait before the next attempt.
        stop: When to give up.
        max_retry_after: A longer wait requested by a service (``Retry-After``) is respected up to this many
            seconds; 0: it is ignored.
    """
    return _Composed(retry, wait, stop, max_retry_after)


def ConstantDelayRetryPolicy(  # noqa: N802 - llama-index-workflows' name
    maximum_attempts: int = 3, delay: float = 5
) -> RetryRule:
    """Return a policy with constant waits. Deprecated, as in llama-index-workflows: use ``retry_policy``."""
    warnings.warn(
        "ConstantDelayRetryPolicy is deprecated: retry_policy(wait=wait_fixed(…), stop=stop_after_attempt(…))",
        DeprecationWarning,
        stacklevel=2,
    )
    return retry_policy(wait=wait_fixed(delay), stop=stop_after_attempt(maximum_attempts))


def ExponentialBackoffRetryPolicy(  # noqa: N802 - llama-index-workflows' name
    maximum_attempts: int = 5,
    initial_delay: float = 1.0,
    multiplier: float = 2.0,
    max_delay: float = 60.0,
    jitter: bool = True,
) -> RetryRule:
    """Return a policy with growing waits, randomized with ``jitter``. Deprecated, see ``retry_policy``."""
    warnings.warn(
        "ExponentialBackoffRetryPolicy is deprecated: retry_policy(wait=wait_random_exponential(…), "
        "stop=stop_after_attempt(…))",
        DeprecationWarning,
        stacklevel=2,
    )
    grows = wait_random_exponential if jitter else wait_exponential
    return retry_policy(
        wait=grows(multiplier=initial_delay, exp_base=multiplier, max=max_delay),
        stop=stop_after_attempt(maximum_attempts),
    )
