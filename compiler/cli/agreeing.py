"""The question whether a project may start the programs that its workflow names, asked once at a terminal."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from wfc.compiler.diagnostics.escaping import printable

__all__ = ["ask_for_programs"]


def ask_for_programs(texts: Iterable[str], folder: str) -> None:
    """Ask the user whether programs may be started that generated modules name and nobody has agreed to so far.

    Without a terminal nothing is asked: whatever starts such a program is refused then, and says which command agrees.

    Args:
        texts: The Python of the modules.
        folder: Where they lie.

    Raises:
        click.ClickException: The settings, or the file with the user's answers, cannot be read or written.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    from wfc.runtime import WorkflowError
    from wfc.runtime.calls import trust
    from wfc.runtime.calls.settings import settings_near

    try:
        settings = settings_near(Path(folder or "."))
        if settings.path is None:
            return
        place = settings.path.parent
        open_ones = [each for each in settings.commands if not trust.is_agreed(each, place)]
        wanted = [each for each in open_ones if any(each in started_by(text) for text in texts)]
        if not wanted:
            return
        for each in wanted:
            click.echo(printable(f"this workflow starts the program: {each}"), err=True)
        if click.confirm(printable(f"May workflows in {place} start it?"), err=True):
            trust.agree(place, wanted)
    except WorkflowError as error:
        raise click.ClickException(printable(str(error))) from None
    except click.Abort:
        click.echo(err=True)


def started_by(text: str) -> frozenset[str]:
    """Return the texts that stand first in lists of a module: the programs that it starts are among them."""
    return frozenset(
        each.elts[0].value
        for each in ast.walk(ast.parse(text))
        if isinstance(each, ast.List)
        and each.elts
        and isinstance(each.elts[0], ast.Constant)
        and isinstance(each.elts[0].value, str)
    )
