"""Expressions: text → typed tree → Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.compiler.expressions.conditions.exhaustiveness import Case, Verdict, falls_through, judge
from wfc.compiler.expressions.passes import (
    Expression,
    Template,
    parse_expression,
    parse_template,
    reference,
)
from wfc.compiler.expressions.syntax.tree import Node, Path
from wfc.compiler.expressions.typing.scope import Scope

if TYPE_CHECKING:
    from wfc.compiler.expressions.python.printer import spell_expression
    from wfc.compiler.expressions.python.templates import spell_body, spell_template

__all__ = [
    "Case",
    "Expression",
    "Node",
    "Path",
    "Scope",
    "Template",
    "Verdict",
    "falls_through",
    "judge",
    "parse_expression",
    "parse_template",
    "reference",
    "spell_body",
    "spell_expression",
    "spell_template",
]


def __getattr__(name: str) -> object:
    """Spelling is for compiling only: a check need not load it."""
    if name == "spell_expression":
        from wfc.compiler.expressions.python import printer

        return printer.spell_expression
    if name in {"spell_body", "spell_template"}:
        from wfc.compiler.expressions.python import templates

        return getattr(templates, name)
    raise AttributeError(name)
