"""Fields that are declared under another event than the one that is to have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.recovery.suspicion import Data, Suspicion, with_value
from wfc.compiler.rules import shape as problems

__all__ = ["misplaced_fields"]

LACKING: Final = frozenset({"unfilled-field", "unknown-entry", "unknown-field"})
MOST_NAMES: Final = 3
MOST_MOVES: Final = 6


def misplaced_fields(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a field which one event lacks is declared under another one, where nothing needs it."""
    events: Any = data.get("events")
    events = events if isinstance(events, dict) else {}
    missing = list(dict.fromkeys(name for each in findings if each.code in LACKING for name in each.about))
    moves = 0
    for name in missing[:MOST_NAMES]:
        lacking = [
            event for event, fields in events.items() if isinstance(fields, dict) and name not in fields
        ]
        lacking.sort(key=lambda event: event != data.get("start"))  # the inputs are used at most places
        for owner, fields in events.items():
            for event in lacking if isinstance(fields, dict) and name in fields else ():
                moves += 1
                if moves > MOST_MOVES:
                    return
                yield moved_to(data, events, name, owner, event)


def moved_to(data: Data, events: dict[str, Any], name: str, owner: str, event: str) -> Suspicion:
    """Return the suspicion that a field of one event belongs to another."""
    left = {key: each for key, each in events[owner].items() if key != name}
    changed = {**events, owner: left, event: {**events[event], name: events[owner][name]}}
    place = Place(("events", owner, name), "key")
    message = f"`{name}` stands under `{owner}`, and seems to belong under `{event}`"
    finding = problems.misplaced_key(place, message, "move it there, with its type")
    moves = ((("events", owner, name), ("events", event, name)),)
    both = with_value(data, ("events", event), {**events[event], name: events[owner][name]})
    return Suspicion(finding, with_value(data, ("events",), changed), moves, 3, smaller=(both,))
