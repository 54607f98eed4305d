"""Keys that stand in a join and belong elsewhere, told by what does the same in a join of its form."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any, Final

from wfc.compiler.schema.kind_words import plain

__all__ = ["for_key_in_join"]

BOUNDS: Final = frozenset({"deadline", "expires", "max_time", "time_limit", "timeout"})
LENGTH: Final = re.compile(r"\d+(?:\.\d+)? ?[a-z]")
"""How a length of time begins."""
ENOUGH: Final = frozenset({"at_least", "min", "minimum", "quorum", "required", "size"})
"""Words for how many of the events are enough."""
OF_ITEMS: Final = frozenset({"as", "concurrency", "in", "items", "max"})
"""Keys of a batch where it is emitted."""
COLLECTS: Final = frozenset({"batch", "collect", "every", "foreach", "for_each", "gather", "many"})
"""Words for a join of all that a batch has sent out."""
SOME: Final = (
    "so many of several events are `{any: [A, B, C], count: 2}`, and of a batch `{each: A, count: 2}`"
)
EMITTED: Final = (
    "what is sent for each item is said where it is emitted: `emit: {each: {in: …, as: …, event: …, max: …}}`"
)


def is_join(properties: Container[str]) -> bool:
    """Return whether these are the keys of a join."""
    is_form = "all" in properties or "any" in properties or "each" in properties
    return is_form and "within" in properties and "on_timeout" in properties


def of_bound(word: str, content: Any, join: Mapping[str, Any]) -> str:
    """Return what is said of a second bound of a join, which may have one of each form; empty for the first."""
    if "within" in join:
        also = word == "deadline" and "until" not in join
        beside = "; until when it waits is said by `until`, and the earlier end counts" if also else ""
        return f"`within` stands here already, and bounds how long the join waits{beside}"
    if "until" not in join:
        return ""
    length = str(content) if isinstance(content, str) and LENGTH.match(content) else "…"
    return (
        f"how long the join waits is said by `within: {length}`, also beside `until`: the earlier end counts"
    )


def for_key_in_join(key: str, content: Any, join: Mapping[str, Any], properties: Container[str]) -> str:
    """Return what says in a join what a key says elsewhere, if that is known; else an empty text.

    Args:
        content: What stands under the key.
        join: The map in which it stands.
        properties: The keys that there are at its place.
    """
    if not is_join(properties):
        return ""
    word = plain(key)
    if word in BOUNDS:
        return of_bound(word, content, join)
    if word in {"save", "when", "with"} and isinstance(join.get("on_timeout"), str):
        event = join["on_timeout"]
        return f"beside an event it stands in braces with it: `on_timeout: {{event: {event}, {word}: …}}`"
    if word in ENOUGH | {"count"} and not isinstance(content, bool):
        if "each" in join or "any" in join:
            return "" if "count" in join else "how many of them are enough is said by `count`"
        events = join.get("all")
        if isinstance(events, list) and content == len(events) and not isinstance(content, bool):
            return "leave it out: `all` waits for each of them"
        return SOME
    if word == "event" and "count" in join and isinstance(content, str):
        return SOME
    if word in OF_ITEMS:
        return EMITTED
    is_name = isinstance(content, str) and content.isidentifier()
    if word in COLLECTS and is_name and join.keys().isdisjoint({"all", "any", "each"}):
        return f"write `each`: it collects all `{content}` that an `each` under `emit` leads to"
    return ""
