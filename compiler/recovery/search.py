"""The search for the one mistake behind several findings, by trying each suspicion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place, Severity
from wfc.compiler.recovery.analysis import Analysis
from wfc.compiler.recovery.bare_keys import bare_keys
from wfc.compiler.recovery.exchanged_types import are_named_alike, exchanged_types
from wfc.compiler.recovery.exchanged_values import exchanged, exchanged_values
from wfc.compiler.recovery.keys_at_the_edge import keys_at_the_edge
from wfc.compiler.recovery.lost_events import lost_events
from wfc.compiler.recovery.lost_sections import lost_sections
from wfc.compiler.recovery.misplaced_fields import misplaced_fields
from wfc.compiler.recovery.missing_joins import missing_joins
from wfc.compiler.recovery.misspelt_declarations import misspelt_declarations
from wfc.compiler.recovery.moved_blocks import moved_blocks, steps_at_the_top
from wfc.compiler.recovery.other_joins import (
    lost_batches,
    once_for_each,
    other_events,
    other_joins,
    other_ways,
)
from wfc.compiler.recovery.other_kinds import other_kinds
from wfc.compiler.recovery.other_types import declared_otherwise
from wfc.compiler.recovery.round_brackets import round_brackets
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, with_value
from wfc.compiler.recovery.torn_keys import torn_keys
from wfc.compiler.recovery.wrapped_fields import unwrapped, wrapped_fields
from wfc.compiler.slotted import replace
from wfc.compiler.yaml import Document

__all__ = ["search"]

MOST_TRIES: Final = 50
MOST_OF_COMPLEX: Final = 8
"""How many tries there are at most where the proof gives up, for each of them does so, too, and late."""
MOST_LESS_LIKELY: Final = 8
"""How many suspicions more are tried once one explains some of the findings."""
MOST_TEXT: Final = 400_000
"""How many code points are analysed again at most, over all tries."""
MOST_ALONE: Final = 3
"""Among more findings than these none gets a hint of its own."""
MOST_EXCHANGES: Final = 6
"""How many exchanges are tried of the value that one finding is about."""
MOST_FINDINGS: Final = 200
"""Among more findings than these no one mistake is looked for."""
SUSPECT: Final[tuple[Callable[[Data, Sequence[Finding]], Iterator[Suspicion]], ...]] = (
    steps_at_the_top,
    keys_at_the_edge,
    torn_keys,
    round_brackets,
    misspelt_declarations,
    wrapped_fields,
    lost_sections,
    other_kinds,
    bare_keys,
    exchanged,
    misplaced_fields,
    lost_events,
    moved_blocks,
    other_events,
    missing_joins,
    other_joins,
    lost_batches,
    once_for_each,
)
"""What makes suspicions of a spec's data and its findings, the likeliest first."""


