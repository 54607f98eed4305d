"""Typed trees → Python, native and null-safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from wfc.compiler.expressions.filters import FILTERS, Spelling
from wfc.compiler.expressions.passes import Expression
from wfc.compiler.expressions.python.coercion import exact, is_exact, joined_lists, joins_records, made_exact
from wfc.compiler.expressions.python.coercion import into as widen
from wfc.compiler.expressions.python.f_strings import UnspeakableError, joined_parts
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, call, infix, is_path, method, tuple_of
from wfc.compiler.expressions.python.simplification import merged, undecided
from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Binary,
    Choice,
    Compare,
    ComparisonOperator,
    Concat,
    Constant,
    Fields,
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
    decided,
    path_of,
    taken_apart,
)
from wfc.compiler.python.literals import Code, class_name, escaped, field_name, literal
from wfc.compiler.types import (
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NUMBER,
    STRING,
    UNKNOWN,
    ListOf,
    MapOf,
    OneOf,
    Record,
    Type,
    base,
    confusable,
    members,
    without_null,
)

__all__ = ["Names", "Speller", "spell_expression"]

Names = Mapping[Path, Code]

OPPOSITES: Final[Mapping[ComparisonOperator, ComparisonOperator]] = {
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
}
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
        widen(speller, expression.tree, into).code
        if into is not None
        else speller.piece(expression.tree).code
    )


class Speller:
    """Makes Python of nodes.

    Args:
        quotes: Inside an f-string, the quotes that texts in it may still have; ``None`` outside of all.
    """

    def __init__(self, names: Names, quotes: str | None = None) -> None:
        self.names = names
        self.quotes = quotes

    def inside(self, quotes: str) -> Speller:
        """The one for an f-string's braces, where texts may have these quotes."""
        return Speller(self.names, quotes)

    def piece(self, node: Node) -> Piece:
        """A node as Python; a test that earlier conditions have decided as its outcome."""
        outcome = decided(node)
        return RULES[node.__class__](self, node) if outcome is None else atom(str(outcome))

    def exact(self, node: Node, target: Type) -> Piece:
        """A value beside others of a type: a whole number among decimals becomes one, a record that of its class."""
        if isinstance(node, (ListDisplay, RecordDisplay)):
            return widen(self, node, target)
        return exact(self, node, target)

    # --- texts

    def text(self, value: str) -> Piece:
        """A text as a literal, in quotes that may stand here.

        Raises:
            UnspeakableError: There are none: inside an f-string there may be no backslash.
        """
        if self.quotes is None:
            return atom(literal(value))
        if not self.quotes or "\\" in escaped(value) or '"' in value or "'" in value:
            raise UnspeakableError
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
        if found is None:
            found = atom(f"{self.piece(node.of).within(Rank.ATOM)}.{field_name(node.name)}")
        if isinstance(
            node.of.type, OneOf
        ):  # the field of one record may be a whole number where others have decimals
            fields = [each.fields[node.name].type for each in node.of.type.types if isinstance(each, Record)]
            if not all(is_exact(each, node.type) for each in fields):
                return made_exact(found)
        return found

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
        if isinstance(node.type, ListOf):
            sides = (self.exact(node.left, node.type), self.exact(node.right, node.type))
            return infix(sides[0], node.operator, sides[1], SIGNS[node.operator])
        left = self.unchecked(node.left)
        # but what is divided by infinity is finite again
        right = self.piece(node.right) if node.operator in {"/", "//", "%"} else self.unchecked(node.right)
        return infix(left, node.operator, right, SIGNS[node.operator])

    def concat(self, node: Concat) -> Piece:
        return joined_parts(self, list(node.parts))

    def joined(self, items: Sequence[Node], separator: str) -> Piece:
        """Scalars as one text."""
        parts: list[str | Node] = []
        for index, item in enumerate(items):
            parts += [separator, item] if index and separator else [item]
        return joined_parts(self, parts) if parts else self.text("")

    def compare(self, node: Compare) -> Piece:
        left = node.left.value if isinstance(node.left, Constant) else ""
        if node.operator in {"==", "!="} and (left is None or isinstance(left, bool)):
            return self.equality(node, node.right, self.piece(node.right), node.left)
        return self.comparison(node, self.piece(node.left))

    def comparison(self, node: Compare, left: Piece) -> Piece:
        """A comparison whose left side is a piece already."""
        if node.operator in {"==", "!="}:
            return self.equality(node, node.left, left, node.right)
        if node.operator not in {"in", "not in"}:
            return infix(left, node.operator, self.piece(node.right), Rank.COMPARE)
        items = self.piece(node.right)
        if isinstance(node.right, ListDisplay):
            items = tuple_of([self.piece(item) for item in node.right.items])
        return self.membership(left, node.left.type, items, node.right.type, holds=node.operator == "in")

    def membership(
        self, item: Piece, kind: Type, items: Piece, container: Type, *, holds: bool = True
    ) -> Piece:
        """Whether something is in a text, a list or a map, or (not ``holds``) is not."""
        if isinstance(container, ListOf) and confusable(kind, container.item):
            found = call("filters.among", item, items)
            return found if holds else Piece(f"not {found.code}", Rank.NOT)
        return infix(item, "in" if holds else "not in", items, Rank.COMPARE)

    def equality(self, node: Compare, left: Node, piece: Piece, right: Node) -> Piece:
        equal = node.operator == "=="
        if isinstance(right, Constant) and (right.value is None or isinstance(right.value, bool)):
            if isinstance(right.value, bool) and base(left.type) == BOOLEAN:
                holds = right.value == equal
                return piece if holds else Piece(f"not {piece.within(Rank.NOT)}", Rank.NOT)
            return infix(piece, identity(piece, equal=equal), self.piece(right), Rank.COMPARE)
        if confusable(left.type, right.type):
            found = call("filters.equal", piece, self.piece(right))
            return found if equal else Piece(f"not {found.code}", Rank.NOT)
        return infix(piece, node.operator, self.piece(right), Rank.COMPARE)

    def logic(self, node: Logic) -> Piece:
        """Parts that earlier conditions have decided are left out: a type checker would find them odd."""
        parts = merged(undecided(node), node.operator)
        if len(parts) == 1:
            return self.piece(parts[0])
        rank = Rank.AND if node.operator == "and" else Rank.OR
        return Piece(
            f" {node.operator} ".join(self.piece(part).within(Rank(rank + 1)) for part in parts), rank
        )

    def negation(self, node: Not) -> Piece:
        return self.negated(node.operand)

    def negated(self, node: Node) -> Piece:
        """A condition turned around: ``a != b``, not ``not a == b``."""
        outcome = decided(node)
        if outcome is not None:
            return atom(str(not outcome))
        match node:
            case Not():
                return self.piece(node.operand)
            case Logic() if len(left := undecided(node)) == 1:
                return self.negated(left[0])
            case Compare() if node.operator in OPPOSITES:
                return self.piece(
                    Compare(node.start, node.end, OPPOSITES[node.operator], node.left, node.right)
                )
            case Test():
                turned = Test(
                    node.start, node.end, node.of, node.name, not node.negated, node.name_start, node.name_end
                )
                turned.record = node.record
                return self.piece(turned)
        piece = self.piece(node)
        if piece.rank is Rank.COMPARE and isinstance(node, (Attribute, Fields)):  # `loop.first`
            return Piece(piece.code.replace(" == ", " != "), Rank.COMPARE)
        return Piece(f"not {piece.within(Rank.NOT)}", Rank.NOT)

    def choice(self, node: Choice) -> Piece:
        if isinstance(node.then, Constant) and isinstance(node.otherwise, Constant):
            outcomes = (node.then.value, node.otherwise.value)
            if outcomes in {(True, False), (False, True)} and {bool} == {type(each) for each in outcomes}:
                return self.piece(node.test) if node.then.value else self.negated(node.test)
        return self.choose(node, self.exact(node.then, node.type), self.exact(node.otherwise, node.type))

    def choose(self, node: Choice, then: Piece, otherwise: Piece) -> Piece:
        """``then if test else otherwise``, or what Python has for it: the greater or the lesser of two."""
        if then.code == otherwise.code:
            return then
        if isinstance(node.test, Compare) and node.test.operator in {"<", "<=", ">", ">="}:
            sides = self.piece(node.test.left).code, self.piece(node.test.right).code
            if {then.code, otherwise.code} == set(sides):
                greater = (then.code == sides[0]) == node.test.operator.startswith(">")
                return call("max" if greater else "min", sides[0], sides[1])
        test = self.piece(node.test).within(Rank.OR)
        return Piece(f"{then.within(Rank.OR)} if {test} else {otherwise.within(Rank.CHOICE)}", Rank.CHOICE)

    def test(self, node: Test) -> Piece:
        subject = self.piece(node.of)
        if node.name == "none":
            return infix(subject, identity(subject, equal=not node.negated), atom("None"), Rank.COMPARE)
        found = self.type_test(node, subject)
        return Piece(f"not {found.within(Rank.NOT)}", Rank.NOT) if node.negated else found

    def type_test(self, node: Test, subject: Piece) -> Piece:
        if node.record is not None:
            return call("isinstance", subject, self.class_of(node.record))
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


def identity(left: Piece, *, equal: bool) -> str:
    """How something is compared with ``None``, ``True`` or ``False``; Python warns of `is` beside a literal."""
    if left.code[:1] in "0123456789\"'-":
        return "==" if equal else "!="
    return "is" if equal else "is not"


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
    Fields: Speller.fields,
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
