"""Patterns of texts: what they match, and whether a text is one of that."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MOST_REPEATED", "matches_pattern", "repeated", "whole_text"]

MOST_REPEATED: Final = 2000
"""How many parts a pattern may have once its bounded repetitions are written out: each letter of a text may cost so
many steps."""
PART: Final = (
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?P<least>\d+)(?:,(?P<most>\d*))?\}"
    r"|\(\?[\w-]+\)|(?P<opens>\((?:\?(?:P?<\w+>|[\w-]*:))?)|."
)
"""A part of a pattern, or how often the one before it is repeated."""
ANCHORED: Final = r"(?s:\^(?:[^|\\(]|\\.|\((?!\?))*\$)"
"""A pattern that says itself that the whole text is meant."""


def whole_text(pattern: str) -> str:
    """Return a pattern that only a whole text matches; it is one for JSON Schema too."""
    return pattern if re.fullmatch(ANCHORED, pattern) else f"^(?:{pattern})$"


def repeated(pattern: str) -> int:
    """Return how many parts a pattern has once its bounded repetitions are written out, in groups too."""
    sizes, last = [0], 0  # of each group that is open; of the part before
    for found in re.finditer(PART, pattern, re.DOTALL):
        if found["least"] is not None:
            times = int(found["most"] or found["least"])
            sizes[-1] += last * (times - 1)
            last *= times
        elif found["opens"]:
            sizes.append(0)
        elif found[0] == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif found[0] not in "*+?|^$)" and found[0][:2] != "(?":
            last = 1
            sizes[-1] += last
    return sum(sizes)


def matches_pattern(text: str, pattern: str) -> bool:
    """Return whether a text is as a pattern says, which is known to be good, in time that is linear in it."""
    # the engine that matches it in a run; loaded only by a spec with a pattern
    from pydantic_core import SchemaValidator, core_schema

    return SchemaValidator(core_schema.str_schema(pattern=whole_text(pattern))).isinstance_python(text)
