"""``wfc trust``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]


@click.command("trust", cls=Command)
@click.argument("folder", metavar="[FOLDER]", default=".", type=click.Path(exists=True, file_okay=False))
@click.option("--list", "is_list", is_flag=True, help="Only show what is proposed and what is agreed to.")
@click.option(
    "--withdraw", "is_withdrawn", is_flag=True, help="Let nothing of this folder be started any more."
)
def command(folder: str, is_list: bool, is_withdrawn: bool) -> int:
    """Agree that the programs which a project's settings name may be started.

    Steps of kind `command`, tools with `command`, MCP servers and `tell` start programs. The setting `commands`
    proposes which; nothing is started before you have agreed, for that folder, to these commands. What is added there
    later has to be agreed to again. Your answer is kept in a file of your own, outside the project. Where nobody sits,
    as in CI, WFC_TRUST=1 agrees to all.
    """
    from wfc.runtime import WorkflowError
    from wfc.runtime.calls import trust
    from wfc.runtime.calls.settings import settings_near

    if is_list and is_withdrawn:
        raise click.UsageError("--list changes nothing: leave it or --withdraw out")
    try:
        settings = settings_near(Path(folder))
        place = settings.path.parent if settings.path is not None else Path(folder)
        if is_withdrawn:
            trust.withdraw(place)
        elif not is_list:
            trust.agree(place, settings.commands)
        agreed = trust.agreed_in(place)
    except WorkflowError as error:
        raise click.ClickException(printable(str(error))) from None
    told = shlex.quote(str(place))
    if settings.path is None:
        click.echo(printable(f"no settings hold in {told}, so nothing is started from there"), err=True)
    elif not settings.commands:
        click.echo(printable(f"{settings.path} names no commands, so it starts nothing"), err=True)
    for each in settings.commands:
        click.echo(printable(f"{'may be started' if each in agreed else 'not agreed to'}: {each}"))
    return 0
