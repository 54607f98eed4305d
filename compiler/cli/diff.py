"""``wfc diff``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.review.changes import AUDIENCES, Level, level_named

if TYPE_CHECKING:
    from wfc.compiler.cli.reviewing.report import Report

__all__ = ["command"]

LEVELS = [each.word for each in reversed(Level)]


@click.command("diff", cls=Command)
@click.argument("sides", metavar="[OLD [NEW]] [PATH]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How to show changes.",
)
@click.option(
    "--for",
    "audiences",
    type=click.Choice(list(AUDIENCES)),
    multiple=True,
    help="Whose changes alone are told.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*LEVELS, "nothing"]),
    default="act",
    show_default=True,
    help="From which level on a change fails that nobody has approved.",
)
@click.option("--approve", metavar="ID", help="Write an approval of the change with this fingerprint.")
@click.option("--because", metavar="REASON", help="Why it is approved.")
def command(
    sides: tuple[str, ...],
    form: str,
    audiences: tuple[str, ...],
    fail_on: str,
    approve: str | None,
    because: str | None,
) -> int:
    """Tell what a change of specs means: for security, callers, operators and reviewers.

    OLD and NEW are two files or two folders, or revisions of git, such as `main..HEAD`, and then the PATHs that are
    compared. Without NEW it is the working tree, without OLD the last commit. Nothing of it is run. Approvals are
    read from `wfc-approvals.txt` in this folder. `wfc explain RULE` tells what a rule means.

    Exit status: 0 nothing fails; 1 a change fails that nobody has approved, or NEW has errors; 2 wrong usage.
    """
    if (approve is None) != (because is None or not because.strip()):
        raise click.UsageError("an approval needs both, `--approve ID` and `--because REASON`")
    from wfc.compiler.cli.reviewing.approvals import read_approvals
    from wfc.compiler.cli.reviewing.comparison import compare_sides
    from wfc.compiler.cli.reviewing.report import report_of
    from wfc.compiler.cli.reviewing.revisions import sides_of
    from wfc.compiler.cli.reviewing.text import report_text, summary

    old, new = sides_of(sides)
    report = report_of(
        compare_sides(old, new),
        old,
        new,
        audiences=tuple(AUDIENCES) if approve is not None else audiences or tuple(AUDIENCES),
        fail_on=None if fail_on == "nothing" else level_named(fail_on),
        approvals=read_approvals(),
    )
    if approve is not None and because is not None:
        return _approve(report, approve, because)
    for each in report["notes"]:
        note(printable(each))
    if form == "json":
        click.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        click.echo(report_text(report), nl=False)
        note(summary(report))
    return 1 if report["fails"] else 0


def _approve(report: Report, fingerprint: str, because: str) -> int:
    """Write an approval of a change.

    Raises:
        click.UsageError: There is no such change.
    """
    from wfc.compiler.cli.reviewing.approvals import FILE, approve

    found = [each for each in report["changes"] if each["fingerprint"] == fingerprint]
    if not found:
        raise click.UsageError(f"there is no change with the fingerprint `{printable(fingerprint)}`")
    approve(fingerprint, found[0]["rule"], found[0]["about"], because)
    note(printable(f"{FILE} approves {fingerprint}: {found[0]['message']}"))
    return 0
