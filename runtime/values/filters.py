"""Pure functions called by generated code, for what expressions of specs need beyond Python's operators."""

from __future__ import annotations

import json as _json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Sized
from datetime import timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeVar, overload

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator, core_schema
from pydantic_core import from_json as parsed_json

from wfc.runtime.errors import ExpressionError
from wfc.runtime.values import outputs
from wfc.runtime.values.conversions import datetime, day, decimal, duration, exact, integer, number
from wfc.runtime.values.moments import formatted
from wfc.runtime.values.outputs import InvalidOutput, Output, plain_type, problems
from wfc.runtime.values.outside_names import with_outside_names
from wfc.runtime.values.texts import argument, path_part, text, url_part, url_path

__all__ = [
    "Count",
    "among",
    "argument",
    "at",
    "at_most",
    "ceil",
    "chunk",
    "count_by",
    "datetime",
    "day",
    "decimal",
    "default",
    "duration",
    "equal",
    "exact",
    "finite",
    "first",
    "fixed",
    "flatten",
    "floor",
    "formatted",
    "from_json",
    "group",
    "indent",
    "integer",
    "json",
    "last",
    "matches",
    "merged_by",
    "most_common",
    "most_common_if_any",
    "number",
    "path_part",
    "replaced",
    "rounded",
    "text",
    "total",
    "truncate",
    "unique",
    "url_part",
    "url_path",
]

T = TypeVar("T")
Copied = TypeVar("Copied", bound=BaseModel)
Many = TypeVar("Many", bound=Sized)

EXACT: Final = Context(prec=5000, Emax=999999, Emin=-999999)
WIDEST: Final = 1000
MOST_DIGITS: Final = 300
MOST_ITEMS: Final = 100_000
LARGEST_JSON: Final = 16 * 1024 * 1024
PLAIN: Final[TypeAdapter[Any]] = TypeAdapter(Any, config=ConfigDict(defer_build=True))


# --- texts


@lru_cache(maxsize=512)
def _whole(pattern: str) -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=f"^(?:{pattern})$"))


def matches(value: str, pattern: str) -> bool:
    """Return whether a whole text is as a regular expression says, which is found out in linear time."""
    return _whole(pattern).isinstance_python(value)


def truncate(value: str, length: int, end: str = "…") -> str:
    """Return the text cut to ``length`` characters including ``end``, which is cut too if it does not fit."""
    if len(value) <= length:
        return value
    return (value[: max(0, length - len(end))].rstrip() + end)[: max(0, length)]


def indent(value: str, width: int = 4) -> str:
    """Return the text with every line but the first indented; empty lines stay empty.

    Raises:
        ExpressionError: ``width`` is negative or too large.
    """
    first, *rest = value.split("\n")
    blanks = " " * within_a_line(width)
    return "\n".join([first, *(f"{blanks}{line}" if line else line for line in rest)])


def within_a_line(width: int) -> int:
    if 0 <= width <= WIDEST:
        return width
    raise ExpressionError(f"an indent of {width} is out of range: it may be from 0 to {WIDEST}")


def json(value: object, indent: int | None = None) -> str:
    """Return the value as JSON text: fields of records by their names outside, datetimes and decimals as strings.

    Raises:
        ExpressionError: The value cannot be written as JSON, or the indent is out of range.
    """
    width = None if indent is None else within_a_line(indent)
    return _json.dumps(
        with_outside_names(value, plain(value)), ensure_ascii=False, indent=width, allow_nan=False
    )


def from_json(value: str, kind: type[T] | Output[T]) -> T:
    """Return the value of a type that a text holds as JSON, with the names that fields have outside.

    Raises:
        ExpressionError: The text is too long, is not JSON, or is not of that type.
    """
    if len(value) > LARGEST_JSON:
        raise ExpressionError(f"a text of more than {LARGEST_JSON // 2**20} MB is not read as JSON")
    try:
        if "NaN" in value or "Infinity" in value:  # no JSON, though readers of it take them for numbers
            parsed_json(value, allow_inf_nan=False)
        found: T = outputs.from_json(plain_type(kind), value, outside=True)
    except (InvalidOutput, ValueError) as error:
        raise ExpressionError(f"the text cannot be read as JSON of its type: {error}") from None
    return found


def plain(value: object) -> Any:
    """Return the value as JSON data."""
    try:
        return PLAIN.dump_python(value, mode="json", by_alias=True)
    except ValueError:  # pydantic's error for what it cannot serialize is one
        raise ExpressionError(f"a {type(value).__name__} has no form in JSON") from None


# --- numbers


def finite(value: float) -> float:
    """Return the number if it is finite.

    Raises:
        ExpressionError: The number is infinite or not a number.
    """
    if math.isfinite(value):
        return value
    raise ExpressionError("the result is too large for a number")


@overload
def rounded(value: Decimal, digits: int) -> Decimal: ...
@overload
def rounded(value: float, digits: int) -> float: ...
@overload
def rounded(value: float | Decimal, digits: None = None) -> int: ...
def rounded(value: float | Decimal, digits: int | None = None) -> float | Decimal:
    """Return the number rounded to an integer or to ``digits`` decimal places, halves away from zero."""
    # round the decimal notation: the float 2.345 is slightly less than 2.345, and still rounds up
    whole = value if isinstance(value, Decimal) else Decimal(repr(value))
    step = -max(-300, min(300, digits or 0))
    exponent = whole.as_tuple().exponent
    if isinstance(exponent, int) and exponent < step:
        whole = whole.quantize(Decimal(1).scaleb(step), ROUND_HALF_UP, EXACT)
    if digits is None:
        return int(whole)
    return whole if isinstance(value, Decimal) else finite(float(whole))


