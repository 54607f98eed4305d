"""A quick fix for a name that is used before it is there: what declares it."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.python.literals import snake_case
from wfc.compiler.slotted import dataclass

__all__ = ["NEVER_ACCEPTED", "Insertion", "accepting", "declaring"]

EVENT: Final = re.compile(r"[A-Z][A-Za-z0-9_]*", re.ASCII)
CODE: Final = "unknown-event"
NEVER_ACCEPTED: Final = "event-never-accepted"
NOT_ACCEPTED: Final = re.compile(r"`(\w+)`, which no step accepts")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text that comes in at a place, in the stead of so many code points, and what that does, in words."""

    title: str
    at: int
    text: str
    over: int = 0


def declaring(document: OpenDocument, found: Diagnostic) -> Insertion | None:
    """Return what declares the event that a finding misses, without fields; ``None`` if it has no place for it."""
    name = document.text[found.start.offset : found.end.offset].strip("'\"")
    if found.code != CODE or not EVENT.fullmatch(name):
        return None
    place = end_of_section(document, "events")
    if place is None:
        return None
    return Insertion(f"declare `{name}` under `events`", place[0], f"\n{place[1]}{name}: {{}}")


def accepting(documents: Documents, document: OpenDocument, found: Diagnostic) -> Insertion | None:
    """Return what adds a step that accepts the event of a finding, if nothing is wrong with it."""
    told = NOT_ACCEPTED.search(found.message) if found.code == NEVER_ACCEPTED else None
    place = end_of_section(document, "steps") if told is not None else None
    if told is None or place is None:
        return None
    at, indent = place
    name = f"take_{snake_case(told[1])}"
    if name in {each.path[1] for each in document.nodes if len(each.path) > 1}:
        return None
    lines = [
        f"{indent}{name}:",
        *(f"{indent}  {each}" for each in ("kind: transform", f"accepts: {told[1]}", "emit: nothing")),
    ]
    new = "".join(f"\n{each}" for each in ("", *lines))
    before = documents.findings(document)
    after = documents.findings_in(document, document.text[:at] + new + document.text[at:])
    said = {(each.code, each.message) for each in before}
    is_mended = found.message not in {each.message for each in after}
    fits = is_mended and all((each.code, each.message) in said for each in after)
    return Insertion(f"add the step `{name}`, which accepts `{told[1]}`", at, new) if fits else None


def end_of_section(document: OpenDocument, section: str) -> tuple[int, str] | None:
    """Return the place behind the last entry of a section, and the blanks before its names; ``None`` in brackets."""
    keys = [
        each.node
        for each in document.nodes
        if each.is_key and len(each.path) == 2 and each.path[0] == section
    ]
    if not keys:
        return None
    last = max(keys, key=lambda each: each.start)
    begin = document.text.rfind("\n", 0, last.start) + 1
    indent = document.text[begin : last.start]
    if not indent or indent.strip(" "):
        return None
    at = begin
    for line in document.text[begin:].splitlines(keepends=True):
        if at > begin and line.strip() and len(line) - len(line.lstrip(" ")) <= len(indent):
            break
        at += len(line)
    return len(document.text[:at].rstrip()), indent
