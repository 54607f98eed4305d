"""The questions that a condition asks, and the cases of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wfc.compiler.expressions.conditions.narrowing import EMPTY, among, passes_test
from wfc.compiler.expressions.syntax.tree import (
    Compare,
    Constant,
    ListDisplay,
    Logic,
    Node,
    Not,
    Path,
    Test,
    children,
    path_of,
    walk,
)
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import (
    BOOLEAN,
    INTEGER,
    NULL,
    STRING,
    Enumeration,
    OneOf,
    Record,
    Type,
    may_be_null,
    members,
    show,
    show_value,
    without_null,
)

__all__ = ["Key", "Proposition", "Propositions", "Row", "outline"]


class Null:
    """Stands for null among a path's cases."""


@dataclass(frozen=True, slots=True)
class Present:
    """Stands for any value that is there, of a path whose values are not told apart."""


NULL_CASE: Final = Null()
PRESENT: Final = Present()
OPPOSITES: Final = {"!=": "==", ">=": "<", "<=": ">", "not in": "in"}
Key = Path | str
"""A path whose cases are told apart, or the outline of a test that is not looked into."""
Row = Mapping[Key, object]


@dataclass(frozen=True, slots=True)
class Proposition:
    """A question.

    Args:
        cases: What it may come out as: values of a path; for a test that is not looked into, true and false.
        opposite: Whether the test is the opposite of the one that ``key`` outlines.
        text: As its author wrote it.
        values: What a path is compared with, if that is the question.
    """

    key: Key
    cases: tuple[object, ...]
    opposite: bool
    text: str
    values: frozenset[tuple[object, object]] = frozenset()


class Propositions:
    """The questions that some conditions ask. The same question is one, wherever it is asked.

    Args:
        in_order: Whether a condition is only asked where those before it do not hold.
    """

    def __init__(self, trees: Sequence[Node], texts: Sequence[str], *, in_order: bool = False) -> None:
        self.in_order = in_order
        self.constants: dict[Path, dict[object, object]] = {}  # what a path is compared with
        for tree in trees:
            self.collect_constants(tree)
        self.by_node: dict[int, Proposition] = {}
        self.by_key: dict[Key, Proposition] = {}
        for tree, text in zip(trees, texts, strict=True):
            self.collect(tree, text)

    def collect_constants(self, tree: Node) -> None:
        for node in walk(tree):
            asked = asked_of(node) if isinstance(node, Compare) else None
            path = path_of(asked) if asked is not None else None
            if path is not None and isinstance(node, Compare):
                known = self.constants.setdefault(path, {})
                known.update({(each.__class__, each): each for each in compared_values(node) or ()})

    def collect(self, node: Node, text: str) -> None:
        if isinstance(node, (Logic, Not)):
            for child in children(node):
                self.collect(child, text)
        elif not isinstance(node, Constant):
            proposition = self.proposition(node, text[node.start : node.end])
            self.by_node[id(node)] = proposition
            self.by_key.setdefault(proposition.key, proposition)

    def proposition(self, node: Node, text: str) -> Proposition:
        asked = asked_of(node)
        path = path_of(asked) if asked is not None else None
        if asked is not None and path is not None:
            cases = cases_of(asked.declared, tuple(self.constants.get(path, {}).values()))
            if cases is not None and decidable(node, cases):
                values = compared_values(node) if isinstance(node, Compare) else None
                return Proposition(path, cases, False, text, among(values or ()))
        key, opposite = opaque_key(node)
        return Proposition(key, (True, False), opposite, text)

    def holds(self, node: Node, row: Row) -> bool:
        """Return whether a condition holds in a case.

        Raises:
            KeyError: That depends on a question which the case does not answer; the error's argument.
        """
        match node:
            case Constant():
                return node.value is True
            case Not():
                return not self.holds(node.operand, row)
            case Logic():
                outcome = all if node.operator == "and" else any
                return outcome(self.holds(part, row) for part in node.parts)
        if self.in_order and node.decided is not None:
            # by the conditions before it, which did not hold, or else this one is not asked
            return node.decided
        proposition = self.by_node[id(node)]
        value = row[proposition.key]
        if isinstance(proposition.key, str):
            return bool(value) != proposition.opposite
        return test_holds(node, proposition, value)

    def words(self, row: Row) -> str:
        """Describe a case in words."""
        parts = [self.case_words(self.by_key[key], value) for key, value in row.items()]
        return " and ".join(parts) if parts else "in any case"

    def case_words(self, proposition: Proposition, value: object) -> str:
        if isinstance(proposition.key, str):
            return f"`{proposition.text}` is {'true' if bool(value) != proposition.opposite else 'false'}"
        name = ".".join(proposition.key)
        if value is NULL_CASE:
            return f"`{name}` is null"
        if value is PRESENT:
            told_apart = any(each is not None for each in self.constants.get(proposition.key, {}).values())
            return f"`{name}` is {'another value' if told_apart else 'not null'}"
        return f"`{name}` is `{show(value) if is_type(value) else show_value(value)}`"  # type: ignore[arg-type]


