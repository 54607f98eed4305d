"""Lengths of time in what people are told."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["span"]

_UNITS: Final = (("day", 86_400), ("h", 3_600), ("min", 60))


def span(seconds: float | None) -> str:
    """Return a length of time as people say it, such as ``4 h`` or ``1 day 2 min``; ``None`` is no bound."""
    if seconds is None:
        return "no bound"
    if not math.isfinite(seconds):
        return f"{seconds:g} s"
    sign, left = ("-" if seconds < 0 else ""), abs(seconds)
    left = round(left, 3) if left >= 1 else left
    parts = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count:.0f} {unit}{'s' if unit == 'day' and count > 1 else ''}")
    if left or not parts:
        parts.append(f"{left:.3f}".rstrip("0").rstrip(".") + " s" if left >= 1 else f"{left:.3g} s")
    return sign + " ".join(parts)
