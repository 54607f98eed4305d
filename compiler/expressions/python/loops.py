"""Loops: what they go through, how their items are called, and how many there may be."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from wfc.compiler.expressions.python.node_printer import Names, NodePrinter
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, is_path
from wfc.compiler.expressions.syntax.tree import Comprehension, LoopName, Node, Path, paths_in, walk
from wfc.compiler.python.literals import Code, local_name
from wfc.compiler.slotted import dataclass

__all__ = [
    "COUNTER",
    "LoopHead",
    "comprehension",
    "counted_by",
    "fresh_name",
    "has_loop",
    "head_of",
    "words_in",
]

COUNTER: Final = Code("filters.Count()")
"""What counts the items of loops that stand one in the other."""
MOST_ITEMS: Final = 100_000
Wrap = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class LoopHead:
    """The head of a loop in Python.

    Args:
        target: What stands between ``for`` and ``in``.
        over: What stands after ``in``.
        names: How paths are called inside.
        bound: The name that what it goes through must be given before; empty if it needs none.
    """

    target: str
    over: str
    names: Names
    bound: str = ""


def comprehension(
    printer: NodePrinter, node: Comprehension, print_value: Callable[[NodePrinter], Piece] | None = None
) -> Piece:
    """Return a list that is made of another one.

    Args:
        print_value: Prints the value for each item; left out, it is printed as it is.
    """
    items = printer.piece(node.items)
    taken = words_in(printer.names)
    counter, begin = printer.counter, ""
    if counter is None and has_loop(node.inside):
        counter = fresh_name("count", taken)
        begin = f"for {counter} in [{COUNTER}] "
    wrap = counted_by(counter) if counter else within_limit
    head = head_of(node.names, items, paths_in(node.inside), printer.names, taken, wrap)
    if head.bound:
        begin += f"for {head.bound} in [{items.code}] "
    inside = printer.within_loop(head.names, counter)
    value = print_value(inside) if print_value is not None else inside.piece(node.value)
    test = "" if node.test is None else f" if {inside.piece(node.test).within(Rank.OR)}"
    return atom(f"[{value.code} {begin}for {head.target} in {head.over}{test}]")


def has_loop(nodes: tuple[Node, ...]) -> bool:
    """Return whether expressions have a loop in them."""
    return any(isinstance(each, Comprehension) for node in nodes for each in walk(node))


def counted_by(counter: Code) -> Wrap:
    """Return how the items of a loop are counted together with those of the loops around it."""
    return lambda items: f"{counter}({items})"


def within_limit(items: str) -> str:
    """Return items of which there may not be too many."""
    return f"filters.at_most({MOST_ITEMS:_}, {items})"


def head_of(
    names: tuple[LoopName, ...],
    items: Piece,
    mentioned: frozenset[Path],
    known: Names,
    taken: set[str],
    wrap: Wrap | None = None,
) -> LoopHead:
    """Return a loop's head.

    Args:
        mentioned: The paths that are mentioned inside.
        known: How paths are called outside.
        taken: Names that mean something already; those that are given here are added.
        wrap: What counts the items.
    """
    roots = {path[0] for path in mentioned}
    own = [each.name for each in names if each.name in roots] or [names[0].name]
    locals_ = {name: fresh_name(name, taken) for name in own}
    inside: dict[Path, Code] = {path: code for path, code in known.items() if path[0] != "loop"}
    inside |= {(name,): local for name, local in locals_.items()}
    of_loop = {path[1] for path in mentioned if path[0] == "loop" and len(path) > 1}
    source, bound = items.within(Rank.ATOM), ""
    if "last" in of_loop and not is_path(source):
        source = bound = fresh_name("items", taken)
    whole = wrap(bound or items.code) if wrap is not None else source
    over = whole if wrap is not None or bound else items.after_in
    if len(names) == 2 and own != [names[0].name]:
        over = f"{whole}.{'items' if len(own) == 2 else 'values'}()"
    target = ", ".join(locals_.values())
    if of_loop:
        index = fresh_name("index", taken)
        target = f"{index}, {target}" if len(own) == 1 else f"{index}, ({target})"
        over = f"enumerate({over}, 1)"
        inside["loop", "index"] = index
        inside["loop", "first"] = Code(f"{index} == 1")
        inside["loop", "last"] = Code(f"{index} == len({source})")
    return LoopHead(target, over, inside, bound)


def words_in(names: Names) -> set[str]:
    """Return the names that mean something where paths are called so."""
    return {word for code in names.values() for word in re.findall(r"\w+", code)}


def fresh_name(name: str, taken: set[str]) -> Code:
    """Return a local name that nothing else has, and take it."""
    local, number = local_name(name), 2
    while local in taken:
        local, number = Code(f"{local_name(name)}_{number}"), number + 1
    taken.add(local)
    return local
