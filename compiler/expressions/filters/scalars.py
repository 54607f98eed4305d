"""Filters for numbers, moments and durations, and from one type to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wfc.compiler.expressions.filters.definition import CheckedFilter, Filter, FilterParameter
from wfc.compiler.expressions.filters.moments import FORMAT
from wfc.compiler.expressions.python import exactness, pieces
from wfc.compiler.expressions.syntax.tree import Constant, ListDisplay, RecordDisplay, Subscript, known_path
from wfc.compiler.expressions.typing import comparisons
from wfc.compiler.on_demand import modules_of
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import (
    ANY,
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
    Scalar,
    Type,
    assignable,
    base,
    common,
    fits,
    may_be_null,
    members,
    show,
    without_null,
)

if TYPE_CHECKING:
    from wfc.compiler.expressions.filters import from_json
    from wfc.compiler.expressions.python.filter_calls import PrintedFilter
    from wfc.compiler.expressions.python.pieces import Piece
else:
    from_json = modules_of("wfc.compiler.expressions.filters")("from_json")

__all__ = ["FILTERS"]

NUMERIC: Final = (INTEGER, NUMBER, DECIMAL)
DIGITS: Final = FilterParameter("digits", INTEGER)


def check_same_number(use: CheckedFilter) -> Type:
    kind = base(use.subject)
    return kind if kind in NUMERIC or kind == DURATION else use.misfit()


def check_round(use: CheckedFilter) -> Type:
    kind = base(use.subject)
    if kind not in NUMERIC:
        return use.misfit()
    if "digits" not in use.bound:
        return INTEGER
    return NUMBER if kind == INTEGER else kind


def check_whole(use: CheckedFilter) -> Type:
    return INTEGER if base(use.subject) in NUMERIC else use.misfit()


def check_text(use: CheckedFilter) -> Type:
    if all(isinstance(each, (Scalar, Enumeration)) and each != ANY for each in members(use.subject)):
        return STRING
    return use.misfit()


def print_text(use: PrintedFilter) -> Piece:
    return use.subject if base(use.type) == STRING else pieces.call("filters.text", use.subject)


def conversion(
    name: str, sources: tuple[Scalar, ...], gives: Scalar, doc: str, example: tuple[str, str]
) -> Filter:
    """A filter that makes a value of one type of a value of another; of the same type it does nothing."""

    def check(use: CheckedFilter) -> Type:
        if not all(base(each) in (*sources, gives) for each in members(use.subject)):
            return use.misfit()
        node = use.node.of
        if isinstance(node, Constant) and isinstance(node.value, str) and gives != STRING:
            misfit = (
                fits(node.value, gives) if gives not in (INTEGER, NUMBER) else number_in(node.value, gives)
            )
            if misfit:
                return use.wrong(operand_problems.cannot_convert(use.reporter.at(node), node.value, name))
        return gives

    def to_python(use: PrintedFilter) -> Piece:
        return use.subject if base(use.type) == gives else pieces.call(f"filters.{name}", use.subject)

    takes = " or ".join(map(show, sources))
    return Filter(name, takes, show(gives), doc, example, (), check, to_python)


def number_in(text: str, wanted: Scalar) -> str:
    try:
        value = int(text) if wanted == INTEGER else float(text)
    except ValueError:
        return "not a number"
    return "" if abs(value) < float("inf") else "not finite"


def end_within_brackets(use: CheckedFilter) -> int:
    """Return where a filter's call ends: the brackets around value and filter belong to its stretch, too."""
    words = use.reporter.text[use.node.start : use.node.end]
    for _ in range(words.count("(", 0, use.node.of.start - use.node.start)):
        words = words.rstrip()[:-1]
    return use.node.start + len(words.rstrip())


