"""Which specs of two sides belong together, and which of them have changed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Final

from wfc.compiler.cli.reviewing.sides import Side
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.detection import workflow_names

__all__ = ["SpecPair", "changed_pairs"]

_MENTIONS: Final = re.compile(rb"imports|parts|file|template")
_ESCAPED: Final = re.compile(rb"\\[xuU]")
_WORD: Final = re.compile(rb"""[^\s"'\[\]{},:#]+""")
MOST_FILES: Final = 1000
"""How many files one spec may depend on until it counts as changed."""


@dataclass(frozen=True, slots=True)
class SpecPair:
    """A spec in two versions.

    Args:
        old: Its path in the earlier version; ``None``: it is new.
        new: Its path in the later version; ``None``: it is gone.
    """

    old: str | None
    new: str | None


def changed_pairs(old: Side, new: Side) -> list[SpecPair]:
    """Return the specs that may mean something else now: their texts differ, or those of files that they mention.

    A spec is known by its workflow's name, so that a file may move. Two single files belong together, whatever the
    names in them.
    """
    return [pair for pair in _pairs(old.specs(), new.specs()) if not _is_unchanged(pair, old, new)]


def _pairs(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Iterator[SpecPair]:
    if len(old) == len(new) == 1:
        yield SpecPair(next(iter(old)), next(iter(new)))
        return
    left = dict.fromkeys(new)
    rest: dict[str, None] = {}
    names = workflow_names(new.items())
    by_path = {path: name for name, path in names.items()}
    before = workflow_names(old.items())
    known = {path: name for name, path in before.items()}
    for path in old:
        name = known.get(path)
        if path in new and by_path.get(path) == name:  # as most are
            del left[path]
            yield SpecPair(path, path)
        elif name is not None and name in names and names[name] in left and known.get(names[name]) != name:
            del left[names[name]]
            yield SpecPair(path, names[name])
        else:
            rest[path] = None
    for path in rest:
        if path in left:
            del left[path]
            yield SpecPair(path, path)
        else:
            yield SpecPair(path, None)
    for path in left:
        yield SpecPair(None, path)


def _is_unchanged(pair: SpecPair, old: Side, new: Side) -> bool:
    if pair.old is None or pair.new is None:
        return False
    if old.digest(pair.old) != new.digest(pair.new):
        return False
    if pair.old != pair.new or _ESCAPED.search(new.specs()[pair.new]):
        return False  # what it mentions may lie elsewhere, or be written so that it is not found here
    seen: set[str] = set()
    waiting = [(pair.new, new.specs()[pair.new])]
    while waiting:
        path, raw = waiting.pop()
        for mentioned in _mentioned(path, raw):
            if mentioned in seen:
                continue
            seen.add(mentioned)
            digest = new.digest(mentioned)
            if digest != old.digest(mentioned) or len(seen) > MOST_FILES:
                return False
            if digest and mentioned.endswith((".yaml", ".yml")):
                content = new.files.read(mentioned)
                waiting += [(mentioned, content)] if isinstance(content, bytes) else []
    return True


def _mentioned(path: str, raw: bytes) -> Iterator[str]:
    """Yield the paths of files that a text may mention; most of what looks like one is none."""
    if _MENTIONS.search(raw) is None:
        return
    folder = posixpath.dirname(path)
    for found in dict.fromkeys(_WORD.findall(raw)):
        yield posixpath.normpath(posixpath.join(folder, found.decode(errors="replace")))
