"""What typed expressions mean, read off their trees one node at a time: slow, plain, and not what is generated."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from scalar_meaning import (
    UndefinedError,
    as_date_text,
    as_json,
    as_text,
    as_url_part,
    as_url_path,
    read_date,
    read_datetime,
    read_decimal,
    read_duration,
    read_integer,
    read_number,
)

from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Binary,
    Choice,
    Compare,
    Comprehension,
    Concat,
    Constant,
    Fields,
    FilterCall,
    ListDisplay,
    Logic,
    Name,
    Node,
    Not,
    RecordDisplay,
    Slice,
    Subscript,
    Test,
    Unary,
    taken_apart,
)
from wfc.compiler.python.literals import field_name
from wfc.compiler.types import (
    ANY,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NUMBER,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    Type,
    members,
    without_null,
)

__all__ = ["UndefinedError", "equal", "meaning"]

Values = dict[str, Any]
EXACT = Context(prec=5000, Emax=999999, Emin=-999999)


def meaning(node: Node, values: Values) -> Any:
    """The value of an expression.

    Raises:
        UndefinedError: It has none.
    """
    try:
        return widened(RULES[node.__class__](node, values), node.type)
    except (ArithmeticError, ValueError) as error:
        raise UndefinedError(str(error)) from None


def widened(value: Any, of: Type) -> Any:
    """A whole number where decimals are wanted is one: what is computed with it is exact."""
    kinds = members(of)
    whole = any(
        each in (NUMBER, ANY, UNKNOWN, INTEGER)
        or (isinstance(each, Enumeration) and int in map(type, each.values))
        for each in kinds
    )
    if isinstance(value, int) and not isinstance(value, bool) and DECIMAL in kinds and not whole:
        return Decimal(value)
    for kind in kinds if sum(isinstance(each, (ListOf, MapOf)) for each in kinds) == 1 else ():
        if isinstance(kind, ListOf) and isinstance(value, list):
            value = [widened(item, kind.item) for item in value]
        if isinstance(kind, MapOf) and isinstance(value, dict):
            value = {key: widened(item, kind.value) for key, item in value.items()}
    return value


def field(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = getattr(value, field_name(name))
    return value


def constant(node: Constant, values: Values) -> Any:
    kind = without_null(node.type)
    if isinstance(node.value, str) and kind in (DECIMAL, DATE, DATETIME, DURATION):
        return CONVERSIONS[kind](node.value)
    return node.value


CONVERSIONS: dict[Type, Callable[[str], Any]] = {
    DECIMAL: read_decimal,
    DATE: read_date,
    DATETIME: read_datetime,
    DURATION: read_duration,
}


def subscript(node: Subscript, values: Values) -> Any:
    of, index = meaning(node.of, values), meaning(node.index, values)
    if isinstance(of, dict):
        return of.get(index)
    if isinstance(index, str):
        return field(of, index)
    if not -len(of) <= index < len(of):
        raise UndefinedError("out of range")
    return of[index]


def part(node: Slice, values: Values) -> Any:
    first, last = (meaning(each, values) if each is not None else None for each in (node.first, node.last))
    return meaning(node.of, values)[first:last]


def arithmetic(node: Binary, values: Values) -> Any:
    left, right = meaning(node.left, values), meaning(node.right, values)
    if node.type == DECIMAL:
        left, right = Decimal(left), Decimal(right)
    if isinstance(left, dict):
        return {**left, **right}
    result = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: left / right,
        "//": lambda: left // right,
        "%": lambda: left % right,
    }[node.operator]()
    return finite(result) if node.type == NUMBER else result


def equal(left: Any, right: Any) -> bool:
    """A boolean is not a number."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def compared(operator: str, left: Any, right: Any) -> bool:
    match operator:
        case "==":
            return equal(left, right)
        case "!=":
            return not equal(left, right)
        case "in":
            return any(equal(left, each) for each in right) if isinstance(right, list) else left in right
        case "not in":
            return not compared("in", left, right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
    return bool(left >= right)


def logic(node: Logic, values: Values) -> bool:
    for part in node.parts:
        if meaning(part, values) != (node.operator == "and"):
            return node.operator == "or"
    return node.operator == "and"


def is_of(node: Test, values: Values) -> bool:
    value = meaning(node.of, values)
    if node.name == "none":
        return (value is None) != node.negated
    if node.name == "empty":
        return (value is None or (isinstance(value, (str, list, dict)) and not len(value))) != node.negated
    if node.record is not None:
        return (type(value).__name__ == node.record.name) != node.negated
    kinds = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "list": list,
        "map": dict,
    }
    found = isinstance(value, kinds[node.name])  # type: ignore[arg-type]
    if node.name in ("integer", "number") and isinstance(value, bool):
        found = False
    return found != node.negated


