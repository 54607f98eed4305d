"""Bounds that are written out, or worked out when a run starts, from `inputs` and `config`."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, parse_template
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.values.durations import duration_or_expression
from wfc.compiler.resolve.values.scopes import bounds_scope
from wfc.compiler.rules import values as problems
from wfc.compiler.types import INTEGER, NUMBER, UNKNOWN, Type, assignable, fits, show

__all__ = ["count", "length", "number"]


def count(data: object, place: Place, declared: Declarations) -> int | Expression | None:
    """Return a whole number, or the expression that gives one; ``None`` with a finding if it is neither."""
    if not isinstance(data, str):
        return data if isinstance(data, int) else None
    return _computed(data, place, INTEGER, declared)


def number(data: object, place: Place, declared: Declarations) -> float | Expression | None:
    """Return a number, or the expression that gives one; ``None`` with a finding if it is neither."""
    if not isinstance(data, str):
        return float(data) if isinstance(data, (int, float)) else None
    return _computed(data, place, NUMBER, declared)


def length(data: object, place: Place, declared: Declarations) -> float | Expression | None:
    """Return seconds, or the expression that gives a duration; ``None`` with a finding if it is neither."""
    return duration_or_expression(data, place, bounds_scope(declared), declared.report)


def _computed(text: str, place: Place, wanted: Type, declared: Declarations) -> Expression | None:
    template = parse_template(text, place, bounds_scope(declared), declared.report, statements=False)
    if template.type != UNKNOWN and not assignable(template.type, wanted):
        misfit = fits(text, wanted) if template.whole is None else None
        why = misfit.reason if misfit is not None else f"wanted {show(wanted)}, found {show(template.type)}"
        declared.report(problems.wrong_value(place, why, misfit.hint if misfit is not None else ""))
        return None
    return template.whole
