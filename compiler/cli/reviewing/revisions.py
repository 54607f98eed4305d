"""What the arguments of `wfc diff` mean: files, folders, revisions, or the working tree."""

from __future__ import annotations

import os
from collections.abc import Sequence

from wfc.compiler.cli.reviewing.git import Repository
from wfc.compiler.cli.reviewing.sides import CommitSide, DiskSide, Side
from wfc.compiler.workspace.sources import PathError, quoted_path

__all__ = ["sides_of"]

WORKING_TREE = "the working tree"

Ends = list[tuple[str, str]]
"""One or two revisions as they were named, each with the id of its commit."""


def sides_of(given: Sequence[str]) -> tuple[Side, Side]:
    """Return the earlier and the later side that arguments name.

    Args:
        given: Two files or two folders; or else nothing, a revision, two of them or a range, and then the paths that
            are compared, by default all below this folder. What is a path is no revision. Without a revision it is
            `HEAD`, without a second one the working tree.

    Raises:
        PathError: One of them is nothing of that, or cannot be read.
    """
    if len(given) == 2 and all(map(os.path.lexists, given)):
        if os.path.isdir(given[0]) != os.path.isdir(given[1]):
            shown = " and ".join(map(quoted_path, given))
            raise PathError(f"{shown} are not both files or both folders")
        return DiskSide(given[0], given[:1]), DiskSide(given[1], given[1:])
    repository = Repository()
    ends, rest = _revisions(given, repository)
    paths = [_from_here(each, repository) for each in rest] or [os.curdir]
    old = CommitSide(*ends[0], repository, paths)
    new: Side
    if len(ends) == 2:
        new = CommitSide(*ends[1], repository, paths)
    else:
        new = DiskSide(WORKING_TREE, paths, len(ends[0][1]), missing_ok=True)
    for path in paths:
        if not (path == os.curdir or old.has(path) or new.has(path)):
            raise PathError(f"{quoted_path(path)} is neither in {old.title} nor in {new.title}")
    return old, new


def _revisions(given: Sequence[str], repository: Repository) -> tuple[Ends, Sequence[str]]:
    """Return the revisions that arguments begin with, and the other arguments."""
    if not given or os.path.lexists(given[0]):
        return [("HEAD", repository.commit("HEAD"))], given
    first, *rest = given
    for dots in ("...", ".."):
        left, found, right = first.partition(dots)
        if found:
            one, other = left or "HEAD", right or "HEAD"
            begin, end = repository.commit(one), repository.commit(other)
            begin = repository.merge_base(begin, end) if dots == "..." else begin
            return [(one, begin), (other, end)], rest
    ends = [(first, repository.commit(first))]
    if rest and not os.path.lexists(rest[0]):
        try:
            return [*ends, (rest[0], repository.commit(rest[0]))], rest[1:]
        except PathError:
            if len(rest) == 1 and not repository.has(ends[0][1], rest[0]):
                raise
    return ends, rest


def _from_here(path: str, repository: Repository) -> str:
    """Return a path relative to this folder.

    Raises:
        PathError: It is outside of the repository.
    """
    shown = os.path.normpath(os.path.relpath(path) if os.path.isabs(path) else path)
    ups = shown.replace(os.sep, "/").split("/").count("..")
    if ups > repository.prefix.count("/"):
        raise PathError(f"{quoted_path(path)} is outside of the repository")
    return shown.replace(os.sep, "/")
