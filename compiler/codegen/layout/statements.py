"""Statements of generated code, broken into lines as ``ruff format`` would, without calling a formatter.

Statements are made in one line and broken here only where they are too long.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wfc.compiler.codegen.layout.expressions import INDENT, WIDTH, break_expression
from wfc.compiler.codegen.layout.strings import width
from wfc.compiler.codegen.layout.syntax import KEPT

__all__ = ["fit", "fit_head"]


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
    if statement.startswith("@") and "(" not in statement:
        return [statement]  # a name has nowhere to break
    for before, after in (("@", ""), ("class ", ":"), ("if ", ":"), ("elif ", ":"), ("assert ", "")):
        if statement.startswith(before):
            return line_or_lines(before, statement.removeprefix(before).removesuffix(after), after, indent)
    if statement.startswith(("def ", "async def ")):
        return _function_head(statement, indent)
    if statement.startswith("for "):
        loop = ast.parse(f"{statement}\n    pass").body[0]
        assert isinstance(loop, ast.For), statement
        start = _begins(loop.iter, statement)
        return line_or_lines(statement[:start], statement[start:-1], ":", indent)
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
    return line_or_lines(statement[:start], statement[start:], "", indent)


def fit_head(statement: str, parameters: Sequence[str], indent: int) -> list[str]:
    """The lines of a function's head; it is parsed only where a parameter is too long for its line.

    Args:
        parameters: As they stand in it.
    """
    lines = [" " * INDENT + each + "," for each in parameters]
    if indent + width(statement) <= WIDTH or any(indent + width(line) > WIDTH for line in lines):
        return fit(statement, indent)
    before, after = statement[: statement.index("(") + 1], ") -> "
    returns = statement[len(before) + len(", ".join(parameters)) + len(after) : -1]
    return [before, *lines, *line_or_lines(after, returns, ":", indent)]


def _begins(node: ast.expr, statement: str) -> int:
    assert node.lineno == 1, statement
    return len(statement.encode()[: node.col_offset].decode())


def _annotated(node: ast.AnnAssign, statement: str, indent: int) -> list[str]:
    """Return an annotated assignment: a long annotation is broken first; a value that does not fit after it
    goes into parentheses.
    """
    start = _begins(node.annotation, statement)
    value = _begins(node.value, statement) if node.value is not None else len(statement)
    before, equals = statement[:value].removesuffix(" = "), " = " if node.value is not None else ""
    lines = [before]
    atom = isinstance(node.value, (ast.Constant, ast.Name, type(None)))
    breaks = (
        atom and isinstance(node.annotation, ast.Subscript) and isinstance(node.annotation.slice, ast.Tuple)
    )
    if breaks or indent + width(before + equals) >= WIDTH:
        lines = _break_line(before[:start], before[start:], equals, indent)
        lines[-1] = lines[-1].removesuffix(equals)
    if not equals:
        return lines
    last, text = lines.pop() + equals, statement[value:]
    rest = line_or_lines(last, text, "", indent)
    if indent + width(rest[0]) > WIDTH and indent + width(last) < WIDTH and len(rest) > 1:
        rest = [f"{last}(", *(" " * INDENT + line for line in fit(text, indent + INDENT)), ")"]
    return [*lines, *rest]


def _function_head(statement: str, indent: int) -> list[str]:
    """Return a function's head: one parameter per line, then the return type."""
    function = ast.parse(f"{statement}\n    pass").body[0]
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.returns is not None
    raw = statement.encode()
    lines = [statement[: statement.index("(") + 1]]
    for stars, argument, default in _parameters(function.args):
        if argument is None:
            lines.append(" " * INDENT + f"{stars},")
            continue
        start = argument.col_offset if argument.annotation is None else argument.annotation.col_offset
        name, annotation = raw[argument.col_offset : start], raw[start : argument.end_col_offset]
        after = "" if default is None else f" = {raw[default.col_offset : default.end_col_offset].decode()}"
        inner = line_or_lines(stars + name.decode(), annotation.decode(), f"{after},", indent + INDENT)
        lines += [" " * INDENT + line for line in inner]
    returns = raw[function.returns.col_offset : function.returns.end_col_offset].decode()
    return lines + line_or_lines(") -> ", returns, ":", indent)


def _parameters(given: ast.arguments) -> Iterator[tuple[str, ast.arg | None, ast.expr | None]]:
    """Yield the parameters in the order in which they are written, each with its stars and its default."""
    missing = [None] * (len(given.args) - len(given.defaults))
    for argument, default in zip(given.args, [*missing, *given.defaults], strict=True):
        yield "", argument, default
    if given.vararg is not None or given.kwonlyargs:
        yield "*", given.vararg, None
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield "", argument, default
    if given.kwarg is not None:
        yield "**", given.kwarg, None


def line_or_lines(before: str, expression: str, after: str, indent: int) -> list[str]:
    """Return the lines of ``before``, an expression, and ``after``, the expression broken if they are too
    long.
    """
    line = f"{before}{expression}{after}"
    if "\n" not in line and indent + width(line) <= WIDTH:
        return [line]
    return _break_line(before, expression, after, indent)


def _break_line(before: str, expression: str, after: str, indent: int) -> list[str]:
    text = before + break_expression(expression, indent, indent + width(before), width(after)) + after
    margin = " " * indent
    return [entry.removeprefix(margin).replace(KEPT, "\n") for entry in text.split("\n")]
