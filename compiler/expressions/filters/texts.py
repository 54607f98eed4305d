"""Filters for texts."""

from __future__ import annotations

from typing import Final

from wfc.compiler.expressions.filters.table import Call, Filter, Parameter, Spelling, simple
from wfc.compiler.expressions.python.pieces import Piece, atom, call, method, tuple_of
from wfc.compiler.expressions.syntax.tree import Constant, ListDisplay
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import BOOLEAN, INTEGER, STRING, ListOf, MapOf, Type, base, comparable, show

__all__ = ["FILTERS"]


def check_affix(use: Call) -> Type:
    if base(use.subject) != STRING:
        return use.misfit()
    argument = use.bound["text"]
    kind = argument.type
    if base(kind) != STRING and not (isinstance(kind, ListOf) and base(kind.item) == STRING):
        wanted = "a string, or a list of strings"
        return use.wrong(
            operand_problems.wrong_argument(
                use.typing.at(argument), use.filter.name, wanted, show(base(kind))
            )
        )
    return BOOLEAN


def affix(name: str, method_name: str, doc: str, example: tuple[str, str]) -> Filter:
    def spell(use: Spelling) -> Piece:
        given = use.node.bound["text"]
        if isinstance(given, ListDisplay):
            argument = tuple_of([use.speller.piece(item) for item in given.items])
        elif isinstance(given.type, ListOf):
            argument = call("tuple", use.arguments["text"].looped)
        else:
            argument = use.arguments["text"]
        return method(use.subject, method_name, argument)

    return Filter(
        name, "string", "boolean", doc, example, (Parameter("text", required=True),), check_affix, spell
    )


def check_split(use: Call) -> Type:
    separator = use.constant("separator")
    if separator == "":
        wanted = "a separator that is not empty"
        return use.wrong(
            operand_problems.wrong_argument(use.typing.at(use.bound["separator"]), "split", wanted, '""')
        )
    return ListOf(STRING) if base(use.subject) == STRING else use.misfit()


def spell_split(use: Spelling) -> Piece:
    """A text written out is split here and now, as whoever writes Python by hand would."""
    text, separator = use.node.of, use.node.bound.get("separator")
    if isinstance(text, Constant) and (separator is None or isinstance(separator, Constant)):
        parts = str(text.value).split(None if separator is None else str(separator.value))
        return atom(f"[{', '.join(use.speller.text(part).code for part in parts)}]")
    return method(use.subject, "split", *use.arguments.values())


def check_contains(use: Call) -> Type:
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
                use.typing.at(argument), use.filter.name, wanted, show(base(kind))
            )
        )
    return BOOLEAN


def spell_contains(use: Spelling) -> Piece:
    item = use.node.bound["item"]
    return use.speller.membership(use.arguments["item"], item.type, use.subject, use.type)


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
        Parameter("old", STRING, required=True),
        Parameter("new", STRING, required=True),
    ),
    Filter(
        "split",
        "string",
        "list of string",
        "The parts of the text between separators; without a separator, its words.",
        ('"a, b" | split(", ")', '["a", "b"]'),
        (Parameter("separator", STRING),),
        check_split,
        spell_split,
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
        (Parameter("item", required=True),),
        check_contains,
        spell_contains,
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
    simple(
        "truncate",
        STRING,
        STRING,
        "filters.truncate",
        "The text, cut to so many characters at most; where it is cut it ends with `…`, or with `end`.",
        ('"a long text" | truncate(7)', '"a long…"'),
        Parameter("length", INTEGER, required=True),
        Parameter("end", STRING),
    ),
    simple(
        "indent",
        STRING,
        STRING,
        "filters.indent",
        "The text with every line but the first moved to the right by so many blanks, or by 4.",
        ('"a\\nb" | indent(2)', '"a\\n  b"'),
        Parameter("width", INTEGER),
    ),
    simple(
        "url_encode",
        STRING,
        STRING,
        "filters.url_part",
        "The text as it may stand in a URL. (In a `url` this is done already.)",
        ('"a b/c" | url_encode', '"a%20b%2Fc"'),
    ),
)
