"""Choices of the next step in the syntax of other languages and systems, rewritten as a list of entries."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import flow as flow_problems
from wfc.compiler.schema import former_joins

__all__ = ["CHOOSING", "written_otherwise"]

NO_CONDITIONS: Final = frozenset({"event", "to"})
CHOOSING: Final = frozenset({"accepts", "emit", "on_limit", "on_timeout"})
CONDITIONS: Final = ("if", "elif", "elseif", "else_if", "when", "case", "condition", "cond")
TARGETS: Final = ("then", "goto", "to", "next", "event", "emit", "return", "do")
OTHERS: Final = ("else", "otherwise", "default", "_", "fallback")
FOREIGN: Final = frozenset({*CONDITIONS, *TARGETS, *OTHERS, "switch", "match", "cases"}) - {"when", "event"}
LONGEST: Final = 60


def written_otherwise(value: Any, place: Place, events: Container[str]) -> Finding | None:
    """Return the finding for an `emit`, `accepts` or the like in the syntax of another language or system.

    Args:
        value: Of an `emit`, an `accepts` or the like.
        events: The names of those that are declared.
    """
    if place.address[-1] == "accepts":
        return former_joins.former_join(value, place)
    return choice_of_another_language(value, place, events)


def choice_of_another_language(value: Any, place: Place, events: Container[str]) -> Finding | None:
    """Return the finding for a choice whose keys are words of another language, or the events themselves."""
    items = value if isinstance(value, list) else [value]
    strange = [
        (index, key)
        for index, item in enumerate(items)
        if isinstance(item, dict)
        for key in item
        if key in FOREIGN or key in events
    ]
    by_event = strange and all(key in events for _, key in strange)
    if not strange or (len(strange) < 2 and not by_event):
        return None
    # an event beside `event`: nobody knows which of the two is sent where
    both = any(key in events and "event" in items[index] for index, key in strange)
    entries = [] if both else list(entries_of(items, events))
    index, key = strange[0]
    at = place / index if isinstance(value, list) else place
    plain = len(entries) == 1 or not any("when" in each for each in entries)
    shown = entries[0] if plain and len(entries) == 1 else f"[{', '.join(entries)}]"
    return flow_problems.choice_written_otherwise(
        (at / key).key, key, shown if entries else "", by_event=bool(by_event)
    )


def entries_of(items: list[Any], events: Container[str]) -> Iterator[str]:
    """Return the entries in wfc's syntax, as far as they can be determined."""
    for item in items:
        if isinstance(item, str):
            yield item
        if not isinstance(item, dict):
            continue
        condition = next((str(item[key]) for key in CONDITIONS if key in item), "")
        given = " with: {…}" if "with" in item else ""
        for key in TARGETS:
            if key in item:
                yield entry(item[key], condition, given)
        for key in OTHERS:
            if key in item:
                yield entry(item[key], "", given)
        for key, content in item.items():
            if key in events:
                fields = isinstance(content, dict) and content
                yield entry(key, content if isinstance(content, str) else "", " with: {…}" if fields else "")


def entry(target: Any, condition: str, given: str) -> str:
    if isinstance(target, Mapping):
        given = " with: {…}" if "with" in target else given
        target = target.get("event", "…")
    words = condition.removeprefix("${{").removesuffix("}}").strip()
    words = "" if words in NO_CONDITIONS else words  # the key and the value have changed places
    words = words if len(words) <= LONGEST else "…"
    parts = [f"event: {target}", *([f"when: {words}"] if words else ()), *([given.strip()] if given else ())]
    return f"{{{', '.join(parts)}}}" if len(parts) > 1 else str(target)
