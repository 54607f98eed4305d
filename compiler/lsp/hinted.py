"""A quick fix of a finding that has none of its own, but says in one way what to write: tried before it is offered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.declaring import Insertion
from wfc.compiler.lsp.documents import data_of
from wfc.compiler.lsp.trying import Trial
from wfc.compiler.yaml.repairs import quotes

__all__ = ["as_hinted"]

HINT: Final = re.compile(r"(?:write|an expression is written) `([^`…]+)`(?:[:;,] [^`]*)?")
"""A hint that knows one thing to write. What comes after it gives reasons, and no other ways."""

UNQUOTED: Final = "write it without quotes"
WORDS: Final = re.compile(r"\w+")
BEFORE: Final = re.compile(r"(?:\w+(?:\[[^\[\]\n]*\])?\.)*\Z")
"""The path that a field's name ends."""


def as_hinted(trial: Trial, found: Diagnostic) -> Insertion | None:
    """Return what a finding says to write, if it is gone then and nothing is wrong with what was written."""
    text = trial.document.text
    for start, end, new in candidates(text, found):
        now = trial.findings(text[:start] + new + text[end:])
        if now is None:
            return None
        stop = start + len(new)
        # what was after the place may be told now, and is for the next fix
        if all(
            each.end.offset <= start or each.start.offset >= stop for each in now if is_error(each, found)
        ):
            return Insertion(f"write `{new.strip(chr(34))}`", start, new, end - start)
    return None


def says_all(new: str, old: str) -> bool:
    """Return whether what is written instead of a map or a list says all values that stand there."""
    waiting, said = [data_of(old)], set(WORDS.findall(new))
    if not isinstance(waiting[0], (dict, list)):
        return True
    while waiting:
        each = waiting.pop()
        if isinstance(each, (dict, list)):
            waiting += each.values() if isinstance(each, dict) else each
        elif each is not None and not said.issuperset(WORDS.findall(str(each))):
            return False
    return True


def is_error(each: Diagnostic, found: Diagnostic) -> bool:
    """Return whether another finding is at least as grave."""
    return each.severity.value >= found.severity.value


def candidates(text: str, found: Diagnostic) -> Iterator[tuple[int, int, str]]:
    """Yield what might be replaced by what, in the order in which it is likely."""
    start, end = found.start.offset, found.end.offset
    if "\n" in text[start:end]:
        return
    if text[start - 1 : start] == text[end : end + 1] != "" and text[end] in "'\"":
        start, end = start - 1, end + 1
    if found.hint == UNQUOTED:
        yield start, end, text[start:end].strip("'\"")
    told = HINT.fullmatch(found.hint)
    if told is None:
        return
    new = told[1]
    if not says_all(new, text[start:end]):
        return
    path = BEFORE.search(text[:start])
    if path is not None and path[0]:
        yield path.start(), end, new
        return  # the name alone would not be what is told
    yield start, end, new
    if "${{" in new:
        yield start, end, quotes(new)
