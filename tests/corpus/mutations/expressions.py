"""Expressions that are broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from sources import Source

from mutations.mutant import Mutant, changed, mutation


def in_expressions(
    source: Source, pattern: str, new: str, codes: tuple[str, ...], limit: int = 100
) -> Iterator[Mutant]:
    """A change of expressions; the finding may be anywhere in the expression."""
    for site in source.expressions():
        for found in list(re.finditer(pattern, site.value))[:limit]:
            value = site.value[: found.start()] + found.expand(new) + site.value[found.end() :]
            if value != site.value:
                yield Mutant(
                    f"{source.name}: {'.'.join(map(str, site.address))}: {site.value.strip()} → {value.strip()}",
                    source.with_text(site.start, site.end, value),
                    codes, site.start, site.start + len(value), loose=True,
                )  # fmt: skip


@mutation()
def missing_operator(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from in_expressions(
        source,
        r" (==|!=|<=|>=|<|>|\+|-|and|or) ",
        " ",
        (
            "unexpected-token",
            "unfinished-expression",
            "not-a-condition",
            "wrong-index",
            "wrong-value",
            "method-call",
        ),
    )


@mutation()
def missing_operand(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from in_expressions(source, r"(==|!=|<=|>=|\+) ['\"\w.]+$", r"\1", ("unfinished-expression",))


@mutation()
def missing_parenthesis(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from in_expressions(source, r"\)", "", ("unclosed-bracket", "unexpected-token"))
    yield from in_expressions(source, r"(?<![\w])\(", "", ("unexpected-token", "unclosed-bracket"))


@mutation()
def missing_quote(source: Source, chance: Random) -> Iterator[Mutant]:
    codes = ("unclosed-text", "stray-character", "syntax-error", "expression-needs-quotes", "unclosed-braces")
    yield from in_expressions(source, r"(['\"])(\w+)\1", r"\1\2", codes, 1)


@mutation()
def foreign_operator(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from in_expressions(source, r" and ", " && ", ("foreign-operator",))
    yield from in_expressions(source, r" or ", " || ", ("foreign-operator",))
    yield from in_expressions(source, r" == ", " = ", ("foreign-operator",))
    yield from in_expressions(source, r"\bnot ", "!", ("foreign-operator", "tag"))


@mutation()
def missing_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value in source.everything:
        if isinstance(value, str) and value.count("${{") == 1:
            site = next((each for each in source.expressions() if each.address == address), None)
            if site is not None and source.text[site.end : site.end + 2] == "}}":
                codes = ("unclosed-braces",)
                text = source.with_text(site.end, site.end + 2, "")
                name = f"{source.name}: {'.'.join(map(str, address))}: without }}}}"
                yield Mutant(name, text, codes, site.start - 3, site.end + 80, loose=True)


@mutation()
def wrong_operand(source: Source, chance: Random) -> Iterator[Mutant]:
    codes = (
        "not-comparable",
        "not-ordered",
        "no-arithmetic",
        "no-such-value",
        "cannot-order",
        "wrong-type",
        "decimal-with-number",
    )
    yield from in_expressions(source, r"(==|!=) (['\"])\w+\2", r"\1 3", codes)
    yield from in_expressions(source, r"(<=|>=|<|>|\+) \d+\b(?!\.)", r"\1 'x'", codes)
    yield from in_expressions(source, r"(==|!=) \d+\b(?!\.)", r"\1 'x'", codes)


@mutation()
def no_condition(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.expressions():
        if site.address[-1] == "when" and (
            found := re.fullmatch(r"((?:event|result|state|inputs)\.\w+) .*", site.value)
        ):
            yield changed(source, site, found[1], ("not-a-condition", "condition-may-be-null"))
