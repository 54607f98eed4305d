"""Diagnostics → text: with the line and a caret, or one line each; other forms are reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeGuard

from wfc.compiler.diagnostics import Diagnostic, Position, Severity
from wfc.compiler.diagnostics.printing import printable

__all__ = ["FORMATS", "SHOWN", "Format", "is_format", "printable", "render", "summary"]

Format = Literal["full", "concise", "json", "github", "sarif", "junit"]
FORMATS: tuple[Format, ...] = ("full", "concise", "json", "github", "sarif", "junit")


def is_format(name: str) -> TypeGuard[Format]:
    """Whether a name is a format's."""
    return name in FORMATS


SHOWN = 100
"""How many findings are shown to people; the rest are counted."""

WIDTH = 110
"""How much of a source line is shown."""

MARKS = frozenset({"Mn", "Me"})
"""Unicode's categories of what is drawn over the character before it."""

# ANSI: bold, red, yellow, cyan
BOLD, RED, YELLOW, CYAN, PLAIN = "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[36m", "\x1b[0m"


def render(
    diagnostics: Sequence[Diagnostic],
    texts: Mapping[str, str],
    *,
    form: Format = "full",
    colour: bool = False,
) -> str:
    """Findings as text, in their order.

    Args:
        diagnostics: What to show.
        texts: Path → the text that its positions refer to; without it no line is shown.
        form: ``full`` or ``concise`` for people; the others are for programs, and have all findings.
        colour: Whether to use a terminal's colours.
    """
    if form not in {"full", "concise"}:
        from wfc.compiler.reports import REPORTS  # for those who ask only

        return REPORTS[form](diagnostics, texts)
    shown, rest = diagnostics[:SHOWN], len(diagnostics) - SHOWN
    lines: list[str] = []
    for diagnostic in shown:
        lines.append(headline(diagnostic, colour))
        if form == "full":
            lines += details(diagnostic, texts.get(diagnostic.path, ""), colour)
            lines.append("")
    if rest > 0:
        lines.append(f"and {rest} more")
    return "".join(f"{line}\n" for line in lines)


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """``2 errors and 1 warning``, or ``no findings``."""
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    warnings = len(diagnostics) - errors
    parts = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((errors, "error"), (warnings, "warning"))
        if count
    ]
    return " and ".join(parts) or "no findings"


def headline(diagnostic: Diagnostic, colour: bool) -> str:
    place = printable(f"{diagnostic.path}:{diagnostic.start.line}:{diagnostic.start.column}")
    message, code = printable(diagnostic.message), diagnostic.code
    if diagnostic.suppressed is not None:
        message += f" (ignored: {printable(diagnostic.suppressed)})"
    if not colour:
        return f"{place}: {diagnostic.severity.word}: {message} [{code}]"
    tint = RED if diagnostic.severity is Severity.ERROR else YELLOW
    severity = f"{tint}{diagnostic.severity.word}:{PLAIN}"
    return f"{BOLD}{place}:{PLAIN} {severity} {BOLD}{message}{PLAIN} {CYAN}[{code}]{PLAIN}"


def details(diagnostic: Diagnostic, text: str, colour: bool) -> Iterator[str]:
    gutter = max(4, len(str(diagnostic.end.line)))
    if text:
        tint = RED if diagnostic.severity is Severity.ERROR else YELLOW
        line, caret = frame(text, diagnostic.start, diagnostic.end)
        yield f"{diagnostic.start.line:>{gutter}} | {line}".rstrip()
        yield f"{'':>{gutter}} | {tint + caret + PLAIN if colour else caret}"
    for related in diagnostic.related:
        at = f"{related.position.line}:{related.position.column}"
        if related.path != diagnostic.path:
            at = printable(f"{related.path}:{at}")
        yield f"{'':>{gutter}} = {at}: {printable(related.words)}"
    if diagnostic.hint:
        yield f"{'':>{gutter}} = {printable(diagnostic.hint)}"


def frame(text: str, start: Position, end: Position) -> tuple[str, str]:
    """The line of a position, cut to a window, and the marks under the stretch on that line."""
    first = start.offset - (start.column - 1)
    line = text[first : first + start.column + 4 * WIDTH].partition("\n")[0].partition("\r")[0]
    begin = start.column - 1
    stop = end.column - 1 if end.line == start.line else len(line)
    left = 0 if begin < WIDTH * 3 // 4 else begin - WIDTH // 2
    right = left + WIDTH
    before, marked, after = line[left:begin], line[begin : min(stop, right)], line[max(begin, stop) : right]
    lead = "… " if left else ""
    tail = " …" if len(line) > right else ""
    caret = " " * (len(lead) + width(shown(before))) + "^" * max(1, width(shown(marked)))
    return lead + shown(before) + shown(marked) + shown(after) + tail, caret


def shown(text: str) -> str:
    return printable(text.replace("\t", "    "))


def width(text: str) -> int:
    """Cells that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0
        if unicodedata.category(character) in MARKS
        else 2
        if unicodedata.east_asian_width(character) in "FW"
        else 1
        for character in text
    )
