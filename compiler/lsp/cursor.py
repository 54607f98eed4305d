"""Where the cursor stands in a text that may be unfinished: below which keys, and what is being typed there."""

from __future__ import annotations

import re
from typing import Final, Literal

from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.truncation import CONDITIONS

__all__ = ["Cursor", "cursor_at", "without_line"]

KEY: Final = r"""(?P<key>[^\s#'"\[\]{},:]+|'[^']*'|"[^"]*")"""
LINE: Final = re.compile(rf"(?P<dashes>(?:[ ]*-(?=[ ]|\Z))*)[ ]*(?:{KEY}[ ]*:(?=[ ]|\Z))?")
TYPED: Final = re.compile(rf"(?P<dashes>(?:[ ]*-(?=[ ]))*)[ ]*{KEY}:(?=[A-Za-z_][\w.]*\Z)")
"""A key whose value is being typed without a blank before it."""
WORD: Final = re.compile(r"[^\s\[\]{},:'\"|]*\Z")
DOTTED: Final = re.compile(r"[A-Za-z_][\w.]*\Z|\Z")
HOLES: Final = (("${{", "}}"), ("{%", "%}"))
MOST_LINES: Final = 20_000
"""So many lines above the cursor are looked at."""

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cursor:
    """The cursor's place.

    Args:
        path: The keys around it; of a value, with its own key. Items of lists do not count.
        kind: Whether a key, a value, or a name within an expression is being typed.
        word: What is there of it; of an expression, all of a dotted name.
        start: Where the word begins in the text.
        before: What of the expression stands before the word.
    """

    path: Path
    kind: Literal["key", "value", "expression"]
    word: str
    start: int
    before: str = ""


def cursor_at(text: str, offset: int) -> Cursor:
    """Return where the cursor stands."""
    begin = text.rfind("\n", 0, offset) + 1
    line = text[begin:offset]
    found = TYPED.match(line) or LINE.match(line)
    assert found is not None
    dashed = bool(found["dashes"])
    column = len(line) - len(line.lstrip(" -"))
    outer = keys_above(text[: max(begin - 1, 0)], column, dashed=dashed, first=found["dashes"].find("-"))
    path = (*outer, found["key"].strip("'\"")) if found["key"] else outer
    rest = line[found.end() :]
    for opening, closing in HOLES:
        opened = line.rfind(opening)
        if opened >= 0 and closing not in line[opened:]:
            inner = path_within(path, rest[: max(0, opened - found.end())])[0]
            return in_expression(inner, line[opened + len(opening) :], offset)
    path, is_key = (
        path_within(path, rest) if found["key"] or dashed or rest[:1] in {"{", "["} else (path, True)
    )
    if not is_key and path[-1:] and path[-1] in CONDITIONS:
        said = re.split(r"[{,]\s*[\w-]+:", rest)[-1]
        return in_expression(path, said.lstrip(" \"'"), offset)
    word = WORD.search(line)
    assert word is not None
    return Cursor(path, "key" if is_key else "value", word.group(), begin + word.start())


def in_expression(path: Path, said: str, offset: int) -> Cursor:
    word = DOTTED.search(said)
    assert word is not None
    return Cursor(path, "expression", word.group(), offset - len(word.group()), said[: word.start()].rstrip())


def keys_above(text: str, column: int, *, dashed: bool, first: int) -> Path:
    """Return the keys that a line below some text belongs to.

    Args:
        column: Of what the line begins with, behind its dashes.
        dashed: Whether it has dashes.
        first: The column of the first of them.
    """
    path: list[str] = []
    limit, as_item = (first, True) if dashed else (column, False)
    lines = text.split("\n")[-MOST_LINES:]
    for line in reversed(lines):
        stripped = line.lstrip(" ")
        if not stripped or stripped.startswith("#"):
            continue
        found = LINE.match(line)
        assert found is not None
        key_column = len(line) - len(line.lstrip(" -")) if found["dashes"] else len(line) - len(stripped)
        if found["key"] and (key_column < limit or (as_item and key_column == limit and not found["dashes"])):
            path.append(found["key"].strip("'\""))
            limit, as_item = key_column, False
        if found["dashes"] and (dash := line.find("-")) < limit:
            limit, as_item = dash, True
        if limit == 0 and not as_item:
            break
    return tuple(reversed(path))


def path_within(path: Path, rest: str) -> tuple[Path, bool]:
    """Return the keys around the end of a value on one line, and whether a key is being typed there."""
    stack: list[tuple[str, Path]] = []
    here, is_key, quote, word = path, False, "", ""
    for each in rest:
        if quote:
            quote = "" if each == quote else quote
        elif each in "'\"" and not word.strip():
            quote = each
        elif each in "{[":
            stack.append((each, here))
            is_key, word = each == "{", ""
        elif each in "}]" and stack:
            here = stack.pop()[1]
            is_key, word = False, ""
        elif each == "," and stack:
            here, is_key, word = stack[-1][1], stack[-1][0] == "{", ""
        elif each == ":" and is_key and stack:
            here, is_key, word = (*stack[-1][1], word.strip()), False, ""
        else:
            word += each
    return here, is_key


def without_line(text: str, offset: int) -> str:
    """Return a text with the cursor's line left empty, which often can be read where the text cannot."""
    begin = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return text[:begin] + (text[end:] if end >= 0 else "")
