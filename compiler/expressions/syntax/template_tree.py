"""The tree of a text with expressions in it."""

from __future__ import annotations

from wfc.compiler.expressions.syntax.tree import LoopName, Node, Path, paths_in
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type

__all__ = [
    "Condition",
    "ForLoop",
    "Hole",
    "Part",
    "Text",
    "TextArgument",
    "UsedText",
    "has_statements",
    "holes",
    "mentioned",
]


@dataclass(frozen=True, slots=True)
class Text:
    """Text that stays as it is. Its stretch is of the source; what whitespace control takes away is not in ``text``."""

    text: str


@dataclass(frozen=True, slots=True)
class Hole:
    """``${{ expression }}``."""

    tree: Node


@dataclass(frozen=True, slots=True)
class Condition:
    """``{% if %}``: branches, each with its condition; the last one's is ``None`` for ``{% else %}``."""

    branches: tuple[tuple[Node | None, tuple[Part, ...]], ...]


@dataclass(frozen=True, slots=True)
class ForLoop:
    """``{% for name in items %}``.

    Args:
        names: Of the item; or of key and value, for a map.
    """

    names: tuple[LoopName, ...]
    items: Node
    body: tuple[Part, ...]

    @property
    def own(self) -> frozenset[str]:
        """The names that mean something only inside."""
        return frozenset({"loop", *(each.name for each in self.names)})


@dataclass(frozen=True, slots=True)
class TextArgument:
    """What a text is given by a name, which stands at ``start``."""

    name: str
    start: int
    end: int
    value: Node


@dataclass(slots=True, eq=False)
class UsedText:
    """``{% use name(argument=value) %}``: another text, which stands under a name.

    Args:
        start: Where the name stands.
        parts: Those of the text; set by the typing, as is what it is given.
        given: By name, with the type that is wanted.
    """

    name: str
    start: int
    end: int
    arguments: tuple[TextArgument, ...]
    parts: tuple[Part, ...] = ()
    given: tuple[tuple[str, Node, Type], ...] = ()


Part = Text | Hole | Condition | ForLoop | UsedText


def has_statements(parts: tuple[Part, ...]) -> bool:
    """Return whether there is a ``{% for %}``, an ``{% if %}`` or a ``{% use %}``."""
    return any(isinstance(part, (Condition, ForLoop, UsedText)) for part in parts)


def holes(parts: tuple[Part, ...]) -> list[Node]:
    """Return every expression in it, at any depth, in the order of the text."""
    found: list[Node] = []
    for part in parts:
        match part:
            case Hole():
                found.append(part.tree)
            case Condition():
                for test, body in part.branches:
                    found += [test] if test is not None else []
                    found += holes(body)
            case ForLoop():
                found += [part.items, *holes(part.body)]
            case UsedText():
                found += [*(argument.value for argument in part.arguments), *holes(part.parts)]
    return found


def mentioned(parts: tuple[Part, ...]) -> frozenset[Path]:
    """Return the longest paths that a text mentions, those of names that mean something only inside aside."""
    found: set[Path] = set()
    for part in parts:
        match part:
            case Hole():
                found |= paths_in([part.tree])
            case Condition():
                for test, body in part.branches:
                    found |= paths_in([test]) if test is not None else frozenset()
                    found |= mentioned(body)
            case ForLoop():
                found |= paths_in([part.items])
                found.update(path for path in mentioned(part.body) if path[0] not in part.own)
            case UsedText():
                found |= paths_in([argument.value for argument in part.arguments])
                found.update(path for path in mentioned(part.parts) if path[0] != "args" or not part.given)
    return frozenset(found)
