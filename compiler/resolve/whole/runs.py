"""Settings of a spec's runs as a whole: exits, bounds, and old names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope, parse_expression
from wfc.compiler.model import Emit, EmitAll, EmitEach, Exit, Fail, Limits, Restart, Step, Whole
from wfc.compiler.model.runs import Migration
from wfc.compiler.resolve.steps.exits import ExitResolver
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds
from wfc.compiler.resolve.values.reader import ValueReader, reads_as_text
from wfc.compiler.resolve.values.scopes import ERROR, ERROR_OF_RUN, RUN, inputs, texts_of, types_of
from wfc.compiler.resolve.whole.former_names import FormerNames
from wfc.compiler.rules import runs as problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import UNKNOWN, Optional, members, show

__all__ = ["resolve_run_settings"]

EXITS: Final = ("on_error", "on_deadline", "on_cancel")


def resolve_run_settings(data: Data, steps: Sequence[Step], declared: Declarations) -> Whole:
    """Return all settings that concern the run and not a step."""
    whole = declared.flow_whole
    exits = {key: run_exit(key, data[key], declared, whole=whole) for key in EXITS if key in data}
    if "on_deadline" in data and "deadline" not in data and not declared.is_broken(("deadline",)):
        place = Place(("on_deadline",)).key
        declared.report(step_problems.key_without_companion(place, "on_deadline", "deadline"))
    migrations: tuple[Migration, ...] = ()
    if "migrate" in data:
        from wfc.compiler.resolve.whole.migrations import resolve_migrations  # few specs have any

        migrations = resolve_migrations(data, declared)
    former = FormerNames(data.get("moved"), data.get("removed"), steps, declared)
    return Whole(
        on_error=exits.get("on_error"),
        on_deadline=exits.get("on_deadline"),
        on_cancel=exits.get("on_cancel"),
        limits=limits(data.get("limits"), declared),
        moved=former.moved(),
        removed=former.removed(),
        migrations=migrations,
    )


def run_exit(key: str, data: object, declared: Declarations, *, whole: bool) -> Exit:
    """Return one exit of the run; it ends the run, or emits an event for steps that do.

    Args:
        whole: Whether the flow was known as a whole before any of these exits was read.
    """
    names = {
        "inputs": inputs(declared),
        "state": declared.record("state"),
        "config": declared.record("config"),
        "run": RUN,
    }
    names["error"] = ERROR_OF_RUN if key == "on_error" else ERROR
    scope = Scope(
        names=names,
        classes=declared.classes,
        texts=texts_of(declared),
        types=types_of(declared),
        secrets=declared.secrets.nodes,
    )
    place = Place((key,))
    found = ExitResolver(declared, ValueReader(declared.report)).exit(data, place, scope)
    for entry in found.entries:
        emission, at = entry.emission, Place(entry.address)
        if not whole or isinstance(emission, (Emit, Fail)):
            continue
        if isinstance(emission, Restart):
            declared.report(problems.exit_begins_anew(at, f"the run's `{key}`", ""))
        else:
            several = isinstance(emission, (EmitAll, EmitEach))
            declared.flow_whole &= not several  # that nobody sends these events would be said once more
            ends = [event.name for event in declared.end]
            declared.report(problems.run_exit_does_not_end(at, key, ends, several=several))
    return found


def limits(data: object, declared: Declarations) -> Limits | None:
    if not isinstance(data, Mapping):
        return None
    place = Place(("limits",))
    per: Expression | None = None
    if "per" in data:
        if "concurrent_runs" not in data and not declared.is_broken(("limits", "concurrent_runs")):
            at = (place / "per").key
            declared.report(step_problems.key_without_companion(at, "per", "concurrent_runs"))
        scope = Scope(names={"inputs": inputs(declared)}, classes=declared.classes, types=types_of(declared))
        per = parse_expression(str(data["per"]), place / "per", scope, declared.report)
        fits = not isinstance(per.type, Optional) and all(reads_as_text(each) for each in members(per.type))
        if per.type != UNKNOWN and not fits:
            why = f"wanted a text or a number, found {show(per.type)}"
            declared.report(value_problems.wrong_value(place / "per", why))
    counts = {
        key: bounds.count(data[key], place / key, declared)
        for key in ("steps", "tokens", "concurrent_runs")
        if key in data
    }
    return Limits(
        steps=counts.get("steps"),
        tokens=counts.get("tokens"),
        cost_usd=bounds.number(data["cost_usd"], place / "cost_usd", declared)
        if "cost_usd" in data
        else None,
        concurrent_runs=counts.get("concurrent_runs"),
        per=per,
    )
