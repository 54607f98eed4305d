"""The search: each suspicion is tried out, and the first that explains more than it costs is what is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from wfc.compiler.diagnostics import Address, Finding, Place, Severity
from wfc.compiler.read import Document
from wfc.compiler.suspecting import Understood
from wfc.compiler.suspecting.changes import Suspicion
from wfc.compiler.suspecting.declarations import misspelt_declarations
from wfc.compiler.suspecting.indentation import misplaced_keys
from wfc.compiler.suspecting.joins import wanted_joins

__all__ = ["search"]

MOST_TRIES: Final = 16
MOST_TEXT: Final = 400_000
"""How many code points are looked at again at most, over all tries."""
MOST_FINDINGS: Final = 200
"""Among more than these no one mistake is looked for."""


def search(found: Understood, understand: Callable[[Document], Understood]) -> Understood:
    """See `suspect`."""
    tries = min(MOST_TRIES, MOST_TEXT // (len(found.document.text) + 1))
    blamed: list[Finding] = []
    mended = True
    while mended and len(found.findings) <= MOST_FINDINGS:
        mended = False
        errors = said(found)
        for suspicion in suspicions(found):
            if tries == 0:
                break
            tries -= 1
            tried = understand(found.document.changed(suspicion.data, suspicion.moves))
            left = said(tried)
            fewer = not left - errors and errors.total() - left.total() >= suspicion.explains
            if fewer and len(spots(found)) - len(spots(tried)) >= suspicion.explains:
                found, mended = tried, True
                blamed.append(suspicion.finding)
                break
    return Understood(found.document, found.workflow, [*found.findings, *blamed]) if blamed else found


def said(found: Understood) -> Counter[tuple[str, str]]:
    """What is said of errors, and how often."""
    return Counter((each.code, each.message) for each in found.findings if each.severity is Severity.ERROR)


def spots(found: Understood) -> set[tuple[str, tuple[int, int]]]:
    """Where errors are in the text: what an alias repeats is written once, and so are its mistakes."""
    stretch = found.document.stretch
    return {
        (each.code, stretch(each.place))
        for each in found.findings
        if each.severity is Severity.ERROR and each.place.origin is None
    }


def suspicions(found: Understood) -> Iterator[Suspicion]:
    """What may be wrong, the most likely first."""
    data = found.document.data
    if isinstance(data, dict):
        own = [each for each in found.findings if each.place.origin is None]
        for suspicion in misplaced_keys(data, own):
            if is_on_lines(found.document, suspicion.finding.place.address[:-1]):
                yield suspicion
        for look in (misspelt_declarations, wanted_joins):
            yield from look(data, own)


def is_on_lines(document: Document, owner: Address) -> bool:
    """Whether it is the indentation that tells which keys a map has, and not braces."""
    return not document.text.startswith("{", document.stretch(Place(owner))[0])
