"""Conditions by truth table: is there a case that none is for, and one that never gets its turn.

What a table can vary: enumerations, booleans, null or not, which event it is. Every other test is opaque: it may
come out either way, but the same one comes out the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

from wfc.compiler.expressions.narrowing import is_among, passes_test
from wfc.compiler.expressions.tree import (
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
from wfc.compiler.types import (
    BOOLEAN,
    INTEGER,
    NULL,
    STRING,
    UNKNOWN,
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

if TYPE_CHECKING:
    from wfc.compiler.expressions.parse import Expression

__all__ = ["Case", "Verdict", "constant_truth", "falls_through", "judge"]

MAX_ATOMS: Final = 12
MAX_ROWS: Final = 20_000
OPPOSITES: Final = {"!=": "==", ">=": "<", "<=": ">", "not in": "in"}


class Null:
    """Stands for null among a path's cases."""


@dataclass(frozen=True, slots=True)
class Present:
    """Stands for any value that is there, of a path whose values are not told apart."""


NULL_CASE: Final = Null()
PRESENT: Final = Present()
Key = Path | str
Row = Mapping[Key, object]


@dataclass(frozen=True, slots=True)
class Case:
    """A case that no condition is for.

    Args:
        text: In words, to follow "where": ```result.category` is `bug```.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a list of conditions does, the first that holds being taken.

    Args:
        left: A case that none is for; ``None`` if they leave no case.
        idle: Indexes of conditions that never get their turn, because earlier ones take all their cases.
    """

    left: Case | None
    idle: tuple[int, ...]


def falls_through(conditions: Sequence[Expression]) -> Case | None:
    """A case that none of the conditions is for; ``None`` if there is none, or a mistake hides what there is."""
    return judge(conditions).left


def judge(conditions: Sequence[Expression]) -> Verdict:
    """Which cases a list of conditions leaves, and which conditions never get their turn."""
    trees = [condition.tree for condition in conditions]
    if any(condition.type == UNKNOWN for condition in conditions):
        return Verdict(None, ())
    table = Table(trees, [condition.text for condition in conditions])
    if not table.small:
        return Verdict(Case("there are too many different tests to be sure"), ())
    left: Case | None = None
    taken: set[int] = set()
    possible: set[int] = set()
    for row in table.rows():
        first = next((index for index, tree in enumerate(trees) if table.holds(tree, row)), None)
        if first is None:
            left = left or Case(table.words(row, trees))
        else:
            taken.add(first)
        possible.update(index for index, tree in enumerate(trees) if table.holds(tree, row))
    return Verdict(left, tuple(sorted(possible - taken)))


def constant_truth(tree: Node) -> bool | None:
    """Whether a condition holds in every case or in none; ``None`` if it depends, as it should."""
    table = Table([tree], [""])
    if not table.small:
        return None
    outcomes = {table.holds(tree, row) for row in table.rows()}
    return outcomes.pop() if len(outcomes) == 1 else None


class Table:
    """All cases that some conditions tell apart."""

    def __init__(self, trees: Sequence[Node], texts: Sequence[str]) -> None:
        self.cases: dict[Key, list[object]] = {}
        self.constants: dict[Path, list[object]] = {}  # values that a path is compared with
        for tree in trees:
            self.collect_constants(tree)
        self.shown: dict[Key, str] = {}  # a test as its author wrote it
        self.opposite: dict[Key, bool] = {}
        for tree, text in zip(trees, texts, strict=True):
            self.collect(tree, text)

    @property
    def small(self) -> bool:
        """Whether it can be gone through."""
        size = 1
        for cases in self.cases.values():
            size *= len(cases)
        return len(self.cases) <= MAX_ATOMS and size <= MAX_ROWS

    def rows(self) -> Iterator[Row]:
        for values in product(*self.cases.values()):
            yield dict(zip(self.cases, values, strict=True))

    # --- what is told apart

    def collect(self, node: Node, text: str) -> None:
        match node:
            case Logic() | Not():
                for child in children(node):
                    self.collect(child, text)
            case Constant():
                pass
            case _:
                key, cases = self.atom(node)
                self.cases.setdefault(key, cases)
                self.shown.setdefault(key, text[node.start : node.end])
                self.opposite.setdefault(key, opaque_key(node)[1])

    def collect_constants(self, tree: Node) -> None:
        for node in walk(tree):
            asked = asked_of(node) if isinstance(node, Compare) else None
            path = path_of(asked) if asked is not None else None
            if path is not None and isinstance(node, Compare):
                known = self.constants.setdefault(path, [])
                known += [each for each in compared_values(node) or () if not is_among(each, tuple(known))]

    def atom(self, node: Node) -> tuple[Key, list[object]]:
        """What a test asks about, and the cases of that."""
        asked = asked_of(node)
        path = path_of(asked) if asked is not None else None
        if asked is not None and path is not None:
            cases = cases_of(asked.declared, self.constants.get(path, []))
            if cases is not None and decidable(node, cases):
                return path, cases
        return opaque_key(node)[0], [True, False]

    # --- what a case makes of a condition

    def holds(self, node: Node, row: Row) -> bool:
        match node:
            case Constant():
                return node.value is True
            case Not():
                return not self.holds(node.operand, row)
            case Logic():
                outcome = all if node.operator == "and" else any
                return outcome(self.holds(part, row) for part in node.parts)
        key, _ = self.atom(node)
        value = row[key]
        if isinstance(key, str):
            return bool(value) != opaque_key(node)[1]
        return test_holds(node, value)

    # --- in words

    def words(self, row: Row, trees: Sequence[Node]) -> str:
        """A case in words; what does not matter for it is left out."""
        needed = dict(row)
        for key in list(row):
            rest = {name: value for name, value in needed.items() if name != key}
            if self.all_fail(rest, key, trees):
                needed = rest
        parts = [self.case_words(key, value) for key, value in needed.items()]
        return " and ".join(parts) if parts else "in any case"

    def case_words(self, key: Key, value: object) -> str:
        if isinstance(key, str):
            holds = bool(value) != self.opposite[key]
            return f"`{self.shown[key]}` is {'true' if holds else 'false'}"
        name = ".".join(key)
        if value is NULL_CASE:
            return f"`{name}` is null"
        if value is PRESENT:
            told_apart = any(each is not None for each in self.constants.get(key, []))
            return f"`{name}` is {'another value' if told_apart else 'not null'}"
        return f"`{name}` is `{show(value) if is_type(value) else show_value(value)}`"  # type: ignore[arg-type]

    def all_fail(self, rest: Row, missing: Key, trees: Sequence[Node]) -> bool:
        """Whether no condition holds whatever the value of what is missing."""
        gone = [key for key in self.cases if key not in rest]
        for values in product(*(self.cases[key] for key in gone)):
            row = {**rest, **dict(zip(gone, values, strict=True))}
            if any(self.holds(tree, row) for tree in trees):
                return False
        return True