def asked_of(node: Node) -> Node | None:
    """Return the part of a test that is asked about; ``None`` if it is not a test of one value."""
    match node:
        case Test():
            return node.of
        case Compare() if compared_values(node) is not None:
            return node.right if isinstance(node.left, Constant) else node.left
        case Compare():
            return None
    return node


def compared_values(node: Compare) -> tuple[object, ...] | None:
    """Return the values that something is compared with for equality."""
    if node.operator in {"==", "!="}:
        constant = node.left if isinstance(node.left, Constant) else node.right
        return (constant.value,) if isinstance(constant, Constant) else None
    if node.operator in {"in", "not in"} and isinstance(node.right, ListDisplay):
        values = [item.value for item in node.right.items if isinstance(item, Constant)]
        return tuple(values) if len(values) == len(node.right.items) else None
    return None


def cases_of(type: Type, constants: Sequence[object]) -> tuple[object, ...] | None:
    """Return the cases of a path, which is compared with some constants; ``None`` if there is only one."""
    null = (NULL_CASE,) if may_be_null(type) else ()
    inner = without_null(type)
    cases: tuple[object, ...]
    if inner == BOOLEAN:
        cases = (True, False, *null)
    elif isinstance(inner, Enumeration):
        cases = (*inner.values, *null)
    elif isinstance(inner, (OneOf, Record)):
        cases = (*members(inner), *null)
    elif inner in (STRING, INTEGER):
        cases = (*(each for each in constants if each is not None), PRESENT, *null)
        return cases if len(cases) > 1 else None
    else:
        cases = (PRESENT, *null)
        return cases if len(cases) > 1 and type != NULL else None
    return cases


def decidable(node: Node, cases: tuple[object, ...]) -> bool:
    """Return whether the cases of what a test asks about decide it."""
    if isinstance(node, Compare):
        known = among(cases)
        return all(each is None or (each.__class__, each) in known for each in compared_values(node) or ())
    if isinstance(node, Test) and node.name == EMPTY and node.record is None:
        return False  # what is empty may be null, or a text of no letters
    return not (isinstance(node, Test) and node.name != "none" and PRESENT in cases)


def test_holds(node: Node, proposition: Proposition, value: object) -> bool:
    """Return whether a test comes out true for one of the cases of what it asks about."""
    match node:
        case Test():
            if node.name == "none":
                return (value is NULL_CASE) != node.negated
            passes = value is not NULL_CASE and is_type(value) and passes_test(value, node)  # type: ignore[arg-type]
            return bool(passes) != node.negated
        case Compare():
            asked = None if value is NULL_CASE else value
            held = (asked.__class__, asked) in proposition.values
            return held != (node.operator in {"!=", "not in"})
    return value is True


def is_type(value: object) -> bool:
    return not isinstance(value, (str, int, bool, Present))


def opaque_key(node: Node) -> tuple[str, bool]:
    """Return a name for a test that is not analysed, and whether it is the opposite of the test of that name."""
    if isinstance(node, Compare) and node.operator in OPPOSITES:
        return f"{outline(node.left)} {OPPOSITES[node.operator]} {outline(node.right)}", True
    if isinstance(node, Compare):
        return f"{outline(node.left)} {node.operator} {outline(node.right)}", False
    if isinstance(node, Test) and node.negated:
        return f"{outline(node.of)} is {node.name}", True
    return outline(node), False


def outline(node: Node) -> str:
    """Return a text that is the same for nodes that mean the same."""
    if (path := path_of(node)) is not None:
        return ".".join(path)
    own = [
        repr(getattr(node, name))
        for name in ("value", "name", "operator", "negated")
        if hasattr(node, name) and not isinstance(getattr(node, name), Node)
    ]
    inner = ", ".join(outline(child) for child in children(node))
    return f"{node.__class__.__name__}({', '.join(own)}; {inner})"
