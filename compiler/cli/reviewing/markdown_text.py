"""Texts from files within Markdown, in which nothing of them is Markdown or HTML."""

from __future__ import annotations

from typing import Final

__all__ = ["fenced", "plain", "said", "visible"]

LONGEST: Final = 1_500


def fenced(text: str, longest: int = LONGEST) -> str:
    """Return a text for a code block, which it cannot end."""
    short = text if len(text) <= longest else f"{text[:longest]}…"
    return visible(short).replace("```", "'''")


def plain(text: str) -> str:
    """Return a text on one line, in which nothing is Markdown or HTML."""
    return " ".join(escaped(text).split())


def escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()<>#|~!@" else letter for letter in visible(text))


def said(text: str) -> str:
    """Return a sentence on one line, in which names in backticks are code and nothing else is Markdown or HTML."""
    pieces = " ".join(text.split()).split("`")
    found = []
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            found.append(escaped(piece))
        elif piece.strip() and number + 1 < len(pieces):
            found.append(f"`{visible(piece)}`")
        else:
            found.append(escaped(f"`{piece}`" if number + 1 < len(pieces) else f"`{piece}"))
    return "".join(found)


def visible(text: str) -> str:
    """Return a text in which control characters are written out, but for line breaks."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else f"\\u{ord(letter):04x}" for letter in text
    )
