"""Brackets around Python that is put into other Python, where its parts would otherwise come apart."""

from __future__ import annotations

import ast

from wfc.compiler.python.literals import Code

__all__ = ["after_in", "after_star", "beside_and"]

CHOICES = (ast.IfExp, ast.Lambda, ast.NamedExpr)


def after_in(code: Code) -> Code:
    """Return an expression as it may stand after the ``in`` or the ``if`` of a comprehension."""
    return bracketed(code, CHOICES)


def after_star(code: Code) -> Code:
    """Return a list as it may stand after the ``*`` that puts its items into another one."""
    return bracketed(code, (*CHOICES, ast.BoolOp, ast.UnaryOp, ast.Compare))


def beside_and(code: Code) -> Code:
    """Return a condition as it may stand beside ``and``."""
    tree = ast.parse(code, mode="eval").body
    loose = isinstance(tree, CHOICES) or (isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or))
    return Code(f"({code})") if loose else code


def bracketed(code: Code, loose: tuple[type[ast.expr], ...]) -> Code:
    return Code(f"({code})") if isinstance(ast.parse(code, mode="eval").body, loose) else code
