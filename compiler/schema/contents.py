"""What stands under a key, told by what it holds."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["is_entry", "is_path", "looks_like_steps"]


def looks_like_steps(content: Any) -> bool:
    """Return whether what stands under a key are steps, whatever it is called."""
    return isinstance(content, dict) and any(
        isinstance(each, dict) and {"kind", "accepts"} <= each.keys() for each in content.values()
    )


def is_path(content: Any) -> bool:
    """Return whether a value is a name with a field behind it, such as `event.name`."""
    return isinstance(content, str) and re.fullmatch(r"[a-z_]+(?:\.\w+)+", content) is not None


def is_entry(content: Any) -> bool:
    """Return whether a value says which event is sent, as under `emit`."""
    return (
        isinstance(content, dict)
        and "event" in content
        and content.keys() <= {"event", "save", "when", "with"}
    )
