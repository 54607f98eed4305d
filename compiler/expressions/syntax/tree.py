"""The tree of an expression: small nodes, each with its stretch of the text and its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import UNKNOWN, MapOf, Optional, Record, Type

__all__ = [
    "EVERY_ITEM",
    "ArithmeticOperator",
    "Attribute",
    "Binary",
    "BrokenExpression",
    "Choice",
    "Compare",
    "ComparisonOperator",
    "Comprehension",
    "Concat",
    "Constant",
    "Fields",
    "FilterCall",
    "ListDisplay",
    "Logic",
    "LoopName",
    "Name",
    "Node",
    "Not",
    "Path",
    "RecordDisplay",
    "Slice",
    "Subscript",
    "Test",
    "Unary",
    "children",
    "decided",
    "known_path",
    "path_of",
    "paths_in",
    "taken_apart",
    "walk",
]

Path = tuple[str, ...]
"""A name and the fields that follow it: ``("event", "order", "total")``."""
EVERY_ITEM: Final = "[]"
"""Stands at the end of a path for all items of a map."""

ArithmeticOperator = Literal["+", "-", "*", "/", "//", "%"]
ComparisonOperator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]


@dataclass(slots=True, eq=False)
class Node:
    """A part of an expression.

    Args:
        start: Its first code point in the text.
        end: One past its last.
        type: Its type where it stands, conditions around it taken into account; set by the typing.
        declared: Its type wherever it stands; only of names and attributes it may differ from ``type``.
        decided: The outcome of a test, where earlier conditions leave only one.
        reached: Whether it is ever worked out; not where earlier conditions exclude it.
    """

    start: int
    end: int
    type: Type = field(default=UNKNOWN, init=False)
    declared: Type = field(default=UNKNOWN, init=False)
    decided: bool | None = field(default=None, init=False)
    reached: bool = field(default=True, init=False)


@dataclass(slots=True, eq=False)
class BrokenExpression(Node):
    """An expression that could not be read; a finding says why."""


@dataclass(slots=True, eq=False)
class Constant(Node):
    """A text, a number, ``true``, ``false`` or ``none``."""

    value: str | int | float | bool | None


@dataclass(slots=True, eq=False)
class Name(Node):
    """A name in scope. It stands at ``name_start``; the node may have brackets around it."""

    name: str
    name_start: int
    name_end: int


@dataclass(slots=True, eq=False)
class Attribute(Node):
    """A field of a record. Its name stands at ``name_start``."""

    of: Node
    name: str
    name_start: int
    name_end: int


@dataclass(slots=True, eq=False)
class Fields(Node):
    """Fields of a name in one, as most expressions have them: ``event.order.total``, without blanks and brackets.

    Args:
        path: The name and the fields.
        begin: Where the name stands; the node may have brackets around it.
        apart: The same as attributes of a name; set by the typing where there is more to say of them.
    """

    path: Path
    begin: int
    apart: Attribute | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class Subscript(Node):
    """An item of a list, a letter of a text, a value of a map, a field of a record."""

    of: Node
    index: Node


@dataclass(slots=True, eq=False)
class Slice(Node):
    """A part of a list or of a text."""

    of: Node
    first: Node | None
    last: Node | None


@dataclass(slots=True, eq=False)
class ListDisplay(Node):
    """A list written out."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class LoopName:
    """The name of an item in a loop, with its stretch of the text."""

    name: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class Comprehension(Node):
    """A list made of another one, or of a map: ``[value for name in items if test]``.

    Args:
        names: Of the item; or of key and value, for a map.
        test: ``None`` for all items.
    """

    value: Node
    names: tuple[LoopName, ...]
    items: Node
    test: Node | None

    @property
    def inside(self) -> tuple[Node, ...]:
        """What is worked out for each item."""
        return (self.value,) if self.test is None else (self.value, self.test)

    @property
    def own(self) -> frozenset[str]:
        """The names that mean something only inside."""
        return frozenset({"loop", *(each.name for each in self.names)})


@dataclass(slots=True, eq=False)
class RecordDisplay(Node):
    """A record written out."""

    entries: tuple[tuple[Constant, Node], ...]


@dataclass(slots=True, eq=False)
class Unary(Node):
    """A number with a sign."""

    operator: Literal["+", "-"]
    operand: Node


@dataclass(slots=True, eq=False)
class Binary(Node):
    """Arithmetic; also texts and lists put together."""

    operator: ArithmeticOperator
    left: Node
    right: Node


@dataclass(slots=True, eq=False)
class Concat(Node):
    """Values as one text: ``a ~ b ~ c``."""

    parts: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Compare(Node):
    """A comparison."""

    operator: ComparisonOperator
    left: Node
    right: Node


@dataclass(slots=True, eq=False)
class Logic(Node):
    """Conditions, all of which (``and``) or one of which (``or``) must hold."""

    operator: Literal["and", "or"]
    parts: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Not(Node):
    """A condition that must not hold."""

    operand: Node


