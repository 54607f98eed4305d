"""The rule for all that no other rule tells: no change is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from wfc.compiler.review.changes import Level, SpecChange, rule
from wfc.compiler.review.pair import Pair, gives_what_it_waits_for
from wfc.compiler.review.sameness import became, differences, place, said

__all__ = ["rest_of"]

other_change = rule(
    "other-change",
    "reviewers",
    Level.WARN,
    """Something else is said than before, for which there is no rule of its own.

It is told so that no change goes without a word.""",
    no_mirror="it is its own opposite",
)

_SKIPPED: Final = frozenset(
    {"format", "workflow", "imports", "data", "decisions", "end", "moved", "secrets", "descriptions"}
)
"""What is told by what follows from it, or says nothing by itself."""

_DERIVED: Final = frozenset({"reaches", "name"})
"""What of a step is told by what it follows from."""

_SORTS: Final = {"steps": "step", "tools": "tool", "agents": "agent", "models": "model", "events": "event"}


def rest_of(pair: Pair, told: Iterable[SpecChange]) -> Iterator[SpecChange]:
    """Yield what differs and is not told."""
    known = {part for change in told for part in (change.about, *change.covers)}
    for section in pair.new:
        if section in _SKIPPED or section == "at":
            continue
        at = (place(pair.old), place(pair.new))
        for found in differences(pair.old[section], pair.new[section], (section,), at):
            if found.path[0] == "steps" and found.path[2:3] and _is_derived(pair, *found.path[1:3]):
                continue
            path = ".".join(found.path)
            if _is_known(path, known):
                continue
            was, now = said(found.old) or "not given", said(found.new) or "not given"
            yield other_change.found(
                pair.name,
                path,
                became(_named(found.path), found.old, found.new),
                before=was,
                after=now,
                old=place(found.old) or found.at[0],
                new=place(found.new) or found.at[1],
            )


def _is_derived(pair: Pair, step: str, key: str) -> bool:
    if key == "result" and step in pair.old["steps"] and step in pair.new["steps"]:
        return gives_what_it_waits_for(pair.old["steps"][step], pair.new["steps"][step])
    return key in _DERIVED


def _is_known(path: str, known: set[str]) -> bool:
    parts = path.split(".")
    if any(".".join(parts[:number]) in known for number in range(1, len(parts) + 1)):
        return True
    return any(each.startswith(f"{path}.") for each in known)


def _named(path: tuple[str, ...]) -> str:
    if len(path) > 2 and path[0] in _SORTS:
        return f"`{'.'.join(path[2:])}` of the {_SORTS[path[0]]} `{path[1]}`"
    return f"`{'.'.join(path)}`"
