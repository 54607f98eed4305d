"""Conditions and choices as Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.expressions.conditions.narrowing import EMPTY
from wfc.compiler.expressions.python.node_printer import NodePrinter
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, call, infix, is_path, tuple_of
from wfc.compiler.expressions.python.simplification import merged, undecided
from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Choice,
    Compare,
    ComparisonOperator,
    Constant,
    Fields,
    ListDisplay,
    Logic,
    Node,
    Not,
    Test,
    decided,
)
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    STRING,
    ListOf,
    Type,
    base,
    confusable,
    may_be_null,
    members,
    without_null,
)

__all__ = [
    "choice",
    "choose",
    "compare",
    "comparison",
    "logic",
    "membership",
    "negated",
    "negation",
    "only_way",
    "test",
]

OPPOSITES: Final[Mapping[ComparisonOperator, ComparisonOperator]] = {
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
}


def compare(printer: NodePrinter, node: Compare) -> Piece:
    left = node.left.value if isinstance(node.left, Constant) else ""
    if node.operator in {"==", "!="} and (left is None or isinstance(left, bool)):
        return equality(printer, node, node.right, printer.piece(node.right), node.left)
    return comparison(printer, node, printer.piece(node.left))


def comparison(printer: NodePrinter, node: Compare, left: Piece) -> Piece:
    """A comparison whose left side is a piece already."""
    if node.operator in {"==", "!="}:
        return equality(printer, node, node.left, left, node.right)
    if node.operator not in {"in", "not in"}:
        return infix(left, node.operator, printer.piece(node.right), Rank.COMPARE)
    items = printer.piece(node.right)
    if isinstance(node.right, ListDisplay):
        items = tuple_of([printer.piece(item) for item in node.right.items])
    return membership(left, node.left.type, items, node.right.type, holds=node.operator == "in")


def membership(item: Piece, kind: Type, items: Piece, container: Type, *, holds: bool = True) -> Piece:
    """Print a test that something is in a text, a list or a map, or (not ``holds``) is not."""
    if isinstance(container, ListOf) and confusable(kind, container.item):
        found = call("filters.among", item, items)
        return found if holds else Piece(f"not {found.code}", Rank.NOT)
    return infix(item, "in" if holds else "not in", items, Rank.COMPARE)


def equality(printer: NodePrinter, node: Compare, left: Node, piece: Piece, right: Node) -> Piece:
    equal = node.operator == "=="
    if isinstance(right, Constant) and (right.value is None or isinstance(right.value, bool)):
        if isinstance(right.value, bool) and base(left.type) == BOOLEAN:
            holds = right.value == equal
            return piece if holds else Piece(f"not {piece.within(Rank.NOT)}", Rank.NOT)
        return infix(piece, identity(piece, equal=equal), printer.piece(right), Rank.COMPARE)
    if confusable(left.type, right.type):
        found = call("filters.equal", piece, printer.piece(right))
        return found if equal else Piece(f"not {found.code}", Rank.NOT)
    return infix(piece, node.operator, printer.piece(right), Rank.COMPARE)


def logic(printer: NodePrinter, node: Logic) -> Piece:
    """Print a logical operation without the parts that earlier conditions have decided: a type checker would
    report them.
    """
    parts = merged(undecided(node), node.operator)
    if len(parts) == 1:
        return printer.piece(parts[0])
    rank = Rank.AND if node.operator == "and" else Rank.OR
    return Piece(
        f" {node.operator} ".join(printer.piece(part).within(Rank(rank + 1)) for part in parts), rank
    )


def negation(printer: NodePrinter, node: Not) -> Piece:
    return negated(printer, node.operand)


def negated(printer: NodePrinter, node: Node) -> Piece:
    """A condition turned around: ``a != b``, not ``not a == b``."""
    outcome = decided(node)
    if outcome is not None:
        return atom(str(not outcome))
    match node:
        case Not():
            return printer.piece(node.operand)
        case Logic() if len(left := undecided(node)) == 1:
            return negated(printer, left[0])
        case Compare() if node.operator in OPPOSITES:
            return printer.piece(
                Compare(node.start, node.end, OPPOSITES[node.operator], node.left, node.right)
            )
        case Test():
            turned = Test(
                node.start, node.end, node.of, node.name, not node.negated, node.name_start, node.name_end
            )
            turned.record = node.record
            return printer.piece(turned)
    piece = printer.piece(node)
    if piece.rank is Rank.COMPARE and isinstance(node, (Attribute, Fields)):  # `loop.first`
        return Piece(piece.code.replace(" == ", " != "), Rank.COMPARE)
    return Piece(f"not {piece.within(Rank.NOT)}", Rank.NOT)


def choice(printer: NodePrinter, node: Choice) -> Piece:
    if (taken := only_way(node)) is not None:
        return printer.exact(taken, node.type)
    if isinstance(node.then, Constant) and isinstance(node.otherwise, Constant):
        outcomes = (node.then.value, node.otherwise.value)
        if outcomes in {(True, False), (False, True)} and {bool} == {type(each) for each in outcomes}:
            return printer.piece(node.test) if node.then.value else negated(printer, node.test)
    return choose(
        printer, node, printer.exact(node.then, node.type), printer.exact(node.otherwise, node.type)
    )


def only_way(node: Choice) -> Node | None:
    """Return which of its two values a choice has, where earlier conditions leave only one."""
    outcome = decided(node.test)
    return None if outcome is None else node.then if outcome else node.otherwise


def choose(printer: NodePrinter, node: Choice, then: Piece, otherwise: Piece) -> Piece:
    """``then if test else otherwise``, or what Python has for it: the greater or the lesser of two."""
    if then.code == otherwise.code:
        return then
    if isinstance(node.test, Compare) and node.test.operator in {"<", "<=", ">", ">="}:
        sides = printer.piece(node.test.left).code, printer.piece(node.test.right).code
        if {then.code, otherwise.code} == set(sides):
            greater = (then.code == sides[0]) == node.test.operator.startswith(">")
            return call("max" if greater else "min", sides[0], sides[1])
    test = printer.piece(node.test).within(Rank.OR)
    return Piece(f"{then.within(Rank.OR)} if {test} else {otherwise.within(Rank.CHOICE)}", Rank.CHOICE)


def test(printer: NodePrinter, node: Test) -> Piece:
    subject = printer.piece(node.of)
    if node.name == "none":
        return infix(subject, identity(subject, equal=not node.negated), atom("None"), Rank.COMPARE)
    if node.name == EMPTY and node.record is None:
        return empty_test(printer, subject, node.of.type, holds=not node.negated)
    found = type_test(printer, node, subject)
    return Piece(f"not {found.within(Rank.NOT)}", Rank.NOT) if node.negated else found


def empty_test(printer: NodePrinter, subject: Piece, kind: Type, *, holds: bool) -> Piece:
    """Print a test that there is nothing in a value, or (not ``holds``) that there is something.

    Python's type checkers learn nothing from ``bool(x)``, so that what may be null is asked for that first.
    """
    if without_null(kind) is ANY:
        empty_values = tuple_of([atom("None"), printer.text(""), atom("[]"), atom("{}")])
        return infix(subject, "in" if holds else "not in", empty_values, Rank.COMPARE)
    if holds:
        return Piece(f"not {subject.within(Rank.NOT)}", Rank.NOT)
    if may_be_null(kind) and not is_path(subject.code):
        return call("bool", subject)
    of_texts = all(base(each) is STRING for each in members(kind))
    sized = subject if of_texts else call("len", subject)
    least = printer.text("") if of_texts else atom("0")
    filled = infix(sized, "!=" if of_texts else ">", least, Rank.COMPARE)
    if not may_be_null(kind):
        return filled
    return Piece(f"{subject.code} is not None and {filled.code}", Rank.AND)


def type_test(printer: NodePrinter, node: Test, subject: Piece) -> Piece:
    if node.record is not None:
        return call("isinstance", subject, printer.class_of(node.record))
    kinds = {"string": "str", "integer": "int", "boolean": "bool", "list": "list", "map": "dict"}
    if node.name == "number":
        found = call("isinstance", subject, "(int, float)")
    else:
        found = call("isinstance", subject, kinds[node.name])
    booleans = any(base(each) in (BOOLEAN, ANY) for each in members(node.of.type))
    if node.name in {"number", "integer"} and booleans:
        return Piece(f"{found.code} and not isinstance({subject.code}, bool)", Rank.AND)
    return found


def identity(left: Piece, *, equal: bool) -> str:
    """Return how something is compared with ``None``, ``True`` or ``False``; Python warns of `is` beside a literal."""
    if left.code[:1] in "0123456789\"'-":
        return "==" if equal else "!="
    return "is" if equal else "is not"
