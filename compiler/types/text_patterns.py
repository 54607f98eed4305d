"""Patterns of texts: what they match, and whether a text is one of that."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["matches_pattern", "whole_text"]

ANCHORED: Final = r"(?s:\^(?:[^|\\(]|\\.|\((?!\?))*\$)"
"""A pattern that says itself that the whole text is meant."""


def whole_text(pattern: str) -> str:
    """Return a pattern that only a whole text matches; it is one for JSON Schema too."""
    return pattern if re.fullmatch(ANCHORED, pattern) else f"^(?:{pattern})$"


def matches_pattern(text: str, pattern: str) -> bool:
    """Return whether a text is as a pattern says, which is known to be good, in time that is linear in it."""
    # the engine that matches it in a run; loaded only by a spec with a pattern
    from pydantic_core import SchemaValidator, core_schema

    return SchemaValidator(core_schema.str_schema(pattern=whole_text(pattern))).isinstance_python(text)
