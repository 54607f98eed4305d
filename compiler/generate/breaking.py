"""One long expression, broken as ``ruff format`` would leave it.

Inside brackets one part a line with a trailing comma; at operators within parentheses; at the ends of a chain of
one operator in their own brackets. What is broken so stays as it is under the formatter.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Literal

from wfc.compiler.spell import literal

__all__ = ["INDENT", "KEPT", "WIDTH", "broken_expression", "width"]

WIDTH = 88
INDENT = 4
KEPT = "\0"
"""Stands for a line break inside a string, which must not be indented."""

_BINARY: dict[type[ast.AST], tuple[str, int]] = {
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
_COMPARE: dict[type[ast.AST], str] = {
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
_OPERATION = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp)
_COMPREHENSION = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def broken_expression(text: str, indent: int, column: int, after: int) -> str:
    """A statement's expression on several lines, those after the first indented.

    Args:
        text: The expression in one line, but for strings in triple quotes.
        indent: The statement's own indentation.
        column: Where the expression begins.
        after: How many columns follow its end.
    """
    return _Breaker(text).statement(indent, column, after)


def width(text: str) -> int:
    """Columns that a line takes: two for a wide character, none for one that combines."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


class _Breaker:
    """Breaks one expression, held both as text and as a tree."""

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

    # --- from the tree to the text
    def span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[
            node.end_lineno - 1
        ] + node.end_col_offset

    def flat(self, node: ast.expr) -> str:
        text = self.bare(node)
        return f"({text})" if self.in_parentheses(node) else text

    def bare(self, node: ast.expr) -> str:
        return self.slice(*self.span(node))

    def slice(self, start: int, end: int) -> str:
        return self.text[start:end].decode().replace("\n", KEPT)

    def in_parentheses(self, node: ast.expr) -> bool:
        """Whether an operand stands in parentheses of its own (asked of operands only)."""
        if not isinstance(node, (*_OPERATION, ast.UnaryOp, ast.Lambda, ast.Await)):
            return False
        start, end = self.span(node)
        before, after = self.text[:start].rstrip(), self.text[end:].lstrip()
        return before.endswith(b"(") and after.startswith(b")") and id(node) not in self.lone

    # --- breaking
    def statement(self, indent: int, column: int, after: int) -> str:
        """The whole expression of a statement that did not fit into one line."""
        node = self.tree
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and KEPT in self.flat(node):
            return self.flat(node)
        if self.has_brackets(node):
            return self.broken(node, indent, column, after)
        bare = self.unparenthesised(node, indent, column, after)
        if bare is not None:
            return bare
        if (
            not isinstance(node, _OPERATION)
            and not _splits(node)
            and indent + INDENT + width(self.flat(node)) > WIDTH
        ):
            return self.flat(node)  # parentheses would not help
        return self.parenthesised(node, indent)

    def unparenthesised(self, node: ast.expr, indent: int, column: int, after: int) -> str | None:
        """A chain of one operator, broken only in the brackets of its ends; ``None`` where that does not do."""
        if not isinstance(node, (*_OPERATION, ast.UnaryOp)):
            return None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return None  # a union in an annotation
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, _OPERATION):
            if not self.in_parentheses(node.operand):
                return None
        if self.loosest(node)[1] == 1:
            found = self.between(node, self.end_of(node, 0), self.end_of(node, -1), indent, column, after)
            if found is not None:
                return found
        if isinstance(node, (ast.BinOp, ast.BoolOp, ast.Compare)) and len(chain := self.chain(node)) == 2:
            first, last = chain[0][1], chain[1][1]
            if self.gains_parentheses(first, indent + INDENT) or self.gains_parentheses(
                last, indent + INDENT + 4
            ):
                return self.between(node, first, last, indent, column, after)
        return None

    def gains_parentheses(self, node: ast.expr, column: int) -> bool:
        """Whether an operand would be put into parentheses of its own to be broken."""
        needs = isinstance(node, _OPERATION) or _splits(node)
        return needs and not self.in_parentheses(node) and column + width(self.flat(node)) > WIDTH

    def between(
        self, node: ast.expr, first: ast.expr, last: ast.expr, indent: int, column: int, after: int
    ) -> str | None:
        """A chain with its first or last operand (or both) opened, and all between in one line."""
        if not (self.opens(last, call=True) or (first is not last and self.opens(first, call=False))):
            return None
        start, _ = self.span(node)
        (first_start, first_end), (last_start, _) = self.outer_span(first), self.outer_span(last)
        lead = self.slice(start, first_start)
        middle = "" if first is last else self.slice(first_end, last_start)
        for left, right in ((False, True), (True, False), (True, True)):
            opens_left = first is not last and self.opens(first, call=True)
            if (left and not opens_left) or (right and not self.opens(last, call=True)):
                continue
            text = lead
            if first is not last:
                text += self.opened_operand(first, indent, column, 0) if left else self.flat(first)
                text += middle
            at = width(text.rsplit("\n", 1)[-1]) + (0 if "\n" in text else column)
            text += self.opened_operand(last, indent, at, after) if right else self.flat(last)
            lines = text.split("\n")
            if column + width(lines[0]) <= WIDTH and width(lines[-1]) + after <= WIDTH:
                if not (left and right) or max(map(width, lines)) <= WIDTH:
                    return text
        return None

    def loosest(self, node: ast.expr) -> tuple[int, int]:
        """How tightly the loosest operator outside brackets binds, and how many of that kind there are."""
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
                rank, count, children = _BINARY[type(node.op)][1], 1, [node.left, node.right]
        for child in children:
            if not self.in_parentheses(child):
                other, more = self.loosest(child)
                if other == rank:
                    count += more
                elif other < rank:
                    rank, count = other, more
        return rank, count

    def end_of(self, node: ast.expr, side: Literal[0, -1]) -> ast.expr:
        """The first or the last operand of an expression, at any depth outside brackets."""
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

    def outer_span(self, node: ast.expr) -> tuple[int, int]:
        start, end = self.span(node)
        if self.in_parentheses(node):
            return self.text.rindex(b"(", 0, start), self.text.index(b")", end) + 1
        return start, end

    def opens(self, node: ast.expr, *, call: bool) -> bool:
        """Whether an operand can be broken in brackets or parentheses: those of a call count if ``call``."""
        if self.in_parentheses(node) or isinstance(node, _OPERATION) or _splits(node):
            return True
        return self.has_brackets(node) and (call or self.flat(node)[0] in "[({")

    def opened_operand(self, node: ast.expr, indent: int, column: int, after: int) -> str:
        if self.in_parentheses(node) or isinstance(node, _OPERATION) or _splits(node):
            return self.parenthesised(node, indent)
        return self.broken(node, indent, column, after)

    def parenthesised(self, node: ast.expr, indent: int) -> str:
        inner = indent + INDENT
        return f"(\n{' ' * inner}{self.inside(node, inner)}\n{' ' * indent})"

    def inside(self, node: ast.expr, indent: int, after: int = 0) -> str:
        """An expression on lines of its own in brackets, broken at its operators where it must be."""
        text = self.bare(node)
        if KEPT not in text and indent + width(text) + after <= WIDTH:
            return text
        line = "\n" + " " * indent
        if isinstance(node, ast.IfExp):
            return line.join(self.choices(node, indent))
        if isinstance(node, _OPERATION):
            return line.join(self.operands(node, indent))
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, _OPERATION):
            if isinstance(node.op, ast.Not) and not self.in_parentheses(node.operand):
                return "not " + self.inside(node.operand, indent)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _splits(node):
            return line.join(_pieces(node.value, WIDTH - indent))
        return self.broken(node, indent, indent, after)

    def fit(self, node: ast.expr, indent: int, column: int, after: int) -> str:
        """A part of an expression: in one line if that fits, else broken, in parentheses where it needs them."""
        text = self.flat(node)
        if KEPT not in text and column + width(text) + after <= WIDTH:
            return text
        if isinstance(node, _OPERATION) or _splits(node) or self.in_parentheses(node):
            return self.parenthesised(node, indent)
        return self.broken(node, indent, column, after)

    def choices(self, node: ast.IfExp, indent: int) -> list[str]:
        lines = [
            self.fit(node.body, indent, indent, 0),
            "if " + self.fit(node.test, indent, indent + 3, 0),
        ]
        if isinstance(node.orelse, ast.IfExp) and not self.in_parentheses(node.orelse):
            first, *rest = self.choices(node.orelse, indent)
            return [*lines, "else " + first, *rest]
        return [*lines, "else " + self.fit(node.orelse, indent, indent + 5, 0)]

    def operands(self, node: ast.expr, indent: int) -> list[str]:
        lines: list[str] = []
        for operator, operand in self.chain(node):
            lead = f"{operator} " if operator else ""
            lines.append(lead + self.fit(operand, indent, indent + len(lead), 0))
        return lines

    def chain(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """The operands of a chain of operators that bind equally, each with the operator before it."""
        if isinstance(node, ast.BoolOp):
            return [
                (operator or (_BINARY[type(node.op)][0] if position else ""), operand)
                for position, value in enumerate(node.values)
                for operator, operand in self.alternatives(value)
            ]
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            return [("", node.left), *((_COMPARE[type(op)], operand) for op, operand in pairs)]
        assert isinstance(node, ast.BinOp)
        operator, rank = _BINARY[type(node.op)]
        left = node.left
        if (
            isinstance(left, ast.BinOp)
            and _BINARY[type(left.op)][1] == rank
            and not self.in_parentheses(left)
        ):
            return [*self.chain(left), (operator, node.right)]
        return [("", left), (operator, node.right)]

    def alternatives(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """`and` within `or` breaks like the `or` itself."""
        if isinstance(node, ast.BoolOp) and not self.in_parentheses(node):
            return self.chain(node)
        return [("", node)]

    def has_brackets(self, node: ast.expr) -> bool:
        """Whether an expression can be broken inside brackets of its own."""
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
                return isinstance(node, _COMPREHENSION)

    def broken(self, node: ast.expr, indent: int, column: int, after: int) -> str:
        """An expression with its own brackets opened; one without any as it is."""
        match node:
            case ast.Call() if node.args or node.keywords:
                head = self.operand(node.func, indent, column) + "("
                if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
                    return f"{head}{self.comprehension(node.args[0], indent)})"
                return head + self.opened(self.arguments_of(node), indent) + ")"
            case ast.List() if node.elts:
                return "[" + self.opened([self.item(item) for item in node.elts], indent) + "]"
            case ast.Set() if node.elts:
                return "{" + self.opened([self.item(item) for item in node.elts], indent) + "}"
            case ast.Tuple() if node.elts:
                return "(" + self.opened([self.item(item) for item in node.elts], indent) + ")"
            case ast.Dict() if node.values:
                return "{" + self.opened(self.pairs(node), indent) + "}"
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                opening, closing = ("[", "]") if isinstance(node, ast.ListComp) else ("{", "}")
                if isinstance(node, ast.GeneratorExp):
                    opening, closing = "(", ")"
                return opening + self.comprehension(node, indent) + closing
            case ast.Subscript() if isinstance(node.slice, ast.Tuple):
                parts = [self.item(item) for item in node.slice.elts]
                return f"{self.operand(node.value, indent, column)}[{self.opened(parts, indent)}]"
            case ast.Subscript() if isinstance(node.slice, (ast.BinOp, ast.Subscript)):
                # the formatter adds no comma to a single index
                inner = indent + INDENT
                inside = f"\n{' ' * inner}{self.inside(node.slice, inner)}\n{' ' * indent}"
                return f"{self.operand(node.value, indent, column)}[{inside}]"
            case ast.Subscript():
                return f"{self.operand(node.value, indent, column)}[{self.flat(node.slice)}]"
            case ast.Attribute():
                return f"{self.operand(node.value, indent, column)}.{node.attr}"
            case ast.Await():
                return "await " + self.fit(node.value, indent, column + 6, after)
            case ast.UnaryOp():
                operator = (
                    "not " if isinstance(node.op, ast.Not) else "-" if isinstance(node.op, ast.USub) else "+"
                )
                return operator + self.fit(node.operand, indent, column + len(operator), after)
            case ast.Lambda() if not node.args.args:
                return "lambda: " + self.fit(node.body, indent, column + 8, after)
            case _:
                return self.flat(node)

    def operand(self, node: ast.expr, indent: int, column: int) -> str:
        return self.broken(node, indent, column, 0) if self.has_brackets(node) else self.flat(node)

    def opened(self, parts: Iterable[Callable[[int], str]], indent: int) -> str:
        inner = indent + INDENT
        lines = "".join(f"{' ' * inner}{part(inner)},\n" for part in parts)
        return f"\n{lines}{' ' * indent}"

    def item(self, node: ast.expr, lead: str = "") -> Callable[[int], str]:
        return lambda indent: lead + self.fit(node, indent, indent + width(lead), 1)

    def arguments_of(self, node: ast.Call) -> list[Callable[[int], str]]:
        parts = [self.item(argument) for argument in node.args]
        return parts + [self.item(word.value, f"{word.arg}=" if word.arg else "**") for word in node.keywords]

    def pairs(self, node: ast.Dict) -> list[Callable[[int], str]]:
        return [
            self.item(value, f"{self.flat(key)}: " if key is not None else "**")
            for key, value in zip(node.keys, node.values, strict=True)
        ]

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, indent: int
    ) -> str:
        inner = indent + INDENT
        pieces: list[tuple[str, ast.expr]] = []
        if isinstance(node, ast.DictComp):
            pieces.append((f"{self.flat(node.key)}: ", node.value))
        else:
            pieces.append(("", node.elt))
        for generator in node.generators:
            pieces.append((f"for {self.flat(generator.target)} in ", generator.iter))
            pieces += [("if ", test) for test in generator.ifs]
        flat = " ".join(lead + self.flat(part) for lead, part in pieces)
        if KEPT in flat or inner + width(flat) > WIDTH:
            lines = [lead + self.fit(part, inner, inner + width(lead), 0) for lead, part in pieces]
            flat = f"\n{' ' * inner}".join(lines)
        return f"\n{' ' * inner}{flat}\n{' ' * indent}"


def _splits(node: ast.expr) -> bool:
    """Whether a text is one that may be written in pieces."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > WIDTH // 2


def _pieces(value: str, room: int) -> list[str]:
    """A text as literals that Python joins, cut after spaces where there are any."""
    pieces: list[str] = []
    rest = value
    while rest:
        size = min(len(rest), room)
        while size > 1 and width(literal(rest[:size])) > room:
            size -= max(1, (width(literal(rest[:size])) - room) // 6)
        cut = rest.rfind(" ", 0, size) + 1 if size < len(rest) else size
        newline = rest.find("\n", 0, size) + 1
        size = newline or cut or size
        pieces.append(literal(rest[:size]))
        rest = rest[size:]
    return pieces
