"""Filters for lists of records, and for maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from wfc.compiler.expressions.filters.definition import CheckedFilter, Filter, FilterParameter
from wfc.compiler.expressions.filters.lists import FIELD, lambda_of
from wfc.compiler.expressions.python import coercion, conditions, pieces
from wfc.compiler.expressions.syntax.tree import Compare, ComparisonOperator, Constant, FilterCall, Name
from wfc.compiler.expressions.typing import comparisons
from wfc.compiler.python.literals import field_name
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import (
    BOOLEAN,
    INTEGER,
    STRING,
    UNKNOWN,
    ListOf,
    MapOf,
    Record,
    Type,
    base,
    may_be_null,
    show,
)

if TYPE_CHECKING:
    from wfc.compiler.expressions.python.filter_calls import PrintedFilter
    from wfc.compiler.expressions.python.pieces import Piece

__all__ = ["FILTERS"]

OPERATORS: Final = get_args(ComparisonOperator)


def check_where(use: CheckedFilter) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    field = use.item()
    if field == UNKNOWN:
        return UNKNOWN
    if "operator" not in use.bound:
        if base(field) != BOOLEAN:
            place = use.reporter.at(use.bound["field"])
            return use.wrong(
                operand_problems.where_without_value(place, str(use.constant("field")), show(field))
            )
        return use.subject
    if "value" in use.bound and not isinstance(use.bound["operator"], Constant):
        place = use.reporter.at(use.bound["operator"])
        return use.wrong(operand_problems.argument_not_constant(place, "where", "operator"))
    compared = where_comparison(use.node)
    if compared is None:
        operator = use.bound["operator"]
        return use.wrong(
            operand_problems.unknown_operator(
                use.reporter.at(operator), str(use.constant("operator")), OPERATORS
            )
        )
    compared.left.type = compared.left.declared = field
    use.node.comparison = compared
    before, use.reporter.failed = use.reporter.failed, False
    comparisons.compare(use.reporter, compared, field, compared.right.type)
    failed, use.reporter.failed = use.reporter.failed, before or use.reporter.failed
    return UNKNOWN if failed else use.subject


def where_comparison(node: FilterCall) -> Compare | None:
    """The comparison that ``where`` makes with each item's field; ``None`` if its operator is none."""
    field, operator, value = (node.bound.get(name) for name in ("field", "operator", "value"))
    assert field is not None
    assert operator is not None
    sign: object = "=="
    if value is None:  # `where("kind", "fix")`
        value = operator
    elif isinstance(operator, Constant):
        sign = operator.value
    if sign not in OPERATORS:
        return None
    stand_in = Name(field.start, field.end, "", field.start, field.end)
    return Compare(field.start, value.end, sign, stand_in, value)  # type: ignore[arg-type]  # is among them


def print_where(use: PrintedFilter) -> Piece:
    item = pieces.unused_name(use.subject, *use.arguments.values())
    field = pieces.attribute(item, str(use.constant("field")))
    test = field.within(pieces.Rank.OR)
    if use.node.comparison is not None:
        test = conditions.comparison(use.printer, use.node.comparison, field).within(pieces.Rank.OR)
    return pieces.atom(f"[{item} for {item} in {use.subject.after_in} if {test}]")


def check_pluck(use: CheckedFilter) -> Type:
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    return ListOf(use.item())


def print_pluck(use: PrintedFilter) -> Piece:
    item = pieces.unused_name(use.subject)
    field = pieces.attribute(item, str(use.constant("field")))
    return pieces.atom(f"[{field.code} for {item} in {use.subject.after_in}]")


def grouped(use: CheckedFilter, gives: Type) -> Type:
    """A map from the values of a field, which must be texts."""
    if not isinstance(use.subject, ListOf):
        return use.misfit()
    key = use.item()
    if key == UNKNOWN:
        return UNKNOWN
    if may_be_null(key) or base(key) != STRING:
        node = use.bound.get("field", use.node.of)
        return use.wrong(operand_problems.cannot_group(use.reporter.at(node), use.filter.name, show(key)))
    return gives


def check_keys(use: CheckedFilter) -> Type:
    return ListOf(STRING) if isinstance(use.subject, MapOf) else use.misfit()


def check_values(use: CheckedFilter) -> Type:
    return ListOf(use.subject.value) if isinstance(use.subject, MapOf) else use.misfit()


def print_values(use: PrintedFilter) -> Piece:
    values = f"{use.subject.within(pieces.Rank.ATOM)}.values()"
    return pieces.Piece(f"list({values})", pieces.Rank.ATOM, iterable=values)


def print_with(use: PrintedFilter) -> Piece:
    record = base(use.type)
    assert isinstance(record, Record)
    given = [
        f"{field_name(name)}={coercion.into(use.printer, value, record.fields[name].type).code}"
        for name, value in use.node.bound.items()
    ]
    return pieces.call("filters.replaced", use.subject, *given)


REQUIRED_FIELD: Final = FilterParameter("field", STRING, required=True, constant=True)

FILTERS: Final = (
    Filter(
        "where",
        "list of records",
        "the same list, fewer items",
        'The items whose field has a value: `where("kind", "fix")`, or compares with it: `where("total", ">", 10)`, or '
        'is true: `where("paid")`.',
        ('orders | where("total", ">", 10) | pluck("id")', '["b", "c"]'),
        (REQUIRED_FIELD, FilterParameter("operator"), FilterParameter("value")),
        check_where,
        print_where,
    ),
    Filter(
        "pluck",
        "list of records",
        "list of the field's type",
        'One field of each item; of a record in it, `pluck("customer.name")`.',
        ('orders | pluck("id")', '["a", "b", "c"]'),
        (REQUIRED_FIELD,),
        check_pluck,
        print_pluck,
    ),
    Filter(
        "group",
        "list of records",
        "map of lists",
        "The items by the value of a field, which is a text; in the order of their first appearance.",
        ('orders | group("kind") | keys', '["book", "pen"]'),
        (REQUIRED_FIELD,),
        lambda use: grouped(use, MapOf(use.subject)),
        lambda use: pieces.call("filters.group", use.subject, lambda_of(use)),
    ),
    Filter(
        "count_by",
        "list of records or of texts",
        "map of integer",
        "How many items have each value of a field; of a list of texts, how often each is there.",
        ('orders | count_by("kind")', '{"book": 2, "pen": 1}'),
        (FIELD,),
        lambda use: grouped(use, MapOf(INTEGER)),
        lambda use: pieces.call(
            "filters.count_by", use.subject, *([lambda_of(use)] if "field" in use.arguments else [])
        ),
    ),
    Filter(
        "with",
        "record",
        "the same record type",
        "A copy of the record in which some fields have other values.",
        ('(orders[0] | with(kind="pen")).kind', '"pen"'),
        (),
        lambda use: base(use.subject),
        print_with,
        takes_fields=True,
    ),
    Filter(
        "keys",
        "map",
        "list of string",
        "The keys.",
        ("prices | keys", '["book", "pen"]'),
        (),
        check_keys,
        lambda use: pieces.Piece(f"list({use.subject.code})", pieces.Rank.ATOM, iterable=use.subject.code),
    ),
    Filter(
        "values",
        "map",
        "list",
        "The values, in the order of the map.",
        ("prices | values", "[12, 1.5]"),
        (),
        check_values,
        print_values,
    ),
)
