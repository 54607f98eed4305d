"""``wfc ci``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import colourful, describe_rule, note
from wfc.compiler.cli.pipeline.parts import PartReport
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.diagnostics.render import render
from wfc.compiler.diagnostics.results import Rule
from wfc.compiler.workspace.sources import PathError, quoted_path

__all__ = ["command"]

PARTS = ("check", "policy", "verify", "test", "diff")


@click.command("ci", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--against",
    metavar="REVISION",
    help="Tell what has changed in meaning since HEAD left this revision of git.",
)
@click.option(
    "--policy", "file", metavar="FILE", help="The policy; by default wfc-policy.yaml, if it is there."
)
@click.option(
    "-o", "--output", metavar="DIR", help="Where generated modules are; by default beside their specs."
)
@click.option("--skip", type=click.Choice(PARTS), multiple=True, help="Leave out a part.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("full", "concise", "github")),
    default="full",
    show_default=True,
    help="How to show findings; github writes them beside the lines of a pull request.",
)
@click.option("--comment", metavar="FILE", help="Write a comment for the pull request, in Markdown.")
@click.option(
    "--post",
    is_flag=True,
    help="Write the comment to the pull request on GitHub or GitLab, or bring it up to date.",
)
@click.option("--sarif", metavar="FILE", help="Write what has a place in a file as SARIF.")
@click.option("--junit", metavar="FILE", help="Write everything as JUnit's XML.")
@click.option("--json", "as_json", metavar="FILE", help="Write everything as JSON.")
def command(
    paths: tuple[str, ...],
    against: str | None,
    file: str | None,
    output: str | None,
    skip: tuple[str, ...],
    form: str,
    comment: str | None,
    post: bool,
    sarif: str | None,
    junit: str | None,
    as_json: str | None,
) -> int:
    """Do all that a pipeline asks of specs: check, policy check, verify, test and diff, in one report.

    A PATH is a spec, or a folder; without one it is the current folder. Without a policy, generated modules, tests, or
    --against, these parts are not done. Exit status: 0 all is well; 1 a part has found something; 2 wrong usage.
    """
    from wfc.compiler.cli.pipeline import reports
    from wfc.compiler.cli.pipeline.describing import describe_changes
    from wfc.compiler.cli.policy.holding import POLICY, describe_rules_of, load_policy

    policy = file or (POLICY if os.path.exists(POLICY) else None)
    parts = done(paths or (os.curdir,), against, policy, output, skip)
    describe = describe_changes(
        describe_rule if policy is None else describe_rules_of(load_policy(policy)[0])
    )
    tell(parts, form, describe)
    for line in reports.table(parts):
        click.echo(printable(line))
    for path, text in (
        (comment, reports.comment(parts)),
        (sarif, reports.sarif_report(parts, describe)),
        (junit, reports.junit_report(parts)),
        (as_json, reports.json_report(parts)),
    ):
        if path is not None:
            write(path, text)
    if post:
        post_comment(reports.comment(parts))
    return 1 if any(part.state == "failed" for part in parts) else 0


def post_comment(text: str) -> None:
    """Write the comment to the pull request; what goes wrong there is told, and says nothing of the specs."""
    from wfc.compiler.cli.pipeline.posting import PostingError, conversation, post
    from wfc.compiler.cli.pipeline.reports import MARKER

    try:
        note(f"the comment was {post(text, MARKER, conversation(os.environ))}")
    except PostingError as error:
        note(printable(f"no comment was written: {error}"))


def done(
    paths: tuple[str, ...], against: str | None, policy: str | None, output: str | None, skip: tuple[str, ...]
) -> list[PartReport]:
    """Do all parts but those that are left out, and return what they have found."""
    from wfc.compiler.cli.pipeline import changes, checks
    from wfc.compiler.cli.policy.changes import ToldChanges, told_since
    from wfc.compiler.cli.programs import compiled_here
    from wfc.compiler.cli.verify import specs_in
    from wfc.compiler.workspace.project import project_of
    from wfc.compiler.workspace.severity import with_severities

    sources = specs_in(paths)
    project = project_of(sources)
    compiled = [with_severities(compiled_here(source.raw, source.path, project)) for source in sources]

    @cache
    def told() -> ToldChanges | None:
        return None if against is None else told_since(against, paths)

    parts: dict[str, Callable[[], PartReport]] = {
        "check": lambda: checks.checked(compiled),
        "policy": lambda: checks.held_against(policy, sources, project, told),
        "verify": lambda: checks.verified(paths, output, sources),
        "test": lambda: checks.tested(compiled, project),
        "diff": lambda: changes.changed(told(), against),
    }
    return [PartReport(name, "skipped", "left out") if name in skip else do() for name, do in parts.items()]


def tell(parts: list[PartReport], form: str, describe: Callable[[str], Rule]) -> None:
    """Print what is wrong: findings with the lines that they are about, all else as it is."""
    found = list(dict.fromkeys(each for part in parts if not part.told for each in part.diagnostics))
    texts = {path: text for part in parts for path, text in part.texts.items()}
    if found:
        click.echo(render(found, texts, form=form, colour=colourful(sys.stdout), describe=describe))
    for part in parts:
        if part.told:
            click.echo("".join(f"{printable(line)}\n" for line in part.told.splitlines()))
    for case in (case for part in parts for case in part.problems if not case.is_finding):
        click.echo("".join(f"{printable(line)}\n" for line in case.problem.splitlines()))


def write(path: str, text: str) -> None:
    """Write a report.

    Raises:
        PathError: It cannot be written.
    """
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise PathError(f"cannot write {quoted_path(path)}: {error.strerror}") from error
    note(printable(f"wrote {path}"))
