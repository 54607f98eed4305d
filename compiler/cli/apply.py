"""``wfc apply``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.compiler.cli.delivery.environment import Environment

__all__ = ["command"]

LEVELS: Final = ("break", "act", "warn", "info", "nothing")


@click.command("apply", cls=Command)
@click.argument("revision", metavar="[REV]", required=False)
@click.option("--to", "folder", metavar="ENV", required=True, help="The folder of the installation.")
@click.option(
    "--path", "within", metavar="DIR", default=".", help="The part of the repository that is brought."
)
@click.option(
    "--store", metavar="URL", help="The installation's runs: also tell what it means for those that wait."
)
@click.option("--dry-run", is_flag=True, help="Only tell what it means.")
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    default="act",
    show_default=True,
    help="From which level on a change that nobody has approved hinders it.",
)
@click.option("--back", is_flag=True, help="Go back to what was there before the last time.")
@click.option("--history", is_flag=True, help="Show what was brought when, and by whom.")
def command(
    revision: str | None,
    folder: str,
    within: str,
    store: str | None,
    dry_run: bool,
    fail_on: str,
    back: bool,
    history: bool,
) -> int:
    """Bring the workflows of a git revision to a running installation.

    ENV is a folder that `wfc serve --env ENV` serves: each revision has a folder of its own in it, and `current` leads
    to one of them. What the change means is shown as by `wfc diff`; a revision with errors, or with a change that
    nobody has approved, is not brought. Servers take it up within a second or two, and runs that are under way or
    wait stay on their version.

    Exit status: 0 it is there, or was told; 1 it is not brought; 2 wrong usage.
    """
    from wfc.compiler.cli.delivery.environment import Environment

    if sum((revision is not None, back, history)) != 1:
        raise click.UsageError("say what is brought: REV, or --back, or ask for the --history")
    environment = Environment(folder)
    if history:
        for one in environment.history():
            click.echo(printable(f"{one['at']}  {one['what']:8}  {one['commit'][:12]}  {one['by']}"))
        return 0
    if back:
        return _go_back(environment, store, dry_run=dry_run)
    assert revision is not None
    return _bring(environment, revision, within, store, fail_on, dry_run=dry_run)


def _bring(
    environment: Environment, revision: str, within: str, store: str | None, fail_on: str, *, dry_run: bool
) -> int:
    from wfc.compiler.cli.delivery.release import commit_of, written_release

    commit = commit_of(revision)
    with environment.alone(), written_release(environment, commit, within) as release:
        if not release.is_good():
            note(f"{commit[:12]} has errors, and is not brought")
            return 1
        before = environment.current()
        if before is not None and not _told(before, release.folder, store, fail_on):
            note(
                "a change fails that nobody has approved: approve it (`wfc diff --approve`), or say --fail-on"
            )
            return 1
        if dry_run:
            return 0
        environment.keep(release.folder, release.name)
        environment.switch(release.name, "applied")
    note(printable(f"{commit[:12]} is current in {environment.folder}"))
    return 0


def _go_back(environment: Environment, store: str | None, *, dry_run: bool) -> int:
    with environment.alone():
        name = environment.before_last()
        before = environment.current()
        if name is None or before is None:
            note("there is nothing to go back to")
            return 1
        _told(before, environment.release(name), store, "nothing")
        if not dry_run:
            environment.switch(name, "went back")
            note(printable(f"{name[:12]} is current again in {environment.folder}"))
    return 0


def _told(old: str, new: str, store: str | None, fail_on: str) -> bool:
    """Tell what a change means, as `wfc diff` does; return whether nothing of it fails."""
    from wfc.compiler.cli.diff import command as diff

    options = ["--fail-on", fail_on, *(["--store", store] if store else [])]
    both = [os.path.relpath(old), os.path.relpath(new)]
    status: int = diff.main([*options, "--", *both], standalone_mode=False)
    return status == 0
