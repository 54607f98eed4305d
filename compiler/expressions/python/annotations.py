"""Types → Python annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import Enumeration, ListOf, MapOf, OneOf, Optional, Record, Scalar, Type

__all__ = ["ClassNames", "annotation", "is_class", "literal_type", "records_in", "union"]

_SCALARS = {
    "string": "str",
    "integer": "int",
    "number": "Number",
    "decimal": "Decimal",
    "boolean": "bool",
    "date": "date",
    "datetime": "Moment",
    "duration": "Duration",
    "any": "Any",
    "unknown": "Any",  # an item of a list that is written as empty
    "null": "None",
}


class ClassNames(Protocol):
    """A provider of the Python names of records and of named enumerations."""

    @property
    def enumerations(self) -> Mapping[str, Code]: ...

    def of(self, record: Record) -> Code: ...


def annotation(type_: Type, names: ClassNames) -> Code:
    """Return a type as a Python annotation."""
    match type_:
        case Scalar():
            return Code(_SCALARS[type_.name])
        case ListOf():
            return Code(f"list[{annotation(type_.item, names)}]")
        case MapOf():
            return Code(f"dict[str, {annotation(type_.value, names)}]")
        case Optional():
            return union([annotation(type_.of, names), Code("None")])
        case Enumeration():
            return names.enumerations.get(type_.name) or literal_type(type_)
        case OneOf(types=()):
            return Code("Any")  # of the items of a list that is written as empty
        case OneOf():
            return union(annotation(member, names) for member in type_.types)
        case Record():
            return names.of(type_)


def literal_type(type_: Enumeration) -> Code:
    """``Literal["a", "b"]``."""
    return Code(f"Literal[{', '.join(literal(value) for value in type_.values)}]")


def union(parts: Iterable[Code]) -> Code:
    """Return types joined by ``|``, each once, ``None`` last; ``Any`` includes all the others."""
    found = list(dict.fromkeys(parts))
    if "Any" in found:
        return Code("Any")
    return Code(" | ".join(sorted(found, key=lambda part: part == "None")))


def is_class(type_: Type) -> bool:
    """Return whether a type's annotation is a class in Python, and so may stand where ``type[T]`` is wanted."""
    if isinstance(type_, Scalar):
        return type_.name in {"string", "integer", "decimal", "boolean", "date", "duration"}
    return isinstance(type_, (Record, ListOf, MapOf))


def records_in(type_: Type) -> Iterable[Record | Enumeration]:
    """Return the records and named enumerations that a type mentions directly."""
    match type_:
        case Record():
            yield type_
        case Enumeration() if type_.name:
            yield type_
        case ListOf():
            yield from records_in(type_.item)
        case MapOf():
            yield from records_in(type_.value)
        case Optional():
            yield from records_in(type_.of)
        case OneOf():
            for member in type_.types:
                yield from records_in(member)
