"""Words at the top of a spec that stand for a section elsewhere."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.schema.kind_words import plain
from wfc.compiler.schema.synonyms import other_key

__all__ = ["of_section"]

VARIABLES: Final = frozenset({"variables", "vars"})
"""Words for what is set from outside in some systems, and for what a run keeps in others."""
EITHER: Final = "what a run remembers stands under `state`, what is set from outside under `config`"

OF_STATE: Final = re.compile(r"(?<![\w.])(?:state\.[^\W\d]|save:\s)")
"""What a spec has that keeps values."""


def of_section(key: str, section: str, text: str) -> tuple[str, str]:
    """Return the hint for a word that stands for a section elsewhere, and the section if it can be no other.

    Args:
        section: What it means here, most likely.
        text: The spec, which may say elsewhere which of two sections it uses.
    """
    if section == "state" and plain(key) in VARIABLES and OF_STATE.search(text) is None:
        return EITHER, ""
    return other_key(key, [section]), section
