"""People's own files, changed: written as a whole, or shown as differences."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.sources import Source, load, quoted_path
from wfc.compiler.workspace.writing import write_whole

__all__ = ["Edited", "allowed", "encoded", "replace_file", "show_difference"]

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Edited:
    """A file's text before and after a change; ``place`` is its path with links resolved.

    Args:
        raw: What the file is to hold.
        verb: What was done to it, as messages say it.
    """

    source: Source
    place: str
    before: str
    after: str
    raw: bytes
    verb: str


def encoded(source: Source, text: str) -> bytes:
    return (BOM if source.raw.startswith(BOM) else b"") + text.encode("utf-8")


def allowed(change: Edited, paths: Sequence[str]) -> bool:
    """Return whether a file, with links resolved, lies within the paths given on the command line."""
    for path in paths:
        given = os.path.realpath(path)
        within = given.rstrip(os.sep) + os.sep
        if change.place == given or (os.path.isdir(given) and change.place.startswith(within)):
            return True
    click.echo(
        f"{printable(change.source.path)}: not {change.verb}: it is a link that leads outside of what was given",
        err=True,
    )
    return False


def replace_file(change: Edited) -> None:
    """Replace a file as a whole or not at all, and only if it still has the content that was checked."""
    shown = quoted_path(change.source.path)

    def last() -> None:
        if (
            load(change.place).raw != change.source.raw
            or os.path.realpath(change.source.path) != change.place
        ):
            raise click.UsageError(f"{shown} was changed while it was checked; nothing was written to it")

    if not os.access(change.place, os.W_OK):  # its folder may be written, but it is not meant to be
        raise click.UsageError(f"cannot write {shown}: permission denied")
    try:
        write_whole({change.place: change.raw}, edited=True, last=last)
    except OSError as error:
        raise click.UsageError(f"cannot write {shown}: {(error.strerror or str(error)).lower()}") from None


def show_difference(change: Edited) -> None:
    import difflib

    path = printable(change.source.path)
    lines = difflib.unified_diff(
        change.before.splitlines(), change.after.splitlines(), path, f"{path} ({change.verb})", lineterm=""
    )
    for line in lines:
        click.echo(printable(line))
