"""Bounds that are a number, or worked out once from the inputs and the config."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, parse_template
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.values.scopes import max_runs_scope
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import INTEGER, UNKNOWN, assignable, fits, show

__all__ = ["bound_by_inputs"]


def bound_by_inputs(data: object, place: Place, declared: Declarations) -> int | Expression | None:
    """Return a bound: a number, or an expression of inputs and config; ``None`` if it cannot be read."""
    if not isinstance(data, str):
        return data if isinstance(data, int) else None
    template = parse_template(data, place, max_runs_scope(declared), declared.report)
    if template.type is UNKNOWN:
        return template.whole  # it was meant as a bound: nothing is said to lack one
    if not assignable(template.type, INTEGER):
        misfit = fits(data, INTEGER) if template.whole is None else None
        why = misfit.reason if misfit is not None else f"wanted an integer, found {show(template.type)}"
        declared.report(value_problems.wrong_value(place, why, misfit.hint if misfit is not None else ""))
        return template.whole or 1
    return template.whole
