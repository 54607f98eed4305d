"""What a retry policy means: after which waits a step is tried again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.resolve.declarations.retries import DEFAULTS
from wfc.compiler.resolve.values.durations import duration
from wfc.schemas.spans import span

__all__ = ["waits_in_words"]

SHOWN: Final = 5
MOST: Final = 1_000
_ROUNDED_FROM: Final = 60
"""From how many seconds on all waits together are told in whole ones."""


def waits_in_words(policy: Mapping[str, Any]) -> str:
    """Return the waits between the attempts of a policy in seconds; empty if not all of it is written as constants."""
    attempts = policy.get("max_attempts", DEFAULTS.max_attempts)
    backoff = policy.get("backoff", DEFAULTS.backoff)
    delay, longest = (length(policy, key) for key in ("delay", "max_delay"))
    jitter = length(policy, "jitter")
    if None in {delay, longest, jitter} or isinstance(attempts, bool) or isinstance(backoff, bool):
        return ""
    if not (isinstance(attempts, int) and isinstance(backoff, (int, float)) and 0 < attempts <= MOST):
        return ""
    assert delay is not None and longest is not None and jitter is not None
    waits, wait = [], min(delay, longest)
    for _ in range(attempts - 1):
        waits.append(wait)
        wait = min(wait * backoff, longest)
    if not waits:
        return "one attempt, and none after it"
    listed = ", ".join(map(span, waits[:SHOWN])) + (", …" if len(waits) > SHOWN else "")
    total = sum(waits)
    in_all = span(round(total) if total >= _ROUNDED_FROM else total)
    more = f", each up to {span(jitter)} longer" if jitter else ""
    return f"up to {attempts} attempts, after waits of {listed}{more}: {in_all} of waiting in all"


def length(policy: Mapping[str, Any], key: str) -> float | None:
    if key not in policy:
        default = getattr(DEFAULTS, key)
        return default if isinstance(default, float) else None
    found: list[Finding] = []
    made = duration(policy[key], Place((key,)), found.append, zero=True)
    return None if found else made
