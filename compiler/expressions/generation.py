"""Typed expressions and texts → Python: the last pass, which only compiling needs."""

from __future__ import annotations

from wfc.compiler.expressions.addresses import Address
from wfc.compiler.expressions.expression import Expression, Template
from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.python.addresses import print_address
from wfc.compiler.expressions.python.coercion import into
from wfc.compiler.expressions.python.node_printer import Names
from wfc.compiler.expressions.python.printer import ExpressionPrinter
from wfc.compiler.expressions.python.templates import print_body, print_text
from wfc.compiler.python.literals import Code
from wfc.compiler.types import Type

__all__ = ["generate_address", "generate_body", "generate_expression", "generate_text"]


def generate_expression(expression: Expression, names: Names, *, target: Type | None = None) -> Code:
    """Return an expression as Python, on one line.

    Args:
        names: How paths are called where the code will stand; the longest prefix wins. A name that is not
            there is printed as it is.
        target: The type of what takes the value, where it is wider than the value's own: a list is then
            copied where Python's type checkers want that, and a record written in place becomes its class.
    """
    printer = ExpressionPrinter(names, FILTERS)
    piece = printer.piece(expression.tree) if target is None else into(printer, expression.tree, target)
    return Code(piece.code)


def generate_text(template: Template, names: Names) -> Code:
    """Return a text without statements as a Python expression; see :func:`print_text`."""
    return print_text(template, ExpressionPrinter(names, FILTERS))


def generate_address(address: Address, names: Names) -> tuple[Code, Code | None]:
    """Return an address as a Python expression, and its head as another; see :func:`print_address`."""
    return print_address(address, ExpressionPrinter(names, FILTERS))


def generate_body(template: Template, names: Names) -> list[Code]:
    """Return a text as the lines of a function's body; see :func:`print_body`."""
    return print_body(template, ExpressionPrinter(names, FILTERS))
