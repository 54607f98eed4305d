"""What a glance at a spec's bytes shows, before it is read."""

from __future__ import annotations

import re

__all__ = ["workflow_name"]

NAME = re.compile(rb"""^(?:\xef\xbb\xbf)?["']?workflow["']?[ \t]*:[ \t]*["']?([^\s"'#]+)""", re.MULTILINE)


def workflow_name(raw: bytes) -> str | None:
    """The name that a spec gives its workflow, if it stands where people write it."""
    match = NAME.search(raw)
    return match[1].decode(errors="replace") if match is not None else None
