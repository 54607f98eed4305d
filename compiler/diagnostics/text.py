"""Findings as text for people: with the line and a caret, or on one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from wfc.compiler.diagnostics import Diagnostic, Position, Severity
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.diagnostics.results import Results

__all__ = ["MOST_SHOWN", "concise", "frame", "full", "summary"]

MOST_SHOWN = 100
"""How many findings are shown; the rest are counted."""

WIDTH = 110
"""How much of a source line is shown."""

COMBINING = frozenset({"Mn", "Me"})
"""Unicode's categories of what is drawn over the character before it."""

# ANSI: bold, red, yellow, cyan
BOLD, RED, YELLOW, CYAN, PLAIN = "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[36m", "\x1b[0m"


def full(results: Results) -> str:
    """Return findings with the line of each, a caret under its stretch, its notes and its hint."""

    def lines(finding: Diagnostic) -> Iterator[str]:
        yield headline(finding, results.colour)
        yield from details(finding, results.texts.get(finding.path, ""), results.colour)
        yield ""

    return first_ones(results.findings, lines)


def concise(results: Results) -> str:
    """Return findings on one line each."""
    return first_ones(results.findings, lambda finding: [headline(finding, results.colour)])


def first_ones(findings: Sequence[Diagnostic], lines: Callable[[Diagnostic], Iterable[str]]) -> str:
    """Return the lines of the findings up to the limit, and the number of the rest."""
    told = [line for finding in findings[:MOST_SHOWN] for line in lines(finding)]
    rest = len(findings) - MOST_SHOWN
    if rest > 0:
        told.append(f"and {rest} more")
    return "".join(f"{line}\n" for line in told)


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Count findings: ``2 errors and 1 warning``, or ``no findings``."""
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
    """Return the line of a position, cut to a window, and the carets under the stretch on that line."""
    first = start.offset - (start.column - 1)
    line = text[first : first + start.column + 4 * WIDTH].partition("\n")[0].partition("\r")[0]
    begin = start.column - 1
    stop = end.column - 1 if end.line == start.line else len(line)
    left = 0 if begin < WIDTH * 3 // 4 else begin - WIDTH // 2
    right = left + WIDTH
    before, marked, after = line[left:begin], line[begin : min(stop, right)], line[max(begin, stop) : right]
    lead = "… " if left else ""
    tail = " …" if len(line) > right else ""
    caret = " " * (len(lead) + width(visible(before))) + "^" * max(1, width(visible(marked)))
    return lead + visible(before) + visible(marked) + visible(after) + tail, caret


def visible(text: str) -> str:
    return printable(text.replace("\t", "    "))


def width(text: str) -> int:
    """Return the number of terminal cells that a text occupies."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0
        if unicodedata.category(character) in COMBINING
        else 2
        if unicodedata.east_asian_width(character) in "FW"
        else 1
        for character in text
    )
