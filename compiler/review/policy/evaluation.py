"""Typed expressions worked out over plain data: no code is made of them and nothing runs, and the work is bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Binary,
    Choice,
    Compare,
    Comprehension,
    Concat,
    Constant,
    Fields,
    FilterCall,
    ListDisplay,
    Logic,
    Name,
    Node,
    Not,
    Slice,
    Subscript,
    Test,
    Unary,
)
from wfc.compiler.review.policy.filters import FUNCTIONS, same
from wfc.compiler.types import DURATION, without_null
from wfc.compiler.types.durations import seconds

__all__ = ["MOST_WORK", "SUPPORTED", "Budget", "TooMuchError", "Values", "evaluate", "shown"]

Values = Mapping[str, Any]
"""What the names of an expression stand for: JSON data."""

MOST_WORK: Final = 2_000_000
"""How many parts of expressions are worked out for one rule and one workflow, each item of a loop anew."""


class TooMuchError(Exception):
    """The error for an expression that takes more work than it may, or whose texts grow too large."""


class Budget:
    """What is left of the work that may be done."""

    def __init__(self, left: int = MOST_WORK) -> None:
        self.left = left

    def spend(self, amount: int = 1) -> None:
        """Take away from what is left.

        Raises:
            TooMuchError: There is not so much.
        """
        self.left -= amount
        if self.left < 0:
            raise TooMuchError


def evaluate(node: Node, values: Values, budget: Budget) -> Any:
    """Return the value of a typed expression.

    Raises:
        TooMuchError: It takes too much work.
        ArithmeticError, IndexError: What it says cannot be worked out, such as a division by zero.
    """
    budget.spend()
    return RULES[node.__class__](node, values, budget)


def constant(node: Constant, values: Values, budget: Budget) -> Any:
    if isinstance(node.value, str) and without_null(node.type) is DURATION:
        return seconds(node.value)
    return node.value


def name(node: Name, values: Values, budget: Budget) -> Any:
    return values[node.name]


def fields(node: Fields, values: Values, budget: Budget) -> Any:
    found = values[node.path[0]]
    for each in node.path[1:]:
        if found is None:
            return None
        found = found[each]
    return found


def attribute(node: Attribute, values: Values, budget: Budget) -> Any:
    owner = evaluate(node.of, values, budget)
    return None if owner is None else owner[node.name]


def subscript(node: Subscript, values: Values, budget: Budget) -> Any:
    owner, index = evaluate(node.of, values, budget), evaluate(node.index, values, budget)
    return owner.get(index) if isinstance(owner, dict) else owner[index]


def part(node: Slice, values: Values, budget: Budget) -> Any:
    owner = evaluate(node.of, values, budget)
    first = None if node.first is None else evaluate(node.first, values, budget)
    last = None if node.last is None else evaluate(node.last, values, budget)
    return owner[first:last]


def list_display(node: ListDisplay, values: Values, budget: Budget) -> Any:
    return [evaluate(each, values, budget) for each in node.items]


def comprehension(node: Comprehension, values: Values, budget: Budget) -> Any:
    items = evaluate(node.items, values, budget)
    over = list(items.items()) if isinstance(items, dict) else [(each,) for each in items]
    found = []
    for index, item in enumerate(over, 1):
        own = dict(zip((each.name for each in node.names), item, strict=False))
        loop = {"index": index, "first": index == 1, "last": index == len(over)}
        inside = {**values, "loop": loop, **own}
        if node.test is None or evaluate(node.test, inside, budget):
            found.append(evaluate(node.value, inside, budget))
    return found


def unary(node: Unary, values: Values, budget: Budget) -> Any:
    value = evaluate(node.operand, values, budget)
    return -value if node.operator == "-" else value


ARITHMETIC: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": lambda left, right: {**left, **right} if isinstance(left, dict) else left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
}


def binary(node: Binary, values: Values, budget: Budget) -> Any:
    left, right = evaluate(node.left, values, budget), evaluate(node.right, values, budget)
    return sized(ARITHMETIC[node.operator](left, right), budget)


def sized(value: Any, budget: Budget) -> Any:
    """Return a value that was put together, which costs as much as it is long."""
    if isinstance(value, (str, list, dict)):
        budget.spend(len(value))
    elif isinstance(value, int):
        budget.spend(value.bit_length() // 64)
    return value


def concat(node: Concat, values: Values, budget: Budget) -> Any:
    return sized("".join(shown(evaluate(each, values, budget)) for each in node.parts), budget)


def shown(value: Any) -> str:
    """Return a scalar as it stands in a text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def among(item: Any, container: Any) -> bool:
    if isinstance(container, list):
        return any(same(item, each) for each in container)
    return item in container


COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": same,
    "!=": lambda left, right: not same(left, right),
    "<": lambda left, right: bool(left < right),
    "<=": lambda left, right: bool(left <= right),
    ">": lambda left, right: bool(left > right),
    ">=": lambda left, right: bool(left >= right),
    "in": among,
    "not in": lambda left, right: not among(left, right),
}


def compare(node: Compare, values: Values, budget: Budget) -> Any:
    left, right = evaluate(node.left, values, budget), evaluate(node.right, values, budget)
    if isinstance(right, (str, list, dict)):
        budget.spend(len(right) // 16)
    return COMPARISONS[node.operator](left, right)


def logic(node: Logic, values: Values, budget: Budget) -> Any:
    ending = node.operator == "or"
    return (not ending) if all(evaluate(each, values, budget) != ending for each in node.parts) else ending


def negation(node: Not, values: Values, budget: Budget) -> Any:
    return not evaluate(node.operand, values, budget)


def choice(node: Choice, values: Values, budget: Budget) -> Any:
    return evaluate(node.then if evaluate(node.test, values, budget) else node.otherwise, values, budget)


def test(node: Test, values: Values, budget: Budget) -> Any:
    value = evaluate(node.of, values, budget)
    holds = value is None if node.name == "none" else not value
    return holds != node.negated


def filter_call(node: FilterCall, values: Values, budget: Budget) -> Any:
    subject = evaluate(node.of, values, budget)
    given = {each: evaluate(argument, values, budget) for each, argument in node.bound.items()}
    if isinstance(subject, (str, list, dict)):
        budget.spend(len(subject) // 16)
    return sized(FUNCTIONS[node.name](subject, **given), budget)


RULES: Final[Mapping[type[Node], Callable[..., Any]]] = {
    Constant: constant,
    Name: name,
    Fields: fields,
    Attribute: attribute,
    Subscript: subscript,
    Slice: part,
    ListDisplay: list_display,
    Comprehension: comprehension,
    Unary: unary,
    Binary: binary,
    Concat: concat,
    Compare: compare,
    Logic: logic,
    Not: negation,
    Choice: choice,
    Test: test,
    FilterCall: filter_call,
}

SUPPORTED: Final = frozenset(RULES)
"""The parts of expressions that can be worked out here."""
