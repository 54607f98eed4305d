"""Conditions without their redundant parts, as a person who writes Python by hand would leave them out."""

from __future__ import annotations

from wfc.compiler.expressions.conditions.propositions import outline
from wfc.compiler.expressions.syntax.tree import FilterCall, ListDisplay, Logic, Node, decided
from wfc.compiler.types import STRING, ListOf, base

__all__ = ["merged", "undecided"]


def undecided(node: Logic) -> list[Node]:
    """Return the parts that earlier conditions have not decided."""
    return [part for part in node.parts if decided(part) is None]


def merged(parts: list[Node], operator: str) -> list[Node]:
    """Return alternatives that ask for several prefixes (or suffixes) of one text, as one question."""
    found: list[Node] = []
    asked: dict[str, FilterCall] = {}
    for part in parts:
        if operator != "or" or not isinstance(part, FilterCall) or not asks_for_affix(part):
            found.append(part)
            continue
        key = f"{part.name} {outline(part.of)}"
        if key not in asked:
            asked[key] = FilterCall(part.start, part.end, part.of, part.name, 0, 0, part.arguments)
            asked[key].bound = dict(part.bound)
            asked[key].type = part.type
            found.append(asked[key])
            continue
        both = [*texts_of(asked[key].bound["text"]), *texts_of(part.bound["text"])]
        display = ListDisplay(part.start, part.end, tuple(both))
        display.type = ListOf(STRING)
        asked[key].bound["text"] = display
    return found


def asks_for_affix(node: FilterCall) -> bool:
    """Return whether a filter asks for a beginning or an end that is written in the spec."""
    return node.name in {"starts_with", "ends_with"} and (
        isinstance(node.bound["text"], ListDisplay) or base(node.bound["text"].type) == STRING
    )


def texts_of(node: Node) -> list[Node]:
    return list(node.items) if isinstance(node, ListDisplay) else [node]
