"""Two versions of a workflow side by side, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wfc.compiler.review.facts.places import PlaceList

__all__ = ["Facts", "Pair", "place", "same", "shown", "shown_bound"]

Facts = Mapping[str, Any]

LONGEST = 80


class Pair:
    """The facts of two versions of a workflow, and which of their parts belong together.

    Args:
        old: Those of the earlier version.
        new: Those of the later one.
    """

    def __init__(self, old: Facts, new: Facts) -> None:
        self.old, self.new = old, new
        self.name = str(new["workflow"])
        moved = {name: str(each["to"]) for name, each in new["moved"].items()}
        self.moved = {name: to for name, to in moved.items() if name not in new["steps"]}

    def renamed(self, name: str) -> str:
        """Return what a step, an event or a field of the earlier version is called in the later one."""
        return self.moved.get(name, name)

    def both(self, section: str) -> Iterator[tuple[str, Any, Any]]:
        """Yield what both versions declare in a section and say differently: its later name, and what both say."""
        old, new = self.old[section], self.new[section]
        for name, before in old.items():
            now = self.renamed(name) if section in ("steps", "events") else name
            if now in new and not same(before, new[now]):
                yield now, before, new[now]

    def added(self, section: str) -> Iterator[tuple[str, Any]]:
        """Yield what only the later version declares in a section."""
        known = {self.renamed(name) if section in ("steps", "events") else name for name in self.old[section]}
        return ((name, each) for name, each in self.new[section].items() if name not in known)

    def gone(self, section: str) -> Iterator[tuple[str, Any]]:
        """Yield what only the earlier version declares in a section."""
        new = self.new[section]
        for name, each in self.old[section].items():
            if (self.renamed(name) if section in ("steps", "events") else name) not in new:
                yield name, each

    def steps(self) -> Iterator[tuple[str, Any, Any]]:
        """Yield the steps of both versions: the later name, and what both say, whether it differs or not."""
        for name, before in self.old["steps"].items():
            now = self.renamed(name)
            if now in self.new["steps"]:
                yield now, before, self.new["steps"][now]


def same(old: Any, new: Any) -> bool:
    """Return whether two facts say the same, wherever and however it is written."""
    if type(old) is not type(new):
        return False
    if isinstance(old, dict):
        if "means" in old and "means" in new:
            rest = ("at", "text", "reads")
            return all(same(old.get(key), new.get(key)) for key in {*old, *new} if key not in rest)
        return len(old) == len(new) and all(
            key in new and (key in ("at", "span") or same(each, new[key])) for key, each in old.items()
        )
    if isinstance(old, list):
        return len(old) == len(new) and all(same(one, other) for one, other in zip(old, new, strict=True))
    return bool(old == new)


def place(fact: Any) -> PlaceList | None:
    """Return where a fact stands; ``None`` if it says nothing of that."""
    return fact.get("at") if isinstance(fact, dict) else None


def shown(text: object) -> str:
    """Return a text on one line, cut short."""
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def shown_bound(fact: Any) -> str:
    """Return a bound, a length of time or an expression as its author reads it; empty if there is none."""
    return "" if fact is None else shown(fact["text"])
