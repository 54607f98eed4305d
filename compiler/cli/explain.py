"""``wfc explain``."""

from __future__ import annotations

import re
from types import ModuleType

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]


@click.command("explain", cls=Command)
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain a finding's CODE: what is wrong, why it matters, how to mend it.

    Without a CODE it lists them all, by what they are about.
    """
    import inspect

    from wfc.compiler.rules import PROBLEMS, closest
    from wfc.compiler.rules.catalogue import load
    from wfc.compiler.rules.examples import example

    load()
    if code is None:
        list_all()
        return
    name = code.strip().strip("[]").lower().replace("_", "-")
    if name not in PROBLEMS:
        hint = closest(name, PROBLEMS)
        raise click.UsageError(f"no finding has the code `{printable(code)}`" + (f"; {hint}" if hint else ""))
    click.echo(f"{name}\n\n{inspect.getdoc(PROBLEMS[name])}")
    shown = example(name)
    if shown is not None:
        click.echo("\nAn example; what mends it is marked with + and -:\n")
        for line in shown.difference():
            click.echo(f"  {tinted(line)}")


def list_all() -> None:
    """Tell all codes, those of one room together under its heading."""
    import inspect

    from wfc.compiler.rules import PROBLEMS

    width = max(map(len, PROBLEMS))
    rooms: dict[str, list[str]] = {}
    for known in sorted(PROBLEMS):
        rooms.setdefault(heading(inspect.getmodule(PROBLEMS[known])), []).append(known)
    for number, room in enumerate(sorted(rooms)):
        click.echo(f"{chr(10) * bool(number)}{room}")
        for known in rooms[room]:
            click.echo(f"  {known:{width}}  {(inspect.getdoc(PROBLEMS[known]) or '').splitlines()[0]}")


def heading(module: ModuleType | None) -> str:
    """What a room of problems is about, from the first line of its module."""
    told = (module.__doc__ or "" if module is not None else "").splitlines()[0].rstrip(".")
    about = re.sub(r"^Problems (?:with|of|in) ", "", told)
    return f"{about[:1].upper()}{about[1:]}"


def tinted(line: str) -> str:
    """A line of a difference, in a terminal's colours; they are left out where there is no terminal."""
    return click.style(line, fg={"-": "red", "+": "green"}.get(line[:1]))
