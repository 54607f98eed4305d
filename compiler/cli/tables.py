"""Rows of a store: a table for people, and one line of JSON each for programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime

import click

from wfc.compiler.cli.json_text import one_line
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["format_option", "moment", "show_rows"]

format_option = click.option(
    "--format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="A table for people, or a line of JSON each for programs.",
)

SECOND = 1_000_000_000


def moment(nanoseconds: int | None) -> str:
    """Return a moment in local time, to the second; empty if there is none."""
    if nanoseconds is None:
        return ""
    return datetime.fromtimestamp(nanoseconds // SECOND).astimezone().isoformat(" ")


def show_rows(names: Sequence[str], rows: Sequence[Sequence[object]], format: str) -> None:
    """Show rows under names."""
    if format == "json":
        for row in rows:
            click.echo(one_line(dict(zip(names, row, strict=True)), sys.stdout.encoding))
        return
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    used = [at for at in range(len(names)) if any(row[at] for row in cells)] or list(range(len(names)))
    widths = {at: max(len(names[at]), *(len(row[at]) for row in cells), 0) for at in used}
    for row in [list(names), *cells]:
        click.echo("  ".join(row[at].ljust(widths[at]) for at in used).rstrip())
