"""Plain values → Python values, according to their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from wfc.compiler.expressions.python.annotations import ClassNames
from wfc.compiler.python.literals import Code, field_name, literal
from wfc.compiler.types import (
    ANY,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    Constraints,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
    fits,
    members,
)
from wfc.compiler.types.durations import seconds
from wfc.compiler.types.text_patterns import whole_text

__all__ = ["bounds", "call", "constant", "construct", "tuple_of"]


def constant(value: object, type_: Type, names: ClassNames) -> Code:
    """Return plain data that fits a type, as a Python value of that type."""
    if value is None:
        return Code("None")
    if isinstance(type_, Optional):
        return constant(value, type_.of, names)
    match type_, value:
        case ListOf(), list():
            return Code(f"[{', '.join(constant(each, type_.item, names) for each in value)}]")
        case MapOf(), dict():
            pairs = (f"{literal(key)}: {constant(each, type_.value, names)}" for key, each in value.items())
            return Code(f"{{{', '.join(pairs)}}}")
        case Record(), dict():
            given = {name: constant(each, type_.fields[name].type, names) for name, each in value.items()}
            return construct(type_, given, names)
        case OneOf(), _:
            return constant(value, _member_for(value, type_), names)
        case Scalar(), _:
            return _scalar(value, type_)
    return literal(value)


def tuple_of(values: Sequence[Code]) -> Code:
    """Return a tuple of these values."""
    return Code(f"({values[0]},)" if len(values) == 1 else f"({', '.join(values)})")


def _member_for(value: object, type_: OneOf) -> Type:
    return next((member for member in members(type_) if fits(value, member) is None), ANY)


def construct(record: Record, values: Mapping[str, Code], names: ClassNames) -> Code:
    """Return a call of a record's class, its fields by name."""
    return call(names.of(record), **{field_name(name): value for name, value in values.items()})


def call(function: Code, /, *positional: Code, **named: Code) -> Code:
    """Return a call; arguments of other types than code are bugs."""
    assert all(isinstance(value, Code) for value in (function, *positional, *named.values())), (
        function,
        named,
    )
    assert all(name.isidentifier() for name in named), named
    return Code(
        f"{function}({', '.join([*positional, *(f'{name}={value}' for name, value in named.items())])})"
    )


def _scalar(value: object, type_: Scalar) -> Code:
    if type_ == DECIMAL:
        text = str(value)
        whole = text.removeprefix("-").isdecimal() and text.isascii()
        return call(Code("Decimal"), literal(int(text) if whole else text))
    if type_ == DATE:
        day = date.fromisoformat(str(value))
        return Code(f"date({day.year}, {day.month}, {day.day})")
    if type_ == DATETIME:
        return _moment(datetime.fromisoformat(str(value)).astimezone(UTC))
    if type_ == DURATION:
        return call(Code("timedelta"), seconds=literal(seconds(str(value))))
    return literal(value)


def _moment(at: datetime) -> Code:
    parts = [at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond]
    while len(parts) > 5 and not parts[-1]:
        parts.pop()
    return Code(f"datetime({', '.join(map(str, parts))}, tzinfo=UTC)")


def bounds(constraints: Constraints, type_: Type, names: ClassNames) -> dict[str, Code]:
    """Return constraints as arguments of pydantic's ``Field``; a `format` is not among them."""
    inner = members(type_)[0]
    least, most = constraints.min_length, constraints.max_length
    found = {
        "ge": None if constraints.min is None else constant(constraints.min, inner, names),
        "le": None if constraints.max is None else constant(constraints.max, inner, names),
        "min_length": None if least is None else literal(least),
        "max_length": None if most is None else literal(most),
        "pattern": None if constraints.pattern is None else literal(whole_text(constraints.pattern)),
    }
    return {name: code for name, code in found.items() if code is not None}