def for_empty(use: CheckedFilter, words: str) -> str:
    """Return how a value is given in place of an empty text, list or map; empty where nothing like it is meant."""
    fallback, kind = use.bound["value"], base(use.subject)
    holds = kind == STRING or isinstance(kind, (ListOf, MapOf))
    nothing = isinstance(fallback, (ListDisplay, RecordDisplay)) or (
        isinstance(fallback, Constant) and not fallback.value
    )
    if not holds or nothing or known_path(use.node.of) is None:
        return ""
    return f"`{use.reporter.words(fallback)} if {words} is empty else {words}`"


def check_default(use: CheckedFilter) -> Type:
    fallback = use.bound["value"]
    kind = use.adapted("value", use.subject)
    if not may_be_null(use.subject) and use.subject not in (ANY, UNKNOWN):
        if not may_be_null(use.node.of.declared):
            place, words = use.reporter.at(use.node.of), use.reporter.words(use.node.of)
            superfluous = use.reporter.place.stretch(use.node.of.end, end_within_brackets(use))
            empty = for_empty(use, words)
            use.reporter.report(operand_problems.default_never_used(place, words, superfluous, empty))
        return use.subject
    present = without_null(use.subject)
    if present == UNKNOWN:
        return kind
    if (
        isinstance(present, Enumeration)
        and isinstance(fallback, Constant)
        and present.name
        and not assignable(kind, present)
    ):
        values = [str(each) for each in present.values]
        words = use.reporter.words(use.node.of)
        return use.wrong(
            operand_problems.no_such_value(use.reporter.at(fallback), words, str(fallback.value), values)
        )
    return common(present, kind)


def print_default(use: PrintedFilter) -> Piece:
    if not may_be_null(use.type) and use.type != ANY:
        return use.subject
    fallback = use.printer.exact(use.node.bound["value"], use.node.type)
    if not exactness.is_exact(use.type, use.node.type):
        return pieces.call("filters.default", exactness.made_exact(use.subject), fallback)
    code = use.subject.code
    if code.endswith(")") and ".get(" in code and simple_lookup(use):
        return pieces.atom(f"{code[:-1]}, {fallback.code})")
    if code.replace(".", "").isidentifier():
        test = f"{code} if {code} is not None else {fallback.within(pieces.Rank.CHOICE)}"
        return pieces.Piece(test, pieces.Rank.CHOICE)
    return pieces.call("filters.default", use.subject, fallback)


def simple_lookup(use: PrintedFilter) -> bool:
    """Return whether what may be null is a value of a map, which knows a default of its own."""
    of = use.node.of
    return isinstance(of, Subscript) and isinstance(of.of.type, MapOf) and not may_be_null(of.of.type.value)


def check_json(use: CheckedFilter) -> Type:
    return STRING


def print_json(use: PrintedFilter) -> Piece:
    if "indent" in use.arguments:
        return pieces.call("filters.json", use.subject, f"indent={use.arguments['indent'].code}")
    return pieces.call("filters.json", use.subject)


def check_from_json(use: CheckedFilter) -> Type:
    return from_json.check(use)


def print_from_json(use: PrintedFilter) -> Piece:
    return from_json.to_python(use)


def check_date(use: CheckedFilter) -> Type:
    kind = base(use.subject)
    node = use.node.of
    if (
        isinstance(node, Constant)
        and isinstance(node.value, str)
        and comparisons.adapt(node, kind, DATE) != DATE
    ):
        return use.wrong(operand_problems.cannot_convert(use.reporter.at(node), node.value, "date"))
    return DATE if kind in (STRING, DATETIME, DATE) else use.misfit()