def filtered(node: FilterCall, values: Values) -> Any:
    of = meaning(node.of, values)
    given = {name: meaning(each, values) for name, each in node.bound.items()}
    if node.name == "sum" and node.type == DURATION:
        return sum(of, timedelta())
    return FILTERS[node.name](of, **given)


@dataclass
class Loop:
    index: int
    first: bool
    last: bool


def gone_through(node: Comprehension, values: Values) -> list[Any]:
    of = meaning(node.items, values)
    found = []
    for index, item in enumerate(of):
        given = (item, of[item]) if isinstance(of, dict) else (item,)
        inside = dict(values)
        inside["loop"] = Loop(index + 1, index == 0, index == len(of) - 1)
        inside.update((name.name, each) for name, each in zip(node.names, given, strict=False))
        if node.test is None or meaning(node.test, inside):
            found.append(meaning(node.value, inside))
    return found


def rounded(of: Any, digits: int | None = None) -> Any:
    exact = of if isinstance(of, Decimal) else Decimal(repr(of))
    step = -max(-300, min(300, digits or 0))
    exponent = exact.as_tuple().exponent
    assert isinstance(exponent, int)
    nearest = exact if exponent >= step else exact.quantize(Decimal(1).scaleb(step), ROUND_HALF_UP, EXACT)
    if digits is None:
        return int(nearest)
    return nearest if isinstance(of, Decimal) else finite(float(nearest))


def fixed(of: Any, digits: int) -> str:
    if not 0 <= digits <= 300:
        raise UndefinedError("too many digits")
    exact = Fraction(of if isinstance(of, Decimal) else Decimal(repr(of)))
    units = str(math.floor(abs(exact) * 10**digits + Fraction(1, 2))).rjust(digits + 1, "0")
    written = f"{units[:-digits]}.{units[-digits:]}" if digits else units
    return f"-{written}" if exact < 0 and int(units) else written


def finite(value: float) -> float:
    if not math.isfinite(value):
        raise UndefinedError("not finite")
    return value


def total(of: list[Any]) -> Any:
    result = sum(of)
    return finite(result) if isinstance(result, float) else result


def once(of: list[Any], field_: Callable[[Any], Any] = lambda item: item) -> list[Any]:
    kept: list[Any] = []
    for item in of:
        if not any(equal(field_(item), field_(other)) for other in kept):
            kept.append(item)
    return kept


def most_common(of: list[Any]) -> Any:
    best, most = None, 0
    for item in of:
        count = sum(equal(item, other) for other in of)
        if count > most:
            best, most = item, count
    return best


def where(
    of: list[Any], field: str, operator: Any = UndefinedError, value: Any = UndefinedError
) -> list[Any]:
    if operator is UndefinedError:
        return [item for item in of if getter(field)(item)]
    if value is UndefinedError:
        operator, value = "==", operator
    return [item for item in of if compared(operator, getter(field)(item), value)]


def getter(path: str | None) -> Callable[[Any], Any]:
    return (lambda item: item) if path is None else (lambda item: field(item, path))


def chunked(of: list[Any], size: int) -> list[list[Any]]:
    if size < 1:
        raise UndefinedError("no size")
    return [of[at : at + size] for at in range(0, len(of), size)]


def counted(of: list[Any], field: str | None = None) -> dict[str, int]:
    keys = [getter(field)(item) for item in of]
    return {key: keys.count(key) for key in keys}


def contains(of: Any, item: Any) -> bool:
    return compared("in", item, of)


def any_of(texts: Any, holds: Callable[[str], bool]) -> bool:
    return any(map(holds, texts if isinstance(texts, list) else [texts]))


def cut(of: str, length: int, end: str = "…") -> str:
    if len(of) <= length:
        return of
    short = of[: max(0, length - len(end))].rstrip() + end
    return short[:length] if length > 0 else ""


def moved(of: str, width: int = 4) -> str:
    if not 0 <= width <= 1000:
        raise UndefinedError("out of range")
    return "\n".join(
        line if not line or not at else " " * width + line for at, line in enumerate(of.split("\n"))
    )


