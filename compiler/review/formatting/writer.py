"""The canonical form of a document, line by line."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from wfc.compiler.review.formatting.block_scalars import block_scalar
from wfc.compiler.review.formatting.gaps import Comment, comments_below, gap_between, trailing_comment
from wfc.compiler.review.formatting.key_order import in_order
from wfc.compiler.review.formatting.one_line import on_one_line, reorderable
from wfc.compiler.review.formatting.scalars import written
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.source_tree import SourceNode, column
from wfc.compiler.yaml.truncation import CONDITIONS

__all__ = ["WIDTH", "Writer"]

WIDTH: Final = 120
"""How wide a line with brackets may be."""

DEPTH: Final = 2
LARGE: Final = 4 * WIDTH
"""So many characters but for spaces fill more than a line, whatever quotes are left out."""

SUPPRESSION: Final = re.compile(r"#[ \t]*wfc:[ \t]*ignore\b")

FILLING: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
SAFE_COMMENT: Final = re.compile(r"#(?:[ \t#!]|\Z)")

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Owner:
    """The key or the dash that a value belongs to.

    Args:
        prefix: How it begins the line: a key with its colon, or a dash.
        indent: Of it in the canonical form.
        column: Of it in the text.
        path: The keys that lead to the value.
        dash: Whether it is a dash.
    """

    prefix: str
    indent: int
    column: int
    path: Path
    dash: bool = False


@dataclass(slots=True)
class Chunk:
    """The lines of an entry: those above it, and its own.

    Args:
        keeps: Whether it ends with a block that takes the empty lines behind it.
    """

    above: list[str]
    own: list[str]
    key: str
    keeps: bool


class Writer:
    """The lines written so far, and the place in the text up to which everything is written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: list[str] = []
        self.commentable = False  # whether the last line may have a comment behind it
        self.keeps = False  # whether the last line belongs to a block that takes the empty lines behind it
        self.open = False  # whether a line break at the end would change the last block
        self.suppressed = (
            False  # whether a comment is about findings in the next line, so that it must stay one
        )

    def document(self, root: SourceNode) -> str:
        """Return the whole document in its canonical form."""
        if root.anchor:
            self.lines.append(root.anchor)
        self.collection(root, Owner("", -DEPTH, -1, ()), "")
        tail = gap_between(self.text, self.at, len(self.text))
        if tail.trailing is not None:
            self.comment(tail.trailing)
        lines = [*self.lines, *tail.lines]
        while not self.keeps and lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines) + ("" if self.open and not tail.lines else "\n")

    def collection(self, node: SourceNode, owner: Owner, first: str) -> None:
        """Write a map or a list without brackets.

        Args:
            first: What stands before its first key or dash on the same line; empty if that begins a line.
        """
        indent, start = owner.indent + DEPTH, len(self.lines)
        at_column = column(self.text, node.start if node.style == "list" else begin_of(node.parts[0]))
        chunks: list[Chunk] = []
        for number, (key, value) in enumerate(node.parts):
            before = len(self.lines)
            begin = begin_of((key, value))
            if node.style == "list":
                found = FILLING.match(self.text, self.at) if number else None
                begin = found.end() if found else node.start
            self.above(begin, indent, opening=not number)
            own = len(self.lines)
            prefix = first if first and not number else " " * indent
            if key is None:
                self.at += node.style == "list"
                self.value(value, Owner(f"{prefix}-", indent, at_column, owner.path, dash=True))
            else:
                self.at = key.end
                name, path = written(self.text, key), (*owner.path, key.value)
                self.value(value, Owner(f"{prefix}{name}:", indent, at_column, path))
            chunks.append(
                Chunk(self.lines[before:own], self.lines[own:], key.value if key else "", self.keeps)
            )
        self.arrange(node, owner.path, chunks, start)
        flat = node.style == "list" and at_column == owner.column
        self.close(node, indent, at_column + flat)

    def arrange(self, node: SourceNode, path: Path, chunks: list[Chunk], start: int) -> None:
        """Put the keys of a step in order, and an empty line between two steps."""
        if path == ("steps",):
            for before, after in pairwise(chunks):
                if "" not in after.above and not before.keeps and max(len(before.own), len(after.own)) > 1:
                    after.above.insert(0, "")
        elif is_step(path) and node.style in {"map", "{"} and reorderable(self.text, node):
            chunks = ordered(chunks)
        else:
            return
        self.lines[start:] = [line for chunk in chunks for line in (*chunk.above, *chunk.own)]

    def close(self, node: SourceNode, indent: int, least: int) -> None:
        """Write the comments at the end of a collection that belong to it.

        Args:
            least: The column that they begin at or right of.
        """
        if node.in_brackets:
            gap = gap_between(self.text, self.at, node.end)
            self.at = node.end
            self.remains(gap.trailing, [line for line in gap.lines if line], indent)
        elif not self.keeps:
            lines, self.at = comments_below(self.text, self.at, least)
            self.remains(None, lines, indent)

    def above(self, end: int, indent: int, *, opening: bool) -> None:
        """Write what stands above an entry."""
        gap = gap_between(self.text, self.at, end)
        self.at = end
        lines = gap.lines
        while opening and lines and not lines[0]:
            lines = lines[1:]
        self.remains(gap.trailing, lines, indent)
        said = next((line for line in reversed(lines) if line), "")
        self.suppressed = SUPPRESSION.match(said) is not None

    def remains(self, trailing: Comment | None, lines: list[str], indent: int) -> None:
        """Write what stands between two places."""
        if trailing is not None:
            self.comment(trailing)
        for line in lines:
            if line:
                marker = not line.startswith("#")
                self.line(line if marker else " " * indent + line)
                self.commentable = marker
            elif self.lines[-1:] != [""]:
                self.line("")

    def value(self, node: SourceNode, owner: Owner) -> None:
        """Write a value behind its key or dash, with the comment behind it."""
        if node.absent:
            self.line(f"{owner.prefix} {node.anchor}" if node.anchor else owner.prefix)
            self.at = max(self.at, node.end)
        else:
            self.present(node, owner)
        after = self.at
        found, self.at = trailing_comment(self.text, after)
        if found is None:
            return
        if node.style == "" and self.text[after] == "," and seems_part(found.text, node.value, owner.path):
            self.remains(None, [found.text], owner.indent)
        else:
            self.comment(found)

    def present(self, node: SourceNode, owner: Owner) -> None:
        """Write a value that is there."""
        begin, self.at = self.at, node.start
        gap = gap_between(self.text, begin, node.start)
        below = "\n" in self.text[begin : node.start]
        commented = gap.trailing is not None or any(gap.lines)
        said = self.short(node, owner, apart=commented)
        wide = len(owner.prefix) + 1 + len(said) > WIDTH
        prefix = owner.prefix
        if commented or (said and below and wide and not node.in_brackets):
            self.line(f"{prefix} {node.anchor}" if node.anchor and node.collects and not said else prefix)
            if node.collects and not said:
                self.remains(gap.trailing, [], 0)
                self.at = begin if gap.trailing is None else self.text.index("\n", begin)
            else:
                self.remains(gap.trailing, [line for line in gap.lines if line], owner.indent + DEPTH)
            prefix = " " * (owner.indent + DEPTH - 1)
            commented = True
        if said:
            self.line(f"{prefix} {said}")
            if node.collects and not node.parts:
                inside = gap_between(self.text, node.start, node.end)
                self.remains(inside.trailing, [line for line in inside.lines if line], owner.indent + DEPTH)
            self.at = node.end
        elif node.collects:
            self.nested(node, owner, commented)
        elif node.style in {"|", ">"}:
            self.block(node, owner, prefix)
        else:
            self.several_lines(node, owner, prefix)

    def nested(self, node: SourceNode, owner: Owner, commented: bool) -> None:
        """Write a map or a list below its key, or beginning behind its dash."""
        first = ""
        about, end = trailing_comment(self.text, node.end) if node.in_brackets else (None, 0)
        if about is not None:  # it is about the whole, and not about the last line in it
            if not commented:
                self.line(f"{owner.prefix} {node.anchor}" if node.anchor else owner.prefix)
            self.comment(about)
        elif not commented:
            inside = gap_between(
                self.text, node.start, begin_of(node.parts[0]) if node.in_brackets else node.start
            )
            if owner.dash and not node.anchor and inside.trailing is None and not any(inside.lines):
                first = f"{owner.prefix} "
            else:
                self.line(f"{owner.prefix} {node.anchor}" if node.anchor else owner.prefix)
        self.collection(node, owner, first)
        self.at = max(self.at, end)

    def block(self, node: SourceNode, owner: Owner, prefix: str) -> None:
        """Write a block scalar; only its indentation changes."""
        scalar = block_scalar(self.text, node.start, owner.column)
        header = f"{scalar.header[0]}{DEPTH}{scalar.header[1:]}" if scalar.counted else scalar.header
        said = f"{node.anchor} {header}" if node.anchor else header
        self.line(f"{prefix} {said}" + (f"  {scalar.comment}" if scalar.comment else ""))
        indent = " " * (owner.indent + DEPTH)
        for line in scalar.lines:
            self.line(indent + line if line else "")
        self.at = scalar.end
        self.commentable = False
        self.keeps = "+" in scalar.header
        self.open = scalar.open

    def several_lines(self, node: SourceNode, owner: Owner, prefix: str) -> None:
        """Write a text of several lines that is no block."""
        indent = " " * (owner.indent + DEPTH)
        head, *rest = self.text[node.start : node.end].split("\n")
        self.line(f"{prefix} {node.anchor} {head}" if node.anchor else f"{prefix} {head}")
        for line in rest:
            said = line.lstrip(" \t")
            self.line(indent + said if said else "")
        self.at = node.end

    def short(self, node: SourceNode, owner: Owner, *, apart: bool) -> str:
        """Return a value on one line, if it is to stand on one; else an empty text.

        Args:
            apart: Whether it stands on a line below its key.
        """
        stays = node.in_brackets and "\n" not in self.text[node.start : node.end]
        stays = stays and (self.suppressed or trailing_comment(self.text, node.end)[0] is not None)
        if node.parts and node.in_brackets and not stays and self.crowded(node):
            return ""
        said = on_one_line(self.text, node, step=is_step(owner.path) and not owner.dash)
        if not said or not node.in_brackets or not node.parts or stays:
            return said  # a comment on its line, or a suppression above it, is about that line
        if self.has_comments(node):
            return ""
        width = owner.indent + DEPTH if apart else len(owner.prefix) + 1
        return said if width + len(said) <= WIDTH else ""

    def crowded(self, node: SourceNode) -> bool:
        """Return whether a collection in brackets is surely too long for one line, which is told without writing it."""
        if node.end - node.start < LARGE:
            return False
        return len("".join(self.text[node.start : node.end].split())) > LARGE

    def has_comments(self, node: SourceNode) -> bool:
        """Return whether comments stand between the brackets of a collection."""
        if "#" not in self.text[node.start : node.end]:
            return False
        at = node.start
        scalars = sorted((each.start, each.end) for each in node.all() if not each.collects)
        for start, end in [*scalars, (node.end, node.end)]:
            if "#" in self.text[at:start]:
                return True
            at = max(at, end)
        return False

    def line(self, line: str) -> None:
        self.lines.append(line)
        self.commentable = bool(line)
        self.keeps = self.open = False

    def comment(self, found: Comment) -> None:
        """Write a comment behind the last line, in its column if that is free; else below."""
        last = self.lines[-1] if self.lines else ""
        indent = len(last) - len(last.lstrip(" "))
        if self.commentable:
            self.lines[-1] = last.ljust(max(len(last) + 2, indent + found.column)) + found.text
        else:
            self.lines.append(" " * indent + found.text)
        self.commentable = False


