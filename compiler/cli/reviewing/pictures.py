"""Two versions of a flow in one picture: the earlier one from a file or from the history, with what no box shows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from wfc.compiler.cli.reviewing.comparison import Version, version_of
from wfc.compiler.cli.reviewing.git import Repository
from wfc.compiler.cli.reviewing.sides import CommitSide, DiskSide, Side
from wfc.compiler.draw import flow_graph
from wfc.compiler.draw.comparison import compared
from wfc.compiler.review.pair import Facts, Pair
from wfc.compiler.review.sameness import same
from wfc.compiler.rules import spelling
from wfc.compiler.workspace.project import Project
from wfc.compiler.workspace.sources import PathError

__all__ = ["BrokenVersionError", "drawn_since"]


class BrokenVersionError(Exception):
    """The error for a version that has errors, and is not drawn."""


def drawn_since(path: str, old: str) -> dict[str, Any]:
    """Return two versions of a spec as one graph.

    Args:
        old: The earlier one: a file, or a revision in which the same path, or a spec of the same workflow, is.

    Raises:
        PathError: There is no such file or revision, or the spec is not in it.
        BrokenVersionError: One of them has errors.
    """
    before, after = _version(_side(path, old), old), _version(DiskSide(path, [path]), path)
    assert before.workflow is not None
    assert after.workflow is not None
    assert before.facts is not None
    assert after.facts is not None
    pair = Pair(before.facts, after.facts)
    return compared(
        flow_graph(before.workflow),
        flow_graph(after.workflow),
        renamed=pair.steps_renamed,
        inside={name: list(_inside(one, other)) for name, one, other in pair.changed_steps},
    )


def _side(path: str, old: str) -> Side:
    if os.path.lexists(old):
        return DiskSide(old, [old])
    repository = Repository(os.path.dirname(path) or os.curdir)
    name = os.path.basename(path)
    side = CommitSide(old, repository.commit(old), repository, [name])
    if not side.specs():
        raise PathError(f"`{old}` has no spec {name} here")
    return side


def _version(side: Side, title: str) -> Version:
    """Return the only spec of a side."""
    with spelling.bounded():
        (path,) = side.specs() or (title,)
        found = version_of(Project(side.files), side, path) if side.specs() else None
    if found is None or found.facts is None:
        first = found.diagnostics[0] if found is not None and found.diagnostics else None
        why = (
            "it is no workflow"
            if first is None
            else f"{first.start.line}:{first.start.column}: {first.message}"
        )
        raise BrokenVersionError(f"{title} is not drawn: {why}")
    return found


def _inside(old: Facts, new: Facts) -> Iterator[str]:
    """Yield the keys under which a step says something else."""
    for key in new:
        before, after = old.get(key), new[key]
        if key in ("at", "name", "reaches", "result") or same(before, after):
            continue
        if key == "action" and isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from (each for each in after if each != "at" and not same(before.get(each), after[each]))
        else:
            yield key
