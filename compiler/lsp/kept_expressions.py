"""The expressions of one spec as they were read in its last checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from wfc.compiler.expressions import ExpressionCache
from wfc.compiler.expressions.cache import LookUp, Read
from wfc.compiler.expressions.expression import Expression, Template

__all__ = ["KeptExpressions"]

MANY: Final = 10_000
"""Once so many were read, those are forgotten that nothing asks for until there are so many again."""


class KeptExpressions(ExpressionCache):
    """Keeps every expression, as the next check asks for the same ones."""

    __slots__ = ("before",)

    def __init__(self) -> None:
        super().__init__()
        self.before = self.kept

    def where(self, is_to_stay: Callable[[str], bool]) -> KeptExpressions:
        """Return those whose texts are to stay."""
        found = KeptExpressions()
        for kept in (self.before, self.kept):
            found.kept |= {key: each for key, each in kept.items() if is_to_stay(key[0])}
        return found

    def age(self) -> None:
        """Begin another generation, if this one is large."""
        if len(self.kept) > MANY:
            self.before, self.kept = self.kept, {}

    def get(self, text: str, role: str, look_up: LookUp, kind: type[Read]) -> Read | None:
        """Return what a text was read as, if the types of its paths are the same."""
        key = text, role
        if key not in self.kept and key in self.before:
            self.kept[key] = self.before[key]
        return super().get(text, role, look_up, kind)

    def put(self, role: str, found: Expression | Template, look_up: LookUp) -> None:
        """Keep an expression or a text from its first occurrence on."""
        self.once = {(found.text, role)}
        super().put(role, found, look_up)
