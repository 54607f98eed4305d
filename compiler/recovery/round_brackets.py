"""Maps in round brackets, as in `[(text: a, source: b)]`: YAML reads each of their entries as a map of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, with_value
from wfc.compiler.rules import reading as problems

__all__ = ["round_brackets"]

PAIRS: Final = {"(": ")", "<": ">"}


def round_brackets(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that the items of a list from one with `(` to one with `)` are the entries of one map."""
    tried: set[Address] = set()
    for each in findings:
        address = each.place.address
        owner = address[:-2]
        items = at(data, owner) if len(address) > 1 and str(address[-1])[:1] in PAIRS else None
        if not isinstance(items, list) or owner in tried:
            continue
        tried.add(owner)
        joined = with_maps(items)
        place = Place(address, "key")
        what = f"`{str(address[-1])[0]}` begins neither a map nor a list"
        finding = problems.syntax_error(
            place, what, f"write the map in braces: `{{{str(address[-1])[1:]}: …}}`"
        )
        yield Suspicion(finding, with_value(data, owner, joined), explains=1)


def with_maps(items: list[Any]) -> list[Any]:
    """Return the items with those joined that stand in brackets together."""
    joined: list[Any] = []
    closing = ""
    for item in items:
        if not isinstance(item, dict) or len(item) != 1:
            joined.append(item)
            closing = ""
            continue
        ((key, value),) = item.items()
        if not closing and key[:1] in PAIRS:
            closing, key = PAIRS[key[0]], key[1:]
            joined.append({})
        if not closing:
            joined.append(item)
            continue
        ends = isinstance(value, str) and value.endswith(closing)
        joined[-1][key] = value[:-1] if ends else value
        closing = "" if ends else closing
    return joined
