"""What the steps and events of an earlier version are called in a later one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.review.sameness import same

__all__ = ["Names", "names_of", "with_names"]

Names = Mapping[str, str]
"""Earlier names with the later ones, of those that have changed."""

_EVENT_KEYS: Final = frozenset({"event", "events", "slots", "end"})
_STEP_MAPS: Final = frozenset({"steps", "ran", "mock", "script"})


def names_of(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Names, Names, Names]:
    """Return the names of steps and of events that have changed, and those of them that nobody has declared.

    What has another name and says the same is known by that, and all else by `moved`.
    """
    declared = {name: str(each["to"]) for name, each in new["moved"].items()}
    events = _declared(declared, old["events"], new["events"])
    own_events = _alike(old["events"], new["events"], events)
    steps = _declared(declared, old["steps"], new["steps"])
    renamed = with_names(old["steps"], {}, {**events, **own_events})
    own_steps = _alike(renamed, new["steps"], steps)
    return {**steps, **own_steps}, {**events, **own_events}, {**own_events, **own_steps}


def _declared(moved: Names, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: to
        for name, to in moved.items()
        if name in old and name not in new and to in new and to not in old
    }


def _alike(old: Mapping[str, Any], new: Mapping[str, Any], known: Names) -> dict[str, str]:
    """Return the names of what is gone, with those of what is new and says just the same; only pairs that are sure."""
    gone = [name for name in old if name not in new and name not in known]
    added = [name for name in new if name not in old and name not in known.values()]
    found: dict[str, str] = {}
    for name in gone:
        alike = [each for each in added if _says_the_same(old[name], new[each])]
        if len(alike) == 1 and sum(_says_the_same(old[other], new[alike[0]]) for other in gone) == 1:
            found[name] = alike[0]
    return found


def _says_the_same(old: Any, new: Any) -> bool:
    return bool(old.get("fields", old)) and same({**old, "name": ""}, {**new, "name": ""})


def with_names(facts: Any, steps: Names, events: Names) -> Any:
    """Return facts with later names in place of earlier ones."""
    if not steps and not events:
        return facts
    rename = _Renaming(steps, events)
    return rename.of(facts, "")


class _Renaming:
    """What writes facts anew with other names."""

    def __init__(self, steps: Names, events: Names) -> None:
        self.steps, self.events = steps, events
        known = "|".join(map(re.escape, events))
        self.path = re.compile(rf"(?<![\w.])events\.({known})(?!\w)") if events else None

    def of(self, facts: Any, key: str) -> Any:
        if isinstance(facts, dict):
            names = self.steps if key in _STEP_MAPS else self.events if key in ("events", "receives") else {}
            found = {
                names.get(name, name): self.of(each, name) for name, each in facts.items() if name != "at"
            }
            if "at" in facts:
                found["at"] = facts["at"]
            return found
        if isinstance(facts, list):
            return [self.of(each, key) for each in facts]
        if not isinstance(facts, str):
            return facts
        if key in _EVENT_KEYS:
            return self.events.get(facts, facts)
        if key in ("fork", "real"):
            return self.steps.get(facts, facts)
        if key in ("means", "reads") and self.path is not None:
            return self.path.sub(lambda found: f"events.{self.events[found[1]]}", facts)
        return facts
