"""Types of arithmetic."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.expressions.syntax.tree import Binary, Constant, Node, Unary
from wfc.compiler.expressions.typing.comparisons import adapt
from wfc.compiler.expressions.typing.reporter import TypeReporter
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import (
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NUMBER,
    STRING,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    Record,
    Scalar,
    Type,
    base,
    common,
    show_given,
)

__all__ = ["binary", "unary"]

NUMERIC: Final = (INTEGER, NUMBER, DECIMAL)
TEMPORAL: Final = (DATETIME, DATE, DURATION)
MOST_FIELDS: Final = 6
"""Records with more fields are not written out in a hint."""
TEMPORAL_OR_NUMERIC: Final = (*TEMPORAL, *NUMERIC)

# Moments and durations: (left, operator, right) → result.
TIMES: Final[dict[tuple[Type, str, Type], Type]] = {
    (DATETIME, "+", DURATION): DATETIME,
    (DURATION, "+", DATETIME): DATETIME,
    (DATETIME, "-", DURATION): DATETIME,
    (DATETIME, "-", DATETIME): DURATION,
    (DATE, "-", DATE): DURATION,
    (DURATION, "+", DURATION): DURATION,
    (DURATION, "-", DURATION): DURATION,
    (DURATION, "/", DURATION): NUMBER,
    **{(DURATION, operator, number): DURATION for operator in "*/" for number in (INTEGER, NUMBER)},
    **{(number, "*", DURATION): DURATION for number in (INTEGER, NUMBER)},
}


def unary(reporter: TypeReporter, node: Unary, operand: Type) -> Type:
    """The type of a number with a sign."""
    kind = base(operand)
    if kind in (UNKNOWN, DURATION, *NUMERIC):
        return kind
    return reporter.wrong(
        operand_problems.no_arithmetic(reporter.at(node), node.operator, show_given(kind), "", "")
    )


def binary(reporter: TypeReporter, node: Binary, left: Type, right: Type) -> Type:
    """The type of a sum, a difference, a product, a quotient."""
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    scaled = node.operator in {"*", "/"}
    left, right = as_written(node.left, left, right, scaled), as_written(node.right, right, left, scaled)
    first, second = base(left), base(right)
    if first in NUMERIC and second in NUMERIC:
        if {first, second} == {DECIMAL, NUMBER}:
            return reporter.wrong(operand_problems.decimal_with_number(reporter.at(node), node.operator))
        return number(node.operator, first, second)
    if (first, node.operator, second) in TIMES:
        return TIMES[first, node.operator, second]
    if node.operator == "+" and first == second == STRING:
        return STRING
    if node.operator == "+" and isinstance(first, ListOf) and isinstance(second, ListOf):
        return ListOf(common(first.item, second.item))
    if node.operator == "+" and (maps := both_maps(first, second)) is not None:
        return maps
    hint = in_quotes(node, first, second) or without_unit(node, first, second)
    if not hint and node.operator == "+":
        hint = for_sum(first, second, node)
    shown = show_given(first), show_given(second)
    return reporter.wrong(operand_problems.no_arithmetic(reporter.at(node), node.operator, *shown, hint))


def in_quotes(node: Binary, first: Type, second: Type) -> str:
    """Return how a number is written that stands in quotes beside another one; empty if none does."""
    for text, other in ((node.left, second), (node.right, first)):
        written = text.value if isinstance(text, Constant) and isinstance(text.value, str) else ""
        if other in NUMERIC and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", written):
            also = "; texts are put together with `~`" if node.operator == "+" else ""
            return f"write `{written}` without quotes{also}"
    return ""


def without_unit(node: Binary, first: Type, second: Type) -> str:
    """Return how a number becomes a length of time where one is added to a moment or to another length, or taken away;
    empty for all else.
    """
    mixed = (first in TEMPORAL and second in NUMERIC) or (first in NUMERIC and second in TEMPORAL)
    if not mixed or node.operator not in {"+", "-"}:
        return ""
    return "a number becomes a length of time by a unit, as in `3 * '1 day'`"


def for_sum(first: Type, second: Type, node: Binary) -> str:
    """Return how two values are put together that `+` does not take; empty where that cannot be told."""
    if isinstance(first, ListOf) != isinstance(second, ListOf):
        if first == STRING:  # which may be meant as the beginning of a text, too
            return ""
        return "an item stands in brackets beside a list: `[1, 2] + [3]`"
    if isinstance(first, Record) and isinstance(second, Record):
        names = list(dict.fromkeys([*first.fields, *second.fields]))
        written = ", ".join(f'"{each}": …' for each in names)
        return f"write one record with all its fields: `{{{written}}}`" if len(names) <= MOST_FIELDS else ""
    plain = all(isinstance(each, (Scalar, Enumeration)) for each in (first, second))
    if not plain or STRING not in (first, second):
        return ""
    known = any(
        isinstance(each, Constant) and isinstance(each.value, str) for each in (node.left, node.right)
    )
    if first not in NUMERIC and second not in NUMERIC:
        return "put texts together with `~`"
    if known:  # of which a number may be wanted in the end
        return "to put texts together write `~`"
    made = "`| decimal`" if DECIMAL in (first, second) else "`| integer` or `| number`"
    return (
        f"to put texts together write `~`; what is a number is declared as one, or made of a text by {made}"
    )


def as_written(node: Node, type: Type, other: Type, scaled: bool) -> Type:
    """Return the type of an operand; of a text written out beside a moment, a duration or a decimal, that for which
    it stands: ``run.now + "3 days"``, ``event.nights * "1 day"``, ``event.price + "4.90"``.

    Args:
        scaled: Whether the two are multiplied or divided: then a number may stand beside a duration.
    """
    kind = base(other)
    if base(type) != STRING:
        return type
    lengths = (DURATION,) if kind in (TEMPORAL_OR_NUMERIC if scaled else TEMPORAL) else ()
    for wanted in (*lengths, kind):
        if (found := adapt(node, type, wanted)) == wanted:
            return found
    return type


def number(operator: str, first: Type, second: Type) -> Type:
    if DECIMAL in (first, second):
        return DECIMAL
    return NUMBER if NUMBER in (first, second) or operator == "/" else INTEGER


def both_maps(first: Type, second: Type) -> MapOf | None:
    """Return the type of two maps together, one of which may be written out."""
    values: list[Type] = []
    for each in (first, second):
        if isinstance(each, MapOf):
            values.append(each.value)
        elif isinstance(each, Record) and not each.name:
            values += [field.type for field in each.fields.values()]
        else:
            return None
    return (
        MapOf(common(*values)) if values and (isinstance(first, MapOf) or isinstance(second, MapOf)) else None
    )
