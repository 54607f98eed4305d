"""Two versions of a workflow side by side, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from wfc.compiler.review.field_names import fields_renamed, with_fields
from wfc.compiler.review.loop_names import loops_renamed
from wfc.compiler.review.naming import names_of, with_names
from wfc.compiler.review.sameness import same
from wfc.compiler.review.type_fields import type_fields_renamed
from wfc.compiler.review.ways import Ways

__all__ = ["Facts", "Pair", "gives_what_it_waits_for"]

Facts = Mapping[str, Any]


class Pair:
    """The facts of two versions of a workflow; the earlier one has the names of the later one.

    Args:
        old: Those of the earlier version.
        new: Those of the later one.
    """

    def __init__(self, old: Facts, new: Facts) -> None:
        self.steps_renamed, self.events_renamed, self.undeclared = names_of(old, new)
        before: Facts = with_names(old, self.steps_renamed, self.events_renamed)
        before, self.loops_renamed = loops_renamed(before, new)
        self.fields_renamed, self.fields_declared = fields_renamed(before, new, self.events_renamed)
        self.old: Facts
        self.old, self.type_fields = type_fields_renamed(with_fields(before, self.fields_renamed), new)
        self.new = new
        self.name = str(new["workflow"])
        self._both: dict[str, list[tuple[str, Any, Any]]] = {}

    @cached_property
    def ways(self) -> tuple[Ways, Ways]:
        """The ways through both versions."""
        return Ways(self.old), Ways(self.new)

    def both(self, section: str) -> list[tuple[str, Any, Any]]:
        """Return what both versions declare in a section and say differently: its name, and what both say."""
        if section not in self._both:
            old, new = self.old[section], self.new[section]
            self._both[section] = [
                (name, before, new[name])
                for name, before in old.items()
                if name in new and not same(before, new[name])
            ]
        return self._both[section]

    def added(self, section: str) -> Iterator[tuple[str, Any]]:
        """Yield what only the later version declares in a section."""
        old = self.old[section]
        return ((name, each) for name, each in self.new[section].items() if name not in old)

    def gone(self, section: str) -> Iterator[tuple[str, Any]]:
        """Yield what only the earlier version declares in a section."""
        new = self.new[section]
        return ((name, each) for name, each in self.old[section].items() if name not in new)

    @property
    def changed_steps(self) -> list[tuple[str, Any, Any]]:
        """The steps of both versions that say something else: the name, and what both say."""
        return self.both("steps")

    @property
    def actions(self) -> Iterator[tuple[str, str, Any, Any]]:
        """What steps of both versions do and say differently: the step's name, the path, and what both say.

        What a `map` does for each item counts by itself.
        """
        for name, before, after in self.changed_steps:
            one, other, path = before["action"], after["action"], f"steps.{name}.action"
            while one is not None and other is not None and one["does"] == other["does"]:
                if not same(one, other):
                    yield name, path, one, other
                one, other, path = one.get("do"), other.get("do"), f"{path}.do"


def gives_what_it_waits_for(before: Any, after: Any) -> bool:
    """Return whether a step waits for an event in both versions: its result is that event, of which is told already."""
    return all((step["action"] or {}).get("events") for step in (before, after))
