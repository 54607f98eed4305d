"""Signs of YAML that are missing or too many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from sources import Source

from mutations.mutant import Mutant, mutation
from wfc.compiler.diagnostics import Place


@mutation()
def tab_for_spaces(source: Source, chance: Random) -> Iterator[Mutant]:
    for found in re.finditer(r"^( {2,})(?=[\w-])", source.text, re.M):
        text = source.with_text(found.start(), found.end(), "\t" * (len(found[0]) // 2))
        name = f"{source.name}: {source.text.count(chr(10), 0, found.start()) + 1} begins with tabs"
        before = source.text.rfind("\n", 0, found.start() - 1) + 1
        yield Mutant(name, text, ("syntax-error",), before, len(source.text), loose=True)


@mutation()
def missing_colon(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.language_keys():
        lines = source.lines_of(site.address)
        if lines is not None and len(site.address) == 3 and source.text[site.end : site.end + 2] == ": ":
            text = source.with_text(site.end, site.end + 1, "")
            name = f"{source.name}: {'.'.join(map(str, site.address))} without a colon"
            before = source.text.rfind("\n", 0, lines[0] - 1) + 1
            after = source.text.find("\n", lines[1] + 1)
            after = len(source.text) if after < 0 else after
            yield Mutant(
                name, text, ("syntax-error", "wrong-type", "text-cut-by-colon"), before, after, loose=True
            )


@mutation()
def missing_bracket(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value in source.everything:
        start, end = source.document.stretch(Place(address))
        if (
            isinstance(value, (dict, list))
            and source.text[start] in "[{"
            and "\n" not in source.text[start:end]
        ):
            text = source.with_text(end - 1, end, "")
            name = f"{source.name}: {'.'.join(map(str, address))} not closed"
            yield Mutant(
                name,
                text,
                ("syntax-error", "unclosed-bracket", "unclosed-braces"),
                start,
                len(text),
                loose=True,
            )


@mutation()
def missing_quote_of_a_value(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value in source.everything:
        start, end = source.document.stretch(Place(address))
        if isinstance(value, str) and source.text[start:end] == f'"{value}"':
            text = source.with_text(end - 1, end, "")
            name = f"{source.name}: {'.'.join(map(str, address))}: no quote at its end"
            yield Mutant(name, text, ("syntax-error", "unclosed-text"), start, len(text), loose=True)


@mutation()
def unquoted_sign(source: Source, chance: Random) -> Iterator[Mutant]:
    """A text with a colon or a number sign without quotes."""
    for site in source.scalars():
        described = site.address[-1] in {"description", "title", "say", "name", "reason", "text"}
        if described and source.text[site.start - 1] not in "'\"" and " " in site.value:
            head, _, rest = site.value.partition(" ")
            colon = f"{head}: {rest}"
            start = site.start
            codes = (
                "text-cut-by-colon",
                "text-cut-by-comment",
                "text-cut-by-comma",
                "expression-needs-quotes",
            )
            yield Mutant(
                f"{source.name}: {'.'.join(map(str, site.address))}: {colon}",
                source.with_text(start, site.end, colon),
                codes,
                start,
                start + len(colon),
                loose=True,
            )
            if "{" not in source.text[source.text.rfind("\n", 0, start) : start]:
                cut = f"{head} #{rest}"
                yield Mutant(
                    f"{source.name}: {'.'.join(map(str, site.address))}: {cut}",
                    source.with_text(start, site.end, cut),
                    codes,
                    start,
                    start + len(cut),
                    loose=True,
                )
