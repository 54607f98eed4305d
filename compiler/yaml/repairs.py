"""Translation of fixes of the data into edits of the text, in the style used there."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

import yaml

from wfc.compiler.diagnostics import Address, Edit, Fix, Position, Repair, TextEdit
from wfc.compiler.yaml.parser import YAMLError, events
from wfc.compiler.yaml.positions import TextNode
from wfc.compiler.yaml.removals import removal
from wfc.compiler.yaml.scalars import OutOfRange, plain

__all__ = ["in_text", "repair"]

Raw = tuple[int, int, str]
"""Start and end in the text, and what is to stand there."""

ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def repair(text: str, root: TextNode, fix: Fix, position: Callable[[int], Position]) -> Repair | None:
    """Return a fix as edits of a document's text; ``None`` if the text is not written as the fix supposes.

    Args:
        text: The document's.
        root: The places of everything in it.
        fix: The fix to apply.
        position: Returns the line and the column of a code point.
    """
    found: list[Raw] = []
    for edit in fix.edits:
        raw = looked_up(text, root, edit)
        if raw is None:
            return None
        found.append(raw)
    found.sort()
    if any(before[1] > after[0] for before, after in pairwise(found)):
        return None
    edits = tuple(TextEdit(position(start), position(end), new) for start, end, new in found)
    return Repair(fix.title, fix.applicability, edits)


def looked_up(text: str, root: TextNode, edit: Edit) -> Raw | None:
    place = edit.place.here
    if place.part == "text" and edit.how != "remove":
        return in_text(text, edit)
    way = way_to(root, place.address)
    if way is None:
        return None  # there is no such place, or it is an alias's: what stands there, stands elsewhere too
    if edit.how == "remove":
        return removal(text, way)
    key, node = way[-1]
    if place.part == "key":
        if key is None or taken(way, edit):
            return None
        node = key
    in_flow = any(text[owner.start : owner.start + 1] in {"{", "["} for _, owner in way[:-1])
    if edit.how == "before":
        return before(text, key, edit.new, in_flow)
    if edit.how == "add":
        return added(text, node, edit.new)
    if edit.how == "rewrite":
        return rewritten(text, node, edit.new)
    if node.value is None:
        return None
    if edit.how == "quote":
        return (node.start, node.end, quotes(text[node.start : node.end])) if node.style == "" else None
    return in_scalar(text, node, edit, in_flow)


def way_to(root: TextNode, address: Address) -> list[tuple[TextNode | None, TextNode]] | None:
    """Return the keys and values on the path to an address, the document's first; ``None`` at an alias."""
    way: list[tuple[TextNode | None, TextNode]] = [(None, root)]
    for step in address:
        found = way[-1][1].child(step)
        if found is None or found[1].target is not None:
            return None
        way.append(found)
    return way


def taken(way: list[tuple[TextNode | None, TextNode]], edit: Edit) -> bool:
    """Return whether the map already has the new key."""
    entries = way[-2][1].entries or {}
    return edit.new in entries and entries[edit.new][0] is not way[-1][0]


def in_text(text: str, edit: Edit) -> Raw | None:
    start, end = edit.place.start or 0, edit.place.end
    end = len(text) if end is None else min(end, len(text))
    if edit.how == "quote":
        return start, end, quotes(text[start:end])
    if edit.old is not None:
        if text.count(edit.old, start, end) != 1:
            return None
        start = text.index(edit.old, start, end)
        end = start + len(edit.old)
    return start, end, edit.new


def before(text: str, key: TextNode | None, new: str, in_flow: bool) -> Raw | None:
    """Return the edit that inserts an entry before a key, with the key's indentation."""
    if key is None:
        return None
    if in_flow:
        return key.start, key.start, f"{new}, "
    line = max(text.rfind("\n", 0, key.start), text.rfind("\r", 0, key.start)) + 1
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * (key.start - line)
    return key.start, key.start, newline.join([*new.split("\n"), ""]).replace(newline, newline + indent)


