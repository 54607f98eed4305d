"""Findings that something else may explain as well: their hints name it, for only the author knows which is meant."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Severity
from wfc.compiler.recovery.analysis import Analyse, Analysis
from wfc.compiler.recovery.exchanged_types import are_named_alike, exchanged_types
from wfc.compiler.recovery.exchanged_values import exchanged_declarations, exchanged_values
from wfc.compiler.recovery.explaining import error_messages, explains, left_at
from wfc.compiler.recovery.other_joins import other_ways
from wfc.compiler.recovery.other_types import declared_otherwise
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, with_value
from wfc.compiler.recovery.wrapped_fields import unwrapped
from wfc.compiler.slotted import replace

__all__ = [
    "either_exchange",
    "in_doubt",
    "other_declarations",
    "with_certain_fix",
    "with_doubt",
    "with_exchange",
    "with_other_ways",
]

OF_DECLARED: Final = frozenset(
    {"agents-in-a-circle", "missing-entry", "unfilled-field", "unknown-entry", "unknown-field"}
)
"""Errors that come of what a declaration lacks."""
MOST_WAYS: Final = 2
MOST_EXCHANGES: Final = 6
"""How many exchanges are tried of the value that one finding is about."""


def in_doubt(doubtful: Suspicion) -> str:
    """Return which two declarations may have each other's content."""
    one, other = (each[-1] for each in doubtful.settled)
    return f"`{one}` and `{other}` may have each other's content"


def with_doubt(finding: Finding, told: str) -> Finding:
    """Return an error with what may have each other's content, if that explains all errors; what one of the two lacks
    may explain these as well, and is what the error tells.
    """
    if finding.severity is not Severity.ERROR or finding.place.origin is not None or not told:
        return finding
    fix = finding.fix if finding.fix is None else replace(finding.fix, applicability="unsafe")
    return replace(finding, hint="; ".join(filter(None, [finding.hint, told])), fix=fix)


def with_other_ways(finding: Finding, analysis: Analysis, analyse: Analyse, left: Iterator[int]) -> Finding:
    """Return a finding with the other ways in which it would be none: of a step to take the first of several events,
    or of a field or an event to be declared. Only the author knows which is meant. ``left`` has an item for each try
    that is left.
    """
    data = analysis.document.data
    if not isinstance(data, dict) or finding.place.origin is not None:
        return finding

    def explaining(ways: list[tuple[str, Data]]) -> list[str]:
        return [
            written
            for (written, changed), _ in zip(ways, left, strict=False)
            if explains(analysis, analyse(analysis, changed), 1)
        ]

    told = explaining([*other_ways(data, finding), *unwrapped(data, finding)])
    if declared := explaining(declared_otherwise(data, finding)):
        told.append(f"if the value is right, {', or '.join(declared)}")
    return replace(finding, hint="; ".join(filter(None, [finding.hint, *told])))


def with_exchange(finding: Finding, analysis: Analysis, analyse: Analyse, left: Iterator[int]) -> Finding:
    """Return a finding at a value that would be right at the place of another one, and that there: one of the two alone
    may be meant as well. ``left`` has an item for each try that is left.
    """
    data = analysis.document.data
    sure = finding.fix is not None and finding.fix.applicability == "safe"
    if not isinstance(data, dict) or finding.place.origin is not None or sure:
        return finding
    if finding.place.address[:1] == ("tests",):
        return finding  # what is declared may be wrong as well
    here = judged(finding)
    errors = [each for each in analysis.findings if each.severity is Severity.ERROR]
    beside = [each for each in errors if each.place.address[:2] == here[:2]]
    if len(beside) > 1 and any(each.code != "unknown-key" or judged(each) != here for each in beside):
        return finding  # so the values may not have been judged, as a step is not that lacks a key
    own = (each for each in exchanged_values(data, [finding]) if here in each.settled)
    ways: list[str] = []
    for suspicion, _ in zip(islice(own, MOST_EXCHANGES), left, strict=False):
        tried = analyse(analysis, suspicion.data)
        if explains(analysis, tried, 1) and not left_at(tried, suspicion.settled):
            ways.append(either_exchange(suspicion.settled, analysis, analyse, left))
    told = ", or ".join(filter(None, ways[:MOST_WAYS]))
    return replace(finding, hint="; ".join(filter(None, [finding.hint, told]))) if told else finding


def other_declarations(
    finding: Finding, analysis: Analysis, analyse: Analyse, left: Iterator[int]
) -> Finding:
    """Return the only error, at what a declaration lacks, with the one that may have its content. ``left`` has an item
    for each try that is left.
    """
    data = analysis.document.data
    is_alone = error_messages(analysis).total() == 1 and finding.severity is Severity.ERROR
    sure = finding.fix is not None and finding.fix.applicability == "safe"
    lacking = finding.code in OF_DECLARED or (
        finding.code == "wrong-value" and finding.place.address[:1] == ("tests",)
    )
    if not is_alone or sure or not lacking or not isinstance(data, dict):
        return finding
    for suspicion, _ in zip(
        islice(exchanged_declarations(data, [finding]), MOST_EXCHANGES), left, strict=False
    ):
        tried = analyse(analysis, suspicion.data)
        if not error_messages(tried) and not left_at(tried, suspicion.settled):
            return with_doubt(finding, in_doubt(suspicion))
    return finding


def either_exchange(
    values: tuple[Address, ...],
    analysis: Analysis,
    analyse: Analyse,
    left: Iterator[int],
) -> str:
    """Return which of two may be exchanged: the values, unless they have the names of their places, or the types."""
    data: Any = analysis.document.data
    one, other = (each[-1] for each in values)
    exchanges = (
        [] if are_named_alike(data, values) else [f"`{one}` and `{other}` may have each other's value"]
    )
    exchanges += [
        f"{words} may have each other's type"
        for (words, changed), _ in zip(exchanged_types(data, values), left, strict=False)
        if explains(analysis, analyse(analysis, changed), 1)
    ]
    return ", or ".join(exchanges)


def judged(finding: Finding) -> Address:
    """Return where the value stands that a finding is about: the map of a key that nobody knows there."""
    address = finding.place.address
    return address[:-1] if finding.code == "unknown-key" and len(address) > 3 else address


def with_certain_fix(finding: Finding, analysis: Analysis, analyse: Analyse, left: Iterator[int]) -> Finding:
    """Return a finding about a field, with its safe fix as an unsafe one if that leads to another finding, as where the
    field that is called nearly the same is of another type.
    """
    fix, place, data = finding.fix, finding.place, analysis.document.data
    if (
        finding.code != "unknown-field"
        or fix is None
        or fix.applicability != "safe"
        or place.origin is not None
    ):
        return finding
    text, edit = at(data, place.address), fix.edits[0]
    is_one = (
        isinstance(text, str)
        and place.start is not None
        and edit.place == place
        and edit.old == text[place.start : place.end]
    )
    if not is_one or next(left, None) is None:
        return finding
    written = f"{text[: place.start]}{edit.new}{text[place.end :]}"
    tried = analyse(analysis, with_value(data, place.address, written))
    if not error_messages(tried) - error_messages(analysis):
        return finding
    return replace(finding, fix=replace(fix, applicability="unsafe"))
