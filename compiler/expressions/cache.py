"""A cache of expressions and texts that occur several times in one spec."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from wfc.compiler.expressions.expression import Expression, Template
from wfc.compiler.expressions.syntax.tree import Path
from wfc.compiler.types import Type

__all__ = ["ExpressionCache"]

Read = TypeVar("Read", "Expression", "Template")
TypesOfPaths = tuple[tuple[Path, tuple[Type, Type]], ...]
LookUp = Callable[[Path], tuple[Type, Type] | None]
"""The types that a path has in a scope, as declared and as it is there."""


class ExpressionCache:
    """Keeps the expressions and texts of one spec in which nothing is wrong, each as it was read last.

    Steps of a large spec say the same again and again. What their types are follows from the text, from the types
    that its paths have in its scope, and from the names of events and types, which are the same in all of a spec.
    """

    __slots__ = ("kept", "once")

    def __init__(self) -> None:
        self.once: set[tuple[str, str]] = set()  # most texts come once, and are not worth keeping
        self.kept: dict[tuple[str, str], tuple[TypesOfPaths, Expression | Template]] = {}

    def get(self, text: str, role: str, look_up: LookUp, kind: type[Read]) -> Read | None:
        """Return what a text was read as where its paths had the types that ``look_up`` gives; else ``None``."""
        types_then, found = self.kept.get((text, role), ((), None))
        for path, types in types_then:
            if look_up(path) != types:
                return None
        return found if isinstance(found, kind) else None

    def put(self, role: str, found: Expression | Template, look_up: LookUp) -> None:
        """Keep an expression or a text that was read without a finding, from its second occurrence on.

        Args:
            role: What kind of text it is, where the same words mean different things.
        """
        key = (found.text, role)
        if key not in self.once:
            self.once.add(key)
            return
        types_now: list[tuple[Path, tuple[Type, Type]]] = []
        for path in found.uses:
            types = look_up(path)
            if types is None:
                return
            types_now.append((path, types))
        self.kept[key] = tuple(types_now), found
