"""``wfc check``."""

from __future__ import annotations

import click

from wfc.compiler.cli.checking import check
from wfc.compiler.render import FORMATS, Format

__all__ = ["command"]


@click.command("check")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="full",
    show_default=True,
    help="How to show findings.",
)
def command(paths: tuple[str, ...], form: Format) -> int:
    """Find everything that is wrong with specs, and run nothing of them.

    A PATH is a spec, or a folder whose specs are all checked. Exit status 1 means that there is an error or a
    warning.
    """
    return check(paths, form)
