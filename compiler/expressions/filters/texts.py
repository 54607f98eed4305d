"""Filters for texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wfc.compiler.expressions.filters.definition import (
    CheckedFilter,
    Filter,
    FilterParameter,
    simple,
)
from wfc.compiler.expressions.python import conditions, pieces
from wfc.compiler.expressions.syntax.tree import Constant, ListDisplay
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules import patterns as pattern_problems
from wfc.compiler.types import BOOLEAN, INTEGER, STRING, ListOf, MapOf, Type, base, comparable, show
from wfc.compiler.types.constraints import bad_pattern

if TYPE_CHECKING:
    from wfc.compiler.expressions.python.filter_calls import PrintedFilter
    from wfc.compiler.expressions.python.pieces import Piece

__all__ = ["FILTERS"]


def check_affix(use: CheckedFilter) -> Type:
    if base(use.subject) != STRING:
        return use.misfit()
    argument = use.bound["text"]
    kind = argument.type
    if base(kind) != STRING and not (isinstance(kind, ListOf) and base(kind.item) == STRING):
        wanted = "a string, or a list of strings"
        return use.wrong(
            operand_problems.wrong_argument(
                use.reporter.at(argument), use.filter.name, wanted, show(base(kind))
            )
        )
    return BOOLEAN


def affix(name: str, method_name: str, doc: str, example: tuple[str, str]) -> Filter:
    def to_python(use: PrintedFilter) -> Piece:
        given = use.node.bound["text"]
        if isinstance(given, ListDisplay):
            argument = pieces.tuple_of([use.printer.piece(item) for item in given.items])
        elif isinstance(given.type, ListOf):
            argument = pieces.call("tuple", use.arguments["text"].looped)
        else:
            argument = use.arguments["text"]
        return pieces.method(use.subject, method_name, argument)

    return Filter(
        name,
        "string",
        "boolean",
        doc,
        example,
        (FilterParameter("text", required=True),),
        check_affix,
        to_python,
    )


def check_split(use: CheckedFilter) -> Type:
    separator = use.constant("separator")
    if separator == "":
        wanted = "a separator that is not empty"
        return use.wrong(
            operand_problems.wrong_argument(use.reporter.at(use.bound["separator"]), "split", wanted, '""')
        )
    return ListOf(STRING) if base(use.subject) == STRING else use.misfit()


def print_split(use: PrintedFilter) -> Piece:
    """Print a split of a literal text as its result, as a person who writes Python by hand would."""
    text, separator = use.node.of, use.node.bound.get("separator")
    if isinstance(text, Constant) and (separator is None or isinstance(separator, Constant)):
        parts = str(text.value).split(None if separator is None else str(separator.value))
        return pieces.atom(f"[{', '.join(use.printer.text(part).code for part in parts)}]")
    return pieces.method(use.subject, "split", *use.arguments.values())


def check_contains(use: CheckedFilter) -> Type:
    argument = use.bound["item"]
    kind = use.adapted("item", use.subject.item) if isinstance(use.subject, ListOf) else argument.type
    if isinstance(use.subject, ListOf):
        fine = comparable(kind, use.subject.item)
    elif isinstance(use.subject, MapOf) or base(use.subject) == STRING:
        fine = base(kind) == STRING
    else:
        return use.misfit()
    if not fine:
        wanted = show(use.subject.item) if isinstance(use.subject, ListOf) else "string"
        return use.wrong(
            operand_problems.wrong_argument(
                use.reporter.at(argument), use.filter.name, wanted, show(base(kind))
            )
        )
    return BOOLEAN


def print_contains(use: PrintedFilter) -> Piece:
    item = use.node.bound["item"]
    return conditions.membership(use.arguments["item"], item.type, use.subject, use.type)


def check_matches(use: CheckedFilter) -> Type:
    if base(use.subject) != STRING:
        return use.misfit()
    pattern = use.constant("pattern")
    if not isinstance(pattern, str):
        return BOOLEAN
    why = bad_pattern(pattern) or bad_pattern(f"^(?:{pattern})$")
    if why:
        return use.wrong(pattern_problems.pattern_of_matches(use.reporter.at(use.bound["pattern"]), why))
    return BOOLEAN


FILTERS: Final = (
    simple("upper", STRING, STRING, ".upper", "The text in capitals.", ('"ab" | upper', '"AB"')),
    simple("lower", STRING, STRING, ".lower", "The text in small letters.", ('"AB" | lower', '"ab"')),
    simple(
        "capitalize",
        STRING,
        STRING,
        ".capitalize",
        "The text with its first letter in capitals and all others small.",
        ('"aB c" | capitalize', '"Ab c"'),
    ),
    simple(
        "title",
        STRING,
        STRING,
        ".title",
        "The text with each word's first letter in capitals.",
        ('"a bc" | title', '"A Bc"'),
    ),
    simple(
        "trim", STRING, STRING, ".strip", "The text without blanks at its ends.", ('"  a b " | trim', '"a b"')
    ),
    simple(
        "replace",
        STRING,
        STRING,
        ".replace",
        "The text with every `old` replaced by `new`.",
        ('"a-b-c" | replace("-", "+")', '"a+b+c"'),
        FilterParameter("old", STRING, required=True),
        FilterParameter("new", STRING, required=True),
    ),
    Filter(
        "split",
        "string",
        "list of string",
        "The parts of the text between separators; without a separator, its words.",
        ('"a, b" | split(", ")', '["a", "b"]'),
        (FilterParameter("separator", STRING),),
        check_split,
        print_split,
    ),
    simple(
        "lines",
        STRING,
        ListOf(STRING),
        ".splitlines",
        "The lines of the text.",
        ('"a\\nb" | lines', '["a", "b"]'),
    ),
    Filter(
        "contains",
        "string, list or map",
        "boolean",
        "Whether the text has another in it, the list an item, or the map a key; `in` turned around.",
        ('"workflow" | contains("flow")', "true"),
        (FilterParameter("item", required=True),),
        check_contains,
        print_contains,
    ),
    affix(
        "starts_with",
        "startswith",
        "Whether the text begins with another; of a list of texts, with any one of them.",
        ('"fix: a" | starts_with(["fix", "feat"])', "true"),
    ),
    affix(
        "ends_with",
        "endswith",
        "Whether the text ends with another; of a list of texts, with any one of them.",
        ('"a.md" | ends_with(".md")', "true"),
    ),
    Filter(
        "matches",
        "string",
        "boolean",
        "Whether the whole text is as a regular expression says, which is written out. It is matched in linear time, "
        "so it may not look around or back.",
        ('"A-17" | matches("[A-Z]-[0-9]+")', "true"),
        (FilterParameter("pattern", STRING, required=True, constant=True),),
        check_matches,
        lambda use: pieces.call("filters.matches", use.subject, use.arguments["pattern"]),
    ),
    simple(
        "truncate",
        STRING,
        STRING,
        "filters.truncate",
        "The text, cut to so many characters at most; where it is cut it ends with `…`, or with `end`.",
        ('"a long text" | truncate(7)', '"a long…"'),
        FilterParameter("length", INTEGER, required=True),
        FilterParameter("end", STRING),
    ),
    simple(
        "indent",
        STRING,
        STRING,
        "filters.indent",
        "The text with every line but the first moved to the right by so many blanks, or by 4.",
        ('"a\\nb" | indent(2)', '"a\\n  b"'),
        FilterParameter("width", INTEGER),
    ),
    simple(
        "url_encode",
        STRING,
        STRING,
        "filters.url_part",
        "The text as it may stand in a URL. (In a `url` this is done already.)",
        ('"a b/c" | url_encode', '"a%20b%2Fc"'),
    ),
    simple(
        "url_path",
        STRING,
        STRING,
        "filters.url_path",
        "A path of several parts as it may stand in a `url`: each part encoded, `/` kept. A part that is empty, `.` or "
        "`..`, a backslash and control characters are refused with `http.invalid_request`.",
        ('"a b/c" | url_path', '"a%20b/c"'),
    ),
)
