"""Conditions by truth table: is there a case that none is for, and one that never gets its turn.

What a table can vary: enumerations, booleans, null or not, which event it is. Every other test is opaque: it may
come out either way, but the same one comes out the same way. A question is answered in both ways only where
the conditions get to ask it, so that the cases stay few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from wfc.compiler.expressions.conditions.propositions import Atoms, Key, Row
from wfc.compiler.expressions.syntax.tree import Compare, Constant, Logic, Node, Path, path_of
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import ANY, BOOLEAN, NULL, UNKNOWN, Enumeration, Optional, Scalar

if TYPE_CHECKING:
    from wfc.compiler.expressions.passes import Expression

__all__ = ["Case", "Verdict", "constant_truth", "falls_through", "judge"]

T = TypeVar("T")

MAX_ATOMS: Final = 12
MAX_ROWS: Final = 2**MAX_ATOMS
MAX_CONDITIONS: Final = 200
TOO_MANY: Final = "there are too many different tests to be sure"


@dataclass(frozen=True, slots=True)
class Case:
    """A case that no condition is for.

    Args:
        text: In words, to follow "where": ```result.category` is `bug```.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a list of conditions does, the first that holds being taken.

    Args:
        left: A case that none is for; ``None`` if they leave no case.
        idle: Indexes of conditions that never get their turn, because earlier ones take all their cases.
    """

    left: Case | None
    idle: tuple[int, ...]


class TooManyCasesError(Exception):
    """Conditions ask more than can be gone through."""


def falls_through(conditions: Sequence[Expression]) -> Case | None:
    """A case that none of the conditions is for; ``None`` if there is none, or a mistake hides what there is."""
    return judge(conditions).left


def judge(conditions: Sequence[Expression]) -> Verdict:
    """Which cases a list of conditions leaves, and which conditions never get their turn."""
    if any(condition.type is UNKNOWN for condition in conditions):
        return Verdict(None, ())
    if len(conditions) > MAX_CONDITIONS:
        return Verdict(Case(TOO_MANY), ())
    trees = [condition.tree for condition in conditions]
    atoms = Atoms(trees, [condition.text for condition in conditions], in_order=True)
    try:
        return verdict(atoms, trees)
    except TooManyCasesError:
        return Verdict(Case(TOO_MANY), ())


def verdict(atoms: Atoms, trees: Sequence[Node]) -> Verdict:
    def first(row: Row) -> int | None:
        return next((index for index, tree in enumerate(trees) if atoms.holds(tree, row)), None)

    left: dict[Key, object] | None = None
    taken: set[int] = set()
    for row, index in outcomes(atoms, first):
        if index is not None:
            taken.add(index)
        elif left is None:
            left = row
    idle = [
        index
        for index, tree in enumerate(trees)
        if index not in taken and any(held for _, held in outcomes(atoms, lambda row: atoms.holds(tree, row)))  # noqa: B023
    ]
    return Verdict(Case(atoms.words(needed(atoms, first, left))) if left is not None else None, tuple(idle))


def needed(atoms: Atoms, first: Callable[[Row], int | None], left: dict[Key, object]) -> Row:
    """A case that is left, without what does not matter for it."""
    for key in list(left):
        rest = {other: value for other, value in left.items() if other != key}
        if all(index is None for _, index in outcomes(atoms, first, rest)):
            left = rest
    return left


def constant_truth(tree: Node) -> bool | None:
    """Whether a condition holds in every case or in none; ``None`` if it depends, as it should."""
    if asks_apart([tree], set()):
        return None
    atoms = Atoms([tree], [""])
    seen: bool | None = None
    try:
        for _, held in outcomes(atoms, lambda row: atoms.holds(tree, row)):
            if seen is not None and held != seen:
                return None
            seen = held
    except TooManyCasesError:
        return None
    return seen


def asks_apart(nodes: Iterable[Node], seen: set[Path]) -> bool:
    """Whether conditions are plain comparisons of different paths: each may come out either way, whatever others do.

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
    atoms: Atoms, evaluate: Callable[[Row], T], known: Row | None = None
) -> Iterator[tuple[dict[Key, object], T]]:
    """What comes out in every case, given what is known; each case answers only what was asked."""
    if len(atoms.by_key) > MAX_ATOMS:
        raise TooManyCasesError
    rows = [dict(known or {})]
    budget = MAX_ROWS
    while rows:
        row = rows.pop()
        try:
            result = evaluate(row)
        except KeyError as error:
            asked = atoms.by_key[error.args[0]]
            rows += [{**row, asked.key: case} for case in reversed(asked.cases)]
            if len(rows) > budget:
                raise TooManyCasesError from None
        else:
            budget -= 1
            yield row, result
