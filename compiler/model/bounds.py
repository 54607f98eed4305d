"""Bounds as a reader is shown them."""

from __future__ import annotations

from wfc.compiler.expressions import Expression
from wfc.schemas.spans import span

__all__ = ["length", "number"]


def number(bound: float | Expression) -> str:
    """Return a number, or the expression that gives it."""
    return bound.text.strip() if isinstance(bound, Expression) else f"{bound}"


def length(duration: float | Expression) -> str:
    """Return a duration in readable form, or the expression that gives it."""
    return duration.text.strip() if isinstance(duration, Expression) else span(duration)
