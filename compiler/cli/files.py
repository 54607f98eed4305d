"""Paths on the command line → the specs that they name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from wfc.compiler.glance import says_that_it_is_a_spec
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.slotted import dataclass

__all__ = ["Source", "contents_or_reason", "load", "load_whole", "specs", "yaml_files"]

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Source:
    """A spec's file: its path as the user would write it, and its bytes (one more than too many at most)."""

    path: str
    raw: bytes


def specs(paths: Sequence[str]) -> list[Source]:
    """The specs of files and folders, each once, those of a folder in the order of their paths.

    Raises:
        click.UsageError: A path cannot be read, or a folder has no spec.
    """
    found: dict[str, Source] = {}
    notes: list[str] = []
    for path in paths:
        for source in in_folder(path, notes) if os.path.isdir(path) else [load(path)]:
            found.setdefault(os.path.realpath(source.path), source)
    for note in notes:  # only now: a path that is wrong is all there is to say
        print(note, file=sys.stderr)
    return list(found.values())


def in_folder(folder: str, notes: list[str]) -> list[Source]:
    candidates = [load(path) for path in sorted(yaml_files(folder))]
    found = [source for source in candidates if says_that_it_is_a_spec(source.raw)]
    if not found:
        raise wrong_usage(f"no spec in `{folder}`: no YAML file below it has a line that begins with `wfc:`")
    if passed := len(candidates) - len(found):
        files = "file that has" if passed == 1 else "files that have"
        notes.append(f"{folder}: passed over {passed} YAML {files} no `wfc:` line")
    return found


def yaml_files(folder: str) -> Iterable[str]:
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        for name in names:
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield os.path.normpath(os.path.join(top, name))


def load(path: str) -> Source:
    """A spec's bytes, of a file that is too large no more than shows it.

    Raises:
        click.UsageError: It cannot be read.
    """
    return Source(path, contents(path, MAX_BYTES + 1))


def load_whole(path: str) -> bytes:
    """All bytes of a file that is no spec: inputs, or a module.

    Raises:
        click.UsageError: It cannot be read.
    """
    return contents(path, -1)


def contents(path: str, most: int) -> bytes:
    found = contents_or_reason(path, most)
    if isinstance(found, bytes):
        return found
    if os.path.isdir(path):
        raise wrong_usage(f"`{path}` is a folder, and one file is wanted")
    raise wrong_usage(f"cannot read `{path}`: {found}")


def contents_or_reason(path: str, most: int) -> bytes | str:
    """A file's bytes, at most so many, or why it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"{reason[:1].lower()}{reason[1:]}"


def wrong_usage(message: str) -> Exception:
    import click  # slow: for those who need it only

    return click.UsageError(message)
