"""The class of all subcommands."""

from __future__ import annotations

from typing import Any

import click

from wfc.compiler.workspace.sources import PathError

__all__ = ["Command"]


class Command(click.Command):
    """A subcommand; a path that cannot be used is wrong usage of it."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command.

        Raises:
            click.UsageError: A path cannot be used.
        """
        try:
            return super().invoke(ctx)
        except PathError as error:
            raise click.UsageError(str(error), ctx) from None
