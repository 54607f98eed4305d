"""Long expressions, broken as ``ruff format`` would break them.

Inside brackets one part a line with a trailing comma; at operators within parentheses; at the ends of a chain of
one operator in their own brackets. What is broken so stays as it is under the formatter.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from wfc.compiler.codegen.layout.strings import cut_literal, width
from wfc.compiler.codegen.layout.syntax import KEPT, OPERATION, ExpressionSource

__all__ = ["INDENT", "WIDTH", "break_expression"]

WIDTH = 88
INDENT = 4


def break_expression(text: str, indent: int, column: int, after: int) -> str:
    """Return a statement's expression on several lines, those after the first indented.

    Args:
        text: The expression in one line, but for strings in triple quotes.
        indent: The statement's own indentation.
        column: Where the expression begins.
        after: How many columns follow its end.
    """
    return ExpressionBreaker(text).statement(indent, column, after)


class ExpressionBreaker(ExpressionSource):
    """A line breaker for one expression."""

    def statement(self, indent: int, column: int, after: int) -> str:
        """Return the whole expression of a statement that did not fit into one line."""
        node = self.tree
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and KEPT in self.flat(node):
            return self.flat(node)
        if self.has_brackets(node):
            return self.broken(node, indent, column, after)
        bare = self.unparenthesised(node, indent, column, after)
        if bare is not None:
            return bare
        needs = isinstance(node, OPERATION) or can_be_cut(node, self.bare(node))
        if isinstance(node, ast.UnaryOp):
            needs = self.is_bare_operation(node.operand)
        if not needs and indent + INDENT + width(self.flat(node)) > WIDTH:
            return self.flat(node)  # parentheses would not help
        return self.parenthesised(node, indent)

    def unparenthesised(self, node: ast.expr, indent: int, column: int, after: int) -> str | None:
        """Return a chain of one operator, broken only in the brackets of its ends; ``None`` where that is not
        enough.
        """
        if not isinstance(node, (*OPERATION, ast.UnaryOp)):
            return None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return None  # a union in an annotation
        if isinstance(node, ast.UnaryOp) and self.is_bare_operation(node.operand):
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
        """Return whether an operand would be put into parentheses of its own to be broken."""
        return self.gains(node) and column + width(self.flat(node)) > WIDTH

    def between(
        self, node: ast.expr, first: ast.expr, last: ast.expr, indent: int, column: int, after: int
    ) -> str | None:
        """Return a chain with its first or last operand (or both) opened, and all between in one line."""
        start, _ = self.span(node)
        (first_start, first_end), (last_start, _) = self.outer_span(first), self.outer_span(last)
        lead = self.slice(start, first_start)
        middle = "" if first is last else self.slice(first_end, last_start)
        # without brackets at its end, nor parentheses at its start, all of it goes into parentheses
        ends = self.in_parentheses(last) or self.has_brackets(last) or self.flat(first)[0] in "[({"
        for left, right in ((False, True), (True, False), (True, True)):
            if (left and (first is last or not self.opens(first))) or (right and not self.opens(last)):
                continue
            if not ends and not (right and self.gains(last)) and not (left and self.gains(first)):
                continue
            text = lead
            if first is not last:
                text += self.opened_operand(first, indent, column, 0) if left else self.flat(first)
                text += middle
            at = width(text.rsplit("\n", 1)[-1]) + (0 if "\n" in text else column)
            text += self.opened_operand(last, indent, at, after) if right else self.flat(last)
            lines = text.split("\n")
            longest = max(map(width, lines)) if left and right else 0
            if max(column + width(lines[0]), width(lines[-1]) + after, longest) <= WIDTH:
                return text
        return None

    def gains(self, node: ast.expr) -> bool:
        """Return whether an operand gets parentheses of its own when it is broken."""
        return not self.in_parentheses(node) and (
            isinstance(node, OPERATION) or can_be_cut(node, self.bare(node))
        )

    def opens(self, node: ast.expr) -> bool:
        """Return whether an operand can be broken in brackets or parentheses."""
        return self.in_parentheses(node) or self.gains(node) or self.has_brackets(node)

    def opened_operand(self, node: ast.expr, indent: int, column: int, after: int) -> str:
        if self.in_parentheses(node) or self.gains(node):
            return self.parenthesised(node, indent)
        return self.broken(node, indent, column, after)

    def parenthesised(self, node: ast.expr, indent: int) -> str:
        inner = indent + INDENT
        return f"(\n{' ' * inner}{self.inside(node, inner)}\n{' ' * indent})"

    def inside(self, node: ast.expr, indent: int, after: int = 0) -> str:
        """Return an expression on lines of its own in brackets, broken at its operators where it must be."""
        text = self.bare(node)
        if KEPT not in text and indent + width(text) + after <= WIDTH:
            return text
        line = "\n" + " " * indent
        if isinstance(node, ast.IfExp):
            return line.join(self.choices(node, indent))
        if isinstance(node, OPERATION):
            return line.join(self.operands(node, indent))
        if isinstance(node, ast.UnaryOp) and self.is_bare_operation(node.operand):
            return "not " + self.inside(node.operand, indent)
        if can_be_cut(node, text):
            return line.join(cut_literal(text, WIDTH - indent))
        return self.broken(node, indent, indent, after)

    def fit(self, node: ast.expr, indent: int, column: int, after: int) -> str:
        """Return a part of an expression: in one line if that fits, else broken, in parentheses where it
        needs them.
        """
        text = self.flat(node)
        if KEPT not in text and column + width(text) + after <= WIDTH:
            return text
        if self.gains(node) or self.in_parentheses(node):
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

    def broken(self, node: ast.expr, indent: int, column: int, after: int) -> str:
        """Return an expression with its own brackets opened; one without any as it is."""
        match node:
            case ast.Call(args=[ast.GeneratorExp() as only], keywords=[]):
                return f"{self.function(node.func, indent, column)}({self.comprehension(only, indent)})"
            case ast.Call() if node.args or node.keywords:
                head = self.function(node.func, indent, column) + "("
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
            case ast.Lambda():
                lead = f"lambda {', '.join(each.arg for each in node.args.args)}".rstrip() + ": "
                return lead + self.fit(node.body, indent, column + len(lead), after)
            case _:
                return self.flat(node)

    def operand(self, node: ast.expr, indent: int, column: int) -> str:
        return self.broken(node, indent, column, 0) if self.has_brackets(node) else self.flat(node)

    def function(self, node: ast.expr, indent: int, column: int) -> str:
        """Return what is called; a class that is told its types, `Output[…](…)`, in one line if that fits."""
        typed = isinstance(node, ast.Subscript)
        return self.fit(node, indent, column, 1) if typed else self.operand(node, indent, column)

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
        clauses: list[tuple[str, ast.expr]] = []
        if isinstance(node, ast.DictComp):
            clauses.append((f"{self.flat(node.key)}: ", node.value))
        else:
            clauses.append(("", node.elt))
        for generator in node.generators:
            clauses.append((f"for {self.flat(generator.target)} in ", generator.iter))
            clauses += [("if ", test) for test in generator.ifs]
        flat = " ".join(lead + self.flat(part) for lead, part in clauses)
        if KEPT in flat or inner + width(flat) > WIDTH:
            lines = [lead + self.fit(part, inner, inner + width(lead), 0) for lead, part in clauses]
            flat = f"\n{' ' * inner}".join(lines)
        return f"\n{' ' * inner}{flat}\n{' ' * indent}"


def can_be_cut(node: ast.expr, text: str) -> bool:
    """Return whether a text may be written in pieces."""
    return (
        isinstance(node, (ast.Constant, ast.JoinedStr))
        and len(text) > WIDTH // 2
        and len(cut_literal(text, 1)) > 1
    )
