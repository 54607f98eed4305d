"""Expressions as text and as a tree at once: their parts, their spelling, and the precedence of their
operators.
"""

from __future__ import annotations

import ast
from typing import Literal

__all__ = ["KEPT", "OPERATION", "ExpressionSource"]

KEPT = "\0"
"""Stands for a line break inside a string, which must not be indented."""


BINARY: dict[type[ast.AST], tuple[str, int]] = {
    ast.Or: ("or", 1),
    ast.And: ("and", 2),
    ast.BitOr: ("|", 4),
    ast.Add: ("+", 7),
    ast.Sub: ("-", 7),
    ast.Mult: ("*", 8),
    ast.Div: ("/", 8),
    ast.FloorDiv: ("//", 8),
    ast.Mod: ("%", 8),
}


COMPARE: dict[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


OPERATION = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp)
COMPREHENSION = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class ExpressionSource:
    """One expression.

    Args:
        text: In one line, but for strings in triple quotes.
    """

    def __init__(self, text: str) -> None:
        self.text = text.encode()
        self.tree = ast.parse(text, mode="eval").body
        starts = [0]
        for line in self.text.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        self.starts = starts
        # the parentheses around an only argument are the call's
        self.lone = {
            id(call.args[0])
            for call in ast.walk(self.tree)
            if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords
        }

    def span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[
            node.end_lineno - 1
        ] + node.end_col_offset

    def outer_span(self, node: ast.expr) -> tuple[int, int]:
        start, end = self.span(node)
        if self.in_parentheses(node):
            return self.text.rindex(b"(", 0, start), self.text.index(b")", end) + 1
        return start, end

    def slice(self, start: int, end: int) -> str:
        return self.text[start:end].decode().replace("\n", KEPT)

    def bare(self, node: ast.expr) -> str:
        return self.slice(*self.span(node))

    def flat(self, node: ast.expr) -> str:
        text = self.bare(node)
        return f"({text})" if self.in_parentheses(node) else text

    def in_parentheses(self, node: ast.expr) -> bool:
        """Return whether an operand stands in parentheses of its own (only for operands)."""
        if isinstance(node, (ast.GeneratorExp, ast.Tuple)) or id(node) in self.lone:
            return False  # their parentheses are their own
        start, end = self.span(node)
        before, after = self.text[:start].rstrip(), self.text[end:].lstrip()
        return before.endswith(b"(") and after.startswith(b")")

    def is_bare_operation(self, node: ast.expr) -> bool:
        """Return whether an operand is an operation without parentheses of its own."""
        return isinstance(node, OPERATION) and not self.in_parentheses(node)

    def has_brackets(self, node: ast.expr) -> bool:
        """Return whether an expression can be broken inside brackets of its own."""
        match node:
            case ast.Call():
                return bool(node.args or node.keywords)
            case ast.List() | ast.Tuple() | ast.Set():
                return bool(node.elts)
            case ast.Dict():
                return bool(node.values)
            case ast.Subscript():
                return isinstance(node.slice, (ast.Tuple, ast.BinOp, ast.Subscript)) or self.has_brackets(
                    node.value
                )
            case ast.Attribute() | ast.Await():
                return self.has_brackets(node.value)
            case _:
                return isinstance(node, COMPREHENSION)

    def chain(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """Return the operands of a chain of operators of equal precedence, each with the operator before it."""
        if isinstance(node, ast.BoolOp):
            return [
                (operator or (BINARY[type(node.op)][0] if position else ""), operand)
                for position, value in enumerate(node.values)
                for operator, operand in self.alternatives(value)
            ]
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            return [("", node.left), *((COMPARE[type(op)], operand) for op, operand in pairs)]
        assert isinstance(node, ast.BinOp)
        operator, rank = BINARY[type(node.op)]
        left = node.left
        if isinstance(left, ast.BinOp) and BINARY[type(left.op)][1] == rank and not self.in_parentheses(left):
            return [*self.chain(left), (operator, node.right)]
        return [("", left), (operator, node.right)]

    def alternatives(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """`and` within `or` breaks like the `or` itself."""
        if isinstance(node, ast.BoolOp) and not self.in_parentheses(node):
            return self.chain(node)
        return [("", node)]

    def loosest(self, node: ast.expr) -> tuple[int, int]:
        """Return the lowest precedence of the operators outside brackets, and the number of operators that
        have it.
        """
        rank, count, children = 99, 0, list[ast.expr]()
        match node:
            case ast.IfExp():
                rank, count, children = 0, 2, [node.body, node.test, node.orelse]
            case ast.BoolOp():
                rank, count, children = 1, len(node.values) - 1, node.values
            case ast.UnaryOp():
                rank, count, children = (3 if isinstance(node.op, ast.Not) else 9), 1, [node.operand]
            case ast.Compare():
                rank, count, children = 3, len(node.ops), [node.left, *node.comparators]
            case ast.BinOp():
                rank, count, children = BINARY[type(node.op)][1], 1, [node.left, node.right]
        for child in children:
            if not self.in_parentheses(child):
                other, more = self.loosest(child)
                if other == rank:
                    count += more
                elif other < rank:
                    rank, count = other, more
        return rank, count

    def end_of(self, node: ast.expr, side: Literal[0, -1]) -> ast.expr:
        """Return the first or the last operand of an expression, at any depth outside brackets."""
        match node:
            case ast.BoolOp():
                inner = node.values[side]
            case ast.Compare():
                inner = [node.left, *node.comparators][side]
            case ast.BinOp():
                inner = node.right if side else node.left
            case ast.UnaryOp():
                inner = node.operand
            case _:
                return node
        return inner if self.in_parentheses(inner) else self.end_of(inner, side)
