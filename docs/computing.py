"""The tables of what expressions compute, each example worked out by the compiler and the runtime."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Final

from rows import table
from words import OPERATORS

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Scope, generate_expression, parse_expression
from wfc.compiler.expressions.filters import FILTERS, Filter, lists, records, scalars, texts
from wfc.compiler.types import (
    BOOLEAN,
    DECIMAL,
    INTEGER,
    NUMBER,
    STRING,
    Field,
    ListOf,
    MapOf,
    Optional,
    Record,
)
from wfc.runtime.values import filters

__all__ = ["filter_tables", "operators"]

GROUPS: Final = {"Texts": texts, "Values": scalars, "Lists": lists, "Records and maps": records}


class Namespace(dict[str, Any]):
    """A record, to try expressions with."""

    __getattr__ = dict.__getitem__


def example_scope() -> tuple[Scope, dict[str, Any]]:
    order = Record("Order")
    fields = {
        "count": INTEGER,
        "total": DECIMAL,
        "paid": BOOLEAN,
        "tags": ListOf(STRING),
        "note": Optional(STRING),
    }
    order.fields = {name: Field(name, type) for name, type in fields.items()}
    scope = Scope({"order": order, "prices": MapOf(NUMBER), "name": STRING})
    value = Namespace(count=3, total=Decimal("19.90"), paid=False, tags=["red", "book"], note=None)
    return scope, {"filters": filters, "order": value, "prices": {"book": 12.5, "pen": 1.5}, "name": "book"}


def outcome(text: str) -> str:
    scope, space = example_scope()
    findings: list[Finding] = []
    expression = parse_expression(text, Place(("example",)), scope, findings.append)
    assert not findings, (text, [each.message for each in findings])
    found = eval(generate_expression(expression, {}), space)  # noqa: S307 - examples of ours, spelled by ourselves
    return json.dumps(filters.plain(found), ensure_ascii=False)


def operators() -> str:
    rows = [
        (what if number == 0 else "", f"`{text}`", f"`{outcome(text)}`")
        for what, *examples in OPERATORS
        for number, text in enumerate(examples)
    ]
    return table(("for", "example", "gives"), rows)


def filter_tables() -> str:
    parts = []
    for title, module in GROUPS.items():
        found: tuple[Filter, ...] = module.FILTERS
        rows = [(signature(each), each.takes, each.gives, each.doc, example(each)) for each in found]
        parts.append(f"#### {title}\n\n{table(('filter', 'for', 'gives', 'what it does', 'example'), rows)}")
    assert sum(len(module.FILTERS) for module in GROUPS.values()) == len(FILTERS)
    return "\n\n".join(parts)


def signature(each: Filter) -> str:
    listed = ", ".join(one.name if one.required else f"{one.name}?" for one in each.parameters)
    return f"`{each.name}({listed})`" if listed else f"`{each.name}`"


def example(each: Filter) -> str:
    text, gives = each.example
    return f"`{text}` → `{gives}`"