FILTERS: Final = (
    Filter(
        "default",
        "any value",
        "the value, never null",
        "The value, or another one where it is null.",
        ('none | default("x")', '"x"'),
        (FilterParameter("value", required=True),),
        check_default,
        print_default,
        takes_null=True,
    ),
    Filter(
        "json",
        "any value",
        "string",
        "The value as JSON; with `indent`, over several lines.",
        ('{"a": [1, none]} | json', '"{\\"a\\": [1, null]}"'),
        (FilterParameter("indent", INTEGER),),
        check_json,
        print_json,
        takes_null=True,
    ),
    Filter(
        "from_json",
        "string",
        "the type",
        'The value that a text holds as JSON. The type is written as elsewhere: `from_json("list of Order")`. Fields '
        "have the names that they have outside. Any other text fails the step with `expression`.",
        ('"[1, 2]" | from_json("list of integer")', "[1, 2]"),
        (FilterParameter("type", STRING, required=True, constant=True),),
        check_from_json,
        print_from_json,
    ),
    Filter(
        "round",
        "number, integer or decimal",
        "integer; with `digits`, a decimal of a decimal, else a number",
        "The nearest whole number, or the nearest with so many digits after the point; halves go away from zero. A "
        "decimal stays exact.",
        ("2.345 | round(2)", "2.35"),
        (DIGITS,),
        check_round,
        lambda use: pieces.call("filters.rounded", use.subject, *use.arguments.values()),
    ),
    Filter(
        "fixed",
        "number, integer or decimal",
        "string",
        "The number as a text with exactly so many digits after the point, as columns of money have them; rounded as "
        "`round` does.",
        ('"1.5" | decimal | fixed(2)', '"1.50"'),
        (FilterParameter("digits", INTEGER, required=True),),
        lambda use: STRING if base(use.subject) in NUMERIC else use.misfit(),
        lambda use: pieces.call("filters.fixed", use.subject, use.arguments["digits"]),
    ),
    Filter(
        "floor",
        "number",
        "integer",
        "The greatest whole number that is not above it.",
        ("-1.5 | floor", "-2"),
        (),
        check_whole,
        lambda use: pieces.call("filters.floor", use.subject),
    ),
    Filter(
        "ceil",
        "number",
        "integer",
        "The least whole number that is not below it.",
        ("1.2 | ceil", "2"),
        (),
        check_whole,
        lambda use: pieces.call("filters.ceil", use.subject),
    ),
    Filter(
        "abs",
        "number or duration",
        "the same type",
        "The number without its sign.",
        ("-3 | abs", "3"),
        (),
        check_same_number,
        lambda use: pieces.call("abs", use.subject),
    ),
    Filter(
        "string",
        "scalar",
        "string",
        "The value as a text, as it would stand in one.",
        ("2.5 | string", '"2.5"'),
        (),
        check_text,
        print_text,
    ),
    conversion(
        "integer", (STRING,), INTEGER, "The whole number that a text holds.", ('"42" | integer', "42")
    ),
    conversion(
        "number",
        (STRING, INTEGER, DECIMAL),
        NUMBER,
        "The number that a text holds.",
        ('"2.5" | number', "2.5"),
    ),
    conversion(
        "decimal",
        (STRING, INTEGER),
        DECIMAL,
        "The decimal that a text holds, exactly.",
        ('"0.10" | decimal', '"0.10"'),
    ),
    conversion(
        "datetime",
        (STRING,),
        DATETIME,
        "The moment that a text holds, in ISO 8601 with its offset.",
        ('"2026-01-31T10:00:00+01:00" | datetime', '"2026-01-31T09:00:00Z"'),
    ),
    conversion(
        "duration",
        (STRING,),
        DURATION,
        "The duration that a text holds.",
        ('("90 min" | duration) | seconds', "5400.0"),
    ),
    Filter(
        "date",
        "string or datetime",
        "date",
        "The date that a text holds in ISO 8601, or the day of a moment (in UTC).",
        ('"2026-01-31" | date', '"2026-01-31"'),
        (),
        check_date,
        lambda use: use.subject if use.type == DATE else pieces.call("filters.day", use.subject),
    ),
    FORMAT,
    Filter(
        "seconds",
        "duration",
        "number",
        "How many seconds a duration has.",
        ('"1 min" | duration | seconds', "60.0"),
        (),
        lambda use: NUMBER if use.subject == DURATION else use.misfit(),
        lambda use: pieces.method(use.subject, "total_seconds"),
    ),
)
