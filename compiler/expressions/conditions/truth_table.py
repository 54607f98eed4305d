"""Truth tables of conditions: what comes out in every case, and whether that is always the same.

What a table can vary: enumerations, booleans, null or not, which event it is. Every other test is opaque: it may
come out either way, but the same one comes out the same way. A question is answered in both ways only where
the conditions get to ask it, so that the cases stay few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeVar

from wfc.compiler.expressions.conditions import propositions
from wfc.compiler.expressions.syntax.tree import Compare, Constant, Logic, Node, Path, path_of
from wfc.compiler.types import ANY, BOOLEAN, NULL, UNKNOWN, Enumeration, Optional, Scalar

if TYPE_CHECKING:
    from wfc.compiler.expressions.conditions.propositions import Key, Propositions, Row

__all__ = ["TooManyCasesError", "constant_truth", "outcomes"]

T = TypeVar("T")

MAX_PROPOSITIONS: Final = 12
MAX_ROWS: Final = 2**MAX_PROPOSITIONS


class TooManyCasesError(Exception):
    """Conditions ask more than can be gone through."""


def constant_truth(tree: Node) -> bool | None:
    """Return whether a condition holds in every case or in none; ``None`` if it depends, as it should."""
    if asks_apart([tree], set()):
        return None
    asked = propositions.Propositions([tree], [""])
    seen: bool | None = None
    try:
        for _, held in outcomes(asked, lambda row: asked.holds(tree, row)):
            if seen is not None and held != seen:
                return None
            seen = held
    except TooManyCasesError:
        return None
    return seen


def asks_apart(nodes: Iterable[Node], seen: set[Path]) -> bool:
    """Return whether conditions are plain comparisons of different paths, of which each may come out either way.

    That is what most conditions are, and it is found out much sooner than by a table.

    Args:
        seen: Paths of other conditions; those of these are added.
    """
    for node in nodes:
        if isinstance(node, Logic):
            if not asks_apart(node.parts, seen):
                return False
            continue
        if not isinstance(node, Compare) or not isinstance(node.right, Constant) or node.right.value is None:
            return False
        path, kind = path_of(node.left), node.left.declared
        if path is None or path in seen or node.decided is not None or isinstance(kind, Optional):
            return False
        if isinstance(kind, Enumeration):
            if (
                len(kind.values) < 2
                or node.operator not in {"==", "!="}
                or node.right.value not in kind.values
            ):
                return False
        elif not isinstance(kind, Scalar) or kind in {BOOLEAN, NULL, ANY, UNKNOWN}:
            return False
        seen.add(path)
    return True


def outcomes(
    asked: Propositions, evaluate: Callable[[Row], T], known: Row | None = None
) -> Iterator[tuple[dict[Key, object], T]]:
    """Yield what comes out in every case, given what is known; each case answers only what was asked."""
    if len(asked.by_key) > MAX_PROPOSITIONS:
        raise TooManyCasesError
    rows = [dict(known or {})]
    budget = MAX_ROWS
    while rows:
        row = rows.pop()
        try:
            result = evaluate(row)
        except KeyError as error:
            proposition = asked.by_key[error.args[0]]
            rows += [{**row, proposition.key: case} for case in reversed(proposition.cases)]
            if len(rows) > budget:
                raise TooManyCasesError from None
        else:
            budget -= 1
            yield row, result
