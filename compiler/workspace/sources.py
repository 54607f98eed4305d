"""Resolution of the paths that a user gives to the specs that they name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.reading import read_or_reason, reason

__all__ = [
    "MANIFEST",
    "MAX_OTHER_BYTES",
    "PathError",
    "RealPaths",
    "Source",
    "find_specs",
    "load",
    "load_other",
    "quoted_path",
    "yaml_files",
]

SUFFIXES = (".yaml", ".yml")

MANIFEST = "wfc-manifest.json"
"""The file that lists the generated modules of a folder."""

MAX_OTHER_BYTES = 100 * 2**20
"""How large a file may be that is no spec: inputs, or a module."""

LONGEST_PATH = 300


class PathError(Exception):
    """The error for a path given by the user that cannot be used; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Source:
    """A spec's file: its path as the user would write it, and its bytes (at most one above the limit)."""

    path: str
    raw: bytes


class RealPaths:
    """The paths of files with links resolved; those of their folders are found out once."""

    def __init__(self) -> None:
        self.folders: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Return a file's path with links resolved."""
        if os.path.islink(path):
            return os.path.realpath(path)
        folder, name = os.path.split(path)
        if name in ("", os.curdir, os.pardir):
            return os.path.realpath(path)
        real = self.folders.get(folder)
        if real is None:
            real = self.folders[folder] = os.path.realpath(folder)
        return os.path.join(real, name)


def find_specs(paths: Sequence[str], note: Callable[[str], None]) -> list[Source]:
    """Return the specs of files and folders, each once, those of a folder in the order of their paths.

    Args:
        note: Receives a line for the user about files that were skipped.

    Raises:
        PathError: A path cannot be read, or a folder has no spec.
    """
    found: dict[str, Source] = {}
    notes: list[str] = []
    real = RealPaths()
    for path in paths:
        for source in in_folder(path, notes) if os.path.isdir(path) else [load(path)]:
            found.setdefault(real.of(source.path), source)
    for each in notes:  # only now: a path that is wrong is all there is to say
        note(each)
    return list(found.values())


def in_folder(folder: str, notes: list[str]) -> list[Source]:
    def pass_over(path: str, error: OSError) -> None:
        notes.append(f"{printable(folder)}: passed over {quoted_path(path)}: {reason(error)}")

    found: list[Source] = []
    passed = 0
    for path in sorted(yaml_files(folder, pass_over)):
        raw = read_or_reason(path, MAX_BYTES + 1)
        if isinstance(raw, bytes):
            if looks_like_spec(raw):
                found.append(Source(path, raw))
            else:
                passed += 1
        elif os.path.lexists(path):  # what has gone meanwhile is as if it had never been there
            raise PathError(f"cannot read {quoted_path(path)}: {raw}")
    if not found:
        raise PathError(
            f"no spec in {quoted_path(folder)}: no YAML file below it has a line that begins with `wfc:`"
        )
    if passed:
        files = "file that has" if passed == 1 else "files that have"
        notes.append(f"{printable(folder)}: passed over {passed} YAML {files} no `wfc:` line")
    return found


def yaml_files(folder: str, pass_over: Callable[[str, OSError], None] | None = None) -> Iterable[str]:
    """Return the paths of the YAML files in a folder and below it, in no order; links to folders are not followed.

    Args:
        pass_over: Called with each folder that cannot be read.
    """
    waiting = [folder]
    while waiting:
        top = waiting.pop()
        try:
            with os.scandir(top) as entries:
                there = [(each.name, is_folder(each), each.is_symlink()) for each in entries]
        except OSError as error:
            if pass_over is not None:
                pass_over(top, error)
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
    """Read a spec; of a file that is too large, only enough to detect that.

    Raises:
        PathError: It cannot be read.
    """
    return Source(path, read_given(path, MAX_BYTES + 1))


def load_other(path: str) -> bytes:
    """Read a file that is not a spec: inputs, or a module.

    Raises:
        PathError: It cannot be read, or is larger than 100 MB.
    """
    raw = read_given(path, MAX_OTHER_BYTES + 1)
    if len(raw) > MAX_OTHER_BYTES:
        raise PathError(f"{quoted_path(path)} is larger than {MAX_OTHER_BYTES // 2**20} MB")
    return raw


def read_given(path: str, limit: int) -> bytes:
    found = read_or_reason(path, limit)
    if isinstance(found, bytes):
        return found
    if os.path.isdir(path):
        raise PathError(f"{quoted_path(path)} is a folder, and one file is wanted")
    raise PathError(f"cannot read {quoted_path(path)}: {found}")


def quoted_path(path: str) -> str:
    """Return a path as messages show it, whatever characters it contains."""
    shown = printable(path)
    return f"`{shown if len(shown) <= LONGEST_PATH else f'{shown[:LONGEST_PATH]}…'}`"
