"""New files: all are written or none, and nothing that is there is written over."""

from __future__ import annotations

import os
from collections.abc import Mapping

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.writing import write_whole

__all__ = ["write_new"]


def write_new(folder: str, files: Mapping[str, bytes]) -> None:
    """Write files by their paths in a folder, which is made if it is not there.

    Raises:
        click.UsageError: One is there already, would lie outside of the folder, or cannot be written.
    """
    places = {os.path.normpath(os.path.join(folder, name)): raw for name, raw in files.items()}

    def refuse_what_is_there() -> None:
        root = os.path.realpath(folder)
        for path in places:
            within = os.path.realpath(os.path.dirname(path))
            if within != root and not within.startswith(root.rstrip(os.sep) + os.sep):
                raise click.UsageError(
                    f"{shown(path)} would lie outside: a link leads there; nothing was written"
                )
        if there := [path for path in places if os.path.lexists(path)]:
            said = ", ".join(map(shown, there))
            verb = "is there already" if len(there) == 1 else "are there already"
            raise click.UsageError(f"{said} {verb}; nothing was written")

    refuse_what_is_there()
    try:
        write_whole(places, last=refuse_what_is_there)
    except OSError as error:
        what = shown(str(error.filename)) if error.filename else "the files"
        raise click.UsageError(f"cannot write {what}: {(error.strerror or str(error)).lower()}") from None


def shown(path: str) -> str:
    return f"`{printable(path)}`"
