"""Exits of a step or a run: what is saved and what is emitted."""

from __future__ import annotations

from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model.events import Event
from wfc.compiler.model.values import Value
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type


@dataclass(frozen=True, slots=True)
class Merge:
    """The rule for combining a state field's value with a saved one.

    Args:
        how: ``append`` puts the new list after the old one, ``by`` replaces items and appends new ones, ``last``
            keeps what is saved last.
        by: The field that tells items apart, for ``by``.
    """

    how: Literal["append", "by", "last"]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Save:
    """A value put into a state field. ``value`` sees the state as it was before any save."""

    field: str
    value: Value
    address: Address
    merge: Merge | None = None


@dataclass(frozen=True, slots=True)
class Fill:
    """The source of the value for one field of an emitted event.

    Args:
        how: ``with``, ``result field`` (same name), ``whole result``, ``event field`` (same name in the
            accepted event); in an `each` also ``item field`` and ``whole item``. Fields left to their default
            or to null have no ``Fill``.
    """

    field: str
    value: Value
    how: Literal["with", "item field", "result field", "whole item", "whole result", "event field"]


@dataclass(frozen=True, slots=True)
class Emit:
    """Emits one event. ``named`` is where its name is written: the whole entry, or the value of `event` in it."""

    event: Event
    fills: tuple[Fill, ...]
    address: Address
    named: Address = ()


@dataclass(frozen=True, slots=True)
class EmitEach:
    """Emits one event per item of a list: a batch, at most ``max`` items.

    ``concurrency`` is how many of them are under way at once; ``None``: all. Both may be expressions of inputs and
    config.
    """

    items: Expression
    name: str  # of the item, in expressions
    emit: Emit
    max: int | Expression
    address: Address
    concurrency: int | Expression | None = None


@dataclass(frozen=True, slots=True)
class EmitAll:
    """Emits all of these events."""

    entries: tuple[Emit | EmitEach, ...]
    address: Address


@dataclass(frozen=True, slots=True)
class Nothing:
    """An end of the branch without an event."""

    address: Address


@dataclass(frozen=True, slots=True)
class Fail:
    """The end of the run as failed, with this text."""

    text: Template
    address: Address


@dataclass(frozen=True, slots=True)
class Restart:
    """A restart of the run as itself, with these inputs; ``event`` is the start event."""

    event: Event
    fills: tuple[Fill, ...]
    address: Address


Emission = Emit | EmitEach | EmitAll | Nothing | Fail | Restart


@dataclass(frozen=True, slots=True)
class Entry:
    """One way to leave.

    Args:
        when: Its condition, or ``None``: always.
        errors: Dotted error names it is for (``on_error`` only); empty: any.
        body: What the body of the reply must be made of (``on_error`` only); ``None``: of anything, or there is none.
        save: Its own saves, made after the step's.
        emission: What it emits.
    """

    when: Expression | None
    errors: tuple[str, ...]
    save: tuple[Save, ...]
    emission: Emission
    address: Address
    body: Type | None = None

    @property
    def is_certain(self) -> bool:
        """Whether it is taken for each error, or always where there is none."""
        return self.when is None and not self.errors and self.body is None


@dataclass(frozen=True, slots=True)
class Exit:
    """All exits on one occasion, tried in order.

    ``exhaustive`` says that one entry always matches: the last has no `when`, or the conditions leave no
    case; set by ``resolve`` from the truth table, so that the generator may print the last one as plain
    `else`. Where it does not hold, ``left`` is a case that no entry is for, as a text for the author (for
    an `emit` a mistake; for an `on_error` the run's own exits are next).
    """

    entries: tuple[Entry, ...]
    address: Address
    exhaustive: bool = False
    left: str = ""


__all__ = [
    "Emission",
    "Emit",
    "EmitAll",
    "EmitEach",
    "Entry",
    "Exit",
    "Fail",
    "Fill",
    "Merge",
    "Nothing",
    "Restart",
    "Save",
]
