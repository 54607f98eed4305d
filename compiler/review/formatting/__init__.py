"""The canonical form of specs: the same workflow, written as all are written."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.review.formatting.writer import WIDTH, Writer
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.source_tree import source_tree

__all__ = ["WIDTH", "Unformatted", "formatted"]

UNUSUAL: Final = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
EXPLICIT_KEY: Final = re.compile(r"[ \t\n\-{\[,]\?[ \t\n]")


@dataclass(frozen=True, slots=True)
class Unformatted:
    """Why a text stays as it is.

    Args:
        at: Where the reason stands, in code points.
        reason: To be shown after a colon.
    """

    at: int
    reason: str


def formatted(text: str) -> str | Unformatted:
    """Return a text in its canonical form, or why it has none.

    Args:
        text: Of a document that could be read without errors, without a byte order mark.
    """
    if match := UNUSUAL.search(text):
        said = (
            "a line break that editors do not show as one"
            if match.group() != "\r"
            else "a lone carriage return"
        )
        return Unformatted(match.start(), f"{said} (U+{ord(match.group()):04X}) stands in it")
    windows = "\r\n" in text
    plain = text.replace("\r\n", "\n")
    root = source_tree(plain)
    if not root.parts:
        return text
    for key, _ in (part for node in root.all() for part in node.parts):
        if key is not None and "\n" in plain[key.start : key.end]:
            return Unformatted(key.start, "a key goes over several lines")
    made = Writer(plain).document(root)
    return made.replace("\n", "\r\n") if windows else made
