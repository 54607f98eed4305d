"""Typed trees → Python, native and null-safe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from wfc.compiler.expressions.python import conditions
from wfc.compiler.expressions.python.coercion import exact, into, joined_lists, joins_records
from wfc.compiler.expressions.python.exactness import is_exact, made_exact
from wfc.compiler.expressions.python.f_strings import NoFStringError, joined_parts
from wfc.compiler.expressions.python.filter_calls import FilterPrinter, PrintedFilter
from wfc.compiler.expressions.python.loops import comprehension
from wfc.compiler.expressions.python.node_printer import Names
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, call, infix, is_path, method
from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Binary,
    Choice,
    Compare,
    Comprehension,
    Concat,
    Constant,
    Fields,
    FilterCall,
    ListDisplay,
    Logic,
    Name,
    Node,
    Not,
    RecordDisplay,
    Slice,
    Subscript,
    Test,
    Unary,
    decided,
    path_of,
    taken_apart,
)
from wfc.compiler.python.literals import Code, class_name, escaped, field_name, literal
from wfc.compiler.types import (
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    ListOf,
    MapOf,
    OneOf,
    Record,
    Type,
    base,
    may_be_null,
    members,
    without_null,
)

__all__ = ["ExpressionPrinter"]

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


class ExpressionPrinter:
    """Prints nodes as Python.

    Args:
        names: How paths are called where the code will stand; the longest prefix wins. A name that is not
            there is printed as it is.
        filters: Every filter by its name.
        quotes: Inside an f-string, the quotes that texts in it may still have; ``None`` outside of all.
        counter: Inside of loops that are counted, what counts their items.
    """

    def __init__(
        self,
        names: Names,
        filters: Mapping[str, FilterPrinter],
        quotes: str | None = None,
        counter: Code | None = None,
    ) -> None:
        self.names = names
        self.filters = filters
        self.quotes = quotes
        self.counter = counter

    def inside(self, quotes: str) -> ExpressionPrinter:
        """The one for an f-string's braces, where texts may have these quotes."""
        return ExpressionPrinter(self.names, self.filters, quotes, self.counter)

    def within_loop(self, names: Names, counter: Code | None) -> ExpressionPrinter:
        """The one for the inside of a loop."""
        return ExpressionPrinter(names, self.filters, self.quotes, counter)

    def piece(self, node: Node) -> Piece:
        """A node as Python; a test that earlier conditions have decided as its outcome."""
        outcome = decided(node)
        return RULES[node.__class__](self, node) if outcome is None else atom(str(outcome))

    def exact(self, node: Node, target: Type) -> Piece:
        """A value beside others of a type: a whole number among decimals becomes one, a record that of its class."""
        if isinstance(node, (ListDisplay, RecordDisplay, Comprehension)):
            return into(self, node, target)
        return exact(self, node, target)

    # --- texts

    def text(self, value: str) -> Piece:
        """A text as a literal, in quotes that may stand here.

        Raises:
            NoFStringError: There are none: inside an f-string there may be no backslash.
        """
        if self.quotes is None:
            return atom(literal(value))
        if not self.quotes or "\\" in escaped(value) or '"' in value or "'" in value:
            raise NoFStringError
        return atom(f"{self.quotes[0]}{value}{self.quotes[0]}")

    def rendered(self, node: Node) -> Piece:
        """A scalar as it stands in a text; still to be put in braces or joined."""
        piece = self.piece(node)
        if all(base(each) == STRING for each in members(node.type)):
            return piece
        return call("filters.text", piece)

    # --- names

    def known(self, node: Node) -> Piece | None:
        """Return how a path is called here, if it has a name of its own."""
        path = path_of(node)
        if path is None or path not in self.names:
            return None
        code = self.names[path]
        if path[0] == "loop" and " == " in code:
            left, right = code.split(" == ")
            return infix(atom(left), "==", atom(right), Rank.COMPARE)
        return Piece(code, Rank.ATOM if is_path(code) else Rank.LAMBDA)

    def class_of(self, record: Record) -> str:
        """A record's class; ``names`` may call it otherwise than its declaration does."""
        if record.role == "built in":
            return record.name
        return self.names.get((record.name,)) or class_name(record.name)

    def name(self, node: Name) -> Piece:
        return self.known(node) or atom(node.name)

    def fields(self, node: Fields) -> Piece:
        return self.attribute_of(node.apart or taken_apart(node))

    def attribute_of(self, node: Attribute) -> Piece:
        found = self.known(node)
        if found is None and (lacking := owners_that_may_lack(node)):
            return self.field_if_there(node, lacking)
        if found is None:
            found = atom(f"{self.piece(node.of).within(Rank.ATOM)}.{field_name(node.name)}")
        if isinstance(
            node.of.type, OneOf
        ):  # the field of one record may be a whole number where others have decimals
            fields = [each.fields[node.name].type for each in node.of.type.types if isinstance(each, Record)]
            if not all(is_exact(each, node.type) for each in fields):
                return made_exact(found)
        return found

    def field_if_there(self, node: Attribute, lacking: list[Node]) -> Piece:
        """A field, or ``None`` where one of the records before it is null."""
        there = " and ".join(f"{self.chain(each)} is not None" for each in lacking)
        return Piece(f"{self.chain(node)} if {there} else None", Rank.CHOICE)

    def chain(self, node: Node) -> str:
        """Fields of a name, one of the other, as they are written where all of them are there."""
        names: list[str] = []
        while isinstance(node, Attribute) and self.known(node) is None:
            names.append(field_name(node.name))
            node = node.of
        return ".".join([self.piece(node).within(Rank.ATOM), *reversed(names)])

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
            if may_be_null(node.declared) and not may_be_null(node.type) and node.type is not NULL:
                # conditions say that it is there
                return atom(f"{of.within(Rank.ATOM)}[{self.piece(node.index).code}]")
            return method(of, "get", self.piece(node.index))
        if isinstance(node.of.type, Record) and isinstance(node.index, Constant):
            return atom(f"{of.within(Rank.ATOM)}.{field_name(str(node.index.value))}")
        if isinstance(node.of, (FilterCall, ListDisplay)):
            return call("filters.at", of, self.piece(node.index))
        return atom(f"{of.within(Rank.ATOM)}[{self.piece(node.index).code}]")

    def slice(self, node: Slice) -> Piece:
        bounds = [self.piece(bound) if bound is not None else atom("") for bound in (node.first, node.last)]
        # a formatter sets blanks around the colon unless both bounds are simple
        simple = all(bound.code.lstrip("-").replace("_", "").isalnum() or not bound.code for bound in bounds)
        colon = ":" if simple else " : "
        inside = colon.join(bound.code for bound in bounds)
        return atom(f"{self.piece(node.of).within(Rank.ATOM)}[{inside.strip()}]")

    def list_display(self, node: ListDisplay) -> Piece:
        kind = node.type.item if isinstance(node.type, ListOf) else UNKNOWN
        return atom(f"[{', '.join(self.exact(item, kind).code for item in node.items)}]")

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
        if joins_records(node):
            return joined_lists(self, node, node.type)
        piece = self.unchecked(node)
        return call("filters.finite", piece) if overflows(node) else piece

    def unchecked(self, node: Node) -> Piece:
        """Arithmetic inside arithmetic: infinity stays infinite, so that the outermost check finds it."""
        if not isinstance(node, Binary):
            return self.piece(node)
        if isinstance(node.type, MapOf):
            left, right = into(self, node.left, node.type), into(self, node.right, node.type)
            return atom(f"{{**{left.within(Rank.OR)}, **{right.within(Rank.OR)}}}")
        if isinstance(node.type, ListOf):
            sides = (self.exact(node.left, node.type), self.exact(node.right, node.type))
            return infix(sides[0], node.operator, sides[1], SIGNS[node.operator])
        left = self.unchecked(node.left)
        # but what is divided by infinity is finite again
        right = self.piece(node.right) if node.operator in {"/", "//", "%"} else self.unchecked(node.right)
        return infix(left, node.operator, right, SIGNS[node.operator])

    def concat(self, node: Concat) -> Piece:
        return joined_parts(self, list(node.parts))

    def filter(self, node: FilterCall) -> Piece:
        arguments = {name: self.piece(argument) for name, argument in node.bound.items()}
        return self.filters[node.name].to_python(PrintedFilter(node, self, self.piece(node.of), arguments))


