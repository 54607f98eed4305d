"""What the variables of loops (`as`) of an earlier version are called in a later one.

Such a variable is known by where it is declared, and it means something only there, where nothing else may have its
name. So one that has another name is the same variable, and what is said with it says the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.review.facts.places import PlaceList
from wfc.compiler.slotted import dataclass

__all__ = ["LoopRenamed", "loops_renamed"]

_HOLES: Final = re.compile(r"\$\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_TEXTS: Final = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*')""")


@dataclass(frozen=True, slots=True)
class LoopRenamed:
    """A variable that has another name.

    Args:
        step: Where it is declared.
        path: The way to its name in the facts.
        at: The places of the loop in the earlier and in the later version.
    """

    step: str
    path: str
    before: str
    now: str
    at: tuple[PlaceList, PlaceList]


def loops_renamed(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[Mapping[str, Any], list[LoopRenamed]]:
    """Return the facts of an earlier version with the later names of variables, and which have another one.

    Args:
        old: With the later names of steps and events.
    """
    steps, found = dict(old["steps"]), list[LoopRenamed]()
    for name, step in old["steps"].items():
        if name in new["steps"] and _has_loops(step):
            steps[name] = _step(name, step, new["steps"][name], found)
    return ({**old, "steps": steps} if found else old), found


def _has_loops(step: Any) -> bool:
    if step["action"] and step["action"]["does"] == "map":
        return True
    entries = (entry for each in step["exits"].values() if each for entry in each["entries"])
    return any("each" in emit for entry in entries for emit in entry["emits"])


def _step(name: str, old: Any, new: Any, found: list[LoopRenamed]) -> Any:
    """Return the facts of a step with the later names, and add what has another one to those that are found."""
    exits = {}
    for exit_, each in old["exits"].items():
        later = new["exits"].get(exit_)
        entries = [
            {**entry, "emits": [*_emits(name, f"{exit_}.entries.{number}", entry, other, found)]}
            for number, (entry, other) in enumerate(_side_by_side(each, later, "entries"))
        ]
        exits[exit_] = {**each, "entries": entries} if each else each
    step = {**old, "exits": exits}
    before, after = old["action"], new["action"]
    if before and after and before["does"] == after["does"] == "map" and before["as"] != after["as"]:
        path = f"steps.{name}.action.as"
        found.append(LoopRenamed(name, path, before["as"], after["as"], (before["at"], after["at"])))
        inside = {key: each for key, each in step.items() if key != "exits"}
        step = {**step, **_with_name(inside, before, after)}
    return step


def _emits(name: str, way: str, old: Any, new: Any, found: list[LoopRenamed]) -> Iterator[Any]:
    """Yield what an entry emits, with the later names of the items that it goes through."""
    for number, (one, other) in enumerate(_side_by_side(old, new, "emits")):
        before, after = one.get("each"), other and other.get("each")
        if before and after and one["event"] == other["event"] and before["as"] != after["as"]:
            path = f"steps.{name}.exits.{way}.emits.{number}.each.as"
            found.append(LoopRenamed(name, path, before["as"], after["as"], (before["at"], after["at"])))
            inside = _with_name({**one, "each": {}}, before, after)
            yield {**inside, "each": {**before, "as": after["as"]}}
        else:
            yield one


def _side_by_side(old: Any, new: Any, key: str) -> Iterator[tuple[Any, Any]]:
    """Yield the members of a list, each with the one at its place in the later version, if the lists are as long."""
    one, other = (old or {}).get(key, []), (new or {}).get(key, [])
    yield from zip(one, other if len(one) == len(other) else [None] * len(one), strict=True)


def _with_name(facts: Any, before: Any, after: Any) -> Any:
    return _OtherVariable(before["as"], after["as"]).of(facts)


class _OtherVariable:
    """What writes facts anew with another name of a variable."""

    def __init__(self, before: str, now: str) -> None:
        self.before, self.now = before, now

    def of(self, facts: Any) -> Any:
        if isinstance(facts, list):
            return [self.of(each) for each in facts]
        if not isinstance(facts, dict):
            return facts
        found = {key: each if key == "at" else self.of(each) for key, each in facts.items()}
        if facts.get("does") == "map":
            found["as"] = self.now if facts["as"] == self.before else facts["as"]
        if isinstance(facts.get("means"), str):
            found["means"], found["text"] = self.expression(facts["means"]), self.expression(facts["text"])
        elif isinstance(facts.get("text"), str) and "reads" in facts:
            found["text"] = _HOLES.sub(lambda hole: self.expression(hole[0]), facts["text"])
        if isinstance(facts.get("reads"), list):
            found["reads"] = sorted(map(self.expression, facts["reads"]))
        return found

    def expression(self, text: str) -> str:
        """Return an expression with the later name; what it says in quotes is no name, nor are fields and filters."""
        word = re.compile(rf"(?<![\w.|])(?<!\| ){re.escape(self.before)}(?!\w|=[^=])")
        pieces = _TEXTS.split(text)
        return "".join(each if number % 2 else word.sub(self.now, each) for number, each in enumerate(pieces))
