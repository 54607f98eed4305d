"""Old names of steps, events, types and fields, by which runs of earlier versions find their way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Step
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import runs as problems
from wfc.compiler.types import Record

__all__ = ["FormerNames"]


class FormerNames:
    """The reading of `moved` and `removed`.

    Args:
        moved: What the spec says under that key.
        removed: The same.
        steps: The steps that there are.
    """

    def __init__(self, moved: object, removed: object, steps: Sequence[Step], declared: Declarations) -> None:
        self._moved = [
            _Entry(Place(("moved", key)), normal_form(str(key)), normal_form(str(content)))
            for key, content in (moved.items() if isinstance(moved, Mapping) else ())
        ]
        self._removed = [
            _Entry(Place(("removed", at)), normal_form(str(content)), "")
            for at, content in enumerate(removed if isinstance(removed, list) else ())
        ]
        self._declared = declared
        names = {step.name for step in steps} | declared.broken_names("steps") | declared.types.keys()
        names |= declared.events.nodes.keys() | declared.events.broken | declared.broken_names("types")
        unread = any(declared.unread(section) for section in ("steps", "events", "types"))
        self._names = None if unread or not declared.flow_whole else names

    def moved(self) -> tuple[tuple[str, str], ...]:
        """Return old names with the new ones; the new ones must be in use, and the old ones must not."""
        for entry in self._moved:
            owner, dot, _ = entry.old.rpartition(".")
            known = self._fields_of(owner, entry) if dot else self._names
            self._check_old(entry.place.key, entry.old, known)
            if known is not None and entry.new not in known and entry.old not in known:
                self._declared.report(
                    problems.new_name_not_in_use(
                        entry.place, entry.new, known, self._now(owner) if dot else ""
                    )
                )
        self._check_once()
        return tuple((entry.old, entry.new) for entry in self._moved)

    def removed(self) -> tuple[str, ...]:
        """Return the old names of what is gone, which nothing may have now."""
        moved = {entry.old for entry in self._moved}
        for entry in self._removed:
            owner, dot, _ = entry.old.rpartition(".")
            known = self._fields_of(owner, entry) if dot else self._names
            self._check_old(entry.place, entry.old, known)
            if entry.old in moved:
                self._declared.report(problems.moved_and_removed(entry.place, entry.old))
        return tuple(entry.old for entry in self._removed)

    def _check_old(self, place: Place, old: str, known: set[str] | None) -> None:
        if known is not None and old.rpartition(".")[2] in known:
            self._declared.report(problems.old_name_in_use(place, old))

    def _check_once(self) -> None:
        """Report fields of which two have become one: only one value can stand there."""
        seen: dict[tuple[str, str], str] = {}
        for entry in self._moved:
            owner, dot, _ = entry.old.rpartition(".")
            first = seen.setdefault((self._now(owner) if dot else "", entry.new), entry.old)
            if dot and first != entry.old and not self._is_workflow(owner):
                self._declared.report(problems.moved_into_one(entry.place, entry.new, first))

    def _now(self, owner: str) -> str:
        """Return the present name of what a field belongs to."""
        return next((entry.new for entry in self._moved if entry.old == owner), owner)

    def _fields_of(self, owner: str, entry: _Entry) -> set[str] | None:
        """Return the fields that an event, a type or the state has now; ``None``: nobody can say."""
        declared, now = self._declared, self._now(owner)
        if self._is_workflow(owner) and entry.new:
            return {normal_form(str(declared.data["workflow"]))} if "workflow" in declared.data else None
        if owner == "state":
            found = declared.record("state")
            return set(found.fields) | declared.broken_names("state") if isinstance(found, Record) else None
        kind = declared.types.get(now)
        if isinstance(kind, Record):
            return set(kind.fields)
        if self._is_told(owner) or (not entry.new and owner in self._gone()):
            return None
        if self._names is not None and now not in self._names:
            self._declared.report(problems.former_owner_unknown(entry.place.key, now, self._names))
        return None

    def _is_workflow(self, owner: str) -> bool:
        """Return whether a name is one of the workflow itself: `workflow.shop`."""
        return owner == "workflow" and owner not in (self._names or ())

    def _is_told(self, owner: str) -> bool:
        """Return whether the present name of an owner is a mistake of its own, which is told there."""
        return self._declared.is_broken(("moved", owner)) or any(entry.old == owner for entry in self._moved)

    def _gone(self) -> set[str]:
        return {entry.old for entry in self._removed}


class _Entry(NamedTuple):
    """An old name, where it stands, and the new one; empty: it is gone."""

    place: Place
    old: str
    new: str
