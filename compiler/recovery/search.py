"""The search: each suspicion is tried out, and the first that explains more than it costs is what is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from wfc.compiler.diagnostics import Address, Finding, Place, Severity
from wfc.compiler.recovery import Understood
from wfc.compiler.recovery.changes import Suspicion
from wfc.compiler.recovery.declarations import misspelt_declarations
from wfc.compiler.recovery.exchanges import exchanged_pairs
from wfc.compiler.recovery.indentation import misplaced_keys
from wfc.compiler.recovery.joins import wanted_forks, wanted_joins
from wfc.compiler.recovery.step_bodies import exchanged_bodies
from wfc.compiler.yaml import Document

__all__ = ["search"]

MOST_TRIES: Final = 16
MOST_EXCHANGES: Final = 8
MOST_TEXT: Final = 400_000
"""How many code points are looked at again at most, over all tries."""
MOST_FINDINGS: Final = 200
"""Among more than these no one mistake is looked for."""


def search(found: Understood, understand: Callable[[Document], Understood]) -> Understood:
    """See `suspect`."""
    tries = min(MOST_TRIES, MOST_TEXT // (len(found.document.text) + 1))
    blamed: list[Finding] = []
    while tries and len(found.findings) <= MOST_FINDINGS:
        best: tuple[int, Understood, Finding] | None = None
        for suspicion in islice(suspicions(found), tries):
            tries -= 1
            document = found.document.changed(suspicion.data, suspicion.moves, suspicion.swaps)
            tried = understand(document)
            explained = how_many(found, tried, suspicion.explains)
            if explained and (best is None or explained > best[0]):
                best = explained, tried, suspicion.finding
            if explained and (suspicion.eager or not said(tried)):
                break
        if best is None:
            break
        found = best[1]
        blamed.append(best[2])
    return Understood(found.document, found.workflow, [*found.findings, *blamed]) if blamed else found


def how_many(found: Understood, tried: Understood, least: int) -> int:
    """How many errors are gone; none if there are new ones, or fewer than wanted are."""
    errors, left = said(found), said(tried)
    gone = errors.total() - left.total()
    if left - errors or gone < least or len(spots(found)) - len(spots(tried)) < least:
        return 0
    return gone


def said(found: Understood) -> Counter[tuple[str, str]]:
    """What is said of errors, and how often."""
    return Counter((each.code, each.message) for each in found.findings if each.severity is Severity.ERROR)


def spots(found: Understood) -> set[tuple[str, tuple[int, int], int]]:
    """Where errors are in the text: what an alias repeats is written once, and so are its mistakes."""
    stretch = found.document.stretch
    here: Counter[tuple[str, Place]] = Counter()
    spots = set()
    for each in found.findings:
        if each.severity is Severity.ERROR and each.place.origin is None:
            here[each.code, each.place] += 1
            spots.add((each.code, stretch(each.place), here[each.code, each.place]))
    return spots


def suspicions(found: Understood) -> Iterator[Suspicion]:
    """What may be wrong, the most likely first."""
    data = found.document.data
    if isinstance(data, dict):
        own = [each for each in found.findings if each.place.origin is None]
        for suspicion in misplaced_keys(data, own):
            if is_on_lines(found.document, suspicion.finding.place.address[:-1]):
                yield suspicion
        yield from wanted_forks(data, own)
        yield from exchanged_bodies(data, own)
        yield from islice(exchanged_pairs(data, own), MOST_EXCHANGES)
        for look in (misspelt_declarations, wanted_joins):
            yield from look(data, own)


def is_on_lines(document: Document, owner: Address) -> bool:
    """Whether it is the indentation that tells which keys a map has, and not braces."""
    return not document.text.startswith("{", document.stretch(Place(owner))[0])
