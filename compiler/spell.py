"""Values → Python source: the only maker of code fragments."""

from __future__ import annotations

import keyword
import re

__all__ = ["Code", "literal", "snake_case"]


class Code(str):
    """A fragment of Python source that may be pasted into a program as it is.

    Only functions of this module and of ``expressions`` that validate or quote what they are given make one;
    there is no general way from a text to code.
    """

    __slots__ = ()


def literal(value: object) -> Code:
    """A plain value (JSON data, or a tuple of it) as a Python literal in double quotes."""
    raise NotImplementedError


def snake_case(name: str) -> str:
    """``order_found`` for ``OrderFound``; other scripts as they are."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def field_name(name: str) -> Code:
    """A field's name as a Python attribute: a trailing ``_`` where Python or a base class claims it."""
    assert name.isidentifier(), name
    return Code(f"{name}_" if keyword.iskeyword(name) else name)
