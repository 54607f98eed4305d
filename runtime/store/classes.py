"""The classes that a snapshot of a workflow may name: those of its own events, records and state."""

from __future__ import annotations

import typing
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from wfc.runtime import events
from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import Event
from wfc.runtime.plan import Plan
from wfc.runtime.plan.step import Step
from wfc.runtime.store.models import PlainWriter

__all__ = ["EVENTS", "Classes", "allow_in_snapshots"]

_OWN = (*(getattr(events, name) for name in events.__all__),)

EVENTS = tuple(kind for kind in _OWN if isinstance(kind, type) and issubclass(kind, Event))
"""The classes of events that every workflow knows."""

_OF_TABLES: WeakKeyDictionary[Plan, Classes] = WeakKeyDictionary()

_ALLOWED: list[Callable[[], Iterable[type[Any]]]] = []


def allow_in_snapshots(classes: Callable[[], Iterable[type[Any]]]) -> None:
    """Allow further classes, and those derived from them, in the snapshots of every workflow.

    Args:
        classes: A function that returns them; called when a workflow's first snapshot is written or read.
    """
    _ALLOWED.append(classes)


class Classes:
    """The classes by their names in snapshots. A class without a name here cannot be in a snapshot.

    ``completions`` and ``texts`` are what writes ticks with models of these classes, and the models by themselves; they
    are kept by those who write them.
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self.completions: dict[type[Any], PlainWriter] = {}
        self.texts: dict[type[Any], PlainWriter] = {}
        same: dict[str, list[type[Any]]] = defaultdict(list)
        for kind in _reached(roots):
            same[kind.__name__].append(kind)
        self._by_name: dict[str, type[Any]] = {}
        self._names: dict[type[Any], str] = {}
        for name, kinds in same.items():
            for at, kind in enumerate(kinds):
                self._add(kind, name if len(kinds) == 1 else f"{_full_name(kind)}#{at}")

    @classmethod
    def of(cls, table: Plan) -> Classes:
        """Return the classes of a workflow's table."""
        found = _OF_TABLES.get(table)
        if found is None:
            allowed = (kind for classes in _ALLOWED for kind in classes())
            found = _OF_TABLES[table] = cls([*_roots(table), *_OWN, *allowed])
        return found

    def own(self) -> Iterator[tuple[type[Any], str]]:
        """Yield the classes that the workflow declares, and not every workflow knows, with their names."""
        found = list(self._names.items())  # which grows by derived classes as they are met
        yield from ((kind, name) for kind, name in found if kind not in _OWN and not name.startswith("<"))

    def and_these(self, more: Iterable[type[Any]]) -> Classes:
        """Return these classes together with further ones."""
        more = tuple(more)
        return _joined(self, more) if more else self

    def _add(self, kind: type[Any], name: str) -> None:
        self._by_name[name] = kind
        self._names[kind] = name

    def name_of(self, kind: type[Any]) -> str | None:
        """Return a class's name in snapshots; ``None`` for a class that the workflow does not declare."""
        name = self._names.get(kind)
        if name is None and any(
            base in self._names for base in kind.__mro__[1:-1] if issubclass(base, BaseModel)
        ):
            name = f"<{_full_name(kind)}>"  # derived from a class that is declared
            self._add(kind, name)
        return name

    def name(self, kind: type[Any]) -> str:
        """Return a class's name in snapshots.

        Raises:
            SnapshotError: The workflow does not declare it.
        """
        name = self.name_of(kind)
        if name is None:
            raise SnapshotError(
                f"{kind.__name__} cannot be in a snapshot: the workflow declares no such class"
            )
        return name

    def _find_derived(self, name: str) -> type[Any] | None:
        """Return the newest class of this name in this process that is derived from a declared one."""
        found = None
        for kind in _derived(self._names):
            if f"<{_full_name(kind)}>" == name:
                found = kind
        return found

    def named(self, name: object) -> type[Any]:
        """Return the class of a name.

        Raises:
            SnapshotError: The workflow declares none of that name.
        """
        found = self._by_name.get(name) if isinstance(name, str) else None
        if found is None and isinstance(name, str) and name.startswith("<"):
            found = self._find_derived(name)
            if found is not None:
                self._add(found, name)
        if found is None:
            raise SnapshotError(
                f"the snapshot names {name!r}, which is no class of this workflow: import the module that "
                f"defines it first, or read with the same `JsonSerializer(allowed_types=[…])` that wrote it"
            )
        return found

    def event(self, name: object) -> type[Event]:
        """Return the event class of a name.

        Raises:
            SnapshotError: The workflow declares none of that name.
        """
        found = self.named(name)
        if not issubclass(found, Event):
            raise SnapshotError(f"the snapshot takes {name!r} for an event")
        return found


@lru_cache(maxsize=64)
def _joined(classes: Classes, more: tuple[type[Any], ...]) -> Classes:
    return Classes([*classes._names, *more])


def _full_name(kind: type[Any]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _derived(kinds: Iterable[type[Any]]) -> Iterator[type[Any]]:
    todo = [kind for kind in kinds if issubclass(kind, BaseModel)]
    seen: set[type[Any]] = set()
    while todo:
        for kind in type.__subclasses__(todo.pop()):
            if kind not in seen:
                seen.add(kind)
                todo.append(kind)
                yield kind


def _roots(table: Plan) -> Iterator[Any]:
    yield table.state
    yield from table.received
    for signature in table.exit_signatures:
        yield signature.result
    for step in table.steps:
        yield from _of_step(step)
        if step.item is not None:
            yield from _of_step(step.item)


def _of_step(step: Step) -> Iterator[Any]:
    yield from step.accepts
    yield from step.emits
    for signature in (step.signature, *step.exits.values()):
        yield signature.result
    names = step.function.__annotations__  # of items, whose parameters are read as what they give
    yield from (one for one in names.values() if not isinstance(one, str))


def _reached(roots: Iterable[Any]) -> Iterator[type[Any]]:
    """Return the models and enumerations that types consist of, in a fixed order."""
    todo = list(roots)[::-1]
    seen: set[Any] = set()
    while todo:
        one = todo.pop()
        try:
            if one in seen:
                continue
            seen.add(one)
        except TypeError:
            continue  # the arguments of `Literal` and the like
        if isinstance(one, type) and issubclass(one, BaseModel) and one is not BaseModel:
            if not one.__pydantic_complete__:
                one.model_rebuild(raise_errors=False)  # its fields mention classes that come later
            yield one
            todo.extend(field.annotation for field in one.model_fields.values())
        elif isinstance(one, type) and issubclass(one, Enum):
            yield one
        if type(one).__name__ == "TypeAliasType":
            todo.append(one.__value__)
        todo.extend(typing.get_args(one))
