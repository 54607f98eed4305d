"""Parsing of YAML text into a document: plain data, with a mapping from each address to its place."""

from __future__ import annotations

from collections.abc import Callable

from wfc.compiler.diagnostics import Report
from wfc.compiler.yaml.decode import MAX_BYTES, decode
from wfc.compiler.yaml.document import Document
from wfc.compiler.yaml.tree import BROKEN, Builder, build

__all__ = ["BROKEN", "MAX_BYTES", "Document", "read"]


def read(raw: bytes, path: str, report: Report, make: Callable[[str, Report], Builder] = Builder) -> Document:
    """Parse the bytes of a spec.

    Args:
        raw: The file's content. Of a larger file, ``MAX_BYTES + 1`` bytes are enough to have it refused.
        path: The path as findings show it.
        report: Receives the findings about the file and its YAML.
        make: Begins to build the tree of a text.

    Returns:
        A document in any case, so that every finding has a text to point into; ``data`` is ``None`` where
        nothing could be read, and a finding says why.
    """
    text, readable = decode(raw, report)
    if not readable:
        return Document(path, text, None, whole=False)
    data, whole, extent, begins = build(text, report, make=make)
    return Document(path, text, data, whole=whole, extent=extent, begins=begins)
