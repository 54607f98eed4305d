"""``wfc skill``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.starting.new_files import write_new
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.reading import read_or_reason

__all__ = ["command", "skill_text"]

FILE: Final = Path(__file__).parent / "starting" / "files" / "SKILL.md"
PLACE: Final = "wfc-specs/SKILL.md"
OURS: Final = b"---\nname: wfc-specs\n"
"""How a file of ours begins, which a later one may replace."""


@click.command("skill", cls=Command)
@click.option(
    "--write", "folder", metavar="DIR", help="Write it to DIR/wfc-specs/SKILL.md, as .claude/skills has it."
)
def command(folder: str | None) -> None:
    """Print what a language model has to know to write specs: the language, with examples, and how to work.

    It is one file of Markdown with a head that programs for agents read. One that an earlier version of wfc has
    written is replaced; nothing else is written over.
    """
    text = skill_text()
    if folder is None:
        click.echo(text, nl=False)
        return
    there = Path(folder) / PLACE
    if there.is_file() and not there.is_symlink() and is_ours(there):
        try:
            there.write_bytes(text.encode())
        except OSError as error:
            raise click.UsageError(printable(f"cannot write `{there}`: {error.strerror}")) from None
    else:
        write_new(folder, {PLACE: text.encode()})
    click.echo(printable(f"written: {os.path.normpath(there)}"))


def is_ours(path: Path) -> bool:
    found = read_or_reason(str(path), len(OURS))
    return isinstance(found, bytes) and found == OURS


def skill_text() -> str:
    """Return the file."""
    return FILE.read_text(encoding="utf-8")
