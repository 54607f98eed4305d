"""Texts of strangers, as they may be shown."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """The text with everything that steers a terminal or turns the reading direction written out."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else escaped(character) for character in text)


def escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
