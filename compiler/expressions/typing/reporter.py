"""Findings about the types of an expression's nodes."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.expressions.syntax.tree import Node, known_path
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import UNKNOWN, Type, may_be_null

__all__ = ["TypeReporter"]


class TypeReporter:
    """Reports findings about the types in one expression, and notes whether there are any.

    Args:
        text: The whole text that the nodes' stretches are of.
        place: Where that text stands.
    """

    def __init__(self, text: str, place: Place, report: Report) -> None:
        self.text = text
        self.place = place
        self.report = report
        self.failed = False
        self.unknown = False  # whether some part has a type that nobody knows
        self.positive = True  # outside of `not`, or inside of two

    @property
    def sure(self) -> bool:
        """Return whether everything could be read so far, and has a type that is known."""
        return not self.failed and not self.unknown

    def at(self, node: Node) -> Place:
        """A node's place."""
        return self.place.stretch(node.start, node.end)

    def words(self, node: Node) -> str:
        """A node as the author wrote it, cut short."""
        words = " ".join(self.text[node.start : node.end].split())
        return words if len(words) <= 50 else f"{words[:49]}…"

    def wrong(self, finding: Finding) -> Type:
        """Report a finding; what it is about has a type that causes no more."""
        self.failed = True
        self.report(finding)
        return UNKNOWN

    def decide(self, node: Node, outcome: bool, why: str) -> None:
        """Note a test's outcome where earlier conditions leave only one; it is a mistake if it never helps.

        That a test holds for what they have left is no mistake: the last of several cases always does.
        """
        if outcome == self.positive:
            node.decided = outcome
        else:
            finding = operand_problems.always_true if outcome else operand_problems.never_true
            self.wrong(finding(self.at(node), why))

    def not_null(self, node: Node, type: Type, use: str = "") -> Type:
        if may_be_null(type):
            testable = known_path(node) is not None
            return self.wrong(operand_problems.may_be_null(self.at(node), self.words(node), testable, use))
        return type
