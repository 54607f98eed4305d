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
    """Return a duration in seconds as people say it, such as ``1 min 30 s`` for 90 seconds."""
    if 0 < duration < 1:
        return f"{duration * 1000:g} ms"
    left, parts = duration, []
    for unit, size in (("day", 86_400), ("h", 3_600), ("min", 60)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count:.0f} {unit}{'s' if unit == 'day' and count > 1 else ''}")
    return " ".join([*parts, f"{left:g} s"] if left or not parts else parts)
