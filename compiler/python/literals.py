"""Values → Python source; only this module creates code fragments."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Final

from wfc.compiler.python.reserved_names import CLASSES, CONSTANTS, FIELDS, LOCALS, METHODS

__all__ = [
    "Code",
    "best_quote",
    "block_part",
    "class_name",
    "closed_block",
    "constant_name",
    "escaped",
    "field_name",
    "is_name",
    "literal",
    "local_name",
    "method_name",
    "normal_form",
    "pascal_case",
    "snake_case",
    "text_block",
]


class Code(str):
    """A fragment of Python source that may be pasted into a program as it is.

    Only functions of this module and of ``expressions`` that validate or quote what they are given make one;
    there is no general way from a text to code.
    """

    __slots__ = ()


ESCAPES: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Letters that are printable to Python and still change how what follows is shown, or are shown as nothing.
INVISIBLE: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def literal(value: object) -> Code:
    """A plain value (JSON data, or a tuple of it) as a Python literal on one line.

    Texts are in double quotes, or in single ones where that saves escapes (as ``ruff format`` has it). What
    does not print, and what changes the direction of writing, is escaped.

    Raises:
        TypeError: For a value that is no plain data.
    """
    match value:
        case None | bool():
            return Code(repr(value))
        case str():
            return Code(quoted(value))
        case int():
            return Code(int.__repr__(value))
        case float() if math.isfinite(value):
            return Code(float.__repr__(value))
        case list():
            return Code(f"[{', '.join(map(literal, value))}]")
        case tuple():
            return Code(f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})")
        case dict():
            return Code(f"{{{', '.join(f'{literal(key)}: {literal(each)}' for key, each in value.items())}}}")
    raise TypeError(f"not plain data: {value!r}")


def quoted(text: str) -> str:
    quote = best_quote(text)
    inside = escaped(text).replace(quote, "\\" + quote)
    return quote + inside + quote


def best_quote(text: str) -> str:
    """Return the double quote, unless the single one needs fewer escapes."""
    return "'" if text.count('"') > text.count("'") else '"'


def escaped(text: str) -> str:
    """Return the contents of a literal in quotes, which are left as they are; no line breaks remain."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(
        letter if letter.isprintable() and letter != "\\" and letter not in INVISIBLE else escape(letter)
        for letter in text
    )


def escape(letter: str) -> str:
    if letter in ESCAPES:
        return ESCAPES[letter]
    code = ord(letter)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def text_block(text: str) -> Code:
    """A text of several lines as a triple-quoted literal, whose lines stand at the left edge.

    It means the same however deep the statement around it is indented. Blanks at the end of a line are
    escaped, so that no editor takes them away.
    """
    return Code(f'"""\\\n{closed_block(block_part(text))}"""')


def block_part(text: str) -> str:
    """A part of a text inside triple quotes: line breaks stay, what could end the literal is escaped."""
    lines = [escaped(line).replace('"""', '""\\"') for line in text.split("\n")]
    lines[:-1] = [f"{line[:-1]}\\x20" if line.endswith(" ") else line for line in lines[:-1]]
    return "\n".join(lines)


def closed_block(inside: str) -> str:
    """The inside of a triple-quoted literal that may be followed by its closing quotes."""
    before = inside[:-1]
    escaped_already = (len(before) - len(before.rstrip("\\"))) % 2
    return f'{before}\\"' if inside.endswith('"') and not escaped_already else inside


def normal_form(name: str) -> str:
    """A name as Python itself would normalise it (NFKC), so that equal names are equal texts."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def is_name(name: str) -> bool:
    """Return whether a name, in normal form, may be declared: an identifier in any script that begins with no ``_``."""
    return name.isidentifier() and not name.startswith("_")


def snake_case(name: str) -> str:
    """Return ``order_found`` for ``OrderFound``; scripts without cases stay as they are."""
    words = re.sub(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return normal_form(words.lower())


def pascal_case(name: str) -> str:
    """Return ``OrderFound`` for ``order_found``; scripts without cases stay as they are."""
    return normal_form("".join([word[:1].upper() + word[1:] for word in name.split("_")]))


def unreserved(name: str, reserved: frozenset[str]) -> Code:
    """Return a declared name as a Python name: one that is reserved gets a trailing ``_``."""
    name = normal_form(name)
    assert name.isidentifier(), name
    # whoever declares `class_` beside `class` would otherwise get the name that `class` gets
    return Code(f"{name}_" if name.rstrip("_") in reserved else name)


def field_name(name: str) -> Code:
    """A field's name as a Python attribute: a trailing ``_`` where Python or a base class reserves it."""
    return unreserved(name, FIELDS)


def class_name(name: str) -> Code:
    """A type's, event's or workflow's name as a Python class: a trailing ``_`` where an import reserves it."""
    return unreserved(name, CLASSES)


def method_name(name: str) -> Code:
    """A step's name as a method of a workflow class: a trailing ``_`` where ``Workflow`` reserves it."""
    return unreserved(name, METHODS)


def local_name(name: str) -> Code:
    """A name for a value inside a function: a trailing ``_`` where generated code uses it otherwise."""
    return unreserved(name, LOCALS)


def constant_name(name: str) -> Code:
    """``STANDARD`` for the policy ``standard``: a trailing ``_`` where an import reserves it."""
    return unreserved(name.upper(), CONSTANTS)
