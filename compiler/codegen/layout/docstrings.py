"""Texts for people as docstrings and comments, escaped so that they cannot end them."""

from __future__ import annotations

from wfc.compiler.codegen.layout.expressions import WIDTH
from wfc.compiler.codegen.layout.strings import width
from wfc.compiler.python.literals import Code, escaped

__all__ = ["comment", "docstring"]


def comment(text: str) -> Code:
    """Return a text for a comment, which it cannot end."""
    return Code(escaped(text))


def docstring(text: str, indent: int) -> Code:
    """Return a text as a docstring, its long lines wrapped; empty for an empty text."""
    if not text:
        return Code("")  # as most are
    lines: list[str] = []
    first, *rest = text.expandtabs().strip().splitlines() or [""]
    deep = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    for line in (first, *(line[deep:] for line in rest)):
        lines += wrapped(escaped(line.rstrip()).replace('"""', '\\"\\"\\"'), WIDTH - indent)
    if not any(lines):
        return Code("")
    if lines[0].startswith('"'):
        lines[0] = "\\" + lines[0]
    before = lines[-1].removesuffix('"')
    if before != lines[-1] and (len(before) - len(before.rstrip("\\"))) % 2 == 0:
        lines[-1] = before + '\\"'
    if len(lines) == 1 and indent + width(lines[0]) + 6 > WIDTH:
        lines = wrapped(lines[0], WIDTH - indent - 6)
    if len(lines) == 1:
        return Code(f'"""{lines[0]}"""')
    margin = " " * indent
    below = "".join(f"{margin}{line}\n" if line else "\n" for line in lines[1:])
    return Code(f'"""{lines[0]}\n{below}{margin}"""')


def wrapped(line: str, room: int) -> list[str]:
    if width(line) <= room:
        return [line]
    import textwrap

    return textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False)
