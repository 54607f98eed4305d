"""``wfc new``."""

from __future__ import annotations

import os
import re
import shlex
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.starting.new_files import write_new
from wfc.compiler.cli.starting.patterns import Pattern, patterns
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.rules import closest
from wfc.compiler.yaml.scalars import plain

__all__ = ["command"]

SCHEMA = "workflow.schema.json"
SPECS = "specs"
NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


def beginning(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [each for each in patterns() if each.startswith(incomplete)]


@click.command("new", cls=Command)
@click.argument("pattern", metavar="[PATTERN]", required=False, shell_complete=beginning)
@click.argument("folder", metavar="[FOLDER]", required=False)
@click.option("--name", metavar="NAME", help="How the workflow and its file are called; else as the pattern.")
@click.option("--list", "listing", is_flag=True, help="List the patterns, and write nothing.")
def command(pattern: str | None, folder: str | None, name: str | None, listing: bool) -> None:
    """Begin a spec from a pattern: a copy of a spec that works, with its tests and what else it needs.

    Without a PATTERN it is asked for at a terminal. FOLDER is made if it is not there; without one it is `specs`, or
    the current folder where there is no `specs`. Nothing that is there is written over.

    `wfc draft` lets a language model write one from words instead; `pytest FOLDER` runs the tests of specs, too.
    """
    known = patterns()
    if listing:
        show(known)
        return
    if pattern is None:
        pattern, name = asked(known, name)
    if pattern not in known:
        hint = closest(pattern, known) or "`wfc new --list` lists them"
        raise click.UsageError(f"there is no pattern `{printable(pattern)}`; {hint}")
    if name is not None:
        named(name)
    folder = folder or (SPECS if os.path.isdir(SPECS) else os.curdir)
    files = known[pattern].named(name or pattern)
    line = schema_line(folder)
    write_new(folder, {path: (line * path.endswith(".yaml") + text).encode() for path, text in files.items()})
    tell(folder, list(files))


def show(known: Mapping[str, Pattern]) -> None:
    width = max(map(len, known))
    for name, each in known.items():
        said = textwrap.wrap(each.description, 100) or [""]
        click.echo(f"{name.ljust(width)}  {said[0]}")
        for line in said[1:]:
            click.echo(" " * (width + 2) + line)


def asked(known: Mapping[str, Pattern], name: str | None) -> tuple[str, str | None]:
    """Ask at the terminal for a pattern and a name, and return both."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("which pattern? `wfc new --list` lists them")
    show(known)
    pattern = click.prompt("pattern", type=click.Choice(list(known)), show_choices=False, err=True)
    return pattern, name or click.prompt("name of the workflow", default=pattern, value_proc=named, err=True)


def named(name: str) -> str:
    """Return a name for a workflow.

    Raises:
        click.UsageError: It is none; where it was asked for, it is asked for again.
    """
    if not NAME.fullmatch(name):
        raise click.UsageError(
            "a workflow's name has small letters, digits and `_`, and begins with a letter"
        )
    if not isinstance(plain(name), str):
        raise click.UsageError(f"a workflow's name is a text, and YAML reads `{name}` as something else")
    return name


def schema_line(folder: str) -> str:
    """Return the line by which editors find the schema; empty if it lies neither in the folder nor above it."""
    here = Path(folder).absolute()
    for depth, each in enumerate((here, *here.parents)):
        if (each / SCHEMA).is_file():
            return f"# yaml-language-server: $schema={'../' * depth or './'}{SCHEMA}\n#\n"
    return ""


def tell(folder: str, names: list[str]) -> None:
    paths = [os.path.normpath(os.path.join(folder, each)) for each in names]
    click.echo("written: " + ", ".join(map(printable, paths)))
    click.echo(f"next: read its first lines, then `wfc test {printable(shlex.quote(paths[0]))}`")
