"""How often a model or a tool may be called: `rate` and `at_once`."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import CallLimit
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.rules import bindings as problems
from wfc.schemas.rates import BadRateError, read_rate

__all__ = ["resolve_limit"]

_SHORT: Final = r"(\d+) *r(p[smhd])"
_LONG: Final = r"(\d+) *(?:calls|requests|times)? *(?:/|per|an?|each|every) *(\d*) *([a-z]+)"

_UNITS: Final = {
    "secs": "s",
    "mins": "min",
    "hr": "h",
    "hrs": "h",
    "d": "day",
    "ps": "s",
    "pm": "min",
    "ph": "h",
    "pd": "day",
}
"""What people also call the units."""


def resolve_limit(data: Data, place: Place, report: Report) -> CallLimit | None:
    """Return how often a model or a tool may be called; ``None``: as often as one likes, or what is said is wrong."""
    at_once, rate = data.get("at_once"), None
    if isinstance(data.get("rate"), str):
        try:
            rate = read_rate(data["rate"])
        except BadRateError as error:
            text = str(data["rate"])
            report(problems.bad_rate(place / "rate", text, str(error), _meant(text)))
    if rate is None and not isinstance(at_once, int):
        return None
    return CallLimit(rate, at_once if isinstance(at_once, int) else None)


def _meant(text: str) -> str:
    """Return the rate that is meant by a text; empty if that is not clear."""
    words = " ".join(text.lower().split())
    if (found := re.fullmatch(_SHORT, words, re.ASCII)) is not None:
        rate = f"{found[1]} per {_UNITS[found[2]]}"
    elif (found := re.fullmatch(_LONG, words, re.ASCII)) is not None:
        rate = f"{found[1]} per {found[2]} {_UNITS.get(found[3], found[3])}".replace("  ", " ")
    else:
        return ""
    return rate if _is_rate(rate) else ""


def _is_rate(text: str) -> bool:
    try:
        read_rate(text)
    except BadRateError:
        return False
    return True
