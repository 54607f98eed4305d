"""``wfc test``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.programs import compiled_here, load_compiled
from wfc.compiler.cli.spec_tests import spec_test
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.model import TestCase
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import Project, project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import find_specs

if TYPE_CHECKING:
    from wfc.runtime.testing import TestOutcome

__all__ = ["command", "outcomes_of"]


@click.command("test", cls=Command)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "-k", "--only", metavar="WORDS", default="", help="Run only tests whose names hold these words."
)
def command(paths: tuple[str, ...], only: str) -> int:
    """Run the tests written in specs: offline, with mocks, and with a clock that jumps.

    A PATH is a spec, or a folder whose specs are all tested.
    """
    sources = find_specs(paths, note)
    project = project_of(sources)
    compiled = [with_severities(compiled_here(source.raw, source.path, project)) for source in sources]
    show(compiled, on_error_stream=True)
    good = [each for each in compiled if not each.failed]
    ran = [run_tests(each, project, only) for each in good if each.workflow]
    outcomes = [outcome for each in ran for outcome in each or ()]
    unable = None in ran
    failed = sum(not outcome.passed for outcome in outcomes)
    told = f"{len(outcomes) - failed} passed" + (f", {failed} failed" if failed else "")
    if not good:
        told = "no test was run"
    none = f"no test has `{printable(only)}` in its name" if only else "no spec has a test"
    click.echo(told if outcomes or unable or not good else none, err=True)
    return 1 if failed or unable or len(good) < len(compiled) or (only and not outcomes) else 0


def run_tests(compiled: Compiled, project: Project, only: str = "") -> list[TestOutcome] | None:
    """Run the tests of one spec; print a line for each on standard output, and the reasons of failures.

    Args:
        only: A text that the names of the tests to run contain; empty: all.

    Returns:
        ``None`` if they cannot run, for a workflow that the spec calls has errors, which are shown.
    """
    outcomes = outcomes_of(compiled, project, only, tell)
    if outcomes is None:
        click.echo(
            f"FAILED  {printable(compiled.path)}: a workflow that it calls or sends to has errors", err=True
        )
        return None
    return [outcome for _, outcome in outcomes]


def tell(path: str, case: TestCase, outcome: TestOutcome) -> None:
    """Print the line of a test, and the reasons if it failed."""
    word = "passed" if outcome.passed else "FAILED"
    click.echo(f"{word}  {printable(path)}: {printable(case.name)}")
    for problem in outcome.problems:
        click.echo(f"        {printable(problem)}")


def outcomes_of(
    compiled: Compiled,
    project: Project,
    only: str = "",
    tell: Callable[[str, TestCase, TestOutcome], None] = lambda *_: None,
) -> list[tuple[TestCase, TestOutcome]] | None:
    """Run the tests of one spec, and return each with how it ended.

    Args:
        only: A text that the names of the tests to run contain; empty: all.
        tell: Is told of each test as soon as it has ended.

    Returns:
        ``None`` if they cannot run, for a workflow that the spec calls has errors, which are shown.
    """
    assert compiled.workflow is not None
    cases = [case for case in compiled.workflow.tests if only.casefold() in case.name.casefold()]
    if not cases:
        return []
    from wfc.runtime.testing import run_test

    with output_kept():
        program = load_compiled(compiled, project)
    if program is None:
        return None
    outcomes = []
    for case in cases:
        with output_kept():
            outcome = run_test(program.workflow, spec_test(case), program.others)
        tell(compiled.path, case, outcome)
        outcomes.append((case, outcome))
    return outcomes
