"""``wfc diff``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.review.changes import AUDIENCES, Level, level_named

if TYPE_CHECKING:
    from wfc.compiler.cli.reviewing.comparison import Comparison
    from wfc.compiler.cli.reviewing.report import Report

__all__ = ["command"]

LEVELS = [each.word for each in reversed(Level)]


@click.command("diff", cls=Command)
@click.argument("sides", metavar="[OLD [NEW]] [PATH]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "json", "sarif")),
    default="text",
    show_default=True,
    help="How to show changes; markdown is a comment on a pull request.",
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
@click.option(
    "--store",
    metavar="URL",
    help="Also tell what it means for each run that waits in this store, such as sqlite:///runs.db.",
)
@click.option(
    "--driver", is_flag=True, help="Be a diff driver of git: compare the file that git names, and end with 0."
)
@click.option("--approve", metavar="ID", help="Write an approval of the change with this fingerprint.")
@click.option("--because", metavar="REASON", help="Why it is approved.")
def command(
    sides: tuple[str, ...],
    form: str,
    audiences: tuple[str, ...],
    fail_on: str,
    store: str | None,
    driver: bool,
    approve: str | None,
    because: str | None,
) -> int:
    """Tell what a change of specs means: for security, callers, paused runs, operators and reviewers.

    OLD and NEW are two files or two folders, or revisions of git, such as `main..HEAD`, and then the PATHs that are
    compared. Without NEW it is the working tree, without OLD the last commit. Nothing of it is run. Approvals are
    read from `wfc-approvals.txt` in this folder. `wfc explain RULE` tells what a rule means.

    Exit status: 0 nothing fails; 1 a change fails that nobody has approved, a run in the store cannot go on because
    of it, or NEW has errors; 2 wrong usage.
    """
    if driver:
        from wfc.compiler.cli.reviewing.driver import driven

        click.echo(driven(sides), nl=False)
        return 0
    if (approve is None) != (because is None or not because.strip()):
        raise click.UsageError("an approval needs both, `--approve ID` and `--because REASON`")
    from wfc.compiler.cli.reviewing.approvals import read_approvals
    from wfc.compiler.cli.reviewing.comparison import compare_sides
    from wfc.compiler.cli.reviewing.foretelling import foretell_runs
    from wfc.compiler.cli.reviewing.report import report_of
    from wfc.compiler.cli.reviewing.revisions import sides_of
    from wfc.compiler.cli.reviewing.text import summary

    old, new = sides_of(sides)
    comparison = compare_sides(old, new)
    notes = foretell_runs(comparison)
    report = report_of(
        comparison,
        old,
        new,
        audiences=tuple(AUDIENCES) if approve is not None else audiences or tuple(AUDIENCES),
        fail_on=None if fail_on == "nothing" else level_named(fail_on),
        approvals=read_approvals(),
        runs=None if store is None else _runs(comparison, store),
        notes=notes,
    )
    if approve is not None and because is not None:
        return _approve(report, approve, because)
    for each in report["notes"]:
        note(printable(each))
    click.echo(_shown(report, comparison, form, sides), nl=False)
    if form == "text":
        note(summary(report))
    return 1 if report["fails"] else 0


def _shown(report: Report, comparison: Comparison, form: str, sides: Sequence[str]) -> str:
    """Return a report in a format."""
    if form == "json":
        return json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    if form == "markdown":
        from wfc.compiler.cli.reviewing.markdown import report_markdown

        return report_markdown(report, comparison, sides)
    if form == "sarif":
        from wfc.compiler.cli.findings import describe_rule
        from wfc.compiler.cli.pipeline.describing import describe_changes
        from wfc.compiler.cli.reviewing.sarif_log import report_sarif

        return report_sarif(report, comparison, describe_changes(describe_rule))
    from wfc.compiler.cli.reviewing.text import report_text

    return report_text(report)


def _runs(comparison: Comparison, store: str) -> dict[str, Any]:
    """Return what a change means for the runs in a store."""
    from wfc.compiler.cli.reviewing.waiting import judged_runs
    from wfc.compiler.cli.stores import place_of

    return judged_runs(comparison, place_of(store))


def _approve(report: Report, fingerprint: str, because: str) -> int:
    """Write an approval of a change.

    Raises:
        click.UsageError: There is no such change.
    """
    from wfc.compiler.cli.reviewing.approvals import FILE, approve

    found = [each for each in report["changes"] if each["fingerprint"] == fingerprint]
    if not found:
        told = f"there is no change with the fingerprint `{fingerprint}` between {report['old']} and {report['new']}"
        where = "give what it was told of, such as `wfc diff main...HEAD --approve ID --because REASON`"
        raise click.UsageError(printable(f"{told}: {where}"))
    approve(fingerprint, found[0]["rule"], found[0]["about"], because)
    note(printable(f"{FILE} approves {fingerprint}: {found[0]['message']}"))
    return 0
