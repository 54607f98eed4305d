"""Plain values (JSON data) against types: defaults, tests and mocks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types.durations import seconds
from wfc.compiler.types.shapes import (
    BOOLEAN,
    NO_CONSTRAINTS,
    Constraints,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
)
from wfc.compiler.types.show import show, show_value

__all__ = ["Misfit", "bounded", "fits", "moment", "quote_at_end", "resembles"]

LARGEST_INTEGER: Final = 2**53 - 1  # beyond it, JSON numbers lose digits on their way
# compiled by `re` when they are first asked for, which a check of most specs never does
PATTERN_LIKE: Final = r"\[[^\]]*-[^\]]*\]|\\[dws]|\.[*+]|\{\d+\}"
"""Parts of patterns, which are hardly ever those of a value."""
WITH_SIGNS: Final = r"[+-]?\d+(?:[.,]\d+)+"
"""A number with a fraction, or with signs between its thousands."""
DECIMAL_TEXT: Final = r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?"
PATH: Final = r"(?:inputs|events?|result|state|config|error)(?:\.\w+)+"
PATH_TEXT: Final = rf"{PATH}(?: *(?:[-+*/~]|//) *(?:{PATH}|\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"))*"
"""A text that looks like an expression: a path, and perhaps something that is computed with it."""
MOST_FIELDS: Final = 6
TRUTH_WORDS: Final = {
    "yes": "true",
    "on": "true",
    "true": "true",
    "no": "false",
    "off": "false",
    "false": "false",
}
GERMAN_DATE: Final = r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})"


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a value is not of a type.

    Args:
        path: Keys and indexes from the value to the part that is wrong.
        reason: What is wrong with it, to follow a colon: ``"wanted an integer, found \\"a\\""``.
        key: Whether the last of ``path`` is itself what is wrong (a key that is not known).
        name: Where a name or a value is not among those that are known: that name.
        known: And those that are, for a suggestion.
        hint: How to write what is most likely meant, where that can be told.
    """

    path: tuple[str | int, ...]
    reason: str
    key: bool = False
    name: str = ""
    known: tuple[str, ...] = ()
    hint: str = ""

    def under(self, step: str | int) -> Misfit:
        """Return the same misfit as seen from one level further up."""
        return replace(self, path=(step, *self.path))

    def at(self, place: Place) -> Place:
        """Return the place of the part that is wrong, given that of the whole value."""
        for step in self.path:
            place = place / step
        return place.key if self.key else place


def fits(value: object, type: Type, constraints: Constraints = NO_CONSTRAINTS) -> Misfit | None:
    """Return what first keeps plain data from being a value of a type; ``None`` if nothing does.

    Moments are texts in ISO 8601, decimals texts or integers, durations texts such as ``30s`` or ``PT30S``.
    """
    if isinstance(type, Optional):
        return None if value is None else fits(value, type.of, constraints)
    match type:
        case Scalar():
            misfit = scalar_fits(value, type)
        case Enumeration():
            misfit = enumeration_fits(value, type)
        case OneOf():
            misfit = one_of_fits(value, type)
        case ListOf():
            misfit = list_fits(value, type)
        case MapOf():
            misfit = map_fits(value, type)
        case Record():
            misfit = record_fits(value, type)
    return misfit or bounded(value, type, constraints)


def resembles(value: object, type: Type) -> bool:
    """Return whether plain data is of the sort of a type's values, right or not: a list, a map, a yes or no, another.

    An expression, null and what may be of any type are of each sort.
    """
    match type:
        case Optional():
            return resembles(value, type.of)
        case OneOf():
            return any(resembles(value, member) for member in type.types)
        case Scalar("any" | "unknown"):
            return True
    if value is None or (isinstance(value, str) and "${{" in value):
        return True
    match value:
        case list():
            return isinstance(type, ListOf)
        case dict():
            return isinstance(type, (MapOf, Record))
        case bool():
            return isinstance(type, Enumeration) or type == BOOLEAN
        case str() if type == BOOLEAN:
            return value.lower() in TRUTH_WORDS
    return isinstance(type, (Scalar, Enumeration)) and type != BOOLEAN


def wanted(type: Type, value: object) -> Misfit:
    return Misfit(
        (), f"wanted {with_article(show(type))}, found {described(value)}", hint=rewritten(value, type)
    )


