"""Those who are asked, written otherwise than as a list of names with `user:` or `group:`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["for_assignees"]

LONGEST: Final = 40
"""How many code points of a text a hint repeats."""


def for_assignees(value: Any, address: Sequence[str | int]) -> str:
    """Return how those are written who are asked, of whom there is one alone; empty if it is something else."""
    if address[:1] != ("steps",) or address[-1] != "assign" or not isinstance(value, str) or "," in value:
        return ""
    text = value.strip()
    if text.startswith("${{") and text.endswith("}}") and '"' not in text:
        inner = text if len(text) <= LONGEST else "${{ … }}"
        return f'write `["{inner}"]` if its value begins with `user:` or `group:`, else `["user:{inner}"]`'
    if not re.fullmatch(r"[\w.-]+", text):
        return ""
    return f'write `["user:{text}"]` for a person, `["group:{text}"]` for a group'