def search(analysis: Analysis, analyse: Callable[[Document], Analysis]) -> Analysis:
    """Replace findings by the suspicions that explain them; the arguments are those of ``recover``."""
    is_complex = any(each.code == "flow-too-complex" for each in analysis.findings)
    most = MOST_OF_COMPLEX if is_complex else MOST_TRIES
    left = iter(range(min(most, MOST_TEXT // (len(analysis.document.text) + 1))))
    blamed: list[Finding] = []
    doubtful: Suspicion | None = None
    while len(analysis.findings) <= MOST_FINDINGS:
        likeliest, doubtful = explanation(analysis, analyse, left)
        if likeliest is None:
            break
        suspicion, tried = likeliest
        explains_too = [
            words
            for (words, data), _ in zip(suspicion.rivals, left, strict=False)
            if explains(analysis, analyse(analysis.document.changed(data, ())), suspicion.explains)
        ]
        blamed.append(with_rivals(suspicion.finding, explains_too))
        analysis = tried
    found = analysis.findings
    if doubtful is not None and (doubtful.explains > 1 or len(found) > MOST_ALONE):
        of_values = doubtful.explains == 1
        told = either_exchange(doubtful.settled, analysis, analyse, left) if of_values else in_doubt(doubtful)
        found = [with_doubt(each, told) for each in found]
    elif len(found) <= MOST_ALONE:
        found = [with_other_ways(each, analysis, analyse, left) for each in found]
        found = [with_exchange(each, analysis, analyse, left) for each in found]
        found = [with_certain_fix(each, analysis, analyse, left) for each in found]
    return replace(analysis, findings=[*found, *blamed])


def explanation(
    analysis: Analysis, analyse: Callable[[Document], Analysis], left: Iterator[int]
) -> tuple[tuple[Suspicion, Analysis] | None, Suspicion | None]:
    """Return the suspicion that explains the findings, with what is left of them then, and an exchange that explains
    them, though a part of it does, too.

    One that explains them all comes before one that explains some, if it is not much less likely.

    Args:
        left: An item for each try that is left.
    """
    some: tuple[Suspicion, Analysis] | None = None
    doubtful: Suspicion | None = None
    since = 0
    for suspicion, _ in zip(suspicions(analysis), left, strict=False):
        tried = analyse(analysis.document.changed(suspicion.data, suspicion.moves))
        is_all = not error_messages(tried)
        if explains(analysis, tried, suspicion.explains) and (is_all or some is None):
            if not too_much(analysis, tried, suspicion, analyse, left):
                if is_all:
                    return (suspicion, tried), None
                some = suspicion, tried
            elif len(suspicion.smaller) == len(suspicion.settled) == 2 and is_all:  # an exchange
                doubtful = doubtful or suspicion
        since += some is not None
        if since > MOST_LESS_LIKELY:
            break
    return some, doubtful


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


def with_other_ways(
    finding: Finding, analysis: Analysis, analyse: Callable[[Document], Analysis], left: Iterator[int]
) -> Finding:
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
            if explains(analysis, analyse(analysis.document.changed(changed, ())), 1)
        ]

    told = explaining([*other_ways(data, finding), *unwrapped(data, finding)])
    if declared := explaining(declared_otherwise(data, finding)):
        told.append(f"if the value is right, {', or '.join(declared)}")
    return replace(finding, hint="; ".join(filter(None, [finding.hint, *told])))


def with_exchange(
    finding: Finding, analysis: Analysis, analyse: Callable[[Document], Analysis], left: Iterator[int]
) -> Finding:
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
    for suspicion, _ in zip(islice(own, MOST_EXCHANGES), left, strict=False):
        tried = analyse(analysis.document.changed(suspicion.data, ()))
        if explains(analysis, tried, 1) and not left_at(tried, suspicion.settled):
            told = either_exchange(suspicion.settled, analysis, analyse, left)
            return replace(finding, hint="; ".join(filter(None, [finding.hint, told])))
    return finding


def either_exchange(
    values: tuple[Address, ...],
    analysis: Analysis,
    analyse: Callable[[Document], Analysis],
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
        if explains(analysis, analyse(analysis.document.changed(changed, ())), 1)
    ]
    return ", or ".join(exchanges)


def judged(finding: Finding) -> Address:
    """Return where the value stands that a finding is about: the map of a key that nobody knows there."""
    address = finding.place.address
    return address[:-1] if finding.code == "unknown-key" and len(address) > 3 else address


def with_certain_fix(
    finding: Finding, analysis: Analysis, analyse: Callable[[Document], Analysis], left: Iterator[int]
) -> Finding:
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
    tried = analyse(analysis.document.changed(with_value(data, place.address, written), ()))
    if not error_messages(tried) - error_messages(analysis):
        return finding
    return replace(finding, fix=replace(fix, applicability="unsafe"))


def left_at(analysis: Analysis, places: Sequence[Address]) -> bool:
    """Return whether something is said of what stands at or below some places."""
    return any(
        each.place.origin is None and each.place.address[: len(place)] == place
        for each in analysis.findings
        for place in places
    )


def with_rivals(finding: Finding, written: Sequence[str]) -> Finding:
    """Return a finding whose hint names all ways to write it that explain as much; no fix can choose among them."""
    others = "".join(f", or {each if '`' in each else f'`{each}`'}" for each in written)
    return replace(finding, hint=f"{finding.hint}{others}", fix=None) if written else finding


def suspicions(analysis: Analysis) -> Iterator[Suspicion]:
    """Generate suspicions, the likeliest first."""
    data = analysis.document.data
    if isinstance(data, dict):
        own = [each for each in analysis.findings if each.place.origin is None]
        for suspect in SUSPECT:
            yield from suspect(data, own)


def explains(before: Analysis, after: Analysis, least: int) -> bool:
    """Return whether at least so many errors are gone, at as many places, and no new ones have appeared."""
    errors, left = error_messages(before), error_messages(after)
    if left - errors or errors.total() - left.total() < least:
        return False
    return len(error_places(before)) - len(error_places(after)) >= least


def too_much(
    before: Analysis,
    after: Analysis,
    suspicion: Suspicion,
    analyse: Callable[[Document], Analysis],
    left: Iterator[int],
) -> bool:
    """Return whether a part of the suspected change is enough, or errors are left in what it moves."""
    if left_at(after, suspicion.settled):
        return True
    least = gone(before, after)
    smaller = (data for data, _ in zip(suspicion.smaller, left, strict=False))
    parts = (analyse(before.document.changed(data, ())) for data in smaller)
    return any(explains(before, each, 1) and gone(before, each) >= least for each in parts)


def gone(before: Analysis, after: Analysis) -> int:
    """Return how many errors fewer there are."""
    return error_messages(before).total() - error_messages(after).total()


def error_messages(analysis: Analysis) -> Counter[tuple[str, str]]:
    """Count each error's code and message."""
    return Counter((each.code, each.message) for each in analysis.findings if each.severity is Severity.ERROR)


def error_places(analysis: Analysis) -> set[tuple[str, tuple[int, int], int]]:
    """Return the places of errors in the text; what an alias repeats counts once, and so do its mistakes."""
    stretch = analysis.document.stretch
    counts: Counter[tuple[str, Place]] = Counter()
    found = set()
    for each in analysis.findings:
        if each.severity is Severity.ERROR and each.place.origin is None:
            counts[each.code, each.place] += 1
            found.add((each.code, stretch(each.place), counts[each.code, each.place]))
    return found
