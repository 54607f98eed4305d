"""Filters for lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from wfc.compiler.expressions.filters.definition import CheckedFilter, Filter, FilterParameter
from wfc.compiler.expressions.python import f_strings, pieces
from wfc.compiler.expressions.syntax.tree import Comprehension, Constant, ListDisplay, Node
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
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

if TYPE_CHECKING:
    from wfc.compiler.expressions.python.filter_calls import PrintedFilter
    from wfc.compiler.expressions.python.pieces import Piece

__all__ = ["FILTERS"]


def check_length(use: CheckedFilter) -> Type:
    if isinstance(use.subject, (ListOf, MapOf)) or base(use.subject) == STRING:
        return INTEGER
    return use.misfit()


def is_filled(use: CheckedFilter | PrintedFilter) -> bool:
    """Return whether a list is written out with items in it, so that it cannot be empty."""
    return isinstance(use.node.of, ListDisplay) and bool(use.node.of.items)


def one_item(use: CheckedFilter) -> Type:
    """One item of a list: null where the list is empty."""
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    item = use.subject.item
    return item if is_filled(use) or isinstance(item, Optional) or item == UNKNOWN else Optional(item)


def print_first(use: PrintedFilter) -> Piece:
    if isinstance(use.node.of, ListDisplay) and use.node.of.items:
        return written(use, use.node.of.items[0])
    return pieces.call("filters.first", use.subject)


def written(use: PrintedFilter, item: Node) -> Piece:
    """One item of a list that is written out, as it would be in the list."""
    kind = use.type.item if isinstance(use.type, ListOf) else UNKNOWN
    return use.printer.exact(item, kind)


def print_last(use: PrintedFilter) -> Piece:
    if isinstance(use.node.of, ListDisplay) and use.node.of.items:
        return written(use, use.node.of.items[-1])
    return pieces.call("filters.last", use.subject)


def check_extreme(use: CheckedFilter) -> Type:
    kind = one_item(use)
    if kind != UNKNOWN and isinstance(use.subject, ListOf) and not sortable(use.subject.item):
        return not_sortable(use, use.subject.item)
    return kind


def extreme(name: str, doc: str, example: tuple[str, str]) -> Filter:
    def to_python(use: PrintedFilter) -> Piece:
        items = use.subject.looped
        return pieces.call(name, items) if is_filled(use) else pieces.call(name, items, "default=None")

    return Filter(
        name,
        "list of what can be ordered",
        "an item, or null of an empty list",
        doc,
        example,
        (),
        check_extreme,
        to_python,
    )


def sortable(item: Type) -> bool:
    return item == UNKNOWN or (
        len(members(item)) == 1 and not isinstance(item, Optional) and ordered(item, item)
    )


def not_sortable(use: CheckedFilter, item: Type) -> Type:
    return use.wrong(operand_problems.cannot_order(use.reporter.at(use.node.of), use.filter.name, show(item)))


def check_sort(use: CheckedFilter) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    item = use.item()
    if not sortable(item):
        return not_sortable(use, item)
    return use.subject


def print_sort(use: PrintedFilter) -> Piece:
    options: list[str] = []
    if "field" in use.arguments:
        options.append(f"key={lambda_of(use)}")
    if use.constant("descending") is True:
        options.append("reverse=True")
    return pieces.call("sorted", use.subject.looped, *options)


def lambda_of(use: PrintedFilter) -> str:
    """``lambda item: item.total``, for the argument ``field``."""
    item = pieces.unused_name()
    return f"lambda {item}: {pieces.attribute(item, str(use.constant('field'))).code}"


def check_sum(use: CheckedFilter) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    item = base(use.subject.item)
    if item in (INTEGER, NUMBER, DECIMAL, DURATION):
        return item
    return UNKNOWN if item == UNKNOWN else use.misfit()


def print_sum(use: PrintedFilter) -> Piece:
    item = base(use.type.item) if isinstance(use.type, ListOf) else UNKNOWN
    match item:
        case Scalar(name="number"):
            return pieces.call("filters.finite", pieces.call("sum", use.subject.looped))
        case Scalar(name="decimal"):
            return pieces.call("filters.decimal", pieces.call("sum", use.subject.looped))
        case Scalar(name="duration"):
            return pieces.call("filters.total", use.subject)
    return pieces.call("sum", use.subject.looped)


def check_same_list(use: CheckedFilter) -> Type:
    return use.subject if isinstance(use.subject, ListOf) else use.misfit()


def check_unique(use: CheckedFilter) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    return UNKNOWN if "field" in use.bound and use.item() == UNKNOWN else use.subject


def print_unique(use: PrintedFilter) -> Piece:
    return pieces.call("filters.unique", use.subject, *([lambda_of(use)] if "field" in use.arguments else []))


def check_join(use: CheckedFilter) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    fine = all(isinstance(each, (Scalar, Enumeration)) and each != ANY for each in members(use.subject.item))
    if isinstance(use.subject.item, Optional) or not fine:
        return use.misfit()
    return STRING


def print_join(use: PrintedFilter) -> Piece:
    given = use.node.bound.get("separator")
    if isinstance(use.node.of, ListDisplay) and (given is None or isinstance(given, Constant)):
        return f_strings.joined_texts(
            use.printer, use.node.of.items, str(given.value) if isinstance(given, Constant) else ""
        )
    separator = use.arguments.get("separator") or use.printer.text("")
    kind = use.type.item if isinstance(use.type, ListOf) else UNKNOWN
    if all(base(each) == STRING for each in members(kind)):
        return pieces.method(separator, "join", use.subject.looped)
    return pieces.method(separator, "join", pieces.call("map", "filters.text", use.subject.looped))


def check_flags(use: CheckedFilter) -> Type:
    if isinstance(use.subject, ListOf) and (use.subject.item == UNKNOWN or base(use.subject.item) == BOOLEAN):
        return BOOLEAN if not isinstance(use.subject.item, Optional) else use.misfit()
    return use.misfit()


def question(name: str, doc: str, example: tuple[str, str]) -> Filter:
    """A filter that asks something of the items of a list, each of which is true or false."""

    def to_python(use: PrintedFilter) -> Piece:
        items = use.subject.looped
        if isinstance(use.node.of, Comprehension):  # without the list that nobody needs
            items = items[1:-1]
        return pieces.call(name, items)

    return Filter(name, "list of boolean", "boolean", doc, example, (), check_flags, to_python)


def check_flatten(use: CheckedFilter) -> Type:
    if isinstance(use.subject, ListOf) and isinstance(use.subject.item, ListOf):
        return use.subject.item
    return use.misfit()


def check_chunk(use: CheckedFilter) -> Type:
    return ListOf(use.subject) if isinstance(use.subject, ListOf) else use.misfit()


def check_present(use: CheckedFilter) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    return ListOf(use.subject.item.of) if isinstance(use.subject.item, Optional) else use.subject


def print_present(use: PrintedFilter) -> Piece:
    item = pieces.unused_name(use.subject)
    return pieces.atom(f"[{item} for {item} in {use.subject.after_in} if {item} is not None]")


def function(name: str) -> Callable[[PrintedFilter], Piece]:
    """Print a filter as a function of its subject and its arguments."""
    return lambda use: pieces.call(name, use.subject, *use.arguments.values())


FIELD: Final = FilterParameter("field", STRING, constant=True)

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
        print_first,
    ),
    Filter(
        "last",
        "list",
        "an item, or null of an empty list",
        "The last item.",
        ("[3, 1] | last", "1"),
        (),
        one_item,
        print_last,
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
        print_sum,
    ),
    Filter(
        "sort",
        "list of what can be ordered",
        "the same list, ordered",
        "The items in order, the least first; of records, by a field. Equal ones keep their order.",
        ("[3, 1, 2] | sort(descending=true)", "[3, 2, 1]"),
        (FIELD, FilterParameter("descending", Enumeration((True, False)), constant=True)),
        check_sort,
        print_sort,
    ),
    Filter(
        "reverse",
        "list",
        "the same list",
        "The items from the last to the first.",
        ("[1, 2] | reverse", "[2, 1]"),
        (),
        check_same_list,
        lambda use: pieces.atom(f"{use.subject.within(pieces.Rank.ATOM)}[::-1]"),
    ),
    Filter(
        "unique",
        "list",
        "the same list",
        "The items, each once, in the order of their first appearance; of records, one for each value of a field.",
        ('["b", "a", "b"] | unique', '["b", "a"]'),
        (FIELD,),
        check_unique,
        print_unique,
    ),
    Filter(
        "join",
        "list of scalars",
        "string",
        "The items as one text, with a separator between them; without one, side by side.",
        ('["a", "b"] | join(", ")', '"a, b"'),
        (FilterParameter("separator", STRING),),
        check_join,
        print_join,
    ),
    Filter(
        "most_common",
        "list",
        "an item, or null of an empty list",
        "The item that is there most often; of several such, the one that comes first.",
        ('["buy", "sell", "buy"] | most_common', '"buy"'),
        (),
        one_item,
        lambda use: pieces.call(
            "filters.most_common" if is_filled(use) else "filters.most_common_if_any", use.subject
        ),
    ),
    question(
        "any",
        "Whether at least one item is true: `[x.paid for x in event.orders] | any`. Of an empty list `false`.",
        ("[x > 2 for x in [1, 3]] | any", "true"),
    ),
    question(
        "all",
        "Whether every item is true. Of an empty list `true`.",
        ("[x > 2 for x in [1, 3]] | all", "false"),
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
        (FilterParameter("size", INTEGER, required=True),),
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
        print_present,
    ),
)
