"""What was read before: a text means the same wherever all that it mentions has the same types."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from wfc.compiler.expressions.syntax.tree import Path
from wfc.compiler.types import Type

if TYPE_CHECKING:
    from wfc.compiler.expressions.passes import Expression, Template
    from wfc.compiler.expressions.typing.scope import Scope

__all__ = ["Memory"]

Read = TypeVar("Read", "Expression", "Template")
Seen = tuple[tuple[Path, tuple[Type, Type]], ...]


class Memory:
    """The expressions and texts of one spec in which nothing is wrong, as they were read last, if they come again.

    Steps of a large spec say the same again and again. What their types are follows from the text, from the types
    that its paths have in its scope, and from the names of events and types, which are the same in all of a spec.
    """

    __slots__ = ("kept", "once")

    def __init__(self) -> None:
        self.once: set[tuple[str, str]] = set()  # most texts come once, and are not worth keeping
        self.kept: dict[tuple[str, str], tuple[Seen, Expression | Template]] = {}

    def recall(self, text: str, role: str, scope: Scope, kind: type[Read]) -> Read | None:
        """What a text was understood as where its paths had the types that they have in a scope."""
        seen, found = self.kept.get((text, role), ((), None))
        for path, types in seen:
            if scope.look_up(path) != types:
                return None
        return found if isinstance(found, kind) else None

    def keep(self, role: str, found: Expression | Template, scope: Scope) -> None:
        """Remember what was understood without a finding.

        Args:
            role: What kind of text it is, where the same words mean different things.
        """
        key = (found.text, role)
        if key not in self.once:
            self.once.add(key)
            return
        seen: list[tuple[Path, tuple[Type, Type]]] = []
        for path in found.uses:
            types = scope.look_up(path)
            if types is None:
                return
            seen.append((path, types))
        self.kept[key] = tuple(seen), found
