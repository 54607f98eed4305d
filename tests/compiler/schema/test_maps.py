"""A `map` without an action: the list that is shown instead says the same, and is accepted."""

from __future__ import annotations

import json
import re

import pytest

from wfc.compiler.passes import check_text

HEAD = """\
wfc: 1
workflow: lists
start: Asked
end: Told
types:
  Order: {id: string, late: integer, note: optional string}
events:
  Asked: {orders: list of Order, names: list of string, least: integer, all: boolean}
  Told: {found: TYPE}
steps:
  find:
    accepts: Asked
"""
MAPS = [
    ("in: event.names, as: name", "list of string", "[name for name in event.names]"),
    (
        "in: event.orders, as: order, keep: order.late > event.least",
        "list of Order",
        "[order for order in event.orders if order.late > event.least]",
    ),
    (
        'in: event.orders, as: order, give: "${{ order.note | default(order.id) }}"',
        "list of string",
        "[order.note | default(order.id) for order in event.orders]",
    ),
    (
        'in: event.orders, as: o, give: "no. ${{ o.late + 1 }}, ${{ o.id }}"',
        "list of string",
        '["no. " ~ (o.late + 1) ~ ", " ~ o.id for o in event.orders]',
    ),
    (
        'in: event.orders, as: o, give: {id: "${{ o.id }}", late: 3, note: null}',
        "list of Order",
        '[{"id": o.id, "late": 3, "note": none} for o in event.orders]',
    ),
    (
        'in: "event.orders if event.all else event.orders | reverse", as: o, keep: "true if event.all else o.late > 3"',
        "list of Order",
        "[o for o in (event.orders if event.all else event.orders | reverse) if (true if event.all else o.late > 3)]",
    ),
    (
        'in: event.names, as: n, give: ["${{ n }}", x, ""]',
        "list of list of string",
        '[[n, "x", ""] for n in event.names]',
    ),
]


@pytest.mark.parametrize(("said", "type", "shown"), MAPS)
def test_the_list_that_is_shown_takes_the_place_of_the_map(said: str, type: str, shown: str) -> None:
    head = HEAD.replace("TYPE", type)
    keys = "".join(f"    {each}\n" for each in re.split(r", (?=(?:as|keep|give):)", said))
    step = (
        f'    kind: map\n{keys}    max: 9\n    emit: {{event: Told, with: {{found: "${{{{ result }}}}"}}}}\n'
    )
    (found,) = check_text((head + step).encode(), "lists.yaml").diagnostics
    assert found.code == "map-without-action"
    assert f"${{{{ {shown} }}}}" in found.hint
    there = f"    kind: transform\n    emit: {{event: Told, with: {{found: {json.dumps('${{ ' + shown + ' }}')}}}}}\n"
    assert check_text((head + there).encode(), "lists.yaml").diagnostics == ()
