"""How a key is written here with its value, where the key alone would not say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["after_the_first", "in_full"]

WRITTEN: Final[Mapping[str, str]] = {
    "keep_last": "keep: {messages: …}",
    "max_messages": "keep: {messages: …}",
    "python": 'tool: {python: "module:function"}',
    "timeout_minutes": "timeout: 5 min",
    "timeout_seconds": "timeout: 30s",
}
"""How it is written here, where the key alone does not say it."""
UNITS: Final[Mapping[str, str]] = {"timeout_minutes": " min", "timeout_seconds": "s"}
"""The units of lengths of time that stand in a key."""
LONGEST: Final = 60
"""How many code points of a condition a hint repeats."""


def in_full(name: str, here: str, content: Any) -> str:
    """Return what a key of another system is here, with its value where that is written otherwise."""
    is_number = isinstance(content, int) and not isinstance(content, bool)
    if here == "retry":
        return f"retry: {{max_attempts: {content if is_number else '…'}}}"
    if here == "timeout" and name in UNITS and is_number:
        return f"timeout: {content}{UNITS[name]}"
    if here == "require" and not isinstance(content, list):
        condition = " ".join(content.split()) if isinstance(content, str) and "${{" not in content else ""
        return f"require: [{{that: {condition if 0 < len(condition) <= LONGEST else '…'}, say: …}}]"
    return WRITTEN.get(name, here)


def after_the_first(here: str, retries: Any) -> str:
    """Return the hint for a number of retries, which does not count the first attempt as we do."""
    many = retries + 1 if isinstance(retries, int) and not isinstance(retries, bool) else "…"
    written = f"max_attempts: {many}" if here == "max_attempts" else f"retry: {{max_attempts: {many}}}"
    return f"write `{written}`: the first attempt is counted too"
