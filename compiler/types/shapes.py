"""The shapes that a type can have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.slotted import dataclass, field

__all__ = [
    "ANY",
    "BOOLEAN",
    "DATE",
    "DATETIME",
    "DECIMAL",
    "DURATION",
    "INTEGER",
    "NOTHING",
    "NO_CONSTRAINTS",
    "NULL",
    "NUMBER",
    "STRING",
    "UNKNOWN",
    "Constraints",
    "Enumeration",
    "Field",
    "ListOf",
    "MapOf",
    "OneOf",
    "Optional",
    "Record",
    "Scalar",
    "Type",
    "parts",
    "within",
]


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A type without parts; there is one object of each, below.

    Args:
        name: As written in a spec, or ``null`` (the type of ``none``) or ``unknown`` (the type of what
            another finding already covers: it fits everywhere, so that one mistake is one finding).
    """

    name: Literal[
        "string",
        "integer",
        "number",
        "decimal",
        "boolean",
        "date",
        "datetime",
        "duration",
        "any",
        "null",
        "unknown",
    ]


STRING: Final = Scalar("string")
INTEGER: Final = Scalar("integer")
NUMBER: Final = Scalar("number")
DECIMAL: Final = Scalar("decimal")
BOOLEAN: Final = Scalar("boolean")
DATE: Final = Scalar("date")
DATETIME: Final = Scalar("datetime")
DURATION: Final = Scalar("duration")
ANY: Final = Scalar("any")
NULL: Final = Scalar("null")
UNKNOWN: Final = Scalar("unknown")


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list whose items have one type."""

    item: Type


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map from strings to values of one type."""

    value: Type


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may be absent or null; ``of`` is never itself optional."""

    of: Type


@dataclass(frozen=True, slots=True, eq=False)
class Enumeration:
    """One of some literal values.

    Args:
        values: Strings, integers or booleans, in the order written, at least one.
        name: Its name in ``types``, or empty for one written in place.
    """

    values: tuple[str | int | bool, ...]
    name: str = ""

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Enumeration)
            and self.values == other.values
            and self.name == other.name
            and [*map(type, self.values)] == [*map(type, other.values)]  # to Python, 1 is True
        )

    def __hash__(self) -> int:
        return hash((self.name, self.values))


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of any one of some types; also what narrows when a test names one of them."""

    types: tuple[Type, ...]


NOTHING: Final = OneOf(())
"""No value has it: the type of the items of a list that is written as `[]`, which goes together with any other list."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """Bounds on a value beyond its type; ``None`` where there is none."""

    format: str | None = None
    min: int | float | str | None = None
    max: int | float | str | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None


NO_CONSTRAINTS: Final = Constraints()


@dataclass(frozen=True, slots=True)
class Field:
    """A named part of a record.

    Args:
        name: As the author wrote it, in normal form (NFKC); its name in the spec's own data.
        type: Its type; ``Optional`` if it may be absent.
        has_default: Whether ``default`` counts.
        default: A plain value (JSON data) that fits the type.
        description: For people; may be empty.
        constraints: Bounds on its value.
        address: Where it is declared; empty for what is built in.
        foreign: Its name in data that goes out or comes in, if that is another one.
    """

    name: str
    type: Type
    has_default: bool = False
    default: object = field(default=None, hash=False)
    description: str = ""
    constraints: Constraints = NO_CONSTRAINTS
    address: Address = ()
    foreign: str = ""

    @property
    def name_outside(self) -> str:
        """The name in data that goes out or comes in."""
        return self.foreign or self.name

    @property
    def required(self) -> bool:
        """Return whether a value must be given."""
        return not self.has_default and not isinstance(self.type, Optional) and self.type is not UNKNOWN


@dataclass(slots=True, eq=False)
class Record:
    """A value with named, typed fields: a type of the spec, an event, an output written in place.

    Two records are the same type only if they are the same object. ``fields`` is filled after creation, so
    that records may mention themselves.

    Args:
        name: The Python class's name: the author's own, or one made from the place (``ClassifyResult``).
        fields: By name, in the order written.
        role: What kind of record it is. ``namespace`` is for things like ``run`` or ``error`` that
            exist in expressions only, ``choices`` the same for events of which some exclude each other;
            ``built in`` for those of the language, whose classes the runtime has.
        description: For people; may be empty.
        address: Where it is declared; empty for what is built in.
        choices: Groups of names of fields of which exactly one is not null.
        called: The name by which expressions and people know it, if that is not ``name``.
    """

    name: str
    fields: dict[str, Field] = field(default_factory=dict)
    role: Literal["type", "event", "output", "state", "config", "namespace", "choices", "built in"] = "type"
    description: str = ""
    address: Address = ()
    called: str = ""
    choices: tuple[tuple[str, ...], ...] = ()


Type = Scalar | ListOf | MapOf | Optional | Enumeration | OneOf | Record


def parts(type: Type) -> tuple[Type, ...]:
    """Return what a type is directly made of: the types of a record's fields, a list's items, and so on."""
    match type:
        case Scalar() | Enumeration():  # as most are
            return ()
        case Record():
            return tuple([each.type for each in type.fields.values()])
        case ListOf():
            return (type.item,)
        case MapOf():
            return (type.value,)
        case Optional():
            return (type.of,)
        case OneOf():
            return type.types


def within(*types: Type) -> Iterator[Type]:
    """Yield types and all that they are made of, outer ones first and each record once.

    Without recursion: records may be made of themselves.
    """
    stack, seen = [*reversed(types)], set[int]()
    while stack:
        current = stack.pop()
        if isinstance(current, Record):
            if id(current) in seen:
                continue
            seen.add(id(current))
        yield current
        stack += reversed(parts(current))