def begin_of(part: tuple[SourceNode | None, SourceNode]) -> int:
    """Return where an entry or an item begins, without its dash."""
    key, value = part
    return value.start if key is None else key.start


def seems_part(comment: str, value: str, path: Path) -> bool:
    """Return whether a comment right behind an unquoted text would be taken for a part of it."""
    clear = SAFE_COMMENT.match(comment) and "${{" not in comment
    return not clear or not CONDITIONS.isdisjoint(path[-1:]) or "${{" in value


def is_step(path: Path) -> bool:
    return len(path) == 2 and path[0] == "steps"


def ordered(chunks: list[Chunk]) -> list[Chunk]:
    """Return the entries of a step in order; empty lines divide them into groups, which stay where they are."""
    made: list[Chunk] = []
    group: list[Chunk] = []
    for chunk in chunks:
        if "" in chunk.above:
            made += in_group(group)
            group = []
        group.append(chunk)
    return made + in_group(group)


def in_group(group: list[Chunk]) -> list[Chunk]:
    if not group:
        return group
    first = group[0]
    until = len(first.above) - first.above[::-1].index("") if "" in first.above else 0
    head, first.above = first.above[:until], first.above[until:]
    moved = [group[at] for at in in_order([chunk.key for chunk in group])]
    moved[0].above = head + moved[0].above
    return moved
