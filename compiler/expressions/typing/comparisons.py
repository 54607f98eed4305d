"""Types of comparisons, and comparisons that can only go one way."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.expressions.conditions.narrowing import among, is_among
from wfc.compiler.expressions.syntax.tree import Compare, Constant, ListDisplay, Node, known_path
from wfc.compiler.expressions.typing import hints, type_tests
from wfc.compiler.expressions.typing.reporter import TypeReporter
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    NULL,
    STRING,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    Optional,
    Scalar,
    Type,
    base,
    comparable,
    fits,
    may_be_null,
    ordered,
    show,
    show_given,
    show_value,
    without_null,
)

__all__ = ["WRITTEN_AS_TEXT", "adapt", "compare"]

WRITTEN_AS_TEXT = (DECIMAL, DATE, DATETIME, DURATION)


def adapt(node: Node, type: Type, wanted: Type) -> Type:
    """The type of a text written out that stands for a moment or a decimal, where one is wanted.

    ``event.due < "2026-01-31"`` compares dates: the text is read when the spec is compiled.
    """
    wanted = without_null(wanted)
    if not isinstance(node, Constant) or not isinstance(node.value, str):
        return type
    if isinstance(wanted, Scalar) and wanted in WRITTEN_AS_TEXT and fits(node.value, wanted) is None:
        node.type = wanted
        return wanted
    return type


def compare(reporter: TypeReporter, node: Compare, left: Type, right: Type) -> Type:
    """Check a comparison, whose type is boolean whatever it compares."""
    if left is UNKNOWN or right is UNKNOWN:
        return BOOLEAN
    before, reporter.failed = reporter.failed, False
    if node.operator in {"in", "not in"}:
        membership(reporter, node, left, right)
    else:
        left, right = adapt(node.left, left, right), adapt(node.right, right, left)
        if node.operator in {"==", "!="}:
            equality(reporter, node, left, right)
        else:
            order(reporter, node, left, right)
    if not reporter.failed and node.decided is None:
        difference(reporter, node, left, right)
    reporter.failed |= before
    return BOOLEAN


def difference(reporter: TypeReporter, node: Compare, left: Type, right: Type) -> None:
    """Report a comparison that holds where its sides differ, of which one may be null: null differs from everything.

    Whether that is meant nobody can see; `x != ""` mostly means that there is something.
    """
    if node.operator not in {"==", "!=", "in", "not in"}:
        return
    equal = node.operator in {"==", "in"}
    items = node.right.items if isinstance(node.right, ListDisplay) else (node.left, node.right)
    if equal == reporter.positive or any(isinstance(each, Constant) and each.value is None for each in items):
        return
    right_too = isinstance(right, Optional) and not isinstance(left, Optional)
    side, other = (node.right, node.left) if right_too else (node.left, node.right)
    if not isinstance(right if right_too else left, Optional):
        return
    instead = "value"
    if known_path(side) is not None:
        instead = "empty" if isinstance(other, Constant) and other.value == "" else "path"
    at, whole = reporter.at(side), reporter.at(node)
    words = reporter.words(side), reporter.words(node)
    reporter.wrong(operand_problems.null_differs(at, whole, words, instead, positive=not equal))


def order(reporter: TypeReporter, node: Compare, left: Type, right: Type) -> None:
    first = reporter.not_null(node.left, left, f"by `{node.operator}`")
    second = reporter.not_null(node.right, right, f"by `{node.operator}`")
    if not ordered(first, second):
        reporter.wrong(
            operand_problems.not_ordered(
                reporter.at(node),
                node.operator,
                show(base(first)),
                show(base(second)),
                hint(reporter, node, first, second),
            )
        )


def equality(reporter: TypeReporter, node: Compare, left: Type, right: Type) -> None:
    for value, other, kind in ((node.right, node.left, left), (node.left, node.right, right)):
        if isinstance(value, Constant) and value.value is None:
            type_tests.null_test(reporter, node, other, kind, null=node.operator == "==")
            return
        if kind is NULL and not may_be_null(value.type) and value.type is not ANY:
            reporter.decide(node, node.operator == "!=", f"`{reporter.words(other)}` is null here")
            return
    for value, other, other_type in ((node.right, node.left, left), (node.left, node.right, right)):
        one_sided = isinstance(value, Constant) and not isinstance(other, Constant)
        if (
            one_sided
            and isinstance(value, Constant)
            and not one_value(reporter, node, value, other, other_type)
        ):
            return
    if not comparable(left, right):
        shown, meant = (show_given(left), show_given(right)), hint(reporter, node, left, right)
        reporter.wrong(operand_problems.not_comparable(reporter.at(node), node.operator, *shown, meant))
        node.left.type = UNKNOWN  # so that nobody relies on what it would have made known


def hint(reporter: TypeReporter, node: Compare, left: Type, right: Type) -> str:
    """Return what is most likely meant by a comparison that does not go."""
    words = reporter.words(node.left), reporter.words(node.right)
    return hints.for_comparison(node.operator, (node.left, node.right), (left, right), words)


def one_value(reporter: TypeReporter, node: Compare, value: Constant, other: Node, type: Type) -> bool:
    """Check a comparison of an enumeration with one value; return whether there may be more to report."""
    declared = without_null(other.declared if other.declared is not UNKNOWN else type)
    if declared is BOOLEAN and isinstance(value.value, bool):
        declared = Enumeration((True, False))
    if not isinstance(declared, Enumeration) or base(value.type) != base(declared):
        return True
    if not has(declared, value.value):
        known = [str(each) for each in declared.values]
        reporter.wrong(
            operand_problems.no_such_value(
                reporter.at(value), reporter.words(other), show_value(value.value), known
            )
        )
        return False
    now = without_null(type)
    if isinstance(now, Enumeration):
        decide(reporter, node, value, other, now, may_be_null(type))
    return False


def decide(
    reporter: TypeReporter, node: Compare, value: Constant, other: Node, now: Enumeration, nullable: bool
) -> None:
    """Check a comparison that the remaining values of a narrowed enumeration may decide."""
    shown = show_value(value.value)
    if not has(now, value.value):
        why = f"`{reporter.words(other)}` is no longer `{shown}` here"
        reporter.decide(node, node.operator == "!=", why)
    elif len(now.values) == 1 and not nullable:
        why = f"`{reporter.words(other)}` is always `{shown}` here"
        reporter.decide(node, node.operator == "==", why)


def has(enumeration: Enumeration, value: object) -> bool:
    return is_among(value, enumeration.values)


def membership(reporter: TypeReporter, node: Compare, left: Type, right: Type) -> None:
    container = reporter.not_null(node.right, right, f"by `{node.operator}`")
    if container is UNKNOWN:
        return
    if isinstance(node.right, ListDisplay):
        among_items(reporter, node, node.right, left)
        return
    if isinstance(container, ListOf):
        if not comparable(left, container.item):
            reporter.wrong(
                operand_problems.not_comparable(
                    reporter.at(node), node.operator, show_given(left), show_given(container)
                )
            )
        return
    if isinstance(container, MapOf) or base(container) is STRING:
        held = reporter.not_null(node.left, left, f"by `{node.operator}`")
        if held is not UNKNOWN and base(held) is not STRING:
            reporter.wrong(
                operand_problems.not_comparable(
                    reporter.at(node), node.operator, show_given(left), show_given(container)
                )
            )
        return
    reporter.wrong(
        operand_problems.no_parts(reporter.at(node.right), reporter.words(node.right), show(container))
    )


def among_items(reporter: TypeReporter, node: Compare, display: ListDisplay, left: Type) -> None:
    """Compare the value with each item of a literal list separately."""
    if not display.items:
        reporter.wrong(operand_problems.never_true(reporter.at(node), "the list is empty"))
    declared = without_null(node.left.declared if node.left.declared is not UNKNOWN else left)
    values = among(declared.values) if isinstance(declared, Enumeration) else frozenset()
    scalar = base(declared)
    for item in display.items:
        kind = adapt(item, item.type, left)
        if isinstance(item, Constant) and isinstance(declared, Enumeration) and base(kind) == scalar:
            if (item.value.__class__, item.value) not in values:
                known = [str(each) for each in declared.values]
                words = reporter.words(node.left)
                reporter.wrong(
                    operand_problems.no_such_value(reporter.at(item), words, show_value(item.value), known)
                )
        elif left is not NULL and not comparable(left, kind):
            reporter.wrong(
                operand_problems.not_comparable(
                    reporter.at(item), node.operator, show(left), show_given(kind)
                )
            )
    if left is NULL and not any(may_be_null(item.type) for item in display.items):
        reporter.decide(node, node.operator == "not in", f"`{reporter.words(node.left)}` is null here")
        return
    now = without_null(left)
    written = [item.value for item in display.items if isinstance(item, Constant)]
    if not reporter.failed and isinstance(now, Enumeration) and len(written) == len(display.items):
        decide_among(reporter, node, now, written, may_be_null(left))


def decide_among(
    reporter: TypeReporter, node: Compare, now: Enumeration, values: Sequence[object], nullable: bool
) -> None:
    """Note the outcome of a comparison with several values, where earlier conditions leave only one."""
    known = among(values)
    held = [each for each in now.values if (each.__class__, each) in known]
    outcome = None if held and (len(held) < len(now.values) or nullable) else bool(held)
    if outcome is not None:
        left = " or ".join(f"`{show_value(each)}`" for each in now.values)
        why = f"`{reporter.words(node.left)}` can only be {left} here"
        reporter.decide(node, outcome == (node.operator == "in"), why)
