"""Filters for lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from wfc.compiler.expressions.filters.table import Call, Filter, Parameter, Spelling
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, call, method
from wfc.compiler.expressions.syntax.tree import Constant, ListDisplay, Node
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import (
    ANY,
    DECIMAL,
    DURATION,
    INTEGER,
    NUMBER,
    STRING,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    Optional,
    Scalar,
    Type,
    base,
    members,
    ordered,
    show,
)

__all__ = ["FILTERS"]


def check_length(use: Call) -> Type:
    if isinstance(use.subject, (ListOf, MapOf)) or base(use.subject) == STRING:
        return INTEGER
    return use.misfit()


def is_filled(use: Call | Spelling) -> bool:
    """Whether a list is written out with items in it, so that it cannot be empty."""
    return isinstance(use.node.of, ListDisplay) and bool(use.node.of.items)


def one_item(use: Call) -> Type:
    """One item of a list: null where the list is empty."""
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    item = use.subject.item
    return item if is_filled(use) or isinstance(item, Optional) or item == UNKNOWN else Optional(item)


def spell_first(use: Spelling) -> Piece:
    if isinstance(use.node.of, ListDisplay) and use.node.of.items:
        return written(use, use.node.of.items[0])
    return call("filters.first", use.subject)


def written(use: Spelling, item: Node) -> Piece:
    """One item of a list that is written out, as it would be in the list."""
    kind = use.type.item if isinstance(use.type, ListOf) else UNKNOWN
    return use.speller.exact(item, kind)


def spell_last(use: Spelling) -> Piece:
    if isinstance(use.node.of, ListDisplay) and use.node.of.items:
        return written(use, use.node.of.items[-1])
    return call("filters.last", use.subject)


def check_extreme(use: Call) -> Type:
    kind = one_item(use)
    if kind != UNKNOWN and isinstance(use.subject, ListOf) and not sortable(use.subject.item):
        return not_sortable(use, use.subject.item)
    return kind


def extreme(name: str, doc: str, example: tuple[str, str]) -> Filter:
    def spell(use: Spelling) -> Piece:
        items = use.subject.looped
        return call(name, items) if is_filled(use) else call(name, items, "default=None")

    return Filter(
        name,
        "list of what can be ordered",
        "an item, or null of an empty list",
        doc,
        example,
        (),
        check_extreme,
        spell,
    )


def sortable(item: Type) -> bool:
    return item == UNKNOWN or (
        len(members(item)) == 1 and not isinstance(item, Optional) and ordered(item, item)
    )


def not_sortable(use: Call, item: Type) -> Type:
    return use.wrong(operand_problems.cannot_order(use.typing.at(use.node.of), use.filter.name, show(item)))


def check_sort(use: Call) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    item = use.item()
    if not sortable(item):
        return not_sortable(use, item)
    return use.subject


def spell_sort(use: Spelling) -> Piece:
    options: list[str] = []
    if "field" in use.arguments:
        options.append(f"key={lambda_of(use)}")
    if use.constant("descending") is True:
        options.append("reverse=True")
    return call("sorted", use.subject.looped, *options)


def lambda_of(use: Spelling) -> str:
    """``lambda item: item.total``, for the argument ``field``."""
    item = use.speller.local()
    return f"lambda {item}: {use.speller.attribute(item, str(use.constant('field'))).code}"


def check_sum(use: Call) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    item = base(use.subject.item)
    if item in (INTEGER, NUMBER, DECIMAL, DURATION):
        return item
    return UNKNOWN if item == UNKNOWN else use.misfit()


def spell_sum(use: Spelling) -> Piece:
    item = base(use.type.item) if isinstance(use.type, ListOf) else UNKNOWN
    match item:
        case Scalar(name="number"):
            return call("filters.finite", call("sum", use.subject.looped))
        case Scalar(name="decimal"):
            return call("filters.decimal", call("sum", use.subject.looped))
        case Scalar(name="duration"):
            return call("filters.total", use.subject)
    return call("sum", use.subject.looped)


def check_same_list(use: Call) -> Type:
    return use.subject if isinstance(use.subject, ListOf) else use.misfit()


def check_unique(use: Call) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    return UNKNOWN if "field" in use.bound and use.item() == UNKNOWN else use.subject


def spell_unique(use: Spelling) -> Piece:
    return call("filters.unique", use.subject, *([lambda_of(use)] if "field" in use.arguments else []))


def check_join(use: Call) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    fine = all(isinstance(each, (Scalar, Enumeration)) and each != ANY for each in members(use.subject.item))
    if isinstance(use.subject.item, Optional) or not fine:
        return use.misfit()
    return STRING


def spell_join(use: Spelling) -> Piece:
    given = use.node.bound.get("separator")
    if isinstance(use.node.of, ListDisplay) and (given is None or isinstance(given, Constant)):
        return use.speller.joined(use.node.of.items, str(given.value) if isinstance(given, Constant) else "")
    separator = use.arguments.get("separator") or use.speller.text("")
    kind = use.type.item if isinstance(use.type, ListOf) else UNKNOWN
    if all(base(each) == STRING for each in members(kind)):
        return method(separator, "join", use.subject.looped)
    return method(separator, "join", call("map", "filters.text", use.subject.looped))


def check_flatten(use: Call) -> Type:
    if isinstance(use.subject, ListOf) and isinstance(use.subject.item, ListOf):
        return use.subject.item
    return use.misfit()


def check_chunk(use: Call) -> Type:
    return ListOf(use.subject) if isinstance(use.subject, ListOf) else use.misfit()


def check_present(use: Call) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    return ListOf(use.subject.item.of) if isinstance(use.subject.item, Optional) else use.subject


def spell_present(use: Spelling) -> Piece:
    item = use.speller.local(use.subject)
    return atom(f"[{item} for {item} in {use.subject.after_in} if {item} is not None]")


def function(name: str) -> Callable[[Spelling], Piece]:
    """Spells a filter as a function of its subject and its arguments."""
    return lambda use: call(name, use.subject, *use.arguments.values())


FIELD: Final = Parameter("field", STRING, constant=True)

FILTERS: Final = (
    Filter(
        "length",
        "list, map or string",
        "integer",
        "How many items or letters there are.",
        ("[1, 2] | length", "2"),
        (),
        check_length,
        function("len"),
    ),
    Filter(
        "first",
        "list",
        "an item, or null of an empty list",
        "The first item.",
        ("[3, 1] | first", "3"),
        (),
        one_item,
        spell_first,
    ),
    Filter(
        "last",
        "list",
        "an item, or null of an empty list",
        "The last item.",
        ("[3, 1] | last", "1"),
        (),
        one_item,
        spell_last,
    ),
    extreme("min", "The least item.", ("[3, 1] | min", "1")),
    extreme("max", "The greatest item.", ("[3, 1] | max", "3")),
    Filter(
        "sum",
        "list of numbers, decimals or durations",
        "the items' type",
        "All items together; of an empty list 0.",
        ("[3, 1] | sum", "4"),
        (),
        check_sum,
        spell_sum,
    ),
    Filter(
        "sort",
        "list of what can be ordered",
        "the same list, ordered",
        "The items in order, the least first; of records, by a field. Equal ones keep their order.",
        ("[3, 1, 2] | sort(descending=true)", "[3, 2, 1]"),
        (FIELD, Parameter("descending", Enumeration((True, False)), constant=True)),
        check_sort,
        spell_sort,
    ),
    Filter(
        "reverse",
        "list",
        "the same list",
        "The items from the last to the first.",
        ("[1, 2] | reverse", "[2, 1]"),
        (),
        check_same_list,
        lambda use: atom(f"{use.subject.within(Rank.ATOM)}[::-1]"),
    ),
    Filter(
        "unique",
        "list",
        "the same list",
        "The items, each once, in the order of their first appearance; of records, one for each value of a field.",
        ('["b", "a", "b"] | unique', '["b", "a"]'),
        (FIELD,),
        check_unique,
        spell_unique,
    ),
    Filter(
        "join",
        "list of scalars",
        "string",
        "The items as one text, with a separator between them; without one, side by side.",
        ('["a", "b"] | join(", ")', '"a, b"'),
        (Parameter("separator", STRING),),
        check_join,
        spell_join,
    ),
    Filter(
        "most_common",
        "list",
        "an item, or null of an empty list",
        "The item that is there most often; of several such, the one that comes first.",
        ('["buy", "sell", "buy"] | most_common', '"buy"'),
        (),
        one_item,
        lambda use: call(
            "filters.most_common" if is_filled(use) else "filters.most_common_if_any", use.subject
        ),
    ),
    Filter(
        "flatten",
        "list of lists",
        "list",
        "The items of all lists, one after the other.",
        ("[[1], [2, 3]] | flatten", "[1, 2, 3]"),
        (),
        check_flatten,
        function("filters.flatten"),
    ),
    Filter(
        "chunk",
        "list",
        "list of lists",
        "The items in lists of at most so many.",
        ("[1, 2, 3] | chunk(2)", "[[1, 2], [3]]"),
        (Parameter("size", INTEGER, required=True),),
        check_chunk,
        function("filters.chunk"),
    ),
    Filter(
        "present",
        "list of optional items",
        "list",
        "The items that are not null.",
        ("[1, none, 2] | present", "[1, 2]"),
        (),
        check_present,
        spell_present,
    ),
)
