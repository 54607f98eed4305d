"""A quick fix for a name that is used before it is there: what declares it."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.documents import OpenDocument
from wfc.compiler.slotted import dataclass

__all__ = ["Insertion", "declaring"]

EVENT: Final = re.compile(r"[A-Z][A-Za-z0-9_]*", re.ASCII)
CODE: Final = "unknown-event"


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
    keys = [
        each.node
        for each in document.nodes
        if each.is_key and len(each.path) == 2 and each.path[0] == "events"
    ]
    if not keys:
        return None
    last = max(keys, key=lambda each: each.start)
    begin = document.text.rfind("\n", 0, last.start) + 1
    indent = document.text[begin : last.start]
    if not indent or indent.strip(" "):
        return None  # in brackets
    at = begin
    for line in document.text[begin:].splitlines(keepends=True):
        if at > begin and line.strip() and len(line) - len(line.lstrip(" ")) <= len(indent):
            break
        at += len(line)
    before = document.text[:at].rstrip()
    return Insertion(f"declare `{name}` under `events`", len(before), f"\n{indent}{name}: {{}}")
