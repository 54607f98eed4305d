"""The classes of all subcommands, and of groups of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.sources import PathError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["HELP_NAMES", "Command", "Commands"]

HELP_NAMES: Final = ("-h", "--help")


class Command(click.Command):
    """A subcommand; a path that cannot be used is wrong usage of it."""

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the names of the option for help, also where another command runs this one."""
        return list(HELP_NAMES)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command.

        Raises:
            click.UsageError: A path cannot be used.
        """
        try:
            return super().invoke(ctx)
        except PathError as error:
            raise click.UsageError(str(error), ctx) from None


class Commands(click.Group):
    """Subcommands by name; each is ``command`` in a module of a package, which is loaded when it is used.

    Args:
        commands: The names, each with its line in the help, so that showing the help loads none of them.
    """

    def __init__(self, *args: Any, commands: Mapping[str, str], package: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.lines = commands
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, in the order of the help."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, loaded now, or ``None``."""
        if cmd_name not in self.lines:
            return None
        command = import_module(f"{self.package}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as click does, with a suggestion for a misspelt name."""
        if args and args[0] not in self.lines and not args[0].startswith("-"):
            from wfc.compiler.rules import closest

            hint = closest(args[0], self.lines)
            ctx.fail(f"no such command: `{printable(args[0])}`" + (f"; {hint}" if hint else ""))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands, or options, that begin so; no command is loaded for it."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=line)
            for name, line in self.lines.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands in the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))
