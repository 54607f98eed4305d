"""Decoding of bytes to text: size, encoding, and forbidden characters."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.rules import reading as problems

__all__ = ["MAX_BYTES", "decode"]

BOM: Final = b"\xef\xbb\xbf"

# What YAML allows is everything but this. U+FEFF is a mark at the beginning of a file and a trap anywhere else.
FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")

UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


def decode(raw: bytes, report: Report) -> tuple[str, bool]:
    """Return the text of a file, without a byte order mark, and whether reading may continue.

    Args:
        raw: The file's content.
        report: Receives the findings.
    """
    if len(raw) > MAX_BYTES:
        report(problems.file_too_large(Place((), "text", 0, 0), MAX_BYTES))
        return "", False
    content = raw.removeprefix(BOM)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        start = len(content[: error.start].decode("utf-8"))
        report(problems.not_utf8(Place((), "text", start, start + 1), guess(raw)))
        return content.decode("utf-8", "replace"), False
    if match := FORBIDDEN.search(text):
        report(problems.control_character(Place((), "text", *match.span()), match.group()))
        return text, False
    return text, True


def guess(raw: bytes) -> str:
    """Return the most likely encoding of bytes that are not UTF-8; empty if there is no evidence for any."""
    if raw.startswith(UTF_16):
        return "UTF-16"
    if raw.startswith((b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"%PDF")):
        return "a packed file or a picture, not a text"
    return "" if b"\x00" in raw else "an older encoding such as Windows-1252"
