"""The search for the one mistake behind several findings, by trying each suspicion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding
from wfc.compiler.recovery.analysis import Analyse, Analysis
from wfc.compiler.recovery.bare_keys import bare_keys
from wfc.compiler.recovery.exchanged_values import exchanged
from wfc.compiler.recovery.explaining import error_messages, explains, gone, left_at
from wfc.compiler.recovery.in_doubt import (
    either_exchange,
    in_doubt,
    other_declarations,
    with_certain_fix,
    with_doubt,
    with_exchange,
    with_other_ways,
)
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
)
from wfc.compiler.recovery.other_kinds import other_kinds
from wfc.compiler.recovery.round_brackets import round_brackets
from wfc.compiler.recovery.suspicion import Data, Suspicion
from wfc.compiler.recovery.torn_keys import torn_keys
from wfc.compiler.recovery.wrapped_fields import wrapped_fields
from wfc.compiler.slotted import replace

__all__ = ["search"]

MOST_TRIES: Final = 50
MOST_OF_COMPLEX: Final = 8
"""How many tries there are at most where the proof gives up, for each of them does so, too, and late."""
MOST_LESS_LIKELY: Final = 20
"""How many suspicions more are tried once one explains some of the findings."""
MOST_TEXT: Final = 400_000
"""How many code points are analysed again at most, over all tries."""
MOST_ALONE: Final = 3
"""Among more findings than these none gets a hint of its own."""
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


def search(analysis: Analysis, analyse: Analyse) -> Analysis:
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
            if explains(analysis, analyse(analysis, data), suspicion.explains)
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
        found = [other_declarations(each, analysis, analyse, left) for each in found]
        found = [with_certain_fix(each, analysis, analyse, left) for each in found]
    return replace(analysis, findings=[*found, *blamed])


def explanation(
    analysis: Analysis, analyse: Analyse, left: Iterator[int]
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
        tried = analyse(analysis, suspicion.data, suspicion.moves)
        is_all = not error_messages(tried)
        if explains(analysis, tried, suspicion.explains) and (is_all or some is None):
            if not too_much(analysis, tried, suspicion, analyse, left):
                if is_all:
                    return (suspicion, tried), None
                some = suspicion, tried
            elif suspicion.finding.code == "exchanged-values" and is_all and suspicion.smaller:
                doubtful = doubtful or suspicion
        since += some is not None
        if since > MOST_LESS_LIKELY:
            break
    return some, doubtful


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


def too_much(
    before: Analysis,
    after: Analysis,
    suspicion: Suspicion,
    analyse: Analyse,
    left: Iterator[int],
) -> bool:
    """Return whether a part of the suspected change is enough, or errors are left in what it moves."""
    if left_at(after, suspicion.settled):
        return True
    least = gone(before, after)
    smaller = (data for data, _ in zip(suspicion.smaller, left, strict=False))
    parts = (analyse(before, data) for data in smaller)
    return any(explains(before, each, 1) and gone(before, each) >= least for each in parts)
