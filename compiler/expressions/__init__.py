"""Expressions: text → typed tree → Python. The passes in their order: :mod:`passes`, then :mod:`generation`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.compiler.expressions.cache import ExpressionCache
from wfc.compiler.expressions.expression import Expression, Template
from wfc.compiler.expressions.passes import parse_expression, parse_template
from wfc.compiler.expressions.syntax.tree import Node, Path
from wfc.compiler.expressions.typing.references import reference
from wfc.compiler.expressions.typing.scope import Scope, SourceText, TextSource, TypeSource

if TYPE_CHECKING:
    from wfc.compiler.expressions.generation import (
        generate_address,
        generate_body,
        generate_expression,
        generate_text,
    )

__all__ = [
    "Expression",
    "ExpressionCache",
    "Node",
    "Path",
    "Scope",
    "SourceText",
    "Template",
    "TextSource",
    "TypeSource",
    "generate_address",
    "generate_body",
    "generate_expression",
    "generate_text",
    "parse_expression",
    "parse_template",
    "reference",
]


def __getattr__(name: str) -> object:
    """Load generation when it is first asked for: a check does not need it."""
    if name in {"generate_address", "generate_body", "generate_expression", "generate_text"}:
        from wfc.compiler.expressions import generation

        return getattr(generation, name)
    raise AttributeError(name)
