"""What the type checker accepts has a value of the type that it says, and the one that is meant."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from meaning import UndefinedError, equal, meaning
from random_expressions import DECLARED, WORLD, Growing, read

from wfc.compiler.expressions import Expression, generate_expression
from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.syntax.tree import Choice, FilterCall, ListDisplay, Node, decided, walk
from wfc.compiler.python.literals import field_name
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Type,
    show,
)
from wfc.runtime import Record as PythonRecord
from wfc.runtime.errors import ExpressionError, StepError
from wfc.runtime.values import filters

DEFINED = (ExpressionError, StepError, ArithmeticError, ValueError, IndexError)
"""What an error of an expression may come of: no type is wrong, but there is no such value."""

CLASSES: dict[str, type] = {
    name: type(name, (PythonRecord,), {"__annotations__": {field_name(field): Any for field in fields}})
    for name, fields in DECLARED.items()
}

EXAMPLES: dict[Type, list[Any]] = {
    STRING: [
        "",
        "a",
        "b",
        "low",
        "ab cd",
        "Straße é",
        "2026-01-31",
        "42",
        "-1.5",
        "90 min",
        "a\nb",
        "{x}'\"\\",
    ],
    INTEGER: [0, 1, 2, 3, -1, -7, 10, 2**53 + 1, -(10**30), 10**400],
    NUMBER: [0.0, -0.0, 1.0, 2.5, -0.1, 1e308, -1e308, 5e-324, 3, 1e16],
    DECIMAL: [Decimal(0), Decimal("0.10"), Decimal(-7), Decimal("1E+30"), Decimal("2.345")],
    BOOLEAN: [True, False],
    DATE: [date(2026, 1, 31), date(1, 1, 1), date(9999, 12, 31)],
    DATETIME: [datetime(2026, 1, 31, 9, tzinfo=UTC), datetime(2026, 1, 31, 9, 0, 0, 5, tzinfo=UTC)],
    DURATION: [timedelta(), timedelta(hours=1.5), timedelta(days=-3), timedelta(days=900_000_000)],
    ANY: [None, True, False, 1, 0, 2.5, "a", [], [1, "a"], {"a": [True]}],
}


def value_of(type: Type, chance: random.Random, depth: int = 0) -> Any:
    """A random value of a type."""
    if type in EXAMPLES:
        return chance.choice(EXAMPLES[type])
    match type:
        case Optional():
            return None if chance.random() < 0.4 else value_of(type.of, chance, depth)
        case Enumeration():
            return chance.choice(type.values)
        case OneOf():
            return value_of(chance.choice(type.types), chance, depth)
        case ListOf():
            return [value_of(type.item, chance, depth + 1) for _ in range(chance.choice((0, 0, 1, 2, 3)))]
        case MapOf():
            return {key: value_of(type.value, chance, depth + 1) for key in chance.choice(("", "a", "ab"))}
        case Record():
            fields = {
                field_name(key): value_of(each.type, chance, depth + 1) for key, each in type.fields.items()
            }
            return CLASSES[type.name](**fields)
    raise AssertionError(type)


def is_of(value: Any, type: Type) -> bool:
    """Whether a value is of a type; a whole number is a number too."""
    match type:
        case Optional():
            return value is None or is_of(value, type.of)
        case Enumeration():
            return any(value == each and value.__class__ is each.__class__ for each in type.values)
        case OneOf():
            return any(is_of(value, each) for each in type.types)
        case ListOf():
            return isinstance(value, list) and all(is_of(item, type.item) for item in value)
        case MapOf():
            return isinstance(value, dict) and all(
                isinstance(key, str) and is_of(each, type.value) for key, each in value.items()
            )
        case Record(name=""):
            return (
                isinstance(value, dict)
                and value.keys() == type.fields.keys()
                and all(is_of(value[key], each.type) for key, each in type.fields.items())
            )
        case Record():
            return value.__class__.__name__ == type.name
    if type == NUMBER:
        return value.__class__ is int or (isinstance(value, float) and math.isfinite(value))
    return type in (ANY, UNKNOWN) or value.__class__ is SCALARS[type]


SCALARS: dict[Type, type] = {
    STRING: str,
    INTEGER: int,
    DECIMAL: Decimal,
    BOOLEAN: bool,
    DATE: date,
    DATETIME: datetime,
    DURATION: timedelta,
    NULL: type(None),
}


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same, and of one kind; ``0.0`` and ``0`` are."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, Decimal) == isinstance(other, Decimal) and equal(one, other)


def space(chance: random.Random) -> dict[str, Any]:
    """A value for each name in scope."""
    return {name: value_of(type, chance) for name, type in WORLD.names.items()}


def held(expression: Expression, values: dict[str, Any]) -> tuple[str, str]:
    """How an expression fares with some values: ``value``, ``error``, or what is wrong."""
    code = generate_expression(expression, {})
    try:
        wanted = meaning(expression.tree, values)
    except UndefinedError:
        wanted = UndefinedError
    try:
        found = eval(code, {**CLASSES, **values, "filters": filters})  # noqa: S307 - the code under test
    except DEFINED as error:
        return (
            ("error", "") if wanted is UndefinedError else ("undefined", f"{code}: {error!r}, not {wanted!r}")
        )
    except Exception as error:
        return "broken", f"{code}: {error!r}"
    if not is_of(found, expression.type):
        return "of another type", f"{code}: {found!r}, no {show(expression.type)}"
    if wanted is UndefinedError and leaves_out(expression.tree):
        return "value", ""
    if wanted is UndefinedError or not same(found, wanted):
        return "of another value", f"{code}: {found!r}, not {wanted!r}"
    return "value", ""


def leaves_out(tree: Node) -> bool:
    """Whether what does not matter is not computed either, and so cannot fail: `[a, b] | first`, `a if c else a`."""
    return any(
        isinstance(node, Choice)
        or decided(node) is not None
        or (isinstance(node, FilterCall) and node.name in ("default", "where"))
        or (
            isinstance(node, FilterCall)
            and node.name in ("first", "last")
            and isinstance(node.of, ListDisplay)
        )
        for node in walk(tree)
    )


def look_at(seed: int, times: int) -> tuple[Counter[str], Counter[str], list[str]]:
    """How often what came of expressions that were accepted, which filters were in them, and what is wrong."""
    chance = random.Random(seed)  # noqa: S311 - a reproducible choice
    growing = Growing(chance)
    growing.filter_all()
    growing.grow(times)
    fates: Counter[str] = Counter()
    used: Counter[str] = Counter()
    wrong: list[str] = []
    for expression in growing.pool:
        if len(expression.text) > 1500:
            continue
        used.update(node.name for node in walk(expression.tree) if isinstance(node, FilterCall))
        for _ in range(5):
            fate, why = held(expression, space(chance))
            fates[fate] += 1
            if why:
                wrong.append(f"{fate}: {expression.text}\n    {why}")
    return fates, used, wrong


def look(seeds: range, times: int) -> None:
    fates: Counter[str] = Counter()
    used: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in seeds:
        for total, more in zip((fates, used), found := look_at(seed, times), strict=False):
            total.update(more)
        wrong += found[2]
    print(f"\nseeds {seeds.start}-{seeds.stop - 1}: {dict(fates)}, filters {len(used)} of {len(FILTERS)}")
    wrong.sort(key=len)
    assert not wrong, "\n".join(wrong[:20])
    assert fates["value"] > 10 * len(seeds) * times**0.5
    assert used.keys() == FILTERS.keys()


ONCE_WRONG = [
    "(state.maybe_total | default(0)) / 3 + state.total",
    "(state.total if state.p else state.n) / 3 + state.total",
    "([state.total, 1, state.n] | last | default(0)) / 3",
    "(([state.n] + state.totals) | first | default(1)) / 3",
    "event.amount",
    "(other.amount if other is not none else 1) / 3",
    "state.text_or_number | integer",
    "state.text_or_moment | datetime",
    "state.text_or_length | duration",
    "state.flag_or_number == 1",
    "state.flag_or_number in [1, 2]",
    "state.any == 1",
    "state.any != state.any",
    "state.mixed_level in [1, 'one']",
    "[state.any] | contains(1)",
    "state.numbers | chunk(state.n)",
    "state.x | round(-308)",
    "state.n | round(2)",
    "state.s | indent(state.n)",
    "state.names | json(state.n)",
    "state.s | truncate(state.n, '...')",
    "none not in (state.orders | pluck('due'))[0:1]",
    "true in [state.p, state.p]",
    "state.mixed if state.p else [state.m, -1]",
    "[none, 1] + [(state.numbers | max) if state.p else state.total]",
    "false if state.p else 1",
    "[state.maybes, state.took, state.totals]",
    "[[state.prices if state.p else state.total, state.n], state.scores]",
]


@pytest.mark.parametrize("times", [50, pytest.param(200, marks=pytest.mark.full)])
@pytest.mark.parametrize("text", ONCE_WRONG)
def test_what_was_once_wrong(text: str, times: int) -> None:
    expression = read(text, WORLD)
    assert expression is not None
    chance = random.Random(text)  # noqa: S311 - a reproducible choice
    fates = {held(expression, space(chance)) for _ in range(times)}
    assert fates <= {("value", ""), ("error", "")}
    assert ("value", "") in fates


@pytest.mark.filterwarnings("ignore:.*with a literal:SyntaxWarning")
def test_what_is_accepted_has_a_value_of_its_type_or_an_error_of_its_own() -> None:
    look(range(1), 100)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*with a literal:SyntaxWarning")
def test_and_what_is_accepted_of_more_expressions() -> None:
    look(range(6), 300)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*with a literal:SyntaxWarning")
def test_a_hundred_thousand_expressions_have_values_of_their_types() -> None:
    look(range(100, 500), 400)
