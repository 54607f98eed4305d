"""Syntax of other languages that people write in expressions, and its equivalent here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.syntax.lexer import Token
from wfc.compiler.expressions.syntax.tree import Attribute, Name, path_of
from wfc.compiler.types.durations import UNITS

if TYPE_CHECKING:
    from wfc.compiler.expressions.filters.definition import Filter

__all__ = ["advice", "as_filter", "foreign_sign"]

WORDS: Final = {"AND": "and", "And": "and", "OR": "or", "Or": "or", "IN": "in", "IS": "is"}
PAIRS: Final = {
    ("==", "="): "==",
    ("!=", "="): "!=",
    ("<", ">"): "!=",
    ("=", ">"): ">=",
    ("=", "<"): "<=",
    ("?", "?"): "| default(…)",
    ("?", "."): "| default(…)",
    ("=", "~"): "| matches(…)",
    ("&", "lt"): "<",
    ("&", "gt"): ">",
    ("&", "amp"): "and",
}
"""Signs of two of our tokens, or of one and a stray one, and what is meant by them."""
SIGNS: Final = {
    "=>": ">=",
    "=<": "<=",
    "++": "+ 1",
    "--": "- 1",
    "between": "1 <= x and x <= 3",
    "equals": "==",
    "eq": "==",
    "ne": "!=",
    "gt": ">",
    "lt": "<",
    "gte": ">=",
    "lte": "<=",
    "has": "| contains(…)",
    "like": "| contains(…)",
    "matches": "| matches(…)",
    "xor": "!=",
}
"""Other signs and words between two values."""
FILTER_NAMES: Final = {
    "len": "length",
    "size": "length",
    "count": "length",
    "tolowercase": "lower",
    "touppercase": "upper",
    "strip": "trim",
    "includes": "contains",
    "str": "string",
    "tostring": "string",
    "int": "integer",
    "parseint": "integer",
    "float": "number",
    "tofixed": "fixed",
    "parsefloat": "number",
    "sorted": "sort",
    "reversed": "reverse",
    "tojson": "json",
    "dumps": "json",
    "stringify": "json",
    "loads": "from_json",
    "parsejson": "from_json",
    "isoformat": "format",
    "strftime": "format",
}
"""What functions and methods are called elsewhere, in small letters without underscores, and the filter here. The name
that a filter has here is known without this table."""
OTHER_MEANING: Final = frozenset({"format", "group"})
"""Filters whose names are those of something else elsewhere: of texts with gaps, of parts that a pattern matched."""
KEYWORDS: Final = frozenset({"await", "new", "return"})
"""Words of other languages that stand before a value."""
PREFIXES: Final = frozenset({"b", "f", "r", "u"})
"""Letters that other languages write before a text's quote."""
TYPE_WORDS: Final = frozenset({"list", "map", "optional"})
"""With which types begin that have several words."""
LISTS: Final = {
    "map": "[… for one in LIST]",
    "filter": "[one for one in LIST if …]",
    "some": "[… for one in LIST] | any",
    "every": "[… for one in LIST] | all",
}
"""What functions and methods over lists are here."""
LONGEST_ARGUMENT: Final = 60
MODULES: Final = frozenset({"json", "JSON", "math", "Math"})
"""What functions stand in elsewhere, so that what they work on is their first argument."""


def foreign_sign(tokens: Sequence[Token], at: int) -> tuple[Token, str, str] | None:
    """Return a sign or a word of another language that ends here: its first token, the sign, and what is
    meant.
    """
    token = tokens[at]
    if token.kind == "name" and token.text in WORDS:
        return token, token.text, WORDS[token.text]
    before = tokens[at - 1] if at else None
    if before is not None and before.end == token.start and (meant := PAIRS.get((before.text, token.text))):
        return before, before.text + token.text, meant
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if after is not None and token.end == after.start and (meant := PAIRS.get((token.text, after.text))):
        return token, token.text + after.text, meant
    return None


