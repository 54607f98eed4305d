"""Suppression of diagnostics by comments in the text, with the reasons given there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from wfc.compiler.diagnostics import Diagnostic, Edit, Finding, Place, Severity
from wfc.compiler.rules import PROBLEMS, WARNINGS
from wfc.compiler.slotted import replace
from wfc.compiler.yaml import Document

if TYPE_CHECKING:
    from wfc.compiler.yaml.suppression_comments import Ignore

__all__ = ["suppress"]

COMMENT = r"#[ \t]*wfc:[ \t]*ignore\b"  # a quick look: next to no spec has one
NO_REASON = "no reason given"


def suppress(
    document: Document, found: Sequence[Diagnostic], *, complain: bool = True
) -> tuple[Sequence[Diagnostic], tuple[Diagnostic, ...]]:
    """Split the findings into shown and suppressed ones; wrong or useless comments are findings themselves.

    Args:
        document: With the text that the comments stand in.
        found: Everything that was found, in it and in other files.
        complain: Whether comments that are wrong or do nothing are reported.

    Returns:
        What is left, and what is suppressed.
    """
    if "ignore" not in document.text or re.search(COMMENT, document.text) is None:
        return found, ()
    from wfc.compiler.rules.catalogue import load
    from wfc.compiler.yaml.suppression_comments import find_ignores

    load()
    problems: list[Finding] = []
    reasons: dict[int, str] = {}  # by the finding's number
    errors = any(each.severity is Severity.ERROR for each in found)
    warnings: dict[tuple[str, int], list[int]] = {}  # their numbers, by code and line
    for number, each in enumerate(found):
        if each.severity is Severity.WARNING and each.path == document.path:
            warnings.setdefault((each.code, each.start.line), []).append(number)
    for ignore in find_ignores(document.text):
        named = checked_codes(ignore, problems)
        for code, start, end in named:
            meant = warnings.get((code, ignore.line), [])
            reasons.update(dict.fromkeys(meant, ignore.reason or NO_REASON))
            if not meant and not errors:  # after an error not everything was looked for
                problems.append(unused(document.text, ignore, code, start, end))
    kept = [each for number, each in enumerate(found) if number not in reasons]
    if complain:
        kept += [document.diagnostic(each) for each in problems]
    suppressed = tuple(
        replace(found[number], suppressed=reason) for number, reason in sorted(reasons.items())
    )
    return kept, suppressed


def checked_codes(ignore: Ignore, problems: list[Finding]) -> list[tuple[str, int, int]]:
    """Return a comment's codes that belong to warnings; report errors in the others and in the comment."""
    from wfc.compiler.rules import suppressions

    whole = Place((), "text", ignore.start, ignore.end)
    if not ignore.codes:
        problems.append(suppressions.suppression_without_code(whole))
        return []
    good = []
    for code, start, end in ignore.codes:
        place = Place((), "text", start, end)
        if code not in PROBLEMS:
            problems.append(suppressions.unknown_code(place, code, sorted(WARNINGS)))
        elif code not in WARNINGS:
            problems.append(suppressions.error_suppressed(place, code))
        else:
            good.append((code, start, end))
    if good and not ignore.reason:
        problems.append(suppressions.suppression_without_reason(whole))
    return good


def unused(text: str, ignore: Ignore, code: str, start: int, end: int) -> Finding:
    from wfc.compiler.rules.suppressions import unused_suppression

    if len(ignore.codes) == 1:
        gone = without_comment(text, ignore)
    elif ignore.codes[0][1] == start:
        gone = start, ignore.codes[1][1]
    else:
        gone = next(each[2] for each, after in pairwise(ignore.codes) if after[1] == start), end
    return unused_suppression(Place((), "text", start, end), code, Edit(Place((), "text", *gone)))


def without_comment(text: str, ignore: Ignore) -> tuple[int, int]:
    """Return a comment's stretch with the space before it; for one on a line of its own, the line."""
    line = text.rfind("\n", 0, ignore.start) + 1
    before = text[line : ignore.start]
    if before.strip():
        return line + len(before.rstrip()), ignore.end
    after = text.find("\n", ignore.end)
    return line, len(text) if after < 0 else after + 1
