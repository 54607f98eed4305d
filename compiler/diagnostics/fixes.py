"""Application of fixes to a text, with nothing else changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from wfc.compiler.diagnostics import Applicability, Diagnostic, Severity, TextEdit
from wfc.compiler.slotted import dataclass

__all__ = ["Fixed", "apply_fixes", "fix_until_stable"]

MOST_ROUNDS: Final = 20
"""How often a text is checked and fixed again; a fix may bring a finding to light that has one too."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The result of applying fixes to a text.

    Args:
        text: With all fixes applied.
        findings: Those whose fixes were applied, in the order in which that happened; their positions are those of
            the text as it was then.
    """

    text: str
    findings: tuple[Diagnostic, ...]


def fix_until_stable(
    text: str,
    findings: Sequence[Diagnostic],
    check: Callable[[str], Sequence[Diagnostic]],
    *,
    unsafe: bool = False,
) -> Fixed:
    """Apply the fixes of a text's findings and check again, until no fixes are left.

    A new warning is not fixed but left to the reader: it may concern the result of a fix.

    Args:
        text: Without a byte order mark.
        findings: What was found in it.
        check: Returns the findings of a changed text.
        unsafe: Whether to apply those too that may change what is meant.
    """
    allowed: set[Applicability] = {"safe", "unsafe"} if unsafe else {"safe"}
    done: list[Diagnostic] = []
    seen = {text}
    first = {(each.code, each.message) for each in findings}
    for _ in range(MOST_ROUNDS):
        text, now = apply_fixes(text, findings, allowed)
        if not now or text in seen:
            break
        seen.add(text)
        done += now
        findings = [
            each
            for each in check(text)
            if each.severity is not Severity.WARNING or (each.code, each.message) in first
        ]
    return Fixed(text, tuple(done))


def apply_fixes(
    text: str, findings: Iterable[Diagnostic], allowed: Iterable[Applicability]
) -> tuple[str, list[Diagnostic]]:
    """Return the text with all fixes applied in one pass, and the findings that they belong to.

    Of fixes that overlap the first one counts; a fix is applied as a whole or not at all.
    """
    allowed = set(allowed)
    taken: list[TextEdit] = []
    done: list[Diagnostic] = []
    for finding in findings:
        fix = finding.fix
        if fix is None or fix.applicability not in allowed or not fix.edits:
            continue
        if any(overlap(edit, other) for edit in fix.edits for other in taken):
            continue
        taken += fix.edits
        done.append(finding)
    taken.sort(key=lambda edit: edit.start.offset)
    parts: list[str] = []
    at = 0
    for edit in taken:
        parts += (text[at : edit.start.offset], edit.text)
        at = edit.end.offset
    return "".join([*parts, text[at:]]), done


def overlap(one: TextEdit, other: TextEdit) -> bool:
    """Return whether two edits conflict, as two insertions at one place do, and removals of neighbours.

    Removing all the entries of a map one by one would leave an empty map.
    """
    if one.start.offset == other.start.offset:
        return True
    if not one.text and not other.text and (one.end == other.start or other.end == one.start):
        return True
    return one.start.offset < other.end.offset and other.start.offset < one.end.offset
