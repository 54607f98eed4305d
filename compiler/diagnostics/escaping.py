"""Escaping of untrusted texts for output on a terminal."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """Escape control characters, and those that change the reading direction, before printing."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else escape(character) for character in text)


def escape(character: str) -> str:
    """Return a character's escape sequence as Python writes it."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
