"""Colons, commas, blanks and quotes that are lost between braces."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sources import Source

from mutations.mutant import Mutant, mutation
from wfc.compiler.diagnostics import Address, Place

TORN = (
    "syntax-error",
    "text-cut-by-comma",
    "text-cut-by-colon",
    "unclosed-text",
    "unclosed-bracket",
    "unclosed-braces",
    "no-colon-in-braces",
    "number-cut-by-comma",
    "expression-needs-quotes",
    "tag",
    "text-cut-by-comment",
    "wrong-value",
    "wrong-type",
    "bad-python-tool",
    "clock-without-offset",
    "model-without-provider",
)


def between_braces(source: Source) -> Iterator[tuple[Address, int, int, int, int]]:
    """Entries of maps between braces: where key and value begin and end."""
    for address, value in source.everything:
        if not isinstance(value, dict):
            continue
        start, end = source.document.stretch(Place(address))
        if source.text[start : start + 1] != "{" or "\n" in source.text[start:end]:
            continue
        for key in value:
            if isinstance(key, str):
                a, b = source.document.stretch(Place((*address, key), "key"))
                c, d = source.document.stretch(Place((*address, key)))
                if start < a < b < c < d < end and source.text[b : b + 2] == ": ":
                    yield (*address, key), a, b, c, d


def without(source: Source, address: Address, start: int, end: int, new: str, what: str) -> Mutant:
    begin, stop = source.document.stretch(Place(address[:-1]))
    line = source.text.find("\n", stop)
    name = f"{source.name}: {'.'.join(map(str, address))} {what}"
    return Mutant(name, source.with_text(start, end, new), TORN, begin, max(line, stop), loose=True)


@mutation()
def no_colon_in_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, _, b, _, _ in between_braces(source):
        yield without(source, address, b, b + 1, "", "without a colon")


@mutation()
def no_blank_in_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, _, b, c, _ in between_braces(source):
        if source.text[c] not in "\"'[{":  # after these YAML takes it as it is meant
            yield without(source, address, b + 1, c, "", "without a blank")


@mutation()
def no_comma_in_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, _, _, _, d in between_braces(source):
        if source.text[d : d + 2] == ", ":
            yield without(source, address, d, d + 1, "", "without a comma after it")


@mutation()
def no_opening_quote_in_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, _, _, c, _ in between_braces(source):
        if source.text[c] in "\"'":
            yield without(source, address, c, c + 1, "", "without its first quote")


@mutation()
def no_closing_quote_in_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, _, _, c, d in between_braces(source):
        if source.text[c] in "\"'":
            yield without(source, address, d - 1, d, "", "without its last quote")


@mutation(often_harmless=True)
def no_quotes_in_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    """A text with an expression or a sign in it, without quotes."""
    for address, _, _, c, d in between_braces(source):
        if source.text[c] in "\"'":
            yield without(source, address, c, d, source.text[c + 1 : d - 1], "without quotes")


@mutation()
def equals_sign_in_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, _, b, c, _ in between_braces(source):
        yield without(source, address, b, c, " = " if chance.random() < 0.5 else "=", "with =")


@mutation()
def round_brackets_for_braces(source: Source, chance: Random) -> Iterator[Mutant]:
    """`(a: b)` for `{a: b}`, and `<a: b>`."""
    for address, value in source.everything:
        start, end = source.document.stretch(Place(address))
        if (
            isinstance(value, dict)
            and source.text[start : start + 1] == "{"
            and "\n" not in source.text[start:end]
        ):
            one, other = chance.choice(["()", "<>", "[]"])
            new = f"{one}{source.text[start + 1 : end - 1]}{other}"
            begin = source.text.rfind("\n", 0, start) + 1
            yield Mutant(
                f"{source.name}: {'.'.join(map(str, address))}: {new}",
                source.with_text(start, end, new),
                (*TORN, "unknown-type", "unknown-event", "missing-key"),
                begin,
                max(source.text.find("\n", end), end),
                loose=True,
            )
