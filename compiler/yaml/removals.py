"""Removal of entries of maps and items of lists, with what belongs to them and nothing else."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from wfc.compiler.yaml.positions import TextNode

__all__ = ["removal"]

Way = list[tuple[TextNode | None, TextNode]]
DASH: Final = re.compile(r"[ ]*-[ ]+")


def removal(text: str, way: Way) -> tuple[int, int, str] | None:
    """Return the edit that removes the last place of a path; a map or a list left empty by it is removed too.

    ``None`` where that cannot be done without touching something else, such as a comment between braces.
    """
    while len(way) > 1:
        _, owner = way[-2]
        parts = parts_of(owner)
        if len(parts) > 1 or len(way) == 2:
            break
        way = way[:-1]
    else:
        return None
    if len(parts) < 2:
        return None
    start, end = extent(text, way[-1])
    at = bisect_left(parts, begin(way[-1]), key=begin)
    if at == len(parts) or parts[at][1] is not way[-1][1]:
        return None
    following = extent(text, parts[at + 1])[0] if at + 1 < len(parts) else None
    if text[owner.start : owner.start + 1] in {"{", "["}:
        if following is None:
            start = extent(text, parts[at - 1])[1]
            return (start, end, "") if "#" not in text[start:end] else None
        return (start, following, "") if "#" not in text[end:following] else None
    return lines(text, start, end, following if owner.entries is not None else None)


def parts_of(owner: TextNode) -> list[tuple[TextNode | None, TextNode]]:
    """Return the entries or items in order, each once: a misspelt key stands for two names."""
    if owner.parts is None:  # kept, for each of them may have a finding
        every: list[tuple[TextNode | None, TextNode]] = [(None, item) for item in owner.items or ()]
        every += (owner.entries or {}).values()
        found: dict[int, tuple[TextNode | None, TextNode]] = {}
        for part in every:
            found.setdefault(begin(part), part)
        owner.parts = [found[start] for start in sorted(found)]
    return owner.parts


def begin(part: tuple[TextNode | None, TextNode]) -> int:
    """Return where an entry or an item begins."""
    key, value = part
    return value.start if key is None else key.start


def extent(text: str, part: tuple[TextNode | None, TextNode]) -> tuple[int, int]:
    key, value = part
    end = value.end
    if value.style in {"|", ">"}:
        end = value.start + len(text[value.start : value.end].rstrip())
    if key is None:
        return value.start, end
    colon = text.find(":", key.end) + 1
    return key.start, max(end, colon)


def lines(text: str, start: int, end: int, following: int | None) -> tuple[int, int, str] | None:
    """Return the whole lines of an entry or an item in block style, with a comment after it."""
    begin = text.rfind("\n", 0, start) + 1
    before = text[begin:start]
    if before.strip(" "):
        if following is not None:  # the first key of an item: what follows takes its place
            return start, following, ""
        if not DASH.fullmatch(before):
            return None
    stop = text.find("\n", end)
    if stop < 0:
        return max(0, begin - 1), len(text), ""
    rest = text[end:stop].strip(" \t\r")
    if rest and not rest.startswith("#"):
        return None
    return begin, stop + 1, ""
