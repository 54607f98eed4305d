"""What stands around the cursor in the entry that is being written, read from its part before the cursor.

Of a list there is the one item that the cursor is in, so that what an entry says decides what may follow in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.lsp.cursor import LINE, Cursor
from wfc.compiler.lsp.documents import data_of

__all__ = ["entry_at", "keys_after", "merged"]

HERE: Final = "wfc_is_typed_here"
LONGEST: Final = 20_000
"""How far before the cursor an entry may begin."""

TOP: Final = re.compile(r"^[^\s#-]", re.MULTILINE)


def entry_at(text: str, cursor: Cursor) -> Mapping[str, Any] | None:
    """Return the entry around a cursor, as it is written before it; ``None`` if it cannot be read."""
    before = entry_before(text, cursor.start)
    if before is None:
        return None
    blank = " " if before.endswith(":") else ""  # with which what is typed there comes in
    typed = f"{before}{blank}{HERE}" + (": x" if cursor.kind == "key" else "")
    found = data_of("wfc: 1\n" + closed(typed))
    if not isinstance(found, dict) or not stands_in(found):
        return None
    found.pop("wfc", None)
    return pruned(found)  # type: ignore[no-any-return]


def keys_after(text: str, start: int) -> Iterator[str]:
    """Yield the keys of the lines behind a place that belong to the same map, which has no brackets."""
    begin = text.rfind("\n", 0, start) + 1
    column = len(text[begin:start]) - len(text[begin:start].lstrip(" -"))
    for line in text[start : start + LONGEST].split("\n")[1:]:
        found = LINE.match(line)
        assert found is not None
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and indent < column and not line.lstrip().startswith("#"):
            return
        if found["key"] and not found["dashes"] and indent == column:
            yield found["key"].strip("'\"")


def entry_before(text: str, start: int) -> str | None:
    """Return the entry before a place, below the key of its section; ``None`` if it is too long."""
    tops = [each.start() for each in TOP.finditer(text[:start])]
    if not tops:
        return None
    section = tops[-1]
    if start - section <= LONGEST:
        return text[section:start]
    head = text[section : text.find("\n", section) + 1]
    lines = text[max(start - LONGEST, section + len(head)) : start].split("\n")[1:]
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if 0 < len(line) - len(line.lstrip(" ")) <= 2 and line.lstrip(" ")[:1] not in {"", "#", "-"}:
            return head + "\n".join(lines[number:])
    return None


def closed(text: str) -> str:
    """Return a text with all brackets and quotes closed that are open at its end."""
    closing: list[str] = []
    quote, block = "", -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        if block >= 0 and (indent > block or not line.strip()):
            continue  # of a block of text
        block = -1
        rest = line
        if not closing and not quote:
            found = LINE.match(line)
            assert found is not None
            rest = line[found.end() :].lstrip(" ")
            if rest[:1] in {"|", ">"}:
                block = len(line) - len(line.lstrip(" -")) if found["dashes"] else indent
                continue
            if rest[:1] not in {"{", "[", "'", '"'}:
                continue
        before = " "
        for each in rest:
            if quote:
                quote = "" if each == quote else quote
            elif each in "'\"" and before in " {[,:":
                quote = each
            elif each in "{[" and before in " {[,:":
                closing.append("}" if each == "{" else "]")
            elif closing and each == closing[-1]:
                closing.pop()
            elif each == "#" and before == " ":
                break
            before = each
    return text + quote + "".join(reversed(closing))


def stands_in(data: Any) -> bool:
    """Return whether what is typed is in data: as a key, as a value, or within one."""
    waiting = [data]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str) and HERE in each:
            return True
        if isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, list):
            waiting += each
    return False


def pruned(data: Any) -> Any:
    """Return data without what is typed, and of each list only the item that it is in."""
    if isinstance(data, dict):
        return {
            key: None if isinstance(each, str) and HERE in each else pruned(each)
            for key, each in data.items()
            if not (isinstance(key, str) and HERE in key)
        }
    if isinstance(data, list):
        return [None if isinstance(each, str) else pruned(each) for each in data if stands_in(each)] or data
    return data


def merged(known: Any, near: Any) -> Any:
    """Return what is near with what else is known at the same place, such as the keys behind the cursor."""
    if not isinstance(known, Mapping) or not isinstance(near, dict):
        return near
    return {**known, **{key: merged(known.get(key), each) for key, each in near.items()}}
