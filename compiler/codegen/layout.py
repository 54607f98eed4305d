"""Long lines of generated code, broken as ``ruff format`` would leave them: no formatter at run time.

Statements are made in one line and broken here only where they are too long.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from wfc.compiler.codegen.breaking import INDENT, WIDTH, broken_expression
from wfc.compiler.codegen.pieces import width
from wfc.compiler.codegen.source import KEPT
from wfc.compiler.python.literals import Code, escaped

__all__ = ["INDENT", "WIDTH", "broken_line", "comment", "docstring", "fit", "imports"]


def fit(statement: str, indent: int = 0) -> list[str]:
    """The lines of a simple statement, a decorator, or the head of a compound one.

    Args:
        statement: In one line, but for strings in triple quotes.
        indent: Its indentation, which the lines come without.

    Returns:
        An entry a line; a string over several lines is part of one entry and must not be indented.
    """
    if "\n" not in statement and indent + width(statement) <= WIDTH:
        return [statement]
    for before, after in (("@", ""), ("class ", ":"), ("if ", ":"), ("elif ", ":")):
        if statement.startswith(before):
            return broken_line(before, statement.removeprefix(before).removesuffix(after), after, indent)
    if statement.startswith(("def ", "async def ")):
        return _head(statement, indent)
    if statement.startswith("for "):
        loop = ast.parse(f"{statement}\n    pass").body[0]
        assert isinstance(loop, ast.For), statement
        start = _begins(loop.iter, statement)
        return broken_line(statement[:start], statement[start:-1], ":", indent)
    if statement in {"else:", "pass"}:
        return [statement]
    node = ast.parse(statement).body[0]
    assert isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr)), statement
    value = node.value
    if isinstance(value, ast.Yield):
        value = value.value
    if isinstance(node, ast.AnnAssign):
        return _annotated(node, statement, indent)
    assert value is not None, statement
    start = _begins(value, statement)
    return broken_line(statement[:start], statement[start:], "", indent)


def _begins(node: ast.expr, statement: str) -> int:
    assert node.lineno == 1, statement
    return len(statement.encode()[: node.col_offset].decode())


def _annotated(node: ast.AnnAssign, statement: str, indent: int) -> list[str]:
    """A long annotation is broken first; a value that cannot begin behind it goes into parentheses."""
    start = _begins(node.annotation, statement)
    value = _begins(node.value, statement) if node.value is not None else len(statement)
    before, equals = statement[:value].removesuffix(" = "), " = " if node.value is not None else ""
    lines = [before]
    atom = isinstance(node.value, (ast.Constant, ast.Name, type(None)))
    breaks = (
        atom and isinstance(node.annotation, ast.Subscript) and isinstance(node.annotation.slice, ast.Tuple)
    )
    if breaks or indent + width(before + equals) >= WIDTH:
        lines = _forced(before[:start], before[start:], equals, indent)
        lines[-1] = lines[-1].removesuffix(equals)
    if not equals:
        return lines
    last, text = lines.pop() + equals, statement[value:]
    rest = broken_line(last, text, "", indent)
    if indent + width(rest[0]) > WIDTH and indent + width(last) < WIDTH and len(rest) > 1:
        rest = [f"{last}(", *(" " * INDENT + line for line in fit(text, indent + INDENT)), ")"]
    return [*lines, *rest]


def _head(statement: str, indent: int) -> list[str]:
    """A function's head: a parameter a line, then what it returns."""
    function = ast.parse(f"{statement}\n    pass").body[0]
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.returns is not None
    raw = statement.encode()
    lines = [statement[: statement.index("(") + 1]]
    given = function.args.args
    defaults = [None] * (len(given) - len(function.args.defaults)) + function.args.defaults
    for argument, default in zip(given, defaults, strict=True):
        start = argument.col_offset if argument.annotation is None else argument.annotation.col_offset
        name, annotation = raw[argument.col_offset : start], raw[start : argument.end_col_offset]
        after = "" if default is None else f" = {raw[default.col_offset : default.end_col_offset].decode()}"
        inner = broken_line(name.decode(), annotation.decode(), f"{after},", indent + INDENT)
        lines += [" " * INDENT + line for line in inner]
    returns = raw[function.returns.col_offset : function.returns.end_col_offset].decode()
    return lines + broken_line(") -> ", returns, ":", indent)


def broken_line(before: str, expression: str, after: str, indent: int) -> list[str]:
    """The lines of ``before``, an expression, and ``after``, the expression broken if they are too long."""
    line = f"{before}{expression}{after}"
    if "\n" not in line and indent + width(line) <= WIDTH:
        return [line]
    return _forced(before, expression, after, indent)


def _forced(before: str, expression: str, after: str, indent: int) -> list[str]:
    text = before + broken_expression(expression, indent, indent + width(before), width(after)) + after
    margin = " " * indent
    return [entry.removeprefix(margin).replace(KEPT, "\n") for entry in text.split("\n")]


def imports(modules: Iterable[tuple[str, str]]) -> list[str]:
    """Import statements for pairs of module and name, in the order that isort's rules want."""
    found: dict[str, list[str]] = {}
    for module, name in modules:
        found.setdefault(module, []).append(name)
    groups: list[list[str]] = [[], [], []]
    for module in sorted(found):
        names = sorted(set(found[module]), key=_member_order)
        flat = f"from {module} import {', '.join(names)}"
        lines = [flat]
        if len(flat) > WIDTH:
            lines = [f"from {module} import (", *(f"{' ' * INDENT}{name}," for name in names), ")"]
        group = 2 if module.startswith(".") else module.split(".")[0] not in sys.stdlib_module_names
        groups[group] += lines
    return "\n\n".join("\n".join(group) for group in groups if group).split("\n")


def _member_order(name: str) -> tuple[int, str, str]:
    if len(name) > 1 and name.isupper():
        return 0, name.lower(), name
    return (1 if name[0].isupper() else 2), name.lower(), name


def comment(text: str) -> Code:
    """A text for a comment, which it cannot leave."""
    return Code(escaped(text))


def docstring(text: str, indent: int) -> Code:
    """A text for people as a docstring, its long lines wrapped; empty for an empty text."""
    lines: list[str] = []
    first, *rest = text.expandtabs().strip().splitlines() or [""]
    deep = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    for line in (first, *(line[deep:] for line in rest)):
        lines += _wrapped(escaped(line.rstrip()).replace('"""', '\\"\\"\\"'), WIDTH - indent)
    if not any(lines):
        return Code("")
    if lines[0].startswith('"'):
        lines[0] = "\\" + lines[0]
    before = lines[-1].removesuffix('"')
    if before != lines[-1] and (len(before) - len(before.rstrip("\\"))) % 2 == 0:
        lines[-1] = before + '\\"'
    if len(lines) == 1 and indent + width(lines[0]) + 6 > WIDTH:
        lines = _wrapped(lines[0], WIDTH - indent - 6)
    if len(lines) == 1:
        return Code(f'"""{lines[0]}"""')
    margin = " " * indent
    below = "".join(f"{margin}{line}\n" if line else "\n" for line in lines[1:])
    return Code(f'"""{lines[0]}\n{below}{margin}"""')


def _wrapped(line: str, room: int) -> list[str]:
    if width(line) <= room:
        return [line]
    import textwrap

    return textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False)