def fixed(value: float | Decimal, digits: int) -> str:
    """Return the number as a text with exactly ``digits`` decimal places, halves away from zero.

    Raises:
        ExpressionError: ``digits`` is negative or too large, or the number is too large to be written out.
    """
    if not 0 <= digits <= MOST_DIGITS:
        raise ExpressionError(f"{digits} digits after the point are out of range: 0 to {MOST_DIGITS}")
    whole = value if isinstance(value, Decimal) else Decimal(repr(value))
    try:
        written = whole.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, EXACT)
    except InvalidOperation:
        raise ExpressionError("the number is too large to be written out") from None
    return f"{written or abs(written):f}"


def floor(value: float | Decimal) -> int:
    """Return the greatest integer that is not above the number."""
    return math.floor(value)


def ceil(value: float | Decimal) -> int:
    """Return the least integer that is not below the number."""
    return math.ceil(value)


# --- what is equal


def equal(one: object, other: object) -> bool:
    """Return whether two values are equal, where booleans never equal numbers (in Python ``True == 1``)."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def among(value: object, items: Iterable[object]) -> bool:
    """Return whether a value is equal to one of the items in the sense of ``equal``."""
    return any(equal(value, item) for item in items)


# --- null


def default(value: T | None, other: T) -> T:
    """Return the value, or the other one if the value is null."""
    return other if value is None else value


# --- lists


def at(items: Sequence[T], index: int) -> T:
    """Return the item at an index from 0; a negative index counts from the end.

    Raises:
        ExpressionError: There is no such item.
    """
    if -len(items) <= index < len(items):
        return items[index]
    raise ExpressionError(f"there is no item {index} in a list of {len(items)}")


def at_most(limit: int, items: Many) -> Many:
    """Return the items if there are at most ``limit``.

    Raises:
        ExpressionError: There are more than ``limit``.
    """
    if len(items) > limit:
        raise ExpressionError(f"there are {len(items)} items, and at most {limit} are allowed")
    return items


class Count:
    """Counts the items that loops go through which stand one in the other."""

    __slots__ = ("done",)

    def __init__(self) -> None:
        self.done = 0

    def __call__(self, items: Many) -> Many:
        """Return the items of one more loop.

        Raises:
            ExpressionError: They are too many, with those of the loops before.
        """
        self.done += len(items)
        if self.done > MOST_ITEMS:
            raise ExpressionError(f"loops in loops go through more than {MOST_ITEMS} items in all")
        return items


def first(items: Sequence[T]) -> T | None:
    """Return the first item, or ``None`` if there are no items."""
    return items[0] if items else None


def last(items: Sequence[T]) -> T | None:
    """Return the last item, or ``None`` if there are no items."""
    return items[-1] if items else None


def total(items: Iterable[timedelta]) -> timedelta:
    """Return the sum of all durations."""
    return sum(items, timedelta())


def unique(items: Iterable[T], key: Callable[[T], object] | None = None) -> list[T]:
    """Return the items without duplicates, or the first for each key, in the order of first appearance."""
    seen: dict[object, None] = {}
    found = []
    for item in items:
        mark = identity(key(item) if key else item)
        if mark not in seen:
            seen[mark] = None
            found.append(item)
    return found


def identity(value: object) -> object:
    """Return a hashable key that is equal for equal values and distinguishes true from 1."""
    if isinstance(value, (BaseModel, list, dict)):
        return type(value), json(value)
    return isinstance(value, bool), value


def most_common(items: Sequence[T]) -> T:
    """Return the most frequent item; if several are equally frequent, the one that comes first.

    Raises:
        ExpressionError: There are no items.
    """
    if not items:
        raise ExpressionError("an empty list has no most common item")
    counts = Counter(identity(item) for item in items)
    most = max(counts.values())
    return next(item for item in items if counts[identity(item)] == most)


def most_common_if_any(items: Sequence[T]) -> T | None:
    """Return the most frequent item as ``most_common`` does, or ``None`` for an empty list."""
    return most_common(items) if items else None


def flatten(items: Iterable[Iterable[T]]) -> list[T]:
    """Return the items of all lists, one list after the other."""
    return list(chain.from_iterable(items))


def chunk(items: Sequence[T], size: int) -> list[list[T]]:
    """Return the items split into lists of at most ``size`` items.

    Raises:
        ExpressionError: ``size`` is less than 1.
    """
    if size < 1:
        raise ExpressionError(f"chunks of {size} items cannot be made")
    return [list(items[begin : begin + size]) for begin in range(0, len(items), size)]


def replaced(record: Copied, /, **fields: Any) -> Copied:
    """Return a copy of a record with other values in some fields, checked as a new one is.

    Raises:
        ExpressionError: A value is not within the bounds of its field.
    """
    held = {name: getattr(record, name) for name in type(record).model_fields}
    try:
        return type(record)(**{**held, **fields})
    except ValidationError as error:
        raise ExpressionError(f"no such {type(record).__name__} can be made: {problems(error)}") from None


def group(items: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """Return the items grouped by key, with keys in the order of first appearance."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def merged_by(kept: Sequence[T], new: Iterable[T], key: Callable[[T], object]) -> list[T]:
    """Return the items of both lists; a new item replaces the kept one with its key, or is appended."""
    return list({key(item): item for items in (kept, new) for item in items}.values())


@overload
def count_by(items: Iterable[str]) -> dict[str, int]: ...
@overload
def count_by(items: Iterable[T], key: Callable[[T], str]) -> dict[str, int]: ...
def count_by(items: Iterable[Any], key: Callable[[Any], str] | None = None) -> dict[str, int]:
    """Return the number of items for each key, with keys in the order of first appearance."""
    return dict(Counter(key(item) if key else item for item in items))