def added(text: str, node: TextNode, new: str) -> Raw | None:
    """Return the edit that puts entries behind all others of a map, in its style; ``None`` if one is there already."""
    entries, lines = node.entries, new.split("\n")
    if not entries or any(each.partition(":")[0] in entries for each in lines):
        return None
    first, last = next(iter(entries.values()))[0], [*entries.values()][-1][1]
    if text[node.start : node.start + 1] == "{":
        end = max(last.end, [*entries.values()][-1][0].end)
        return end, end, "".join(f", {each} " if each.endswith(":") else f", {each}" for each in lines)
    if ends_in_blanks(node):
        return None
    begin = max(text.rfind("\n", 0, first.start), text.rfind("\r", 0, first.start)) + 1
    end = len(text[: max(node.end, first.end)].rstrip())
    while (feed := text.find("\n", end)) >= 0 and text[end:feed].strip()[:1] not in {"", "#"}:
        end = feed + 1
    end = len(text) if feed < 0 else end + len(text[end:feed].rstrip())  # behind a comment on the last line
    newline = "\r\n" if "\r\n" in text else "\n"
    return end, end, "".join(f"{newline}{' ' * (first.start - begin)}{each}" for each in lines)


def ends_in_blanks(node: TextNode) -> bool:
    """Return whether a block ends in a text that ends in blanks of its own: what came before them would change it."""
    while inner := node.items or [value for _, value in (node.entries or {}).values()]:
        node = inner[-1]
    if node.style not in {"|", ">"} or not node.value:
        return False
    words = node.value.rstrip()
    return not words or node.value not in {words, f"{words}\n"}


def rewritten(text: str, node: TextNode, new: str) -> Raw | None:
    """Return the edit that replaces a value, if it is on one line without a comment in it."""
    block = node.value is None and text[node.start : node.start + 1] not in {"{", "["}
    if block or node.style in {"|", ">"} or "\n" in text[node.start : node.end]:
        return None
    return node.start, node.end, new


def in_scalar(text: str, node: TextNode, edit: Edit, in_flow: bool) -> Raw | None:
    """Return the edit that replaces a stretch of a scalar's value, in the scalar's own style if possible."""
    value = node.value
    assert value is not None
    start, end = edit.place.start, edit.place.end
    if start is None or end is None:
        start, end = 0, len(value)
    if edit.old is not None:
        if value.count(edit.old, start, end) != 1:
            return None
        start = value.index(edit.old, start, end)
        end = start + len(edit.old)
    if edit.old is None and edit.place.start is None and not value and not node.style:
        return None  # nothing is written there
    begin, stop = node.stretch(text, start, end)
    if node.style == "":
        whole = value[:start] + edit.new + value[end:]
        return in_plain(text, node, (begin, stop, edit.new), whole, in_flow)
    if node.style == "'":
        return (begin, stop, edit.new.replace("'", "''")) if printable(edit.new) else None
    if node.style == '"':
        return begin, stop, escaped(edit.new)
    return (begin, stop, edit.new) if printable(edit.new) and value else None


def in_plain(text: str, node: TextNode, raw: Raw, whole: str, in_flow: bool) -> Raw:
    """Return the edit, if its result needs no quotes; else the edit that quotes the whole."""
    begin, stop, new = raw
    now = text[node.start : begin] + new + text[stop : node.end]
    try:
        fine = reads_as(now, whole, in_flow) and (
            isinstance(plain(whole), str) or not isinstance(plain(node.value or ""), str)
        )
    except OutOfRange:
        fine = False
    return raw if fine else (node.start, node.end, quotes(whole))


def reads_as(written: str, value: str, in_flow: bool) -> bool:
    """Return whether an unquoted text is read as one scalar with this value."""
    found = []
    try:
        get = events(f"[{written}]" if in_flow else f"k: {written}")
        while True:
            event = get()
            if event.__class__ is yaml.StreamEndEvent:
                break
            if event.__class__ is yaml.ScalarEvent:
                found.append(event)
    except YAMLError:
        return False
    last = found[-1] if found else None
    return last is not None and len(found) == (1 if in_flow else 2) and last.value == value and not last.style


def printable(text: str) -> bool:
    return not re.search(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff]", text)


def quotes(value: str) -> str:
    """Return a quoted text: in single quotes if double ones would require escapes."""
    if printable(value) and ('"' in value or "\\" in value):
        return "'" + value.replace("'", "''") + "'"
    return f'"{escaped(value)}"'


def escaped(value: str) -> str:
    return "".join(
        ESCAPES.get(each) or (each if printable(each) else f"\\u{ord(each):04x}") for each in value
    )
