"""Plain data → YAML, in styles that chance chooses, knowing where each character of one text is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from wfc.compiler.diagnostics import Address
from wfc.compiler.yaml.scalars import plain

__all__ = ["STYLES", "Written", "written"]

STYLES = ("", "'", '"', "|", ">")
REMARKS = ("# 漢字 😀", "#", "# e\u0301 \U0001f1e9\U0001f1ea", "#\ttab", "# ${{ x }} {{", "# a: 'b")
NAMED = {"\n": "n", "\t": "t", '"': '"', "\\": "\\", " ": " ", "/": "/"}
INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@` \t")
SAFE_NEXT = re.compile(r"\w", re.ASCII)

Spot = tuple[int, int]


@dataclass
class Written:
    """A document.

    Args:
        text: Without a byte order mark.
        spots: Where each character of the watched text is written; ``whole`` with its quotes.
        style: Of the watched text.
    """

    text: str
    spots: list[Spot]
    whole: Spot
    style: str


def written(chance: Random, data: dict[str, Any], watched: Address, style: str) -> Written:
    """Data as YAML.

    Args:
        watched: The address of the text whose characters are looked for.
        style: In which it is written if it can be; else in another.
    """
    writer = Writer(chance, watched, style)
    if chance.random() < 0.1:
        writer.put("--- # 漢\n" if chance.random() < 0.5 else "---\n")
    writer.block_map(data, (), 0)
    if writer.owed or chance.random() < 0.7:
        writer.put("\n")
    return Written("".join(writer.parts), writer.spots, writer.whole, writer.used)


@dataclass
class Writer:
    """What is written so far."""

    chance: Random
    watched: Address
    style: str
    newline: str = field(init=False)
    parts: list[str] = field(default_factory=list)
    length: int = 0
    spots: list[Spot] = field(default_factory=list)
    whole: Spot = (0, 0)
    used: str = "none"
    anchors: int = 0
    kept: bool = False  # whether blank lines here would belong to a text
    owed: bool = False  # whether a line break must follow, because a text ends in it

    def __post_init__(self) -> None:
        self.newline = self.chance.choice(["\n", "\n", "\r\n", "\r"])

    def put(self, text: str) -> None:
        text = text.replace("\n", self.newline)
        self.parts.append(text)
        self.length += len(text)

    def line(self, indent: int) -> None:
        """Begin a line, perhaps with remarks or nothing above it."""
        if self.length:
            self.put("\n")
        while not self.kept and self.length and self.chance.random() < 0.04:
            self.put(self.chance.choice(["", " " * indent]) + self.chance.choice(["", *REMARKS]) + "\n")
        self.kept = self.owed = False
        self.put(" " * indent)

    def likely(self, share: float) -> bool:
        return self.chance.random() < share

    def anchor(self) -> str:
        if not self.likely(0.04):
            return ""
        self.anchors += 1
        return f"&a{self.anchors}"

    def space(self, after: str) -> str:
        blanks = [" ", " ", " ", "  "]
        return self.chance.choice([*blanks, "\t", " \t "] if after == "key:" else blanks)

    # --- collections

    def holds_watched(self, address: Address) -> bool:
        return self.watched[: len(address)] == address

    def is_flow(self, address: Address) -> bool:
        if self.holds_watched(address) and self.style in {"|", ">"}:
            return False
        return self.likely(0.12 if len(address) > 1 else 0.02)

    def value(self, value: Any, address: Address, indent: int, *, after: str) -> None:
        """A value in block style.

        Args:
            indent: Of the map or list that it is in.
            after: What stands before it in its line: ``key:``, ``:`` or ``-``.
        """
        anchor = self.anchor()
        if value and isinstance(value, (dict, list)) and not self.is_flow(address):
            self.put(f" {anchor}" if anchor else "")
            deeper = indent + self.chance.randint(1, 4)
            if isinstance(value, dict):
                if after == "-" and not anchor and self.likely(0.7):
                    self.put(" ")
                    self.block_map(value, address, indent + 2, begun=True)
                    return
                self.remark()
                self.block_map(value, address, deeper)
                return
            self.remark()
            same = after == "key:" and self.likely(0.3) and len(address) > 0
            self.block_list(value, address, indent if same else deeper)
            return
        self.put(self.space(after) + (f"{anchor} " if anchor else ""))
        if isinstance(value, str):
            self.scalar(value, address, indent, flow=False)
        else:
            self.flow(value, address, indent)

    def remark(self) -> None:
        if self.likely(0.05):
            self.put(" " + self.chance.choice(REMARKS))

    def block_map(self, data: dict[str, Any], address: Address, indent: int, *, begun: bool = False) -> None:
        for key, value in data.items():
            if not begun:
                self.line(indent)
            begun = False
            simple = not isinstance(value, (dict, list)) or not value
            asked = simple and self.likely(0.02)
            self.put("? " if asked else "")
            self.key(key)
            if asked:
                self.line(indent)
            self.put(":")
            self.value(value, (*address, key), indent, after=":" if asked else "key:")

    def block_list(self, data: list[Any], address: Address, indent: int) -> None:
        for index, value in enumerate(data):
            self.line(indent)
            self.put("-")
            self.value(value, (*address, index), indent, after="-")

    def key(self, key: str) -> None:
        style = self.chance.choice(["", "", "", "'", '"'])
        if style == "" and not may_be_plain(key, flow=True):
            style = '"'
        if style == "'":
            key = key.replace("'", "''")
        elif style == '"':
            key = key.replace("\\", "\\\\").replace('"', '\\"')
        self.put(f"{style}{key}{style}")

    def flow(self, value: Any, address: Address, indent: int) -> None:
        """A value between braces or brackets, or one that is no text."""
        if isinstance(value, str):
            self.scalar(value, address, indent, flow=True)
        elif isinstance(value, (dict, list)):
            is_map = isinstance(value, dict)
            self.put("{" if is_map else "[")
            pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
            for number, (step, each) in enumerate(pairs):
                self.put("," if number else "")
                self.gap(indent, number > 0)
                if is_map:
                    self.key(str(step))
                    self.put(": ")
                anchor = self.anchor()
                self.put(f"{anchor} " if anchor else "")
                self.flow(each, (*address, step), indent)
            self.put(",") if pairs and self.likely(0.05) else None
            self.gap(indent, False)
            self.put("}" if is_map else "]")
        else:
            self.put(
                "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
            )

    def gap(self, indent: int, needed: bool) -> None:
        if self.likely(0.1):
            self.put("\n" + " " * (indent + self.chance.randint(1, 5)))
        else:
            self.put(" " if needed else self.chance.choice(["", "", " "]))

    # --- texts

    def scalar(self, value: str, address: Address, indent: int, *, flow: bool) -> None:
        watched = address == self.watched
        able = [each for each in STYLES if ABLE[each](value, flow)]
        wanted = self.style if watched else self.chance.choice(["", "", "'", '"', "|", ">"])
        style = wanted if wanted in able else self.chance.choice(able)
        spots: list[Spot] = []
        start = self.length
        if style in {"|", ">"}:
            self.block_scalar(value, indent, style, spots)
        else:
            self.flow_scalar(value, indent, style, spots)
        if watched:
            self.spots, self.whole, self.used = spots, (start, self.length), style

    def one(self, text: str, spots: list[Spot]) -> None:
        start = self.length
        self.put(text)
        spots.append((start, self.length))

    def flow_scalar(self, value: str, indent: int, style: str, spots: list[Spot]) -> None:
        self.put(style)
        write: Callable[[str, list[Spot]], None] = self.escaped if style == '"' else self.one
        broken = self.likely(0.3)
        position = 0
        while position < len(value):
            letter = value[position]
            if (
                letter == "\n"
                and (style != '"' or foldable(value, position))
                and self.likely(0.8 if style == '"' else 1)
            ):
                position = self.blank_lines(value, position, indent, style, spots)
                continue
            if letter == " " and broken and self.likely(0.2) and may_break(value, position, style):
                self.one("\n", spots)
                self.put(" " * (indent + self.chance.randint(1, 6)))
            elif letter == "'" and style == "'":
                self.one("''", spots)
            else:
                if style == '"' and broken and position > 0 and letter not in " \t\n" and self.likely(0.03):
                    self.put("\\\n" + " " * (indent + self.chance.randint(1, 6)))
                write(letter, spots)
            position += 1
        self.put(style)

    def blank_lines(self, value: str, position: int, indent: int, style: str, spots: list[Spot]) -> int:
        """Line breaks of a value in a flow style: one more than there are."""
        self.put("\n")
        while position < len(value) and value[position] == "\n":
            self.put(self.chance.choice(["", " ", "\t"] if style else ["", " "]))
            self.one("\n", spots)
            position += 1
        self.put(" " * (indent + self.chance.randint(1, 6)))
        return position

    def escaped(self, letter: str, spots: list[Spot]) -> None:
        must = letter in '"\\\n\r' or (letter == "\t" and self.likely(0.5))
        if not must and not self.likely(0.05):
            self.one(letter, spots)
            return
        code = ord(letter)
        forms = [f"\\U{code:08x}"]
        if code < 0x10000:
            forms.append(f"\\u{code:04X}")
        if code < 0x100:
            forms.append(f"\\x{code:02x}")
        if letter in NAMED:
            forms += [f"\\{NAMED[letter]}"] * 3
        self.one(self.chance.choice(forms), spots)

    def block_scalar(self, value: str, indent: int, style: str, spots: list[Spot]) -> None:
        body = value.rstrip("\n")
        ends = len(value) - len(body)
        chomp = "-" if ends == 0 else "+" if ends > 1 or self.likely(0.3) else ""
        lines = body.split("\n")
        first = next(line for line in lines if line)
        told = first[0] in " \t" or self.likely(0.2)
        deeper = self.chance.randint(1, 9 if told else 6)
        header = [chomp, str(deeper) if told else ""]
        self.chance.shuffle(header)
        self.put(style + "".join(header))
        self.remark()
        margin = " " * (indent + deeper)
        self.put("\n")
        if style == "|":
            for number, line in enumerate(lines):
                if number:
                    self.one("\n", spots)
                self.put(
                    margin
                    if line
                    else self.chance.choice(["", " " * self.chance.randint(0, indent + deeper)])
                )
                for letter in line:
                    self.one(letter, spots)
        else:
            self.folded(lines, margin, spots)
        # the last line break of a value is the one that begins the next line, which this one writes itself
        for number in range(ends):
            if number < ends - 1:
                self.one("\n", spots)
            else:
                spots.append((self.length, self.length + len(self.newline)))
        self.kept, self.owed = chomp == "+", ends > 0

    def folded(self, lines: list[str], margin: str, spots: list[Spot]) -> None:
        before = ""  # the last line with anything in it
        waiting = 0  # line breaks of the value since then
        broken = self.likely(0.6)
        for number, line in enumerate(lines):
            waiting += number > 0
            if not line:
                continue
            normal = line[0] not in " \t"
            if before and normal and before[0] not in " \t":
                self.put("\n")  # it folds, with those that follow
            for _ in range(waiting):
                self.one("\n", spots)
            waiting = 0
            self.put(margin)
            for at, letter in enumerate(line):
                if letter == " " and broken and normal and self.likely(0.25) and may_break(line, at, ">"):
                    self.one("\n", spots)
                    self.put(margin)
                else:
                    self.one(letter, spots)
            before = line


def may_break(value: str, at: int, style: str) -> bool:
    """Whether a space may be written as a line break."""
    if not 0 < at < len(value) - 1 or value[at - 1] in " \t\n" or value[at + 1] in " \t\n":
        return False
    return style != "" or (SAFE_NEXT.match(value[at + 1]) is not None and value[at - 1] != ":")


def foldable(value: str, at: int) -> bool:
    """Whether line breaks can be written as such in a flow style: nothing blank beside them, and not at an edge."""
    start = len(value[:at].rstrip("\n"))
    end = len(value) - len(value[at:].lstrip("\n"))
    return start > 0 and end < len(value) and value[start - 1] not in " \t" and value[end] not in " \t"


def may_be_plain(value: str, flow: bool) -> bool:
    if not value or value[0] in INDICATORS or value[-1] in " \t:" or value.startswith(("---", "...", "<<")):
        return False
    if ": " in value or " #" in value or "\t#" in value or ":\t" in value or ":\n" in value or "\n#" in value:
        return False
    if flow and re.search(r"[,\[\]{}?]|:\S", value):
        return False
    return single_lined(value, flow) and plain(value) is value and not re.search(r"\n[^\w\n]", value)


def single_lined(value: str, flow: bool) -> bool:
    return all(foldable(value, at) for at, letter in enumerate(value) if letter == "\n")


def in_block(value: str, flow: bool) -> bool:
    return not flow and bool(value.strip()) and value[:1] != "\n" and not blank_lines_in(value)


def blank_lines_in(value: str) -> bool:
    return any(line and not line.strip() for line in value.split("\n"))


ABLE: dict[str, Callable[[str, bool], bool]] = {
    "": may_be_plain,
    "'": single_lined,
    '"': lambda value, flow: True,
    "|": in_block,
    ">": in_block,
}
