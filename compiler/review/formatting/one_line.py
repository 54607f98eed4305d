"""Maps and lists in brackets, on one line."""

from __future__ import annotations

from wfc.compiler.review.formatting.key_order import in_order
from wfc.compiler.review.formatting.scalars import written
from wfc.compiler.yaml.source_tree import SourceNode

__all__ = ["on_one_line", "reorderable"]


def on_one_line(text: str, node: SourceNode, *, step: bool = False) -> str:
    """Return a map or a list in brackets, or a scalar, as it stands on one line; empty if it cannot.

    Args:
        step: Whether it is a step, whose keys have an order.
    """
    if node.absent:
        return node.anchor
    if node.style in {"|", ">", "map", "list"}:
        return ""
    if not node.collects:
        found = written(text, node)
        return "" if "\n" in found else found
    parts = []
    for key, value in node.parts:
        said = on_one_line(text, value)
        if not said and not value.absent:
            return ""
        if key is None:
            parts.append(said)
            continue
        name = on_one_line(text, key)
        if not name:
            return ""
        parts.append(f"{name}: {said or 'null'}")
    if step and node.style == "{" and reorderable(text, node):
        parts = [parts[at] for at in in_order([key.value for key, _ in node.parts if key is not None])]
    listed = ", ".join(parts)
    inside = f"[{listed}]" if node.style == "[" else f"{{{listed}}}"
    return f"{node.anchor} {inside}" if node.anchor else inside


def reorderable(text: str, node: SourceNode) -> bool:
    """Return whether the keys of a step may change places.

    What is named with ``&`` must stand before its aliases, and a block that keeps the empty lines behind it would take
    others.
    """
    for each in node.all():
        if each.anchor or each.style == "*":
            return False
        if each.style in {"|", ">"}:
            header = text[each.start : text.find("\n", each.start)]
            if "+" in header.split("#", 1)[0] or (each.end >= len(text) and not text.endswith("\n")):
                return False
    return True
