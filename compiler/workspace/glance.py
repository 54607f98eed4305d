"""What a glance at a file's bytes shows, without reading it as YAML."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["names_in", "says_that_it_is_a_spec"]

SAYS_SO = re.compile(rb"""^(?:\xef\xbb\xbf)?["']?(?:wfc|workflow)["']?[ \t]*:""", re.MULTILINE)
NAME = re.compile(rb"""^(?:\xef\xbb\xbf)?["']?workflow["']?[ \t]*:[ \t]*["']?([^\s"'#]+)""", re.MULTILINE)


def says_that_it_is_a_spec(raw: bytes) -> bool:
    """Whether a line of a file begins with `wfc:` or `workflow:`."""
    return SAYS_SO.search(raw) is not None


def names_in(specs: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """Names of workflows, as far as a glance at their files shows, each with the first path."""
    found: dict[str, str] = {}
    for path, raw in specs:
        match = NAME.search(raw)
        if match is not None:
            found.setdefault(match[1].decode(errors="replace"), path)
    return found
