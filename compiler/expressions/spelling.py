"""Typed trees → Python, native and null-safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from wfc.compiler.expressions.filters import FILTERS, Spelling
from wfc.compiler.expressions.parse import Expression
from wfc.compiler.expressions.python import Piece, Rank, atom, call, infix, method, tuple_of
from wfc.compiler.expressions.tree import (
    Attribute,
    Binary,
    Choice,
    Compare,
    Concat,
    Constant,
    FilterCall,
    ListDisplay,
    Logic,
    Name,
    Node,
    Not,
    Path,
    RecordDisplay,
    Slice,
    Subscript,
    Test,
    Unary,
    path_of,
)
from wfc.compiler.spell import Code, class_name, escaped, field_name, literal
from wfc.compiler.types import (
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NUMBER,
    STRING,
    ListOf,
    MapOf,
    Record,
    Type,
    base,
    may_be_null,
    members,
    without_null,
)

__all__ = ["Names", "Speller", "Unspeakable", "simple_code", "spell_expression"]

Names = Mapping[Path, Code]

ITEM_NAMES: Final = ("item", "each", "entry", "element")
ADAPTED: Final[Mapping[Type, str]] = {
    DECIMAL: "decimal",
    DATE: "day",
    DATETIME: "datetime",
    DURATION: "duration",
}
SIGNS: Final = {
    "+": Rank.SUM,
    "-": Rank.SUM,
    "*": Rank.PRODUCT,
    "/": Rank.PRODUCT,
    "//": Rank.PRODUCT,
    "%": Rank.PRODUCT,
}
SIMPLE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class Unspeakable(Exception):
    """A text cannot stand inside an f-string of Python 3.11; what holds it is spelled another way."""


def spell_expression(expression: Expression, names: Names, *, into: Type | None = None) -> Code:
    """An expression as Python, on one line.

    Args:
        names: How paths are called where the code will stand; the longest prefix wins. A name that is not
            there is spelled as it is.
        into: The type of what takes the value, where it is wider than the value's own: a list is then
            copied where Python's type checkers want that, and a record written in place becomes its class.
    """
    speller = Speller(names)
    return Code(
        speller.into(expression.tree, into).code if into is not None else speller.piece(expression.tree).code
    )


class Speller:
    """Makes Python of nodes.

    Args:
        quotes: Inside an f-string, the quotes that texts in it may still have; ``None`` outside of all.
    """

    def __init__(self, names: Names, quotes: str | None = None) -> None:
        self.names = names
        self.quotes = quotes

    def piece(self, node: Node) -> Piece:
        """A node as Python."""
        return RULES[node.__class__](self, node)

    # --- texts

    def text(self, value: str) -> Piece:
        """A text as a literal, in quotes that may stand here.

        Raises:
            Unspeakable: There are none: inside an f-string there may be no backslash.
        """
        if self.quotes is None:
            return atom(literal(value))
        if not self.quotes or "\\" in escaped(value) or '"' in value or "'" in value:
            raise Unspeakable
        return atom(f"{self.quotes[0]}{value}{self.quotes[0]}")

    def rendered(self, node: Node) -> Piece:
        """A scalar as it stands in a text; still to be put in braces or joined."""
        piece = self.piece(node)
        if all(base(each) == STRING for each in members(node.type)):
            return piece
        return call("filters.text", piece)

    # --- names

    def local(self, *used: Piece) -> str:
        """A name for an item that no piece uses."""
        words = {word for piece in used for word in re.findall(r"\w+", piece.code)}
        names = (*ITEM_NAMES, *(f"item_{number}" for number in range(2, 99)))
        return next(name for name in names if name not in words)

    def attribute(self, name: str, path: str) -> Piece:
        """The field at a path of the record that a local name stands for."""
        return atom(".".join([name, *(field_name(part) for part in path.split("."))]))

    def known(self, node: Node) -> Piece | None:
        """How a path is called here, if it has a name of its own."""
        path = path_of(node)
        if path is None or path not in self.names:
            return None
        code = self.names[path]
        return Piece(code, Rank.ATOM if SIMPLE.fullmatch(code) else Rank.LAMBDA)

    def name(self, node: Name) -> Piece:
        return self.known(node) or atom(node.name)

    def attribute_of(self, node: Attribute) -> Piece:
        found = self.known(node)
        if found is not None:
            return found
        return atom(f"{self.piece(node.of).within(Rank.ATOM)}.{field_name(node.name)}")

    # --- values

    def constant(self, node: Constant) -> Piece:
        if isinstance(node.value, str):
            text = self.text(node.value)
            kind = without_null(node.type)
            return call(f"filters.{ADAPTED[kind]}", text) if kind in ADAPTED else text
        return Piece(literal(node.value), Rank.ATOM)

    def subscript(self, node: Subscript) -> Piece:
        of = self.piece(node.of)
        if isinstance(node.of.type, MapOf):
            return method(of, "get", self.piece(node.index))
        if isinstance(node.of.type, Record) and isinstance(node.index, Constant):
            return atom(f"{of.within(Rank.ATOM)}.{field_name(str(node.index.value))}")
        return atom(f"{of.within(Rank.ATOM)}[{self.piece(node.index).code}]")

    def slice(self, node: Slice) -> Piece:
        bounds = [self.piece(bound) if bound is not None else atom("") for bound in (node.first, node.last)]
        # a formatter sets blanks around the colon unless both bounds are simple
        simple = all(bound.code.lstrip("-").replace("_", "").isalnum() or not bound.code for bound in bounds)
        colon = ":" if simple else " : "
        inside = colon.join(bound.code for bound in bounds)
        return atom(f"{self.piece(node.of).within(Rank.ATOM)}[{inside.strip()}]")

    def list_display(self, node: ListDisplay) -> Piece:
        return atom(f"[{', '.join(self.piece(item).code for item in node.items)}]")

    def record_display(self, node: RecordDisplay) -> Piece:
        entries = [
            f"{self.text(str(key.value)).code}: {self.piece(value).code}" for key, value in node.entries
        ]
        return atom(f"{{{', '.join(entries)}}}")

    # --- operators

    def unary(self, node: Unary) -> Piece:
        if node.operator == "+":
            return self.piece(node.operand)
        return Piece(f"-{self.piece(node.operand).within(Rank.SIGN)}", Rank.SIGN)

    def binary(self, node: Binary) -> Piece:
        """Arithmetic; a number that might become infinite is checked, once for all that it is computed of."""
        piece = self.unchecked(node)
        return call("filters.finite", piece) if overflows(node) else piece

    def unchecked(self, node: Node) -> Piece:
        """Arithmetic inside arithmetic: infinity stays infinite, so that the outermost check finds it."""
        if not isinstance(node, Binary):
            return self.piece(node)
        left = self.unchecked(node.left)
        # but what is divided by infinity is finite again
        right = self.piece(node.right) if node.operator in {"/", "//", "%"} else self.unchecked(node.right)
        return infix(left, node.operator, right, SIGNS[node.operator])

    def concat(self, node: Concat) -> Piece:
        from wfc.compiler.expressions.templates import joined_parts

        return joined_parts(self, list(node.parts))

    def compare(self, node: Compare) -> Piece:
        if node.decided is not None:
            return atom(str(node.decided))
        if (
            isinstance(node.left, Constant)
            and node.operator in {"==", "!="}
            and not isinstance(node.right, Constant)
        ):
            return self.equality(node, node.right, self.piece(node.right), node.left)
        return self.comparison(node, self.piece(node.left))

    def comparison(self, node: Compare, left: Piece) -> Piece:
        """A comparison whose left side is a piece already."""
        if node.operator in {"==", "!="}:
            return self.equality(node, node.left, left, node.right)
        if node.operator in {"in", "not in"} and isinstance(node.right, ListDisplay):
            items = [self.piece(item) for item in node.right.items]
            return infix(left, node.operator, tuple_of(items), Rank.COMPARE)
        return infix(left, node.operator, self.piece(node.right), Rank.COMPARE)

    def equality(self, node: Compare, left: Node, piece: Piece, right: Node) -> Piece:
        equal = node.operator == "=="
        if isinstance(right, Constant) and (right.value is None or isinstance(right.value, bool)):
            if isinstance(right.value, bool) and base(left.type) == BOOLEAN:
                holds = right.value == equal
                return piece if holds else Piece(f"not {piece.within(Rank.NOT)}", Rank.NOT)
            return infix(piece, "is" if equal else "is not", self.piece(right), Rank.COMPARE)
        return infix(piece, node.operator, self.piece(right), Rank.COMPARE)

    def logic(self, node: Logic) -> Piece:
        """Parts that earlier conditions have decided are left out: a type checker would find them odd."""
        neutral = node.operator == "and"
        parts = [part for part in node.parts if decided(part) is not neutral]
        if not parts:
            return atom(str(neutral))
        if len(parts) == 1:
            return self.piece(parts[0])
        rank = Rank.AND if node.operator == "and" else Rank.OR
        return Piece(
            f" {node.operator} ".join(self.piece(part).within(Rank(rank + 1)) for part in parts), rank
        )

    def negation(self, node: Not) -> Piece:
        operand = self.piece(node.operand)
        return Piece(f"not {operand.within(Rank.NOT)}", Rank.NOT)

    def choice(self, node: Choice) -> Piece:
        then, test = self.piece(node.then).within(Rank.OR), self.piece(node.test).within(Rank.OR)
        return Piece(f"{then} if {test} else {self.piece(node.otherwise).within(Rank.CHOICE)}", Rank.CHOICE)

    def test(self, node: Test) -> Piece:
        subject = self.piece(node.of)
        if node.name == "none":
            return Piece(f"{subject.within(Rank.SUM)} is {'not ' if node.negated else ''}None", Rank.COMPARE)
        found = self.type_test(node, subject)
        return Piece(f"not {found.within(Rank.NOT)}", Rank.NOT) if node.negated else found

    def type_test(self, node: Test, subject: Piece) -> Piece:
        if node.record is not None:
            return call("isinstance", subject, class_name(node.record.name))
        kinds = {"string": "str", "integer": "int", "boolean": "bool", "list": "list", "map": "dict"}
        if node.name == "number":
            found = call("isinstance", subject, "(int, float)")
        else:
            found = call("isinstance", subject, kinds[node.name])
        booleans = any(base(each) == BOOLEAN for each in members(node.of.type))
        if node.name in {"number", "integer"} and booleans:
            return Piece(f"{found.code} and not isinstance({subject.code}, bool)", Rank.AND)
        return found

    def filter(self, node: FilterCall) -> Piece:
        arguments = {name: self.piece(argument) for name, argument in node.bound.items()}
        return FILTERS[node.name].spell(Spelling(node, self, self.piece(node.of), arguments))

    # --- into a wider type

    def into(self, node: Node, target: Type) -> Piece:
        """A value for what takes a wider type than its own."""
        wanted = without_null(target)
        match node, wanted:
            case ListDisplay(), ListOf():
                return atom(f"[{', '.join(self.into(item, wanted.item).code for item in node.items)}]")
            case RecordDisplay(), Record() if wanted.name:
                values = [
                    f"{field_name(str(key.value))}={self.into(value, wanted.fields[str(key.value)].type).code}"
                    for key, value in node.entries
                ]
                return call(class_name(wanted.name), *values)
            case RecordDisplay(), MapOf():
                entries = [
                    f"{self.text(str(key.value)).code}: {self.into(value, wanted.value).code}"
                    for key, value in node.entries
                ]
                return atom(f"{{{', '.join(entries)}}}")
            case Choice(), _:
                then = self.into(node.then, target).within(Rank.OR)
                test = self.piece(node.test).within(Rank.OR)
                return Piece(
                    f"{then} if {test} else {self.into(node.otherwise, target).within(Rank.CHOICE)}",
                    Rank.CHOICE,
                )
        return widened(self.piece(node), node.type, target, self)


def simple_code(code: str) -> bool:
    """Whether code is a name, or attributes of one."""
    return SIMPLE.fullmatch(code) is not None


def widened(piece: Piece, source: Type, target: Type, speller: Speller) -> Piece:
    """A value made into one of a wider type where Python's own types do not widen by themselves."""
    wanted, given = without_null(target), without_null(source)
    if needs_no_widening(given, wanted):
        return piece
    if may_be_null(source):
        if not SIMPLE.fullmatch(piece.code):
            return piece
        inner = widened(piece, given, wanted, speller)
        return Piece(f"{inner.within(Rank.OR)} if {piece.code} is not None else None", Rank.CHOICE)
    match given, wanted:
        case ListOf(), ListOf():
            item = speller.local(piece)
            inner = widened(atom(item), given.item, wanted.item, speller)
            if inner.code == item:
                return atom(f"[*{piece.within(Rank.OR)}]")
            return atom(f"[{inner.code} for {item} in {piece.within(Rank.OR)}]")
        case MapOf(), MapOf():
            item = speller.local(piece)
            inner = widened(atom(item), given.value, wanted.value, speller)
            if inner.code == item:
                return atom(f"{{**{piece.within(Rank.OR)}}}")
            return atom(f"{{key: {inner.code} for key, {item} in {piece.within(Rank.ATOM)}.items()}}")
    return call("filters.decimal", piece)


