"""What searches have considered, and what became of it, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from wfc.compiler.cli.tables import show_rows
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["cited_by", "tell"]

COLUMNS = ("passage", "score", "by", "given", "left out by", "cited")


def cited_by(values: Mapping[str, Any]) -> set[str]:
    """Return the ids of the passages that an answer cites."""
    passages, citations = values.get("passages"), values.get("citations")
    if not isinstance(passages, list) or not isinstance(citations, list):
        return set()
    try:
        return {str(passages[int(each["number"]) - 1]["id"]) for each in citations}
    except (IndexError, KeyError, TypeError, ValueError):  # they are something else of these names
        return set()


def tell(
    step: str,
    collections: Iterable[str],
    query: str,
    considered: Iterable[Mapping[str, Any]],
    cited: set[str],
) -> None:
    """Show what a search has considered, and what became of it."""
    click.echo(f"{step} searched {', '.join(collections)} for: {printable(query)}")
    rows = []
    for each in considered:
        by = ", ".join(f"{order} {rank}" for order, rank in each["ranks"].items())
        score = "" if each["score"] is None else f"{each['score']:.3f}"
        given = "" if each["cut_by"] else "yes"
        rows.append((each["id"], score, by, given, each["cut_by"], "yes" if each["id"] in cited else ""))
    show_rows(COLUMNS, rows, "table")
