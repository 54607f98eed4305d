"""``wfc policy test``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import show
from wfc.compiler.cli.policy.holding import held, load_policy, policy_option
from wfc.compiler.diagnostics import Diagnostic, Position, Severity
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.review.policy import Policy, PolicyTest
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import NoFiles, Project
from wfc.compiler.workspace.sources import Source

if TYPE_CHECKING:
    from wfc.compiler.cli.reviewing.report import Report

__all__ = ["command", "problems_of"]


@click.command("test", cls=Command)
@policy_option
def command(file: str) -> int:
    """Run the tests of a policy: specs in its file, each with the rules that find something in it.

    Nothing of these specs is run. A rule without a test is told. Exit status: 0 all pass; 1 one fails.
    """
    policy, wrong = load_policy(file)
    if wrong.diagnostics:
        show([wrong], on_error_stream=True, what="policy")
        return 1
    failed = 0
    for test in policy.tests:
        problems = problems_of(policy, test)
        failed += bool(problems)
        click.echo(printable(f"{'FAILED' if problems else 'passed'}  {test.name}"))
        for each in problems:
            click.echo(printable(f"        {each}"))
    untested = [each.id for each in policy.rules if not any(each.id in test.expect for test in policy.tests)]
    for each in untested:
        click.echo(f"no test expects a finding of `{each}`", err=True)
    passed = len(policy.tests) - failed
    click.echo(f"{passed} passed" + (f", {failed} failed" if failed else ""), err=True)
    return 1 if failed else 0


def problems_of(policy: Policy, test: PolicyTest) -> list[str]:
    """Return how what a policy finds differs from what a test expects; nothing if it does not."""
    found = findings_of(policy, test)
    rules = {each.id for each in policy.rules}
    errors = [
        f"the spec has an error: {each.message} [{each.code}]" for each in found if each.code not in rules
    ]
    if errors:
        return errors
    counts = Counter(each.code for each in found)
    problems = []
    for rule in sorted({*counts, *test.expect}):
        wanted, there = test.expect.get(rule, 0), counts[rule]
        if wanted != there:
            told = next((f": {each.message}" for each in found if each.code == rule), "")
            problems.append(
                f"`{rule}` finds {there}, and {wanted} {'is' if wanted == 1 else 'are'} expected{told}"
            )
    return problems


def errors_before(report: Report) -> Compiled:
    """Return the errors of the earlier version as those of a file."""
    found = tuple(
        Diagnostic(
            "before", Position(1, 1, 0), Position(1, 1, 0), each["code"], each["message"], Severity.ERROR
        )
        for each in report["broken"]
        if each["side"] == "old"
    )
    return Compiled("before", "", "", None, "", found)


def findings_of(policy: Policy, test: PolicyTest) -> list[Diagnostic]:
    source = Source("spec.yaml", test.spec.encode())
    found = held(policy, [source], Project(NoFiles()))
    if test.before is not None:
        from wfc.compiler.cli.policy.changes import held_changes, told_of_texts

        told = told_of_texts(test.before, test.spec, source.path)
        found += [errors_before(told.report), *held_changes(policy, told)]
    return [diagnostic for each in found for diagnostic in each.diagnostics]
