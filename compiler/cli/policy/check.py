"""``wfc policy check``."""

from __future__ import annotations

import os

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.policy.holding import describe_rules_of, held, load_policy, policy_option
from wfc.compiler.diagnostics.render import FORMATS
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import find_specs

__all__ = ["command"]


@click.command("check", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@policy_option
@click.option(
    "--against",
    metavar="REVISION",
    help="Also hold rules about changes against what has changed since HEAD left this revision of git.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="full",
    show_default=True,
    help="How to show findings.",
)
def command(paths: tuple[str, ...], file: str, against: str | None, form: str) -> int:
    """Hold a policy against specs.

    A PATH is a spec, or a folder whose specs are all judged; without one it is the current folder. A finding has the id
    of its rule. Exit status: 0 all holds; 1 there is a finding, or an error in the policy or in a spec.
    """
    policy, wrong = load_policy(file)
    describe = describe_rules_of(policy)
    if wrong.diagnostics:
        show([wrong], form=form, describe=describe, what="policy")
        return 1
    sources = find_specs(paths or (os.curdir,), note)
    found = held(policy, sources, project_of(sources))
    if against is not None:
        from wfc.compiler.cli.policy.changes import held_changes, told_since

        found += held_changes(policy, told_since(against, paths))
    elif any(rule.each == "change" for rule in policy.rules):
        note("rules about changes are not asked: `--against` names no revision")
    return 0 if show(found, form=form, describe=describe) else 1