def asked_of(node: Node) -> Node | None:
    """The part of a test that is asked about; ``None`` if it is not a test of one value."""
    match node:
        case Test():
            return node.of
        case Compare() if compared_values(node) is not None:
            return node.right if isinstance(node.left, Constant) else node.left
        case Compare():
            return None
    return node


def compared_values(node: Compare) -> tuple[object, ...] | None:
    """The values that something is compared with for equality."""
    if node.operator in {"==", "!="}:
        constant = node.left if isinstance(node.left, Constant) else node.right
        return (constant.value,) if isinstance(constant, Constant) else None
    if node.operator in {"in", "not in"} and isinstance(node.right, ListDisplay):
        values = [item.value for item in node.right.items if isinstance(item, Constant)]
        return tuple(values) if len(values) == len(node.right.items) else None
    return None


def cases_of(type: Type, constants: Sequence[object]) -> list[object] | None:
    """The cases of a path, which is compared with some constants; ``None`` if there is only one."""
    null: list[object] = [NULL_CASE] if may_be_null(type) else []
    inner = without_null(type)
    if inner == BOOLEAN:
        return [True, False, *null]
    if isinstance(inner, Enumeration):
        return [*inner.values, *null]
    if isinstance(inner, (OneOf, Record)):
        return [*members(inner), *null]
    if inner in (STRING, INTEGER):
        cases = [*(each for each in constants if each is not None), PRESENT, *null]
    else:
        cases = [PRESENT, *null]
    return cases if len(cases) > 1 and type != NULL else None


def decidable(node: Node, cases: list[object]) -> bool:
    """Whether the cases of what a test asks about decide it."""
    if isinstance(node, Compare):
        values = compared_values(node) or ()
        return all(value is None or is_among(value, tuple(cases)) for value in values)
    return not (isinstance(node, Test) and node.name != "none" and PRESENT in cases)


def test_holds(node: Node, value: object) -> bool:
    """Whether a test comes out true for one of the cases of what it asks about."""
    match node:
        case Test():
            if node.name == "none":
                return (value is NULL_CASE) != node.negated
            passes = value is not NULL_CASE and is_type(value) and passes_test(value, node)  # type: ignore[arg-type]
            return bool(passes) != node.negated
        case Compare():
            values = compared_values(node)
            assert values is not None
            held = is_among(None if value is NULL_CASE else value, values)
            return held != (node.operator in {"!=", "not in"})
    return value is True


def is_type(value: object) -> bool:
    return not isinstance(value, (str, int, bool, Present))


def opaque_key(node: Node) -> tuple[str, bool]:
    """A name for a test that is not looked into, and whether it is the opposite of what has that name."""
    if isinstance(node, Compare) and node.operator in OPPOSITES:
        return f"{outline(node.left)} {OPPOSITES[node.operator]} {outline(node.right)}", True
    if isinstance(node, Compare):
        return f"{outline(node.left)} {node.operator} {outline(node.right)}", False
    if isinstance(node, Test) and node.negated:
        return f"{outline(node.of)} is {node.name}", True
    return outline(node), False


def outline(node: Node) -> str:
    """A text that is the same for nodes that mean the same."""
    own = [
        repr(getattr(node, name))
        for name in ("value", "name", "operator", "negated")
        if hasattr(node, name) and not isinstance(getattr(node, name), Node)
    ]
    inner = ", ".join(outline(child) for child in children(node))
    return f"{node.__class__.__name__}({', '.join(own)}; {inner})"
