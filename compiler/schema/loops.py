"""Lists of texts that are meant as one expression: YAML takes `[x.name for x in event.items]` apart at its commas."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["loop_read_as_texts"]

LOOP: Final = r"(?s)[^\[\]]* for \w+(?:, \w+)? in \(*(?P<root>\w+)\b.*"


def loop_read_as_texts(data: list[object]) -> tuple[str, str] | None:
    """Return the expression that a list of texts is meant as, and the name that it goes through; else ``None``."""
    if not data or not all(isinstance(each, str) and "${{" not in each for each in data):
        return None
    if not any(" for " in str(each) for each in data):
        return None
    found = re.fullmatch(LOOP, ", ".join(map(str, data)))
    return (f"[{found.string}]", found["root"]) if found is not None else None
