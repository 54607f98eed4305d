"""Characters that JSON writes as two escapes, such as ``\\ud83d\\ude00``, which the parser of YAML does not know.

Before it reads a text, each such pair becomes two escapes of private characters, so that all stays in its place. In the
values that it gives they become the one character again, or what was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import yaml

__all__ = ["PAIR", "masked", "unmasking"]

PAIR: Final = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
ESCAPED: Final = re.compile(rf"(?<!\\)(?:\\\\)*{PAIR}")
TAKEN: Final = re.compile(r"[\ue000-\uedff]|\\u[eE][0-9a-dA-D]|\\U0000[eE][0-9a-dA-D]")

DIGITS: Final = dict(zip("89abABcdefCDEF", "0123456789ABCD", strict=True))
"""The second digit of an escape, and the one that stands for it meanwhile."""
WRITTEN: Final = {new: old for old, new in DIGITS.items()}
MASKED: Final = re.compile(r"\\u([eE])([0-5])([0-9a-fA-F]{2})\\u([eE])([6-9A-D])([0-9a-fA-F]{2})")
READ: Final = re.compile("[\ue000-\ue5ff][\ue600-\uedff]")


def masked(text: str) -> str | None:
    """Return a text of the same length for the parser; ``None`` if there is nothing to be masked, or no way to."""
    if TAKEN.search(text) or not ESCAPED.search(text):
        return None
    return ESCAPED.sub(lambda found: found[0][:-12] + mask(found[0][-12:]), text)


def mask(pair: str) -> str:
    letters = {"d": "e", "D": "E"}
    halves = (pair[:6], pair[6:])
    return "".join(f"\\u{letters[half[2]]}{DIGITS[half[3]]}{half[4:]}" for half in halves)


def unmasking(next_event: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that returns the next event of the parser, with the value that the author wrote."""

    def get() -> Any:
        event = next_event()
        if isinstance(event, yaml.ScalarEvent):
            if event.style == '"':
                event.value = READ.sub(lambda found: character(*found[0]), event.value)
            else:
                event.value = MASKED.sub(as_written, event.value)
        return event

    return get


def character(high: str, low: str) -> str:
    """Return the character that two private ones stand for."""
    halves = (int(f"d{WRITTEN[f'{ord(half):X}'[1]]}{ord(half) & 255:02x}", 16) for half in (high, low))
    first, second = halves
    return chr(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))


def as_written(found: re.Match[str]) -> str:
    letters = {"e": "d", "E": "D"}
    first, high, rest, second, low, last = found.groups()
    return f"\\u{letters[first]}{WRITTEN[high]}{rest}\\u{letters[second]}{WRITTEN[low]}{last}"
