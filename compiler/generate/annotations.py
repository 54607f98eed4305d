"""Types and plain values → Python: annotations, literals of every type, bounds."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Protocol

from wfc.compiler.spell import Code, literal
from wfc.compiler.types import (
    ANY,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    Constraints,
    Enumeration,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
    members,
)
from wfc.compiler.types.values import seconds

__all__ = ["ClassNames", "annotation", "bounds", "constant", "is_class", "union"]

_SCALARS = {
    "string": "str",
    "integer": "int",
    "number": "Number",
    "decimal": "Decimal",
    "boolean": "bool",
    "date": "date",
    "datetime": "AwareDatetime",
    "duration": "timedelta",
    "any": "Any",
    "null": "None",
}


class ClassNames(Protocol):
    """What knows the Python names of records and of named enumerations."""

    enumerations: dict[str, Code]

    def of(self, record: Record) -> Code: ...


def annotation(type_: Type, names: ClassNames) -> Code:
    """A type as a Python annotation."""
    match type_:
        case Scalar():
            return Code(_SCALARS[type_.name])
        case ListOf():
            return Code(f"list[{annotation(type_.item, names)}]")
        case MapOf():
            return Code(f"dict[str, {annotation(type_.value, names)}]")
        case Optional():
            of = annotation(type_.of, names)
            return of if of == "Any" else Code(f"{of} | None")
        case Enumeration():
            if type_.name in names.enumerations:
                return names.enumerations[type_.name]
            return literal_type(type_)
        case OneOf():
            return union(annotation(member, names) for member in type_.types)
        case Record():
            return names.of(type_)


def literal_type(type_: Enumeration) -> Code:
    """``Literal["a", "b"]``."""
    return Code(f"Literal[{', '.join(literal(value) for value in type_.values)}]")


def union(parts: object) -> Code:
    """Types joined by ``|``, each once, ``None`` last."""
    assert not isinstance(parts, str)
    found = dict.fromkeys(parts)  # type: ignore[call-overload]
    ordered = [part for part in found if part != "None"] + [part for part in found if part == "None"]
    return Code(" | ".join(ordered))


def is_class(type_: Type) -> bool:
    """Whether a type's annotation is a class to Python, and so may stand where ``type[T]`` is wanted."""
    match type_:
        case Record() | ListOf() | MapOf():
            return True
        case Scalar():
            return type_.name in {"string", "integer", "decimal", "boolean", "date", "duration"}
        case _:
            return False


def constant(value: object, type_: Type, names: ClassNames) -> Code:
    """Plain data that fits a type, as the Python value that it stands for."""
    if value is None:
        return Code("None")
    if isinstance(type_, Optional):
        return constant(value, type_.of, names)
    match type_:
        case ListOf() if isinstance(value, list):
            return Code(f"[{', '.join(constant(each, type_.item, names) for each in value)}]")
        case MapOf() if isinstance(value, dict):
            pairs = (
                f"{literal(str(key))}: {constant(each, type_.value, names)}" for key, each in value.items()
            )
            return Code(f"{{{', '.join(pairs)}}}")
        case Record() if isinstance(value, dict):
            return construct(
                type_,
                {name: constant(each, type_.fields[name].type, names) for name, each in value.items()},
                names,
            )
        case OneOf():
            return constant(value, member_for(value, type_), names)
        case Scalar():
            return scalar(value, type_)
    return literal(value)


def construct(record: Record, values: dict[str, Code], names: ClassNames) -> Code:
    """A call of a record's class."""
    from wfc.compiler.spell import field_name

    arguments = ", ".join(f"{field_name(name)}={value}" for name, value in values.items())
    return Code(f"{names.of(record)}({arguments})")


def member_for(value: object, type_: OneOf) -> Type:
    """Which of several types a plain value belongs to: the first that it fits."""
    from wfc.compiler.types import fits

    return next((member for member in members(type_) if fits(value, member) is None), ANY)


def scalar(value: object, type_: Scalar) -> Code:
    if type_ == DECIMAL:
        return Code(f"Decimal({literal(str(value))})")
    if type_ == DATE:
        day = date.fromisoformat(str(value))
        return Code(f"date({day.year}, {day.month}, {day.day})")
    if type_ == DATETIME:
        return moment(datetime.fromisoformat(str(value)).astimezone(UTC))
    if type_ == DURATION:
        return Code(f"timedelta(seconds={literal(seconds(str(value)))})")
    return literal(value)


def moment(at: datetime) -> Code:
    parts = [at.year, at.month, at.day, at.hour, at.minute]
    if at.second or at.microsecond:
        parts.append(at.second)
    if at.microsecond:
        parts.append(at.microsecond)
    return Code(f"datetime({', '.join(map(str, parts))}, tzinfo=UTC)")


def bounds(constraints: Constraints, type_: Type, names: ClassNames) -> dict[str, Code]:
    """Constraints as arguments of pydantic's ``Field``; a `format` is not among them."""
    inner = members(type_)[0]
    found: dict[str, Code] = {}
    for name, value in (("ge", constraints.min), ("le", constraints.max)):
        if value is not None:
            found[name] = constant(value, inner, names)
    for name, size in (
        (
            "min_length",
            constraints.min_length if constraints.min_length is not None else constraints.min_items,
        ),
        (
            "max_length",
            constraints.max_length if constraints.max_length is not None else constraints.max_items,
        ),
    ):
        if size is not None:
            found[name] = literal(size)
    if constraints.pattern is not None:
        found["pattern"] = literal(constraints.pattern)
    return found
