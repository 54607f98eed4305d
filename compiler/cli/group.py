"""The group of subcommands for click."""

from __future__ import annotations

import signal
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING

import click

from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["COMMANDS", "run"]

COMMANDS = {
    "check": "Find everything that is wrong with specs.",
    "compile": "Compile specs to Python modules.",
    "run": "Run a spec or a generated module.",
    "test": "Run the tests written in specs.",
    "graph": "Draw a spec's flow.",
    "triggers": "Show what starts runs of a spec, and when.",
    "explain": "Explain a finding's code.",
    "schema": "Print the JSON Schema of specs.",
}
"""Every subcommand with its line in the help, so that showing the help loads none of them."""


TERMINATED = 128 + signal.SIGTERM


class Commands(click.Group):
    """Subcommands by name; ``run`` is ``command`` in ``wfc.compiler.cli.run``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, loaded now, or ``None``."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"wfc.compiler.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as click does, with a suggestion for a misspelt name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from wfc.compiler.rules import closest

            hint = closest(args[0], COMMANDS)
            ctx.fail(f"no such command: `{printable(args[0])}`" + (f"; {hint}" if hint else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands in the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version  # slow: for those who ask only

        click.echo(f"wfc {version('wfc-workflows')}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Print the version.",
)
def wfc() -> None:
    """Workflows as YAML specs: checked, proved, compiled to event-driven Python, and run.

    Exit status: 0 fine; 1 findings, or a run or a test that failed; 2 wrong usage.
    """


def run(args: list[str]) -> int:
    """Run a command line and return its exit status; errors are shown.

    Who ends this process politely (SIGTERM) gets what Ctrl-C does: runs are cancelled, no file is left half written.
    """
    ended: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        ended.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # ignored, as in what a shell starts in the background
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)  # while a run goes on this cancels it

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # signals are the main thread's
        return invoked(args)
    try:
        return invoked(args)
    except KeyboardInterrupt:
        if ended:
            return TERMINATED
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def invoked(args: list[str]) -> int:
    try:
        # `wfc.main` would make its own exit of a broken pipe and of an interrupt
        with wfc.make_context("wfc", args) as context:
            status = wfc.invoke(context)
    except click.ClickException as error:
        told = StringIO()
        error.show(told)
        # what was given may have come from a stranger: the names of files, a whole command line
        click.echo("\n".join(map(printable, told.getvalue().split("\n"))), err=True, nl=False)
        return error.exit_code
    except click.exceptions.Exit as leave:
        return leave.exit_code
    return status if isinstance(status, int) else 0
