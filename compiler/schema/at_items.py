"""Keys that stand in what a `map` does for each item, told by what does the same at the `map` itself."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from wfc.compiler.schema.kind_words import plain

__all__ = ["for_key_in_action"]

OF_STEP: Final = frozenset(
    "accepts cache concurrency description emit idempotency_key max_runs on_limit require retry save stream "
    "timeout".split()
)
"""Keys that every step has, and no action within one."""
OF_MAP: Final = frozenset({"as", "give", "in", "keep", "max", "on_item_error"})
ERRORS: Final = frozenset(
    "allow_failure catch continue_on_error except fallback ignore_errors on_error on_failure on_timeout".split()
)
"""Words for what follows when something fails."""
TRIES: Final = frozenset(
    "attempts max_attempts max_retries maximum_attempts retries retry_policy tries".split()
)
BOUNDS: Final = frozenset("deadline max_time time_limit timeout_minutes timeout_seconds within".split())
GIVEN: Final = frozenset("assign_to outputs register result save_as set set_fact store".split())
AT_ONCE: Final = frozenset({"max_concurrency", "max_parallel", "parallel", "parallelism"})


def for_key_in_action(key: str, properties: Container[str]) -> str:
    """Return what says at a `map` what a key of its action says elsewhere; else an empty text.

    Args:
        properties: The keys that there are at its place.
    """
    if "kind" not in properties or "accepts" in properties:
        return ""
    word = plain(key)
    if word in OF_STEP:
        return "it is a key of the step: write it there, beside `do`"
    if word in OF_MAP:
        return "it is a key of the `map` itself: write it there, beside `do`"
    if word in ERRORS:
        return "what follows when an item fails stands beside `do`: `on_item_error: skip`, or `{give: …}`"
    if word in TRIES:
        return "how often it is tried is said by the step, beside `do`: `retry: {max_attempts: …}`"
    if word in BOUNDS:
        return "how long each item may take is said by the step, beside `do`: `timeout`"
    if word in GIVEN:
        return "what each item gives is said by `give`, beside `do`"
    return (
        "how many items are worked on at once is said by `concurrency`, beside `do`"
        if word in AT_ONCE
        else ""
    )
