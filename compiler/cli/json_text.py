"""JSON as the command line prints it."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["one_line"]


def one_line(value: Any, encoding: str = "utf-8") -> str:
    """Return a value as JSON on one line.

    Control characters and those that change the reading direction are written as ``\\uXXXX``.
    So is all that is not ASCII if some of it cannot be written in the encoding.
    """
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable() and text.isascii():
        return text
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return json.dumps(value)
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)
