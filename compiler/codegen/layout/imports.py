"""Import statements, sorted and broken as ``ruff`` would."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from wfc.compiler.codegen.layout.expressions import INDENT, WIDTH

__all__ = ["import_statements"]


def import_statements(modules: Iterable[tuple[str, str]]) -> list[str]:
    """Return import statements for pairs of module and name, in the order that isort's rules require."""
    found: dict[str, list[str]] = {}
    for module, name in modules:
        found.setdefault(module, []).append(name)
    groups: list[list[str]] = [[], [], []]
    for module in sorted(found):
        names = sorted(set(found[module]), key=_member_order)
        flat = f"from {module} import {', '.join(names)}"
        lines = [flat]
        if len(flat) > WIDTH:
            lines = [f"from {module} import (", *(f"{' ' * INDENT}{name}," for name in names), ")"]
        group = 2 if module.startswith(".") else module.split(".")[0] not in sys.stdlib_module_names
        groups[group] += lines
    return "\n\n".join("\n".join(group) for group in groups if group).split("\n")


def _member_order(name: str) -> tuple[int, str, str]:
    if len(name) > 1 and name.isupper():
        return 0, name.lower(), name
    return (1 if name[0].isupper() else 2), name.lower(), name
