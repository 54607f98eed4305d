"""``wfc check``."""

from __future__ import annotations

import os

import click

from wfc.compiler.cli.checking import FixMode, check
from wfc.compiler.cli.command import Command
from wfc.compiler.diagnostics.render import FORMATS

__all__ = ["command"]


@click.command("check", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="full",
    show_default=True,
    help="How to show findings.",
)
@click.option("--fix", is_flag=True, help="Mend what can be mended without changing what is meant.")
@click.option("--unsafe", is_flag=True, help="With --fix or --diff: mend more, to be looked at afterwards.")
@click.option("--suppressed", is_flag=True, help="Show findings too that a comment asks not to mind.")
@click.option("--no-cache", is_flag=True, help="Check everything anew, and keep nothing for the next time.")
@click.option(
    "--import-tools",
    is_flag=True,
    help="Import the Python functions that specs name too, in processes of their own, and look at their types.",
)
@click.option(
    "--proof",
    is_flag=True,
    help="Show what the proof knows: ends, clocks of joins, waits, loops and races. With --format full or json.",
)
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
def command(
    paths: tuple[str, ...],
    form: str,
    fix: bool,
    unsafe: bool,
    diff: bool,
    suppressed: bool,
    no_cache: bool,
    import_tools: bool,
    proof: bool,
) -> int:
    """Find everything that is wrong with specs, and run nothing of them, but for --import-tools.

    A PATH is a spec, or a folder whose specs are all checked; without one it is the current folder. Exit
    status 1 means that there is an error or a warning, with --fix: that there is one left.
    """
    if unsafe and not (fix or diff):
        raise click.UsageError("`--unsafe` goes with `--fix` or `--diff`")
    if import_tools and (fix or diff):
        raise click.UsageError("`--import-tools` goes without `--fix` and `--diff`")
    if proof:
        if form not in ("full", "json"):
            raise click.UsageError("`--proof` goes with `--format full` or `--format json`")
        if fix or diff or import_tools or suppressed:
            raise click.UsageError(
                "`--proof` goes without `--fix`, `--diff`, `--import-tools` and `--suppressed`"
            )
        from wfc.compiler.cli.proof import show_proofs  # what most checks do not need

        return show_proofs(paths or (os.curdir,), form)
    fixing: FixMode = "diff" if diff else "fix" if fix else ""
    return check(
        paths or (os.curdir,),
        form,
        fixing,
        unsafe=unsafe,
        cached=not no_cache,
        suppressed=suppressed,
        import_tools=import_tools,
    )
