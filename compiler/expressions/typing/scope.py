"""The names that an expression may mention, and what conditions imply about them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions.cache import ExpressionCache
from wfc.compiler.expressions.conditions.narrowing import TESTS, Facts, facts_of, of_choices
from wfc.compiler.expressions.expression import Expression, Outcome
from wfc.compiler.expressions.syntax.tree import (
    EVERY_ITEM,
    Constant,
    Fields,
    Name,
    Node,
    Path,
    Test,
    children,
)
from wfc.compiler.slotted import dataclass, field, replace
from wfc.compiler.types import ANY, UNKNOWN, MapOf, OneOf, Record, Type, may_be_null, parse_type

__all__ = ["Scope", "SourceText", "TextSource", "TypeSource"]

MAX_DOUBTED: Final = (
    4  # names in a path; deeper ones are hardly ever asked about, and records may hold themselves
)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that others may use.

    Args:
        args: What it must be given.
        report: Takes what is wrong in it.
    """

    text: str
    place: Place
    args: Record
    report: Report


TextSource = Callable[[str, Place], SourceText | None]
"""Finds a text by its name for a place; reports a name that is not declared, and returns ``None`` for it."""

TypeSource = Callable[[str, Place, Report], Type]
"""Reads a type as it is written in the short form at a place; reports what is wrong with it."""


def built_in_type(text: str, place: Place, report: Report) -> Type:
    """Read a type where none are declared."""
    return parse_type(text, place, {}, report, "")


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of a place, with their types.

    Args:
        names: ``event events result inputs state config error response run args`` and names of items, those
            that there are.
        classes: Events and types that ``is Name`` may name.
        facts: The type that a path has here, where conditions have narrowed it.
        cache: Of what was read in scopes with the same classes, or ``None``.
        reached: Whether anything gets here: not where conditions exclude each other. There a finding about
            what may be null would be about nothing, and what is found out holds nowhere else.
        texts: Where texts are found that others use by name; ``None`` where none can be.
        types: Reads the types that filters are given.
        secrets: The names of secrets, which are no data.
    """

    names: Mapping[str, Type]
    classes: Mapping[str, Record] = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)
    cache: ExpressionCache | None = None
    reached: bool = True
    texts: TextSource | None = None
    types: TypeSource = built_in_type
    secrets: Container[str] = ()

    def assuming(self, condition: Expression, holds: bool) -> Scope:
        """Return the scope where a condition is known to hold, or not to."""
        outcomes = condition.outcomes
        if holds not in outcomes:
            outcomes[holds] = outcome(condition.tree, holds, sure=condition.sure)
        return self.narrowed(outcomes[holds])

    def given(self, condition: Node, holds: bool, *, sure: bool = False) -> Scope:
        """Return the scope where a part of an expression is known to hold, or not to.

        Args:
            sure: Whether all of the expression could be read and has types.
        """
        return self.narrowed(outcome(condition, holds, sure=sure))

    def narrowed(self, found: Outcome) -> Scope:
        """Return the scope with more facts."""
        if found == "never":
            return replace(self, facts={**self.doubts(), **dict.fromkeys(self.facts, UNKNOWN)}, reached=False)
        added = self.doubts() if found == "unclear" else found
        if not added or not self.reached:
            return self
        facts = {**self.facts, **added}
        events = self.names.get("events")
        if isinstance(events, Record) and events.role == "choices":
            facts.update(of_choices("events", events, facts))
        return Scope(
            self.names,
            self.classes,
            facts,
            self.cache,
            texts=self.texts,
            types=self.types,
            secrets=self.secrets,
        )

    def doubts(self) -> Facts:
        """Return facts that leave open whether anything is null, and which of several types it has."""
        found: dict[Path, Type] = {}
        waiting: list[tuple[Path, Type]] = [((name,), type) for name, type in self.names.items()]
        while waiting:
            path, type = waiting.pop()
            if type is ANY or may_be_null(type) or isinstance(type, OneOf):
                found[path] = UNKNOWN
            elif isinstance(type, MapOf):
                found[*path, EVERY_ITEM] = UNKNOWN
            elif isinstance(type, Record) and len(path) < MAX_DOUBTED:
                waiting += [((*path, name), each.type) for name, each in type.fields.items()]
        return found

    def with_name(self, name: str, type: Type) -> Scope:
        """Return the scope in which one more name stands for a value."""
        facts = {path: fact for path, fact in self.facts.items() if path[0] != name}
        return replace(self, names={**self.names, name: type}, facts=facts)

    def look_up(self, path: Path) -> tuple[Type, Type] | None:
        """Return the type of a name or of a field of records, as declared and as it is here.

        Returns:
            ``None`` where there is more to say: of what is not there, of what several records have, and of
            events that exclude each other, where what is known of one says something of the others.
        """
        facts = self.facts
        kind = self.names.get(path[0])
        for length, name in enumerate(path[1:], 1):
            if facts:
                kind = facts.get(path[:length], kind)
            if (
                not isinstance(kind, Record)
                or not kind.name
                or kind.role == "choices"
                or name not in kind.fields
            ):
                return None
            kind = kind.fields[name].type
        if kind is None:
            return None
        return kind, facts.get(path, kind) if facts else kind

    def fact(self, path: Path | None) -> Type | None:
        """Return what conditions have made of a path's type, if they have made anything of it."""
        return self.facts.get(path) if path is not None and self.facts else None


def outcome(condition: Node, holds: bool, *, sure: bool) -> Outcome:
    """Return what a condition says where it holds or does not."""
    if not sure and is_in_doubt(condition):
        return "unclear"
    facts = facts_of(condition, holds)
    return "never" if facts is None else facts


def is_in_doubt(condition: Node) -> bool:
    """Return whether a part of a condition could not be read, which a finding has said already."""
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if not node.reached:
            continue
        if node.type is UNKNOWN:
            return True
        if isinstance(node, Test) and node.record is None and node.name not in TESTS:
            return True
        if not isinstance(node, (Fields, Name, Constant)):  # as most are
            waiting += children(node)
    return False
