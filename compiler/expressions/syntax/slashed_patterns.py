"""Patterns as other languages ask for them, `text =~ /^A/`, and the filter that asks so here."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import expressions as problems

__all__ = ["asked_by", "pattern_of_others"]

SLASHED: Final = r"/(?P<pattern>(?![*/ ])(?:\\.|[^/\\\n])+)/(?P<flags>[a-z]*)"
QUOTED: Final = r"""(?P<quote>["'])(?P<text>(?:\\.|(?!(?P=quote))[^\\\n])*)(?P=quote)"""
BEHIND_A_VALUE: Final = re.compile(
    rf"(?P<sign>[=!]~|~=|==|!=|~|(?:\|\s*)?\b(?:matches|match|like)\b\s*(?P<bracket>\()?)\s*(?:{SLASHED}|{QUOTED})"
    r"(?(bracket)\s*\))"
)
TESTED: Final = re.compile(rf"{SLASHED}\.test\(\s*(?P<value>[\w.]+)\s*\)")
FARTHEST: Final = 200
"""How far before and behind the sign a pattern is looked for at most."""
WITH_TEXTS: Final = frozenset({"=~", "!~", "~="})
"""Signs behind which a pattern stands in quotes, too."""
LITERAL: Final = r"(?:[^\\.*+?()\[\]{}|^$]|\\[^\w])*"


def pattern_of_others(found: Finding, text: str, place: Place, start: int) -> Finding:
    """Return the finding for a pattern of another language, if one is the reason why an expression cannot be read.

    Args:
        found: What is said of the sign at which the parser has stopped.
        start: Where the expression begins in the text.
    """
    at = found.place.start
    if at is None:
        return found
    near = max(start, at - FARTHEST), at + FARTHEST
    for match in (*TESTED.finditer(text, *near), *BEHIND_A_VALUE.finditer(text, *near)):
        if not match.start() <= at < match.end():
            continue
        group = match.groupdict()
        if group["pattern"] is None and group["sign"] not in WITH_TEXTS:
            continue
        pattern = group["pattern"] if group["pattern"] is not None else group["text"]
        asked = asked_by(pattern, group["flags"] or "")
        whole = place.stretch(match.start(), match.end())
        if group.get("value"):
            meant = f"{group['value']} {asked}"
        elif group["sign"].startswith("!"):
            return problems.foreign_operator(
                whole, match[0], f"not (…)` around the value and `{asked}", spaced=False
            )
        else:
            meant = asked
        return problems.foreign_operator(whole, match[0], meant, spaced=False)
    return found


def asked_by(pattern: str, flags: str) -> str:
    """Return the filter by which a text is asked for a pattern that may match a part of it.

    The pattern of `matches` is that of the whole text.
    """
    begins, ends = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith("\\$")
    core = pattern[begins : len(pattern) - ends]
    small = "| lower " if "i" in flags else ""
    if re.fullmatch(LITERAL, core):
        words = re.sub(r"\\(.)", r"\1", core)
        words = in_quotes(words.lower() if small else words)
        if begins and ends:
            return f"{small}== {words}"
        return f"{small}| {'starts_with' if begins else 'ends_with' if ends else 'contains'}({words})"
    if small:
        return f"{small}| matches(…)"
    core = f"({core})" if "|" in core and not (begins and ends) else core
    before = "" if begins or core.startswith(".*") else ".*"
    after = "" if ends or core.endswith(".*") else ".*"
    return f"| matches({in_quotes(before + core + after)})"


def in_quotes(text: str) -> str:
    """Return a text as it is written in an expression."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
