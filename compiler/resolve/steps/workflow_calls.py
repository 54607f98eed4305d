"""Calls of other workflows: their inputs and ends, in the types of the spec that calls."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.model import Value, WorkflowCall
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.called_workflows import Callees, find_callee
from wfc.compiler.resolve.symbols.contracts import CalledWorkflow, result_of
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.mismatches import mismatch
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import files as problems
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import (
    ANY,
    STRING,
    UNKNOWN,
    Enumeration,
    Record,
    Type,
    alike,
    assignable,
)

__all__ = [
    "call_result",
    "find_callees",
    "resolve_call",
]

ABOUT_INPUTS = ("missing-entry", "unknown-entry", "wrong-value")


def find_callees(data: object, place: Place, declared: Declarations) -> tuple[CalledWorkflow, ...] | None:
    """Return the workflows of which a step runs one, each once; ``None`` if one of them is not known or broken.

    Args:
        data: A name, or ``{from: …, only: […]}``.
    """
    if not isinstance(data, Mapping):
        found = find_callee(data, place, declared)
        return None if found is None else (found,)
    only = data.get("only")
    listed = only if isinstance(only, list) else []
    callees = [find_callee(name, place / "only" / index, declared) for index, name in enumerate(listed)]
    known = {each.name: each for each in callees if each is not None}
    return tuple(known.values()) if known and None not in callees else None


def resolve_call(
    found: Callees,
    data: Data,
    place: Place,
    scope: Scope,
    reader: ValueReader,
) -> WorkflowCall | None:
    """Resolve the call of a step; its inputs are checked against the start event of each workflow it may run."""
    given = data.get("with", {})
    if not isinstance(given, Mapping):
        return None
    chosen_by = choice(data.get("workflow"), place / "workflow", scope, reader, known=found is not None)
    if found is None:
        reader.value(dict(given), place / "with", UNKNOWN, scope)  # there may be mistakes of its own
        return None
    at = place / "with" if "with" in data else place / ("workflow" if "workflow" in data else "tool")
    values = inputs_of_all(found, given, at, scope, reader)
    detach = data.get("detach") is True
    if not detach:
        report_ends_that_differ(found, place / "workflow" / "only", reader)
    return WorkflowCall(tuple(each.name for each in found), values, ends_of(found), detach, chosen_by)


def choice(
    data: object, place: Place, scope: Scope, reader: ValueReader, *, known: bool
) -> Expression | None:
    """Return what chooses a workflow at run time; ``None`` where the spec names it.

    Args:
        known: Whether there are all the workflows that it lists.
    """
    if not isinstance(data, Mapping):
        return None
    chosen_by = reader.expression(data.get("from", '""'), place / "from", scope)
    if not assignable(chosen_by.type, STRING):
        reader.report(value_problems.wrong_value(place / "from", *mismatch(chosen_by.type, STRING)))
    only = data.get("only")
    names: set[str] = set()
    for index, name in enumerate(only if isinstance(only, list) else ()):
        at = place / "only" / index
        if normal_form(str(name)) in names:
            reader.report(problems.choice_twice(at, str(name)))
        elif known and isinstance(chosen_by.type, Enumeration):
            values = [str(value) for value in chosen_by.type.values]
            if normal_form(str(name)) not in map(normal_form, values):
                words = chosen_by.text.strip()
                reader.report(operand_problems.no_such_value(at, words, str(name), values))
        names.add(normal_form(str(name)))
    return chosen_by


def inputs_of_all(
    found: tuple[CalledWorkflow, ...],
    given: Mapping[object, object],
    place: Place,
    scope: Scope,
    reader: ValueReader,
) -> tuple[tuple[str, Value], ...]:
    """Return the inputs as each of some workflows takes them; what is wrong for several is reported once."""
    told: set[tuple[object, ...]] = set()
    values: dict[str, Value] = {}

    for callee in found:
        findings: list[Finding] = []
        reading = ValueReader(findings.append, reader.uses)
        for name, value in reading.fields(given, place, callee.start, callee.start.name, scope):
            values[name] = as_both_take_it(values[name], value) if name in values else value
        for finding in findings:
            same = finding.code, finding.place.key, finding.message.replace(callee.start.name, "", 1)
            if same not in told:
                told.add(same)
                reader.report(with_place_of_inputs(finding, callee))
    return tuple(values.items())


def as_both_take_it(one: Value, other: Value) -> Value:
    """Return a value that two workflows want of one type each: as it is written if the types differ, because each
    reads by itself what it is given.
    """
    if one.type == other.type:
        return one
    entries, items = one.entries, one.items
    if entries is not None and other.entries is not None:
        theirs = dict(other.entries)
        entries = tuple((name, as_both_take_it(each, theirs.get(name, each))) for name, each in entries)
    if items is not None and other.items is not None:
        items = tuple(map(as_both_take_it, items, other.items))
    return replace(one, type=ANY, entries=entries, items=items)


def with_place_of_inputs(finding: Finding, found: CalledWorkflow) -> Finding:
    """Return a finding about an argument of a workflow, with the place where its inputs are declared."""
    if finding.code not in ABOUT_INPUTS:
        return finding
    return replace(finding, related=(*finding.related, (found.at, "its inputs are declared here")))


def ends_of(found: tuple[CalledWorkflow, ...]) -> tuple[tuple[str, Record], ...]:
    """Return the end events of some workflows, each name once."""
    return tuple({name: record for each in reversed(found) for name, record in reversed(each.ends)}.items())[
        ::-1
    ]


def report_ends_that_differ(found: tuple[CalledWorkflow, ...], place: Place, reader: ValueReader) -> None:
    """Report end events of one name that two workflows declare differently."""
    first: dict[str, tuple[CalledWorkflow, Record]] = {}
    for callee in found:
        for name, record in callee.ends:
            other, known = first.setdefault(name, (callee, record))
            if not alike(known, record):
                reader.report(problems.ends_differ(place, name, other.name, callee.name))


def call_result(found: Callees, data: Data) -> Type:
    """Return the type of a call's result: the run's id if the call does not wait for the run."""
    if data.get("detach") is True:
        return STRING
    return UNKNOWN if found is None else result_of(ends_of(found))
