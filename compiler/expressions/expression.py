"""The results of the passes: a typed expression, and a typed text with expressions in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions.syntax.template_tree import Part, Text, holes
from wfc.compiler.expressions.syntax.tree import Node, Path
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import Type

__all__ = ["Expression", "Outcome", "Template"]

Outcome = Mapping[Path, Type] | Literal["never", "unclear"]
"""What is known of paths where a condition holds, or where it does not: their types; that it never does so; or that the
condition could not be read, so that it may have excluded anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A typed expression.

    Args:
        text: As the author wrote it; for one that the compiler made, as an author would have.
        place: Where it stands.
        type: ``UNKNOWN`` if a finding was made.
        uses: The paths that it mentions: ``("state", "count")``.
        sure: Whether every part of it has a type that is known.
        outcomes: What is known of paths where it holds, and where not; filled when somebody asks.
    """

    text: str
    place: Place
    type: Type
    tree: Node
    uses: frozenset[Path]
    sure: bool = False
    outcomes: dict[bool, Outcome] = field(default_factory=dict)

    def at(self, place: Place) -> Expression:
        """Return the same expression at another place."""
        return Expression(self.text, place, self.type, self.tree, self.uses, self.sure, self.outcomes)


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A text with expressions in it.

    Args:
        type: ``STRING``; for a text that is one whole ``${{ }}``, the type of its expression.
        whole: That expression; ``None`` for all other texts.
        statements: Whether it has a ``{% for %}``, an ``{% if %}`` or a ``{% use %}``.
        uses: The paths that it mentions, names of loops aside.
    """

    text: str
    place: Place
    parts: tuple[Part, ...]
    type: Type
    uses: frozenset[Path]
    whole: Expression | None = None
    statements: bool = False

    def at(self, place: Place) -> Template:
        """Return the same text at another place."""
        whole = self.whole.at(place) if self.whole is not None else None
        return Template(self.text, place, self.parts, self.type, self.uses, whole, self.statements)

    @property
    def constant(self) -> str | None:
        """The text of a template without expressions."""
        if self.parts and self.parts[0].__class__ is not Text and self.parts[-1].__class__ is not Text:
            return None  # as most are that hold a value
        if all(isinstance(part, Text) for part in self.parts):
            return "".join(part.text for part in self.parts if isinstance(part, Text))
        return None

    @property
    def trees(self) -> list[Node]:
        """Every expression in it."""
        return holes(self.parts)