def rewritten(value: object, type: Type) -> str:
    """Return how to write what is most likely meant by a value of another type; empty where that cannot be told."""
    if isinstance(value, str) and value.endswith(('"', "'")) and (told := quote_at_end(value, type)):
        return told
    if isinstance(value, str) and re.fullmatch(PATH_TEXT, value):
        return f"an expression is written `${{{{ {value} }}}}`"
    match type, value:
        case Record(), _ if not isinstance(value, (dict, list)) and 0 < len(type.fields) <= MOST_FIELDS:
            return f"its form is `{{{', '.join(f'{name}: …' for name in type.fields)}}}`"
        case Scalar("boolean"), str() if value.lower() in TRUTH_WORDS:
            return f"write `{TRUTH_WORDS[value.lower()]}`"
        case Scalar("date"), str() if day := re.fullmatch(GERMAN_DATE, value):
            return f"write `{day[3]}-{day[2]:0>2}-{day[1]:0>2}`"
        case Scalar("duration"), str() | int() | float() if not isinstance(value, bool):
            return "write how long, with a unit, such as `30s`, `2h` or `5 days`"
        case Scalar("integer" | "number" | "decimal"), str() if re.fullmatch(WITH_SIGNS, value):
            return as_other_number(value, type.name)
        case Scalar("integer"), float() if re.fullmatch(WITH_SIGNS, str(value)):
            return as_other_number(value, type.name)
        case Scalar("integer" | "number"), str() if re.fullmatch(DECIMAL_TEXT, value):
            return "write it without quotes"
        case Scalar("string" | "decimal"), int() | float() if type.name == "string" or is_number(value):
            return "put it in quotes" + " if it is meant as a text" * (type.name == "string")
    return ""


def quote_at_end(value: object, type: Type) -> str:
    """Return what to do about a quote that ends a text and begins none; empty if there is more to it."""
    from wfc.compiler.types.stray_quotes import about_stray_quote  # a good spec never needs it

    return about_stray_quote(value, lambda each: fits(each, type) is None)


def as_other_number(value: str | float, wanted: str) -> str:
    """Return how a number is written where another one is wanted; the other is `integer`, `number` or `decimal`."""
    from wfc.compiler.types.number_texts import NOT_WHOLE, as_number  # a good spec never needs it

    if isinstance(value, str):
        return as_number(value, wanted)
    return f"write `{int(value)}`" if value.is_integer() else f"{NOT_WHOLE} a `number`"


def with_article(words: str) -> str:
    """``an integer``, ``a list of string``; enumerations and names as they are."""
    if words[0] in "{`" or words[0].isupper() or words.startswith("the "):
        return words
    if words in {"any", "unknown", "null"}:
        return words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def described(value: object) -> str:
    match value:
        case None:
            return "null"
        case dict():
            return "a record"
        case list():
            return "a list"
        case str() if value == "":
            return "an empty text"
        case str():
            return f"the text `{show_value(value)}`"
    return f"`{show_value(value)}`"


def scalar_fits(value: object, type: Scalar) -> Misfit | None:
    if type.name in {"any", "unknown"}:
        return None
    if type.name == "null":
        return None if value is None else wanted(type, value)
    if type.name == "integer" and isinstance(value, int) and not isinstance(value, bool):
        if abs(value) > LARGEST_INTEGER:
            return Misfit((), "integers beyond ±9007199254740991 lose digits in JSON")
        return None
    return None if CHECKS[type.name](value) else wanted(type, value)


def is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isinstance(value, int) or math.isfinite(value)


def is_decimal(value: object) -> bool:
    if isinstance(value, str):
        return bool(re.fullmatch(DECIMAL_TEXT, value))
    return isinstance(value, int) and not isinstance(value, bool)


def moment(value: object, kind: str) -> bool:
    """Return whether a value is a text with a date, a datetime with its offset, or a duration."""
    if not isinstance(value, str):
        return False
    if kind == "duration":
        return seconds(value) is not None
    from datetime import date, datetime

    try:
        if kind == "date":
            return len(value) == 10 and bool(date.fromisoformat(value))
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


CHECKS: dict[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: False,
    "number": is_number,
    "boolean": lambda value: isinstance(value, bool),
    "decimal": is_decimal,
    "date": lambda value: moment(value, "date"),
    "datetime": lambda value: moment(value, "datetime"),
    "duration": lambda value: moment(value, "duration"),
}


