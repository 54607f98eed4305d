"""Rule 9: every type has a value that can be written down."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.rules import types as problems
from wfc.compiler.types import (
    Enumeration,
    Field,
    ListOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
    parts,
    within,
)

__all__ = ["types_are_finite"]


def types_are_finite(analysis: FlowAnalysis, report: Report) -> None:
    """Report records that cannot have a finite value, because they require another of their own kind inside."""
    workflow = analysis.workflow
    roots: list[Type] = [
        *workflow.types,
        *workflow.outputs,
        workflow.state,
        *(e.record for e in workflow.events),
    ]
    records = [each for each in within(*filter(_holds_others, roots)) if isinstance(each, Record)]
    finite: set[int] = set()
    changed = True
    while changed:
        changed = False
        for record in records:
            if id(record) not in finite and all(_ends(field, finite) for field in record.fields.values()):
                finite.add(id(record))
                changed = True
    told: set[int] = set()
    for record in records:
        if id(record) not in finite and id(record) not in told:
            path, circle = _circle(record, finite)
            if not any(id(met) in told for met in circle):
                head = circle[0]
                report(problems.infinite_type(Place(head.address).key, head.name, path))
            told.update(map(id, circle))
            told.add(id(record))


def _holds_others(root: Type) -> bool:
    """Return whether a type may hold a record; most events hold none, and need not be looked into."""
    plain = (Scalar, Enumeration)
    return not isinstance(root, Record) or any(
        not isinstance(each.type, plain) for each in root.fields.values()
    )


def _ends(field: Field, finite: set[int]) -> bool:
    if field.has_default or isinstance(field.type, Optional):
        return True
    if isinstance(field.type, ListOf) and field.constraints.min_length:
        return _has_value(field.type.item, finite)
    return _has_value(field.type, finite)


def _has_value(here: Type, finite: set[int]) -> bool:
    if isinstance(here, Record):
        return id(here) in finite
    if isinstance(here, OneOf):
        return any(_has_value(each, finite) for each in here.types)
    return True


def _circle(record: Record, finite: set[int]) -> tuple[list[str], list[Record]]:
    """Return the cycle from a type without a finite value back to itself: names of types and fields, and the
    types.
    """
    met: list[Record] = []
    fields: list[str] = []
    while record not in met:
        met.append(record)
        field = next(field for field in record.fields.values() if not _ends(field, finite))
        fields.append(field.name)
        record = _infinite(field.type, finite)
    at = met.index(record)
    path = [
        name
        for head, field_name in zip(met[at:], fields[at:], strict=True)
        for name in (head.name, field_name)
    ]
    return [*path, record.name], met[at:]


def _infinite(here: Type, finite: set[int]) -> Record:
    while not isinstance(here, Record):
        here = next(part for part in parts(here) if not _has_value(part, finite))
    return here