def converted(gives: type, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda of: of if isinstance(of, gives) else convert(of)


def day(of: Any) -> date:
    """The day of a moment, in UTC; a day itself; or the one that a text holds."""
    if isinstance(of, datetime):
        return of.astimezone(UTC).date()
    return of if isinstance(of, date) else read_date(of)


READ_AS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: type(value) is int,
    "boolean": lambda value: isinstance(value, bool),
    "list of string": lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    "list of integer": lambda value: isinstance(value, list) and all(type(one) is int for one in value),
    "map of optional integer": lambda value: (
        isinstance(value, dict) and all(one is None or type(one) is int for one in value.values())
    ),
}
"""Types, with whether data read from JSON is of that type."""


def read_json(of: str, type: str) -> Any:
    """What a text holds as JSON, which has no infinite numbers."""
    try:
        found = json.loads(of, parse_constant=int)
    except ValueError:
        raise UndefinedError("no JSON") from None
    if not READ_AS[type](found):
        raise UndefinedError("not of the type")
    return found


FILTERS: dict[str, Callable[..., Any]] = {
    "from_json": read_json,
    "default": lambda of, value: value if of is None else of,
    "json": as_json,
    "round": rounded,
    "fixed": fixed,
    "floor": math.floor,
    "ceil": math.ceil,
    "abs": lambda of: -of if of < type(of)(0) else of + type(of)(0),
    "string": as_text,
    "integer": converted(int, read_integer),
    "number": converted(float, read_number),
    "decimal": converted(Decimal, read_decimal),
    "datetime": converted(datetime, read_datetime),
    "duration": converted(timedelta, read_duration),
    "date": day,
    "format": as_date_text,
    "seconds": lambda of: of / timedelta(seconds=1),
    "upper": str.upper,
    "lower": str.lower,
    "capitalize": str.capitalize,
    "title": str.title,
    "trim": str.strip,
    "replace": lambda of, old, new: of.replace(old, new),
    "split": lambda of, separator=None: of.split(separator),
    "lines": str.splitlines,
    "contains": contains,
    "starts_with": lambda of, text: any_of(text, of.startswith),
    "ends_with": lambda of, text: any_of(text, of.endswith),
    "truncate": cut,
    "indent": moved,
    "url_encode": as_url_part,
    "url_path": as_url_path,
    "length": len,
    "first": lambda of: of[0] if of else None,
    "last": lambda of: of[-1] if of else None,
    "min": lambda of: sorted(of)[0] if of else None,
    "max": lambda of: sorted(of, reverse=True)[0] if of else None,
    "sum": total,
    "sort": lambda of, field=None, descending=False: sorted(of, key=getter(field), reverse=descending),
    "reverse": lambda of: list(reversed(of)),
    "unique": lambda of, field=None: once(of, getter(field)),
    "join": lambda of, separator="": separator.join(map(as_text, of)),
    "most_common": most_common,
    "any": lambda of: True in of,
    "all": lambda of: False not in of,
    "matches": lambda of, pattern: re.fullmatch(pattern, of) is not None,
    "flatten": lambda of: [item for items in of for item in items],
    "chunk": chunked,
    "present": lambda of: [item for item in of if item is not None],
    "where": where,
    "pluck": lambda of, field: [getter(field)(item) for item in of],
    "group": lambda of, field: {
        key: [item for item in of if getter(field)(item) == key] for key in map(getter(field), of)
    },
    "count_by": counted,
    "with": lambda of, **fields: of.model_copy(
        update={field_name(name): value for name, value in fields.items()}
    ),
    "keys": list,
    "values": lambda of: list(of.values()),
}

RULES: dict[type[Node], Callable[..., Any]] = {
    Constant: constant,
    Name: lambda node, values: values[node.name],
    Fields: lambda node, values: meaning(taken_apart(node), values),
    Attribute: lambda node, values: field(meaning(node.of, values), node.name),
    Subscript: subscript,
    Slice: part,
    Comprehension: gone_through,
    ListDisplay: lambda node, values: [meaning(item, values) for item in node.items],
    RecordDisplay: lambda node, values: {key.value: meaning(value, values) for key, value in node.entries},
    Unary: lambda node, values: (
        -meaning(node.operand, values) if node.operator == "-" else meaning(node.operand, values)
    ),
    Binary: arithmetic,
    Concat: lambda node, values: "".join(as_text(meaning(part, values)) for part in node.parts),
    Compare: lambda node, values: compared(
        node.operator, meaning(node.left, values), meaning(node.right, values)
    ),
    Logic: logic,
    Not: lambda node, values: not meaning(node.operand, values),
    Choice: lambda node, values: meaning(node.then if meaning(node.test, values) else node.otherwise, values),
    Test: is_of,
    FilterCall: filtered,
}