def enumeration_fits(value: object, type: Enumeration) -> Misfit | None:
    if any(value == each and value.__class__ is each.__class__ for each in type.values):
        return None
    known = tuple(each for each in type.values if isinstance(each, str))
    hint = ""
    if isinstance(value, str) and any(re.search(PATTERN_LIKE, each) for each in known):
        hint = "an `enum` lists its values as they are; a form is said by `{type: string, pattern: …}`"
        known = ()
    return Misfit(
        (), f"wanted {either(type)}, found {described(value)}", name=str(value), known=known, hint=hint
    )


def either(type: Enumeration) -> str:
    words = [f"`{show_value(value)}`" for value in type.values[:8]]
    if len(type.values) > 8:
        return f"one of {', '.join(words)} …"
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def one_of_fits(value: object, type: OneOf) -> Misfit | None:
    misfits = []
    for member in type.types:
        misfit = fits(value, member)
        if misfit is None:
            return None
        misfits.append(misfit)
    deepest = max(misfits, key=lambda each: len(each.path))
    return deepest if deepest.path and len(misfits) == 1 else wanted(type, value)


def list_fits(value: object, type: ListOf) -> Misfit | None:
    if not isinstance(value, list):
        return wanted(type, value)
    for index, item in enumerate(value):
        if misfit := fits(item, type.item):
            return misfit.under(index)
    return None


def map_fits(value: object, type: MapOf) -> Misfit | None:
    if not isinstance(value, dict):
        return wanted(type, value)
    for key, item in value.items():
        if not isinstance(key, str):
            return Misfit((key,), f"the key `{show_value(key)}` is not a text", key=True)
        if misfit := fits(item, type.value):
            return misfit.under(key)
    return None


def record_fits(value: object, type: Record) -> Misfit | None:
    if not isinstance(value, dict):
        return wanted(type, value)
    for key in value:
        if key not in type.fields:
            name = type.name or "this record"
            return Misfit(
                (key,), f"`{name}` has no field `{show_value(key)}`", True, str(key), tuple(type.fields)
            )
    for name, field in type.fields.items():
        if name in value:
            if misfit := field_fits(value[name], field):
                return misfit.under(name)
        elif field.required:
            return Misfit((), f"the field `{name}` is missing")
    return None


def field_fits(value: object, field: Field) -> Misfit | None:
    return fits(value, field.type, field.constraints)


def bounded(value: object, type: Type, constraints: Constraints) -> Misfit | None:
    """Return what first keeps a value of a type from its bounds."""
    if constraints == NO_CONSTRAINTS or value is None:
        return None
    size = len(value) if isinstance(value, (str, list, dict)) else None
    for bound, least, most in (
        (value, constraints.min, constraints.max),
        (size, constraints.min_length, constraints.max_length),
    ):
        if bound is None:
            continue
        what = "" if bound is value else (" character" if isinstance(value, str) else " item")
        if least is not None and below(bound, least, type):
            return Misfit((), f"at least {least}{plural(what, least)} wanted, found {show_value(bound)}")
        if most is not None and below(most, bound, type):
            return Misfit((), f"at most {most}{plural(what, most)} allowed, found {show_value(bound)}")
    if constraints.pattern is not None and isinstance(value, str):
        return unlike(value, constraints.pattern)
    return None


def unlike(value: str, pattern: str) -> Misfit | None:
    """Return how a text is not as a pattern says."""
    from wfc.compiler.types import text_patterns  # few specs have a pattern and a constant for it

    if text_patterns.matches_pattern(value, pattern):
        return None
    return Misfit((), f"`{show_value(value)}` is not as the pattern `{show_value(pattern)}` says")


def plural(what: str, count: object) -> str:
    """Return what is counted, in the plural unless it is one."""
    return what if not what or count == 1 else f"{what}s"


def below(first: object, second: object, type: Type) -> bool:
    """Return whether one bound or value is less than another, each as its type means it."""
    if isinstance(first, str) or isinstance(second, str):
        if isinstance(type, Scalar) and type.name == "decimal":
            from decimal import Decimal

            return Decimal(str(first)) < Decimal(str(second))
        if isinstance(type, Scalar) and type.name == "datetime":
            from datetime import datetime

            return datetime.fromisoformat(str(first)) < datetime.fromisoformat(str(second))
        return isinstance(first, str) and isinstance(second, str) and type_is_date(type) and first < second
    return isinstance(first, (int, float)) and isinstance(second, (int, float)) and first < second


def type_is_date(type: Type) -> bool:
    return isinstance(type, Scalar) and type.name == "date"
