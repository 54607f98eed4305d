"""Which files a collection is made of: paths with wildcards, looked up without leaving the folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from wfc.runtime.errors import StepError

__all__ = ["MOST_FILES", "FoundFile", "find_files"]

MOST_FILES: Final = 200_000
"""How many files a collection may have."""


class FoundFile(NamedTuple):
    """A file that fits one of the paths.

    Args:
        path: Relative to the folder, with ``/``.
        why_not: Why it is not read, or empty.
        about: What the path says about it: the names that stand for ``{word}``.
    """

    path: str
    size: int
    changed: int
    inode: int
    why_not: str = ""
    about: tuple[tuple[str, str], ...] = ()


def find_files(folder: Path, patterns: tuple[str, ...]) -> list[FoundFile]:
    """Return the files that fit one of the patterns, sorted by path.

    Links to folders are not followed; a link to a file outside the folder is found, and not read.

    Raises:
        StepError: ``knowledge.too_many_files``.
    """
    found: dict[str, FoundFile] = {}
    top = os.path.realpath(folder)
    for pattern in patterns:
        parts = [part for part in pattern.split("/") if part not in {"", "."}]
        fixed = next((i for i, part in enumerate(parts) if set("*?{") & set(part)), len(parts) - 1)
        fits = _matcher(parts)
        start = "/".join(parts[:fixed])
        if start and os.path.realpath(os.path.join(top, start)) != os.path.join(top, *parts[:fixed]):
            continue  # a link stands in for a folder
        depth = None if "**" in parts else len(parts)
        for entry, path in _walk(top, start, depth, tuple(parts)):
            if path not in found and (fitting := fits(path)) is not None:
                found[path] = _looked_at(entry, path, top, tuple(fitting.groupdict().items()))
                if len(found) > MOST_FILES:
                    raise StepError(
                        "knowledge.too_many_files", f"more than {MOST_FILES:,} files fit `{pattern}`"
                    )
    return [found[path] for path in sorted(found)]


def _walk(
    top: str, start: str, depth: int | None, parts: tuple[str, ...]
) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Yield the files below a folder, with their paths relative to the top; hidden ones only where they are named."""
    hidden = any(part.startswith(".") for part in parts)
    waiting = [start]
    while waiting:
        inside = waiting.pop()
        try:
            entries = sorted(os.scandir(os.path.join(top, inside)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") and not hidden:
                continue
            path = f"{inside}/{entry.name}" if inside else entry.name
            if entry.is_dir(follow_symlinks=False):
                if depth is None or path.count("/") + 1 < depth:
                    waiting.append(path)
            elif entry.is_file() or entry.is_symlink():
                yield entry, path


def _looked_at(entry: os.DirEntry[str], path: str, top: str, about: tuple[tuple[str, str], ...]) -> FoundFile:
    why = ""
    try:
        found = entry.stat()
    except OSError as error:
        return FoundFile(path, 0, 0, 0, f"cannot be read: {error.strerror}", about)
    if entry.is_symlink() and not os.path.realpath(entry.path).startswith(top + os.sep):
        why = "a link that leads out of the folder"
    return FoundFile(path, found.st_size, found.st_mtime_ns, found.st_ino, why, about)


def _matcher(parts: list[str]) -> Callable[[str], re.Match[str] | None]:
    """Return what says whether a path fits: ``**`` stands for any folders, ``*`` and ``?`` for what is in a name.

    What lies between two ``**`` is looked for where it comes first, and between two ``*`` likewise; if the rest does
    not fit there, it fits nowhere. So nothing is tried twice, however many of them there are.
    """
    runs: list[list[str]] = [[]]
    words: set[str] = set()
    for part in parts:
        if part == "**":
            runs.append([])
        else:
            runs[-1].append(_name(part, words))
    first, *middle = ["/".join(run) for run in runs]
    if not middle:
        return re.compile(first, re.DOTALL).fullmatch
    *middle, last = middle
    pieces = [f"{first}/" if first else "", *(f"(?>(?:[^/]+/)*?{run}/)" for run in middle if run)]
    pieces.append(f"(?:[^/]+/)*{last}" if last else ".+")
    return re.compile("".join(pieces), re.DOTALL).fullmatch


_WORD: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def _name(part: str, words: set[str]) -> str:
    """Return the regular expression of one name with wildcards.

    Args:
        words: The names in braces that have come so far.
    """
    pieces = [_piece(piece, words) for piece in re.split(r"\*+", part)]
    first, *middle = pieces
    if not middle:
        return first
    *middle, last = middle
    return f"{first}{''.join(f'(?>[^/]*?{piece})' for piece in middle)}[^/]*{last}"


def _piece(text: str, words: set[str]) -> str:
    """Return the regular expression of a part of a name without ``*``."""
    found = []
    for at, each in enumerate(_WORD.split(text)):
        if at % 2 and each not in words:
            words.add(each)
            found.append(f"(?P<{each}>[^/]+)")
        elif at % 2:
            found.append(f"(?P={each})")
        else:
            found.append("".join("[^/]" if one == "?" else re.escape(one) for one in each))
    return "".join(found)