def needs_no_widening(given: Type, wanted: Type) -> bool:
    """Whether Python takes a value of one type for one of the other without further ado."""
    if given == wanted:
        return True
    match given, wanted:
        case ListOf(), ListOf():
            return given.item == wanted.item
        case MapOf(), MapOf():
            return given.value == wanted.value
    return not (wanted == DECIMAL and base(given) == INTEGER)


def decided(node: Node) -> bool | None:
    """What earlier conditions make of a condition, if they leave no choice."""
    return node.decided if isinstance(node, Compare) else None


def overflows(node: Binary) -> bool:
    """Whether finite numbers may give an infinite one: not integers among themselves."""
    return base(node.type) == NUMBER and not (
        node.operator == "/"
        and base(node.left.type) == base(node.right.type)
        and base(node.left.type) in (INTEGER, DURATION)
    )


RULES: Final[Mapping[type[Node], Callable[..., Piece]]] = {
    Constant: Speller.constant,
    Name: Speller.name,
    Attribute: Speller.attribute_of,
    Subscript: Speller.subscript,
    Slice: Speller.slice,
    ListDisplay: Speller.list_display,
    RecordDisplay: Speller.record_display,
    Unary: Speller.unary,
    Binary: Speller.binary,
    Concat: Speller.concat,
    Compare: Speller.compare,
    Logic: Speller.logic,
    Not: Speller.negation,
    Choice: Speller.choice,
    Test: Speller.test,
    FilterCall: Speller.filter,
}
