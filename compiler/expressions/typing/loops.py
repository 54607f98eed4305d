"""Types of what a loop goes through: those of a text, and those that make a list."""

from __future__ import annotations

from typing import Final

from wfc.compiler.expressions.syntax.tree import LoopName, Node
from wfc.compiler.expressions.typing import hints
from wfc.compiler.expressions.typing.reporter import TypeReporter
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.rules import names as names_problems
from wfc.compiler.rules import templates as template_problems
from wfc.compiler.types import (
    BOOLEAN,
    INTEGER,
    STRING,
    UNKNOWN,
    Field,
    ListOf,
    MapOf,
    Record,
    Type,
    show_given,
)

__all__ = ["LOOP", "inside_loop"]

LOOP: Final = Record("loop", role="namespace")
LOOP.fields.update(
    index=Field("index", INTEGER, description="The item's number, from 1."),
    first=Field("first", BOOLEAN, description="Whether this is the first item."),
    last=Field("last", BOOLEAN, description="Whether this is the last item."),
)


def inside_loop(
    reporter: TypeReporter, names: tuple[LoopName, ...], items: Node, kind: Type, scope: Scope
) -> Scope:
    """Return the scope inside a loop, where its names stand for an item.

    Args:
        items: What it goes through.
        kind: The type of that, not null.
    """
    for position, each in enumerate(names):
        twice = any(each.name == other.name for other in names[:position])
        if twice or (each.name in scope.names and each.name != "loop") or each.name in scope.classes:
            place = reporter.place.stretch(each.start, each.end)
            reporter.wrong(names_problems.name_in_use(place, each.name))
    for each, type in zip(names, item_types(reporter, len(names), items, kind, scope), strict=True):
        scope = scope.with_name(each.name, type)
    return scope if any(each.name == "loop" for each in names) else scope.with_name("loop", LOOP)


def item_types(reporter: TypeReporter, count: int, items: Node, kind: Type, scope: Scope) -> tuple[Type, ...]:
    """Return the types of a loop's names."""
    if isinstance(kind, ListOf) and count == 1:
        return (kind.item,)
    if isinstance(kind, MapOf):
        return (STRING, kind.value)[:count]
    if kind is not UNKNOWN:
        at, words = reporter.at(items), reporter.words(items)
        reporter.wrong(
            template_problems.not_a_list(
                at, words, show_given(kind), count, for_list(items, kind, count, scope)
            )
        )
    return (UNKNOWN,) * count


def for_list(items: Node, kind: Type, count: int, scope: Scope) -> str:
    """Return what is meant by a loop through what cannot be gone through; empty where that cannot be told."""
    if isinstance(kind, ListOf) and count > 1:
        return "an item of a list has one name; its number is `loop.index`, from 1"
    return hints.for_path(items, scope)
