"""Lengths of time in what people are told."""

from __future__ import annotations

from wfc.schemas import spans

__all__ = ["span"]


def span(seconds: float | None) -> str:
    """Return a length of time as people say it, such as ``4 h`` or ``1 day 2 min``; ``None`` is no bound."""
    return "no bound" if seconds is None else spans.span(seconds)