def owners_that_may_lack(node: Attribute) -> list[Node]:
    """Return the records before a field that may be null, the first one first."""
    found: list[Node] = []
    of: Node = node.of
    while isinstance(of, Attribute):
        if may_be_null(of.type):
            found.append(of)
        of = of.of
    if may_be_null(of.type):
        found.append(of)
    return found[::-1]


def overflows(node: Binary) -> bool:
    """Return whether finite numbers may give an infinite one: not integers among themselves."""
    return base(node.type) == NUMBER and not (
        node.operator == "/"
        and base(node.left.type) == base(node.right.type)
        and base(node.left.type) in (INTEGER, DURATION)
    )


RULES: Final[Mapping[type[Node], Callable[..., Piece]]] = {
    Constant: ExpressionPrinter.constant,
    Name: ExpressionPrinter.name,
    Fields: ExpressionPrinter.fields,
    Attribute: ExpressionPrinter.attribute_of,
    Subscript: ExpressionPrinter.subscript,
    Slice: ExpressionPrinter.slice,
    ListDisplay: ExpressionPrinter.list_display,
    Comprehension: comprehension,
    RecordDisplay: ExpressionPrinter.record_display,
    Unary: ExpressionPrinter.unary,
    Binary: ExpressionPrinter.binary,
    Concat: ExpressionPrinter.concat,
    Compare: conditions.compare,
    Logic: conditions.logic,
    Not: conditions.negation,
    Choice: conditions.choice,
    Test: conditions.test,
    FilterCall: ExpressionPrinter.filter,
}