def advice(tokens: Sequence[Token], at: int, *, filtered: bool = False) -> str:
    """Return what may help where something stands that cannot go on an expression; often nothing does.

    Args:
        filtered: Whether a filter stands before it.
    """
    token = tokens[at]
    if at and tokens[at - 1].text == "is" and token.kind in {"string", "integer", "number"}:
        return f"write `== {token.text}`"
    if at and token.text.lower() in SIGNS:
        return f"write `{SIGNS[token.text.lower()]}`"
    if token.text == "else" and at == 0:
        return "the last entry of a list needs no `when`"
    if token.text == "if" and at == 0:
        return "the condition alone is wanted, without `if`"
    if filtered and token.text == "[":
        return "put round brackets around all that stands before the `[`"
    if filtered and at and tokens[at - 1].kind == "name" and token.kind != "operator":
        name = tokens[at - 1].text
        return (
            f"an operator is missing before it; or, if `{name}` takes it, it stands in brackets: `{name}(…)`"
        )
    before = tokens[at - 1] if at else token
    if token.kind == "string" and before.end == token.start and before.text.lower() in PREFIXES:
        return f"a text has no `{before.text}` before its quote; values are put into a text by `~`"
    if token.kind == "string" and at and tokens[at - 1].kind != "operator":
        return "an operator is missing before it, such as `==`"
    if at and (token.text == "of" or tokens[at - 1].text == "optional") and tokens[at - 1].text in TYPE_WORDS:
        return f'a type is a text, and stands in quotes: `"{tokens[at - 1].text} {token.text} …"`'
    if token.text in {":", "->"} and before.kind == "name" and before.end == token.start:
        after = next((each for each in tokens[at + 1 :] if each.text != ":"), token)
        if after.kind == "name" and after.start - token.start <= len("::"):
            return f"a field stands behind a dot: `{before.text}.{after.text}`"
    if token.text in {";", ":"}:
        return f"leave out the `{token.text}`"
    if token.kind in {"integer", "number"} and at and tokens[at - 1].end == token.start:
        return f"an item of a list is asked for in brackets: `[{token.text.lstrip('.')}]`"
    if token.text in UNITS and at and tokens[at - 1].kind in {"integer", "number"}:
        return f"a number has no unit; a length of time is `'{tokens[at - 1].text} {token.text}' | duration`"
    if token.kind == "name" and at and before.text in KEYWORDS:
        return f"leave out `{before.text}`"
    if token.kind == "name" and at and tokens[at - 1].kind != "operator":
        return (
            "what stands side by side needs an operator between: `==`, `!=`, `<`, `<=`, `>`, `>=` or `in` to compare, "
            "`and` or `or` for conditions, `~` for texts"
        )
    return ""


def as_filter(node: Attribute | Name, tokens: Sequence[Token], at: int) -> str:
    """Return the filter or the list that is equivalent to a call, ready to be written; empty if there is none.

    Args:
        node: What is called.
        at: Of the opening bracket.
    """
    path = path_of(node.of) if isinstance(node, Attribute) else None
    name = "loads" if (path, node.name) == (("JSON",), "parse") else plain(node.name)
    if name in LISTS:
        return LISTS[name].replace("LIST", ".".join(path) if path else "…")
    found = filter_called(name)
    if found is None:
        return ""
    if isinstance(node, Attribute) and not (path and len(path) == 1 and path[0] in MODULES):
        subject, more = ".".join(path) if path else "…", tokens[at + 1].text != ")"
    else:
        subject, more = argument(tokens, at, together=found.name in ("min", "max"))
    brackets = "(…)" if any(each.required or more for each in found.parameters) else ""
    return f"{subject} | {found.name}{brackets}"


def plain(name: str) -> str:
    """Return a name as it is compared with those of other languages."""
    return name.lower().replace("_", "")


def filter_called(name: str) -> Filter | None:
    """Return the filter that is meant by a function or a method of this plain name; ``None`` if there is none."""
    if name in FILTER_NAMES:
        return FILTERS[FILTER_NAMES[name]]
    own = (each for each in FILTERS.values() if each.name not in OTHER_MEANING)
    return next((each for each in own if plain(each.name) == name), None)


def argument(tokens: Sequence[Token], at: int, *, together: bool) -> tuple[str, bool]:
    """Return the first argument of a call as what a filter is used on, `…` for what is long; and whether more follow.

    Args:
        together: Whether the filter is used on all arguments, as a list.
    """
    depth, last = 0, at
    several = loop = False
    for index in range(at, len(tokens)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[index].text, 0)
        if depth == 1 and tokens[index].text == ",":
            several = together
            if not together:
                last, depth = index, 0
                break
        loop |= depth == 1 and tokens[index].text == "for"
        last = index
        if depth == 0:
            break
    more = tokens[last].text == ","
    inside = tokens[at + 1 : last]
    if depth or not inside or any(each.kind == "string" and "\n" in each.text for each in inside):
        return "…", more
    written = inside[0].text
    for before, token in pairwise(inside):
        written += " " * (token.start > before.end) + token.text
    if len(written) > LONGEST_ARGUMENT:
        return "…", more
    if several or loop:
        return f"[{written}]", more
    whole = written.startswith("[") and inside[-1].text == "]"
    is_path = all(each.kind == "name" or each.text == "." for each in inside)
    return written if whole or is_path else f"({written})", more
