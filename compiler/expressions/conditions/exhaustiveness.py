"""Exhaustiveness of a list of conditions: cases that none covers, and conditions that are never reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from wfc.compiler.expressions.conditions.propositions import Key, Propositions, Row
from wfc.compiler.expressions.conditions.truth_table import TooManyCasesError, outcomes
from wfc.compiler.expressions.expression import Expression
from wfc.compiler.expressions.syntax.tree import Node
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import UNKNOWN

__all__ = ["UncoveredCase", "Verdict", "falls_through", "judge"]

MAX_CONDITIONS: Final = 200
TOO_MANY: Final = "there are too many different tests to be sure"


@dataclass(frozen=True, slots=True)
class UncoveredCase:
    """A case that no condition covers.

    Args:
        text: In words, to follow "where": ```result.category` is `bug```.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for a list of conditions, of which the first that holds is taken.

    Args:
        left: A case that none is for; ``None`` if they leave no case.
        idle: Indexes of conditions that never get their turn, because earlier ones take all their cases.
    """

    left: UncoveredCase | None
    idle: tuple[int, ...]


def falls_through(conditions: Sequence[Expression]) -> UncoveredCase | None:
    """Return a case that none of the conditions covers; ``None`` if there is none, or if a mistake prevents
    the check.
    """
    return judge(conditions).left


def judge(conditions: Sequence[Expression]) -> Verdict:
    """Return which cases a list of conditions leaves, and which conditions never get their turn."""
    if any(condition.type is UNKNOWN for condition in conditions):
        return Verdict(None, ())
    if len(conditions) > MAX_CONDITIONS:
        return Verdict(UncoveredCase(TOO_MANY), ())
    trees = [condition.tree for condition in conditions]
    propositions = Propositions(trees, [condition.text for condition in conditions], in_order=True)
    try:
        return verdict(propositions, trees)
    except TooManyCasesError:
        return Verdict(UncoveredCase(TOO_MANY), ())


def verdict(propositions: Propositions, trees: Sequence[Node]) -> Verdict:
    def first(row: Row) -> int | None:
        return next((index for index, tree in enumerate(trees) if propositions.holds(tree, row)), None)

    left: dict[Key, object] | None = None
    taken: set[int] = set()
    for row, index in outcomes(propositions, first):
        if index is not None:
            taken.add(index)
        elif left is None:
            left = row
    idle = tuple(
        index for index, tree in enumerate(trees) if index not in taken and can_hold(propositions, tree)
    )
    if left is None:
        return Verdict(None, idle)
    return Verdict(UncoveredCase(propositions.words(needed(propositions, first, left))), idle)


def can_hold(propositions: Propositions, tree: Node) -> bool:
    """Return whether a condition holds in any case."""
    return any(held for _, held in outcomes(propositions, lambda row: propositions.holds(tree, row)))


def needed(propositions: Propositions, first: Callable[[Row], int | None], left: dict[Key, object]) -> Row:
    """Return an uncovered case, without what does not matter for it."""
    for key in list(left):
        rest = {other: value for other, value in left.items() if other != key}
        if all(index is None for _, index in outcomes(propositions, first, rest)):
            left = rest
    return left
