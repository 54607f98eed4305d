"""The meaning of an expression as a text, which is the same however the expression is written."""

from __future__ import annotations

import json
from typing import Final

from wfc.compiler.expressions import Node
from wfc.compiler.expressions.syntax import tree

__all__ = ["meaning"]

_MIRRORED: Final = {">": "<", ">=": "<="}
_NEGATED: Final = {"==": "!=", "!=": "==", "in": "not in", "not in": "in"}


def meaning(node: Node) -> str:
    """Return what an expression means: blanks, brackets and the order of equal parts do not matter."""
    match node:
        case tree.Constant():
            return json.dumps(node.value, ensure_ascii=False)
        case tree.Fields():
            return ".".join(node.path)
        case tree.Name():
            return node.name
        case tree.Attribute():
            return f"{meaning(node.of)}.{node.name}"
        case tree.Compare():
            return _comparison(node.operator, meaning(node.left), meaning(node.right))
        case tree.Logic():
            return f"({f' {node.operator} '.join(sorted(map(meaning, node.parts)))})"
        case tree.Not():
            return _negation(node.operand)
        case tree.FilterCall():
            given = [f"{name or ''}={meaning(each)}" for name, each in node.arguments]
            return f"{meaning(node.of)}|{node.name}({','.join(given)})"
    said = [str(getattr(node, name)) for name in ("operator", "name", "negated") if hasattr(node, name)]
    names = ",".join(each.name for each in getattr(node, "names", ()))
    keys = ",".join(str(key.value) for key, _ in getattr(node, "entries", ()))
    ends = _ends(node) if isinstance(node, tree.Slice) else ""
    inside = " ".join(map(meaning, tree.children(node)))
    return f"{type(node).__name__}[{' '.join(said)}{names}{keys}{ends}]({inside})"


def _comparison(operator: str, left: str, right: str) -> str:
    if operator in _MIRRORED:
        operator, left, right = _MIRRORED[operator], right, left
    elif operator in ("==", "!=") and right < left:
        left, right = right, left
    return f"({left} {operator} {right})"


def _negation(operand: Node) -> str:
    if isinstance(operand, tree.Compare) and operand.operator in _NEGATED:
        return _comparison(_NEGATED[operand.operator], meaning(operand.left), meaning(operand.right))
    return meaning(operand.operand) if isinstance(operand, tree.Not) else f"(not {meaning(operand)})"


def _ends(node: tree.Slice) -> str:
    return f"{'first' if node.first else ''}:{'last' if node.last else ''}"
