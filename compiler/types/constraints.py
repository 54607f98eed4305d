"""Bounds on values: `format`, `min`, `max_length`, `pattern` and their like."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.rules import type_keys as problems
from wfc.compiler.slotted import fields
from wfc.compiler.types.relations import base, members
from wfc.compiler.types.shapes import (
    DATE,
    DATETIME,
    DECIMAL,
    INTEGER,
    NUMBER,
    STRING,
    UNKNOWN,
    Constraints,
    ListOf,
    MapOf,
    Type,
)
from wfc.compiler.types.show import show
from wfc.compiler.types.text_patterns import MOST_REPEATED, repeated, whole_text
from wfc.compiler.types.values import below, fits, quote_at_end

__all__ = ["FORMATS", "parse_constraints"]

FORMATS: Final = ("email", "hostname", "ipv4", "ipv6", "uri", "uuid")
NAMES: Final = tuple(each.name for each in fields(Constraints))
BOUNDED: Final = (NUMBER, INTEGER, DECIMAL, DATE, DATETIME)
PAIRS: Final = (("min", "max"), ("min_length", "max_length"))
LENGTHS: Final = frozenset({"min_length", "max_length"})
VERBOSE: Final = r"\(\?[a-wyz]*x"
NOT_LINEAR = r"(?<!\\)(?:\\\\)*(\(\?(?:[=!]|<[=!]|P=)|\\[1-9])"


def parse_constraints(
    data: Mapping[str, object], type: Type, place: Place, report: Report
) -> Constraints | None:
    """Return the valid bounds that a long form sets; ``None`` if it sets none."""
    given = {name: data[name] for name in NAMES if name in data}
    if not given or type == UNKNOWN:
        return None
    sound = {}
    for name, value in given.items():
        at = place / name
        if not applies(name, type):
            report(problems.bound_does_not_apply(at.key, name, show(type)))
        elif good(name, value, type, at, report):
            sound[name] = value
    for low, high in PAIRS:
        if low in sound and high in sound and below(sound[high], sound[low], members(type)[0]):
            report(problems.bounds_crossed(place / high, low, high))
            del sound[high]
    return Constraints(**sound)  # type: ignore[arg-type]  # each value was judged by `good`


def applies(name: str, type: Type) -> bool:
    """Return whether a bound means something for every value of a type."""
    for member in members(type):
        if name in {"min", "max"}:
            fine = member in BOUNDED
        else:
            fine = base(member) == STRING or (name in LENGTHS and isinstance(member, (ListOf, MapOf)))
        if not fine:
            return False
    return True


def good(name: str, value: object, type: Type, at: Place, report: Report) -> bool:
    """Return whether a bound's own value can be used; reports why not."""
    if name == "format":
        if value not in FORMATS:
            report(problems.unknown_format(at, str(value), FORMATS))
        return value in FORMATS
    if name == "pattern":
        why = bad_pattern(value)
        if why:
            report(problems.bad_pattern(at, why))
        return not why
    if name in {"min", "max"}:
        misfit = fits(value, members(type)[0])
        if misfit:
            hint = quote_at_end(value, members(type)[0])
            report(problems.bad_bound(at, name, misfit.reason, hint))
        return not misfit
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        hint = quote_at_end(value, INTEGER)
        report(problems.bad_bound(at, name, "wanted a whole number, 0 or more", hint))
        return False
    return True


def bad_pattern(value: object) -> str:
    """Return why a pattern cannot be used, or empty: the runtime's engine takes linear time, without look-around."""
    if not isinstance(value, str):
        return "a pattern is a text"
    if len(value) > 1000:
        return "it is longer than 1000 characters"
    if found := re.search(NOT_LINEAR, value):
        return f"`{found.group(1)}` looks around or back, which this kind of pattern cannot"
    if (parts := repeated(value)) > MOST_REPEATED:
        return f"its repetitions make {parts:,} parts of it, and {MOST_REPEATED:,} are allowed"
    if re.search(VERBOSE, value):
        return "comments and blanks without a meaning (`(?x)`) cannot be had here"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about sets in sets, whose meaning is that of the other engine
            re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    # the engine that will match it has the last word; loaded only by a spec with a pattern
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        SchemaValidator(core_schema.str_schema(pattern=whole_text(value)))
    except SchemaError:
        return "the engine that matches patterns in linear time does not know all of it"
    return ""
