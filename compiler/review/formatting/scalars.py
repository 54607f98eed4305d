"""Texts as they are to be written: without quotes that nobody needs, and with double ones where they are needed."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.review.formatting.gaps import trailing_comment
from wfc.compiler.yaml.repairs import printable, quotes
from wfc.compiler.yaml.source_tree import SourceNode

__all__ = ["written"]

SIMPLE: Final = re.compile(r"[A-Za-z_](?:[\w .-]*[\w.-])?", re.ASCII)
WORDS: Final = frozenset("y n yes no on off true false null nan inf".split())
"""What some reader of YAML takes for something else than a text."""

ESCAPED: Final = re.compile(r'\\[^"\\]')


def written(text: str, node: SourceNode) -> str:
    """Return a scalar or an alias on one line as it is to be written, with its anchor.

    Before a comment the quotes stay: without them it could be taken for a part of the text.

    Args:
        text: The document's.
        node: Where it stands in it.
    """
    now = text[node.start : node.end]
    if node.style in {"'", '"'} and "\n" not in now:
        now = quoted(now, node, bare=trailing_comment(text, node.end)[0] is None)
    return f"{node.anchor} {now}" if node.anchor else now


def quoted(now: str, node: SourceNode, *, bare: bool) -> str:
    value = node.value
    if bare and SIMPLE.fullmatch(value) and value.lower() not in WORDS:
        return value
    if node.style == '"' and "\\" not in now:
        return now
    if not printable(value) or (node.style == '"' and ESCAPED.search(now.replace("\\\\", ""))):
        return now  # whoever writes an escape wants to see it
    return quotes(value)
