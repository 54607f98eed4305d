"""``wfc check``."""

from __future__ import annotations

import click

from wfc.compiler.cli.checking import Mending, check
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
@click.option("--fix", is_flag=True, help="Mend what can be mended without changing what is meant.")
@click.option("--unsafe", is_flag=True, help="With --fix or --diff: mend more, to be looked at afterwards.")
@click.option("--suppressed", is_flag=True, help="Show findings too that a comment asks not to mind.")
@click.option("--no-cache", is_flag=True, help="Check everything anew, and keep nothing for the next time.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
def command(
    paths: tuple[str, ...],
    form: Format,
    fix: bool,
    unsafe: bool,
    diff: bool,
    suppressed: bool,
    no_cache: bool,
) -> int:
    """Find everything that is wrong with specs, and run nothing of them.

    A PATH is a spec, or a folder whose specs are all checked. Exit status 1 means that there is an error or a
    warning, with --fix: that there is one left.
    """
    if unsafe and not (fix or diff):
        raise click.UsageError("`--unsafe` goes with `--fix` or `--diff`")
    mending: Mending = "diff" if diff else "fix" if fix else ""
    return check(paths, form, mending, unsafe=unsafe, cached=not no_cache, suppressed=suppressed)
