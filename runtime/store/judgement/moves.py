"""What the steps, classes and fields of an earlier version are called in a later one, and which of them are gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

from wfc.runtime.store.judgement.conversions import Conversion
from wfc.runtime.store.judgement.flow_graph import Description, FlowGraph
from wfc.runtime.store.judgement.types import classes_in

__all__ = ["Description", "Moves"]


class Moves:
    """The names of a later version for what an earlier one has.

    Args:
        moved: Old names of steps, events, types and fields (``Paid.sum``, ``state.sum``), with their new ones.
        removed: Old names of what is gone, and may be lost where a run has it.
        conversions: Values that become others.
    """

    def __init__(
        self,
        old: Description,
        new: Description,
        moved: Mapping[str, str],
        removed: Collection[str],
        conversions: Collection[Conversion] = (),
    ) -> None:
        self.old, self.new = old, new
        self._steps: dict[str, str | None] = {}
        self._names: dict[str, str | None] = {}
        self._conversions = conversions
        self._moved = moved
        self._removed = set(removed)
        self._forms: dict[str, str] = {
            before[1]: now[1]
            for key, step in old["steps"].items()
            if (found := self.step(key)) is not None
            for before, now in zip(step["forms"], new["steps"][found]["forms"], strict=False)
        }  # forms have the names of their steps

    @cached_property
    def graph(self) -> FlowGraph:
        """The ways through the later version."""
        return FlowGraph(self.new)

    @cached_property
    def new_steps(self) -> list[str]:
        """The steps that act or wait, and of which there was nothing, or nothing that did so."""
        known = {self.step(key) for key, step in self.old["steps"].items() if step["acts"] or step["pauses"]}
        return [
            key
            for key, step in self.new["steps"].items()
            if (step["acts"] or step["pauses"]) and key not in known and not key.endswith("[]")
        ]

    @cached_property
    def old_events(self) -> frozenset[str]:
        """The classes of the earlier version that are events."""
        found = {*self.old["receives"], *self.old["ways"]}
        for step in self.old["steps"].values():
            found.update(step["accepts"], step["emits"], step["awaits"])
        return frozenset(found)

    @cached_property
    def old_forms(self) -> frozenset[str]:
        """The classes of the earlier version that stand in forms."""
        forms = (form for step in self.old["steps"].values() for form in step["forms"])
        return frozenset(name for form in forms for name in classes_in(form))

    def step(self, key: str) -> str | None:
        """Return the key of a step; ``None``: it is gone."""
        if key not in self._steps:
            name, mark = (key[:-2], "[]") if key.endswith("[]") else (key, "")
            self._steps[key] = _known(self._moved.get(_outside(name), name) + mark, self.new["steps"])
        return self._steps[key]

    def name(self, kind: str) -> str | None:
        """Return the name of a class; ``None``: it is gone."""
        if kind not in self._names:
            self._names[kind] = self._name(kind)
        return self._names[kind]

    def _name(self, kind: str) -> str | None:
        if kind not in self.old["classes"]:
            return kind  # of those that every workflow has
        if kind == self.old["state"]:
            found: str = self.new["state"]
            return found
        now = self._moved.get(_outside(kind), kind)
        return _known(now, self.new["classes"]) or self._forms.get(kind)

    def field(self, kind: str, name: str) -> str | None:
        """Return the name of a field of a class, in the later class of that name; ``None``: it is gone."""
        now = self.name(kind)
        if now is None or now not in self.new["classes"]:
            return name
        called = self.old["classes"][kind]["fields"][name]["called"]
        wanted = self._moved.get(f"{self.spec_name(kind)}.{called}", called)
        fields = self.new["classes"][now].get("fields", {})
        return next((one for one, field in fields.items() if field["called"] == wanted), None)

    def conversion(self, kind: str) -> Conversion | None:
        """Return how what a run has of a class is converted; ``None``: it is not.

        It is by the first conversion of which it has all the fields. One that makes a field which the run has already,
        and of which it does not know, is none for it: that value would be lost.
        """
        now = self.name(kind)
        if not self._conversions or now is None or kind not in self.old["classes"]:
            return None
        name = "state" if kind == self.old["state"] else _outside(now)
        fields = self.old["classes"][kind].get("fields", {})
        later = self.new["classes"].get(now, {}).get("fields", {})
        kept = {later[found]["called"] for field in fields if (found := self.field(kind, field)) in later}
        return next(
            (
                one
                for one in self._conversions
                if one.of == name
                and one.takes.issuperset(kept.intersection(one.gives))
                and one.is_for(fields, self.old["classes"])
            ),
            None,
        )

    def is_same(self, kind: str, now: str) -> bool:
        """Return whether a class of the later version is what a class has become."""
        return self.name(kind) == now

    def may_lose(self, name: str) -> bool:
        """Return whether the later version says that something is gone, and may be lost."""
        return name in self._removed

    def spec_name(self, kind: str) -> str:
        """Return what an author calls a class of the earlier version: the state has no other name."""
        return "state" if kind == self.old["state"] else _outside(kind)


def _outside(name: str) -> str:
    """Return what an author calls something whose name Python has for itself."""
    return name.removesuffix("_")


def _known(name: str, known: Collection[str]) -> str | None:
    if name in known:
        return name
    item = name.endswith("[]")
    longer = f"{name[:-2]}_[]" if item else f"{name}_"
    return longer if longer in known else None
