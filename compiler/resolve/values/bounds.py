"""Bounds that are written out, or worked out when a run starts: from `inputs` and `config`, or another scope."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Expression, Scope, parse_expression, parse_template
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.values import bare_expressions
from wfc.compiler.resolve.values.durations import duration_or_expression
from wfc.compiler.resolve.values.scopes import bounds_scope
from wfc.compiler.rules import values as problems
from wfc.compiler.types import DATETIME, DURATION, INTEGER, NUMBER, UNKNOWN, Type, assignable, fits, show
from wfc.compiler.types.number_texts import as_number
from wfc.compiler.types.values import quote_at_end

__all__ = ["count", "length", "moment", "number"]


def count(
    data: object, place: Place, declared: Declarations, scope: Scope | None = None
) -> int | Expression | None:
    """Return a whole number, or the expression that gives one; ``None`` with a finding if it is neither."""
    if not isinstance(data, str):
        return data if isinstance(data, int) else None
    return _computed(data, place, INTEGER, declared, scope)


def number(
    data: object, place: Place, declared: Declarations, scope: Scope | None = None
) -> float | Expression | None:
    """Return a number, or the expression that gives one; ``None`` with a finding if it is neither."""
    if not isinstance(data, str):
        return float(data) if isinstance(data, (int, float)) else None
    return _computed(data, place, NUMBER, declared, scope)


def length(data: object, place: Place, declared: Declarations) -> float | Expression | None:
    """Return seconds, or the expression that gives a duration; ``None`` with a finding if it is neither."""
    return duration_or_expression(data, place, bounds_scope(declared), declared.report)


def moment(text: object, place: Place, declared: Declarations) -> Expression:
    """Return the expression that gives a moment; with a finding if it gives something else."""
    found = parse_expression(str(text), place, bounds_scope(declared), declared.report)
    if found.type != UNKNOWN and not assignable(found.type, DATETIME):
        hint = "how long to wait is said by `within`" if found.type == DURATION else ""
        declared.report(problems.wrong_value(place, f"wanted a datetime, found {show(found.type)}", hint))
    return found


def _computed(
    text: str, place: Place, wanted: Type, declared: Declarations, scope: Scope | None
) -> Expression | None:
    scope = scope or bounds_scope(declared)
    complaints: list[Finding] = []
    template = parse_template(text, place, scope, complaints.append, statements=False)
    if template.whole is None and (hint := bare_expressions.hint_in_braces(text, place, wanted, scope)):
        declared.report(problems.wrong_value(place, f"wanted {show(wanted)}, found a text", hint))
        return None
    for each in complaints:
        declared.report(each)
    if template.type != UNKNOWN and not assignable(template.type, wanted):
        misfit = fits(text, wanted) if template.whole is None else None
        why = misfit.reason if misfit is not None else f"wanted {show(wanted)}, found {show(template.type)}"
        hint = "" if misfit is None else _written_out(str(place.address[-1]), text, wanted)
        declared.report(problems.wrong_value(place, why, hint))
        return None
    return template.whole


def _written_out(key: str, text: str, wanted: Type) -> str:
    """Return what stands under a key of the language, whose type nobody declares otherwise."""
    if told := quote_at_end(text, wanted):
        return told
    if wanted == NUMBER:
        return as_number(text, "number")
    whole = as_number(text, "integer")
    return whole if whole.startswith("write ") else f"`{key}` is a whole number, such as `5`"
