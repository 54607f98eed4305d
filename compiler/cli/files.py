"""Paths on the command line → the specs that they name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.contents import contents
from wfc.compiler.workspace.glance import says_that_it_is_a_spec

__all__ = [
    "MOST_BYTES",
    "Source",
    "contents_or_reason",
    "load",
    "load_whole",
    "named",
    "specs",
    "yaml_files",
]

SUFFIXES = (".yaml", ".yml")

MOST_BYTES = 100 * 2**20
"""How large a file may be that is no spec: inputs, or a module."""

LONGEST_PATH = 300


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
    def passed_over(path: str, error: OSError) -> None:
        notes.append(f"{printable(folder)}: passed over {named(path)}: {reason(error)}")

    found: list[Source] = []
    passed = 0
    for path in sorted(yaml_files(folder, passed_over)):
        raw = contents_or_reason(path, MAX_BYTES + 1)
        if isinstance(raw, bytes):
            if says_that_it_is_a_spec(raw):
                found.append(Source(path, raw))
            else:
                passed += 1
        elif os.path.lexists(path):  # what has gone meanwhile is as if it had never been there
            raise wrong_usage(f"cannot read {named(path)}: {raw}")
    if not found:
        raise wrong_usage(
            f"no spec in {named(folder)}: no YAML file below it has a line that begins with `wfc:`"
        )
    if passed:
        files = "file that has" if passed == 1 else "files that have"
        notes.append(f"{printable(folder)}: passed over {passed} YAML {files} no `wfc:` line")
    return found


def yaml_files(folder: str, passed_over: Callable[[str, OSError], None] | None = None) -> Iterable[str]:
    """The paths of the YAML files in a folder and below it, in no order; links to folders are not followed.

    Args:
        passed_over: Told of the folders that cannot be read.
    """
    waiting = [folder]
    while waiting:
        top = waiting.pop()
        try:
            with os.scandir(top) as entries:
                there = [(each.name, is_folder(each), each.is_symlink()) for each in entries]
        except OSError as error:
            if passed_over is not None:
                passed_over(top, error)
            continue
        for name, folds, linked in there:
            if name.startswith("."):
                continue
            if not folds:
                if name.endswith(SUFFIXES):
                    yield os.path.normpath(os.path.join(top, name))
            elif not linked and name != "node_modules":
                waiting.append(os.path.join(top, name))


def is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads nowhere
        return False


def load(path: str) -> Source:
    """A spec's bytes, of a file that is too large no more than shows it.

    Raises:
        click.UsageError: It cannot be read.
    """
    return Source(path, given(path, MAX_BYTES + 1))


def load_whole(path: str) -> bytes:
    """All bytes of a file that is no spec: inputs, or a module.

    Raises:
        click.UsageError: It cannot be read, or is larger than 100 MB.
    """
    raw = given(path, MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise wrong_usage(f"{named(path)} is larger than {MOST_BYTES // 2**20} MB")
    return raw


def given(path: str, most: int) -> bytes:
    found = contents_or_reason(path, most)
    if isinstance(found, bytes):
        return found
    if os.path.isdir(path):
        raise wrong_usage(f"{named(path)} is a folder, and one file is wanted")
    raise wrong_usage(f"cannot read {named(path)}: {found}")


def contents_or_reason(path: str, most: int) -> bytes | str:
    """A file's bytes, at most so many, or why it cannot be read."""
    try:
        return contents(path, most)
    except (OSError, ValueError) as error:
        return reason(error)


def reason(error: OSError | ValueError) -> str:
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{said[:1].lower()}{said[1:]}"


def named(path: str) -> str:
    """A path in a message, however it is made up."""
    shown = printable(path)
    return f"`{shown if len(shown) <= LONGEST_PATH else f'{shown[:LONGEST_PATH]}…'}`"


def wrong_usage(message: str) -> Exception:
    import click  # slow: for those who need it only

    return click.UsageError(message)
