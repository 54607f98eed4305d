"""Lengths of time as people say them. Both houses tell them so."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["span"]

_UNITS: Final = (("day", 86_400_000), ("h", 3_600_000), ("min", 60_000))


def span(seconds: float) -> str:
    """Return a length of time as people say it, such as ``4 h``, ``1 min 30 s`` or ``500 ms``.

    It is rounded to thousandths of a second; below one second to three digits.
    """
    if not math.isfinite(seconds):
        return f"{seconds:g} s"
    sign, length = ("-" if seconds < 0 else ""), abs(seconds)
    if 0 < length < 0.9995:
        return f"{sign}{length * 1000:.3g} ms"
    whole, part = divmod(length, 1)
    left = int(whole) * 1000 + round(part * 1000)  # whole numbers, which leave no rest when they are divided
    parts = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}{'s' if unit == 'day' and count > 1 else ''}")
    if left or not parts:
        parts.append(f"{left / 1000:.3f}".rstrip("0").rstrip(".") + " s")
    return sign + " ".join(parts)
