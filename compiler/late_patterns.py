"""The import of PyYAML without the patterns that only its parser in Python and its own types need.

PyYAML compiles them as it is imported: one that lists the characters of a text takes a seventh of all that a check of
a small spec does, the others a thirtieth. The parser in C, which is used here, matches none of them.
"""

from __future__ import annotations

import re
import sys
from typing import Any

__all__ = ["import_yaml"]


class LatePattern:
    """A pattern that is compiled when it is first asked for something."""

    __slots__ = ("arguments",)

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def __getattr__(self, name: str) -> Any:
        return getattr(re.compile(*self.arguments), name)


def import_yaml() -> None:
    """Import PyYAML, with its patterns compiled when they are needed.

    Only for a process that is this command's own: for so long, ``re.compile`` compiles nothing.
    """
    if "yaml" in sys.modules:
        return
    names = vars(re)
    compiling = names["compile"]
    names["compile"] = LatePattern
    try:
        import yaml  # noqa: F401
    finally:
        names["compile"] = compiling
