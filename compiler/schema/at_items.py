"""Keys that stand in what a `map` does for each item, told by what does the same at the `map` itself."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

from wfc.compiler.schema.kind_words import BOUNDS, TRIES, plain

__all__ = ["for_key_in_action"]

ERRORS: Final = frozenset(
    "allow_failure catch continue_on_error except fallback ignore_errors on_error on_failure on_timeout".split()
)
"""Words for what follows when something fails."""
GIVEN: Final = frozenset("assign_to outputs register result save_as set set_fact store".split())
AT_ONCE: Final = frozenset({"max_concurrency", "max_parallel", "parallel", "parallelism"})


def for_key_in_action(
    key: str, properties: Container[str], definitions: Mapping[str, Mapping[str, Any]]
) -> str:
    """Return what says at a `map` what a key of its action says elsewhere; else an empty text.

    Args:
        properties: The keys that there are at its place.
        definitions: Those of the schema.
    """
    if "kind" not in properties or "accepts" in properties:
        return ""
    word = plain(key)
    if word in ERRORS:
        return "what follows when an item fails stands beside `do`: `on_item_error: skip`, or `{give: …}`"
    if word in definitions["map_step"]["properties"]:
        every = word in definitions["transform_step"]["properties"]
        return f"it is a key of the {'step' if every else '`map` itself'}: write it there, beside `do`"
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