@dataclass(slots=True, eq=False)
class Choice(Node):
    """``then if test else otherwise``."""

    test: Node
    then: Node
    otherwise: Node


@dataclass(slots=True, eq=False)
class Test(Node):
    """``x is none``, ``x is not OrderFound``.

    Args:
        name: Of the test, or of an event or a type; it stands at ``name_start``.
        record: The event or type, where the name is one; set by the typing.
    """

    __test__ = False  # not one of pytest's

    of: Node
    name: str
    negated: bool
    name_start: int
    name_end: int
    record: Record | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class FilterCall(Node):
    """``x | name(arguments)``.

    Args:
        arguments: As written: without a name, or with one.
        bound: By parameter; set by the typing.
        comparison: Of each item's field, for ``where``; set by the typing.
    """

    of: Node
    name: str
    name_start: int
    name_end: int
    arguments: tuple[tuple[str | None, Node], ...]
    bound: dict[str, Node] = field(default_factory=dict, init=False)
    comparison: Compare | None = field(default=None, init=False)


def no_children(node: Node) -> tuple[Node, ...]:
    return ()


CHILDREN: Final[Mapping[type[Node], Callable[..., tuple[Node, ...]]]] = {
    BrokenExpression: no_children,
    Constant: no_children,
    Name: no_children,
    Fields: no_children,
    Attribute: lambda node: (node.of,),
    Test: lambda node: (node.of,),
    Subscript: lambda node: (node.of, node.index),
    Slice: lambda node: (node.of, *(each for each in (node.first, node.last) if each is not None)),
    ListDisplay: lambda node: node.items,
    Comprehension: lambda node: (
        (node.value, node.items) if node.test is None else (node.value, node.items, node.test)
    ),
    RecordDisplay: lambda node: tuple(value for _, value in node.entries),
    Unary: lambda node: (node.operand,),
    Not: lambda node: (node.operand,),
    Binary: lambda node: (node.left, node.right),
    Compare: lambda node: (node.left, node.right),
    Concat: lambda node: node.parts,
    Logic: lambda node: node.parts,
    Choice: lambda node: (node.then, node.test, node.otherwise),
    FilterCall: lambda node: (node.of, *(argument for _, argument in node.arguments)),
}


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside a node, in the order of the text."""
    return CHILDREN[node.__class__](node)


def walk(node: Node) -> list[Node]:
    """A node and all nodes inside it, in the order of the text."""
    found: list[Node] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if inside := CHILDREN[node.__class__](node):
            waiting += inside[::-1]
    return found


def decided(node: Node) -> bool | None:
    """The outcome of a condition, where earlier ones leave only one."""
    match node:
        case Not():
            outcome = decided(node.operand)
            return None if outcome is None else not outcome
        case Logic():
            outcomes = [decided(part) for part in node.parts]
            ending = node.operator == "or"  # the outcome of one part that settles the whole
            if ending in outcomes:
                return ending
            return (not ending) if None not in outcomes else None
    return node.decided


def path_of(node: Node) -> Path | None:
    """The path that a node is, if it is a name or fields of one."""
    names: list[str] = []
    while isinstance(node, Attribute):
        names.append(node.name)
        node = node.of
    if isinstance(node, Fields):
        return (*node.path, *reversed(names)) if names else node.path
    return (node.name, *reversed(names)) if isinstance(node, Name) else None


def known_path(node: Node) -> Path | None:
    """Return the path of what conditions may say something of, in a typed tree.

    That is a path, or the item of a map at one: ``response.headers["location"]`` is ``("response", "headers",
    '["location"]')``. Of an item that may be null although it is there, Python's type checkers learn nothing.
    """
    if not isinstance(node, Subscript):
        return path_of(node)
    owner, key = node.of.type, node.index
    if not isinstance(owner, MapOf) or isinstance(owner.value, Optional):
        return None
    if not isinstance(key, Constant) or not isinstance(key.value, str):
        return None
    path = known_path(node.of)
    return None if path is None else (*path, f'["{key.value}"]')


def paths_in(trees: Sequence[Node]) -> frozenset[Path]:
    """Return the longest paths that expressions mention, those of names that mean something only inside aside."""
    found: set[Path] = set()
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Fields):  # as most are
            found.add(node.path)
        elif isinstance(node, Constant):
            continue
        elif isinstance(node, (Name, Attribute)) and (path := path_of(node)) is not None:
            found.add(path)
        elif isinstance(node, Comprehension):
            found.update(path for path in paths_in(node.inside) if path[0] not in node.own)
            waiting.append(node.items)
        else:
            waiting += children(node)
    return frozenset(found)


def taken_apart(node: Fields) -> Attribute:
    """Fields of a name as attributes, one of the other."""
    name, first, *names = node.path
    end = node.begin + len(name)
    of: Node = Name(node.begin, end, name, node.begin, end)
    for each in (first, *names):
        start = end + 1
        end = start + len(each)
        of = Attribute(node.begin, end, of, each, start, end)
    assert isinstance(of, Attribute)
    return of
