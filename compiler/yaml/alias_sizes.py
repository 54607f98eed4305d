"""Sizes of the values that aliases repeat."""

from __future__ import annotations

from typing import Any

__all__ = ["Sizes"]


class Sizes:
    """The sizes of values that have been repeated already, so that none is counted twice."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        # by identity; the value is kept so that its identity stays its own
        self.known: dict[int, tuple[int, int, object]] = {}

    def of(self, value: object) -> tuple[int, int]:
        """Return how many values a repeated value contains, including itself, and how deep they go."""
        if not isinstance(value, (dict, list)):
            return 1, 0
        if known := self.known.get(id(value)):
            return known[:2]
        size, height, depth, level = 0, 0, 0, [value]
        while level:
            depth += 1
            size += len(level)
            below: list[Any] = []
            for node in level:
                for each in node.values() if isinstance(node, dict) else node:
                    if not isinstance(each, (dict, list)):
                        size += 1
                    elif known := self.known.get(id(each)):
                        size += known[0]
                        height = max(height, depth + known[1])
                    else:
                        below.append(each)
            level = below
        known = self.known[id(value)] = size, max(height, depth), value
        return known[:2]
