"""Recognition of specs and their workflows' names in a file's bytes, without parsing YAML."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["looks_like_spec", "workflow_names"]

SPEC_LINE = rb"""(?m)^(?:\xef\xbb\xbf)?["']?(?:wfc["']?[ \t]*:|workflow["']?[ \t]*:[ \t]*["'\w\x80-\xff])"""
NAME = rb"""(?m)^(?:\xef\xbb\xbf)?["']?workflow["']?[ \t]*:[ \t]*["']?([^\s"'#]+)"""


def looks_like_spec(raw: bytes) -> bool:
    """Return whether a line of a file begins with `wfc:`, or with `workflow:` and a name.

    Other systems have settings under `workflow`.
    """
    return re.search(SPEC_LINE, raw) is not None


def workflow_names(specs: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """Return the names of the workflows in specs, as far as they can be recognized, each with the first path."""
    found: dict[str, str] = {}
    for path, raw in specs:
        match = re.search(NAME, raw)
        if match is not None:
            found.setdefault(match[1].decode(errors="replace"), path)
    return found
