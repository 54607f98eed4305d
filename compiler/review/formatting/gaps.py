"""What stands between keys and values: comments, empty lines and the lines that begin and end a document."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.source_tree import column

__all__ = ["Comment", "Gap", "comments_below", "gap_between", "trailing_comment"]

TRAILING: Final = re.compile(r"[ \t,:]*(#[^\n]*)")
PIECE: Final = re.compile(r"(?P<line>\n)|(?P<comment>#[^\n]*)|(?P<anchor>&[^\s,\[\]{}]+)|[^\n#&]+|&")
MARKER: Final = re.compile(r"(?:---|\.\.\.)(?=\s|\Z)|%[^\n]*")
ONLY_COMMENT: Final = re.compile(r"[ \t]*(#[^\n]*)?(\n|\Z)")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, and how far its ``#`` stands from where its line begins."""

    text: str
    column: int


@dataclass(frozen=True, slots=True)
class Gap:
    """What stands between two places.

    Args:
        trailing: The comment on the first place's line.
        lines: The lines below it, as they are to be written: comments, ``---`` and its like, and an empty text where
            one or more lines are empty.
    """

    trailing: Comment | None
    lines: list[str]


def gap_between(text: str, start: int, end: int) -> Gap:
    """Return what stands between two places of a text; brackets, dashes, colons and commas do not count."""
    trailing: Comment | None = None
    lines: list[str] = []
    at, fresh, used = start, start == 0, start > 0
    while at < end:
        if fresh and (marker := MARKER.match(text, at, end)):
            lines.append(marker.group().rstrip(" \t"))
            at, fresh, used = marker.end(), False, True
            continue
        match = PIECE.match(text, at, end)
        assert match is not None
        at = match.end()
        if match["line"]:
            if not used and fresh:
                blank(lines)
            fresh, used = True, False
        elif match["comment"]:
            comment = match["comment"].rstrip(" \t")
            if used and not lines and start > 0 and "\n" not in text[start : match.start()]:
                trailing = Comment(comment, offset(text, match.start()))
            elif used and lines and MARKER.match(lines[-1]):
                lines[-1] += f"  {comment}"
            else:
                lines.append(comment)
            fresh, used = False, True
        else:
            fresh = fresh and not match.group().strip(" \t")
            used = used or not fresh
    return Gap(trailing, lines)


def offset(text: str, at: int) -> int:
    begin = at - column(text, at)
    return at - begin - len(text[begin:at]) + len(text[begin:at].lstrip(" "))


def blank(lines: list[str]) -> None:
    if lines[-1:] != [""]:
        lines.append("")


def trailing_comment(text: str, at: int) -> tuple[Comment | None, int]:
    """Return the comment that follows a place on its line, and where it ends; without one, the place itself."""
    match = TRAILING.match(text, at)
    if match is None:
        return None, at
    return Comment(match[1].rstrip(" \t"), offset(text, match.start(1))), match.end()


def comments_below(text: str, at: int, least: int) -> tuple[list[str], int]:
    """Return the comments that follow on lines of their own, and where the last of them ends.

    Args:
        at: The end of something, or of the comment behind it.
        least: The least column of their ``#``. The first comment left of it ends them.
    """
    lines: list[str] = []
    pending: list[str] = []
    end = at
    line = text.find("\n", at)
    if line < 0 or text[at:line].strip(" \t,"):
        return lines, end
    at = line + 1
    while at < len(text) and (match := ONLY_COMMENT.match(text, at)):
        if match[1]:
            if match.start(1) - at < least:
                break
            lines += [*pending, match[1].rstrip(" \t")]
            pending = []
            end = match.end(1)
        else:
            blank(pending)
        at = match.end()
    return lines, end
