"""Bounds as a reader is shown them."""

from __future__ import annotations

from wfc.compiler.expressions import Expression

__all__ = ["length", "number", "seconds"]


def number(bound: float | Expression) -> str:
    """Return a number, or the expression that gives it."""
    return bound.text.strip() if isinstance(bound, Expression) else f"{bound}"


def length(duration: float | Expression) -> str:
    """Return a duration in readable form, or the expression that gives it."""
    return duration.text.strip() if isinstance(duration, Expression) else seconds(duration)


def seconds(duration: float) -> str:
    """Return a duration in seconds in readable form, such as ``1.5 min`` for 90 seconds."""
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if duration >= size:
            return "1 day" if duration == 86_400 else f"{duration / size:g} {unit}"
    return f"{duration * 1000:g} ms" if duration < 1 else f"{duration:g} s"
