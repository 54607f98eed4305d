"""Expressions come out as the Python that a good engineer would write, and compute what they mean."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scalar_meaning import as_data

from wfc.compiler.expressions import Scope, generate_expression
from wfc.compiler.expressions.python.annotations import annotation
from wfc.compiler.python.literals import Code, class_name, field_name
from wfc.compiler.types import (
    DECIMAL,
    NUMBER,
    STRING,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
    assignable,
    base,
)

TABLE = [
    # expression, Python, value in the world below
    ("state.count", "state.count", 3),
    ("state.class", "state.class_", "A"),
    ("state.count + 1", "state.count + 1", 4),
    ("state.count / 2", "state.count / 2", 1.5),
    ("state.count // 2", "state.count // 2", 1),
    ("-7 // 2", "-7 // 2", -4),
    ("-state.count % 5", "-state.count % 5", 2),
    ("(1 + 2) * 3", "(1 + 2) * 3", 9),
    ("1 + 2 * 3", "1 + 2 * 3", 7),
    ("1 - (2 - 3)", "1 - (2 - 3)", 2),
    ("(1 - 2) - 3", "1 - 2 - 3", -4),
    ("-(1 + 2)", "-(1 + 2)", -3),
    ("state.score * 2 + 1", "filters.finite(state.score * 2 + 1)", 2.0),
    ("1 / (state.score * 2)", "filters.finite(1 / filters.finite(state.score * 2))", 1.0),
    ("state.total * 2", "state.total * 2", "25.00"),
    ("state.total - state.count", "state.total - state.count", "9.50"),
    ("state.took * 2", "state.took * 2", "PT3H"),
    ("state.at + state.took", "state.at + state.took", "2026-01-31T11:30:00Z"),
    ("state.at - state.at", "state.at - state.at", "PT0S"),
    ('"a" + state.title', '"a" + state.title', "aTea"),
    ('state.title ~ ": " ~ state.count', 'f"{state.title}: {state.count}"', "Tea: 3"),
    (
        "state.title ~ state.flag ~ 2.0 ~ state.due",
        'f"{state.title}{filters.text(state.flag)}{filters.text(2.0)}{filters.text(state.due)}"',
        "Teatrue22026-01-31",
    ),
    ("state.numbers + [4]", "state.numbers + [4]", [3, 1, 2, 4]),
    ("state.flag and not state.count > 5", "state.flag and not state.count > 5", True),
    ("not (state.flag and state.count > 5)", "not (state.flag and state.count > 5)", True),
    (
        "state.flag or state.count > 5 and state.score > 1",
        "state.flag or state.count > 5 and state.score > 1",
        True,
    ),
    (
        "(state.flag or state.count > 5) and state.score > 1",
        "(state.flag or state.count > 5) and state.score > 1",
        False,
    ),
    ("state.flag == true", "state.flag", True),
    ("state.flag == false", "not state.flag", False),
    ("state.flag != true", "not state.flag", False),
    ("state.maybe_flag == true", "state.maybe_flag is True", False),
    ("state.maybe_flag | default(true)", "state.maybe_flag if state.maybe_flag is not None else True", True),
    ("state.comment == none", "state.comment is None", True),
    ("state.comment is not none", "state.comment is not None", False),
    ('state.comment == "x"', 'state.comment == "x"', False),
    ('state.comment in ["x", "y"]', 'state.comment in ("x", "y")', False),
    ('state.urgency in ["low"]', 'state.urgency in ("low",)', True),
    ('state.urgency not in ["mid", "high"]', 'state.urgency not in ("mid", "high")', True),
    ('"e" in state.title', '"e" in state.title', True),
    ('"pen" in state.prices', '"pen" in state.prices', True),
    ("3 in state.numbers", "3 in state.numbers", True),
    ('state.due < "2026-02-01"', 'state.due < filters.day("2026-02-01")', True),
    ('state.total >= "12.5"', 'state.total >= filters.decimal("12.5")', True),
    ('"a" if state.flag else "b"', '"a" if state.flag else "b"', "a"),
    (
        '"a" if state.flag else "b" if state.count > 1 else "c"',
        '"a" if state.flag else "b" if state.count > 1 else "c"',
        "a",
    ),
    ('("a" if state.flag else "b") ~ "c"', '''f"{'a' if state.flag else 'b'}c"''', "ac"),
    (
        "state.order.total if state.order is not none else 0",
        "state.order.total if state.order is not None else filters.decimal(0)",
        "0",
    ),
    (
        "state.comment is none or state.comment | length > 3",
        "state.comment is None or len(state.comment) > 3",
        True,
    ),
    ('state.comment | default("none")', 'state.comment if state.comment is not None else "none"', "none"),
    (
        '(state.comment | default("none")) | upper',
        '(state.comment if state.comment is not None else "none").upper()',
        "NONE",
    ),
    ('state.names | first | default("?")', 'filters.default(filters.first(state.names), "?")', "ann"),
    ('state.prices["pen"] | default(0)', 'state.prices.get("pen", 0)', 1.5),
    ('state.prices["x"] is none', 'state.prices.get("x") is None', True),
    (
        'state.prices["pen"] * 2 if state.prices["pen"] is not none else 0',
        'filters.finite(state.prices["pen"] * 2) if state.prices.get("pen") is not None else 0',
        3.0,
    ),
    (
        'state.prices["x"] is none or state.prices["x"] > 1',
        'state.prices.get("x") is None or state.prices["x"] > 1',
        True,
    ),
    ("state.names[0]", "state.names[0]", "ann"),
    ("state.names[-1]", "state.names[-1]", "bob"),
    ("state.names[1:]", "state.names[1:]", ["bob", "bob"]),
    ("state.names[:2]", "state.names[:2]", ["ann", "bob"]),
    ("state.names[:state.count - 2]", "state.names[: state.count - 2]", ["ann"]),
    (
        "state.names[state.count - 2:state.count]",
        "state.names[state.count - 2 : state.count]",
        ["bob", "bob"],
    ),
    ("state.title[1:3]", "state.title[1:3]", "ea"),
    ("state.grid[0][1]", "state.grid[0][1]", 2),
    ("event.by", "event.by", "eve"),
    ("event is Rejected", "isinstance(event, Rejected)", True),
    ("event is not Rejected", "not isinstance(event, Rejected)", False),
    ('event.note if event is Rejected else "x"', 'event.note if isinstance(event, Rejected) else "x"', None),
    (
        'event is Rejected and event.level == "low"',
        'isinstance(event, Rejected) and event.level == "low"',
        True,
    ),
    ("state.mixed is string", "isinstance(state.mixed, str)", False),
    (
        "state.mixed + 1 if state.mixed is integer else 0",
        "state.mixed + 1 if isinstance(state.mixed, int) else 0",
        8,
    ),
    ("state.anything is none", "state.anything is None", False),
    ("state.title | upper", "state.title.upper()", "TEA"),
    ("state.title | trim | lower", "state.title.strip().lower()", "tea"),
    ('state.title | replace("T", "S")', 'state.title.replace("T", "S")', "Sea"),
    ('state.title | starts_with(["T", "S"])', 'state.title.startswith(("T", "S"))', True),
    ("state.title | starts_with(state.names)", "state.title.startswith(tuple(state.names))", False),
    ('state.title | contains("ea")', '"ea" in state.title', True),
    ("state.title | split", "state.title.split()", ["Tea"]),
    ("state.title | truncate(2)", "filters.truncate(state.title, 2)", "T…"),
    ("state.names | length", "len(state.names)", 3),
    ("state.names | length > 2", "len(state.names) > 2", True),
    ("state.names | last", "filters.last(state.names)", "bob"),
    ("[1, 2] | last", "2", 2),
    ("state.numbers | max", "max(state.numbers, default=None)", 3),
    ("[state.count, 2] | max", "max([state.count, 2])", 3),
    ("state.numbers | sum", "sum(state.numbers)", 6),
    ("state.scores | sum", "filters.finite(sum(state.scores))", 1.75),
    (
        'state.orders | pluck("total") | sum',
        "filters.decimal(sum([item.total for item in state.orders]))",
        "15.50",
    ),
    ("state.numbers | sort", "sorted(state.numbers)", [1, 2, 3]),
    ("state.numbers | sort(descending=true)", "sorted(state.numbers, reverse=True)", [3, 2, 1]),
    (
        'state.orders | sort("price") | pluck("id")',
        "[each.id for each in sorted(state.orders, key=lambda item: item.price)]",
        ["b", "a"],
    ),
    ("state.numbers | reverse", "state.numbers[::-1]", [2, 1, 3]),
    ("state.names | unique", "filters.unique(state.names)", ["ann", "bob"]),
    (
        'state.orders | unique("kind") | length',
        "len(filters.unique(state.orders, lambda item: item.kind))",
        2,
    ),
    ("state.names | most_common", "filters.most_common_if_any(state.names)", "bob"),
    ('[state.title, "x"] | most_common', 'filters.most_common([state.title, "x"])', "Tea"),
    ('state.names | join(", ")', '", ".join(state.names)', "ann, bob, bob"),
    ('state.numbers | join("+")', '"+".join(map(filters.text, state.numbers))', "3+1+2"),
    ('state.orders | where("paid") | length', "len([item for item in state.orders if item.paid])", 1),
    (
        'state.orders | where("kind", "book") | pluck("id")',
        '[each.id for each in [item for item in state.orders if item.kind == "book"]]',
        ["a"],
    ),
    (
        'state.orders | where("total", ">=", 5) | length',
        "len([item for item in state.orders if item.total >= 5])",
        1,
    ),
    (
        'state.orders | where("kind", "in", ["pen"]) | length',
        'len([item for item in state.orders if item.kind in ("pen",)])',
        1,
    ),
    (
        'state.orders | pluck("customer.name")',
        "[item.customer.name for item in state.orders]",
        ["ann", "bob"],
    ),
    (
        'state.orders | group("kind") | keys',
        "list(filters.group(state.orders, lambda item: item.kind))",
        ["book", "pen"],
    ),
    (
        'state.orders | count_by("kind")',
        "filters.count_by(state.orders, lambda item: item.kind)",
        {"book": 1, "pen": 1},
    ),
    ("state.names | count_by", "filters.count_by(state.names)", {"ann": 1, "bob": 2}),
    (
        "[o.id for o in state.orders if o.paid]",
        "[o.id for o in filters.at_most(100_000, state.orders) if o.paid]",
        ["a"],
    ),
    (
        "[item.note | upper for item in state.orders if item.note is not none]",
        "[item_.note.upper() for item_ in filters.at_most(100_000, state.orders) if item_.note is not None]",
        [],
    ),
    (
        "[name for name, price in state.prices if price > 2]",
        "[name for name, price in filters.at_most(100_000, state.prices).items() if price > 2]",
        ["book"],
    ),
    (
        "[price for name, price in state.prices]",
        "[price for price in filters.at_most(100_000, state.prices).values()]",
        [1.5, 12],
    ),
    (
        '["last" if loop.last else loop.index | string for n in state.numbers]',
        '["last" if index == len(state.numbers) else filters.text(index) '
        "for index, n in enumerate(filters.at_most(100_000, state.numbers), 1)]",
        ["1", "2", "last"],
    ),
    (
        "[loop.last for n in state.numbers | reverse]",
        "[index == len(items) for items in [state.numbers[::-1]] "
        "for index, n in enumerate(filters.at_most(100_000, items), 1)]",
        [False, False, True],
    ),
    (
        "[[n * m for m in state.numbers] for n in state.numbers]",
        "[[n * m for m in count(state.numbers)] for count in [filters.Count()] for n in count(state.numbers)]",
        [[9, 3, 6], [3, 1, 2], [6, 2, 4]],
    ),
    (
        "[row | sum for row in state.grid] | sum",
        "sum([sum(row) for row in filters.at_most(100_000, state.grid)])",
        6,
    ),
    ("state.maybes | present", "[item for item in state.maybes if item is not None]", ["x"]),
    ("state.grid | flatten", "filters.flatten(state.grid)", [1, 2, 3]),
    ("state.numbers | chunk(2)", "filters.chunk(state.numbers, 2)", [[3, 1], [2]]),
    ("state.prices | values", "list(state.prices.values())", [1.5, 12]),
    ("state.score | round", "filters.rounded(state.score)", 1),
    ("state.total | round(1)", "filters.rounded(state.total, 1)", "12.5"),
    ("-state.count | abs", "abs(-state.count)", 3),
    ("state.count | string", "filters.text(state.count)", "3"),
    ("state.at | date", "filters.day(state.at)", "2026-01-31"),
    ('state.due | format("%d.%m.")', 'filters.formatted(state.due, "%d.%m.")', "31.01."),
    ("state.took | seconds", "state.took.total_seconds()", 5400.0),
    ("state.numbers | json", "filters.json(state.numbers)", "[3, 1, 2]"),
    (
        '{"a": state.count, "b": [state.title]}',
        '{"a": state.count, "b": [state.title]}',
        {"a": 3, "b": ["Tea"]},
    ),
]

VALUES = {
    "count": 3, "score": 0.5, "urgency": "low", "level": None, "order": None,
    "orders": [
        {"id": "a", "total": "12.5", "kind": "book", "quantity": 1, "price": 2.5, "paid": True,
         "customer": {"name": "ann"}},
        {"id": "b", "total": "3.00", "kind": "pen", "quantity": 2, "price": 1.5, "paid": False,
         "customer": {"name": "bob"}},
    ],
    "names": ["ann", "bob", "bob"], "numbers": [3, 1, 2], "scores": [0.5, 1.25], "maybes": [None, "x"],
    "prices": {"pen": 1.5, "book": 12.0}, "flag": True, "maybe_flag": None, "title": "Tea", "comment": None,
    "due": "2026-01-31", "at": "2026-01-31T10:00:00Z", "took": "PT1H30M", "total": "12.50", "class": "A",
    "mixed": 7, "grid": [[1, 2], [3]], "anything": {"x": 1}, "items": None,
}  # fmt: skip

IMPORTS = """\
from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Literal

from pydantic import Field
from wfc.runtime import Duration, Event, Moment, Number, Record
from wfc.runtime.values import filters
"""


class Classes:
    """Names of the world's classes."""

    enumerations: dict[str, Code] = {}  # noqa: RUF012

    def of(self, record: Record) -> Code:
        return class_name(record.name)


def world_module(world: Scope) -> str:
    """The world's records as classes."""
    lines = [IMPORTS.rstrip()]
    for name, record in {**world.classes, "State": world.names["state"]}.items():
        base_class = "Event" if record.role == "event" else "Record"
        lines.append(f"\n\nclass {name}({base_class}{', closed=True' if base_class == 'Event' else ''}):")
        for field in record.fields.values():
            python = field_name(field.name)
            options = ["default=None"] if isinstance(field.type, Optional) else []
            options += [f'alias="{field.name}"'] if python != field.name else []
            default = f" = Field({', '.join(options)})" if options else ""
            lines.append(f"    {python}: {annotation(field.type, Classes())}{default}")
    return "\n".join(lines)


@pytest.fixture(scope="session")
def python_world(world: Scope) -> dict[str, Any]:
    """The world as Python values: names and classes to run code with."""
    space: dict[str, Any] = {}
    exec(compile(world_module(world), "world", "exec", dont_inherit=True), space)  # noqa: S102 - code made above
    for each in space.values():
        if hasattr(each, "model_rebuild"):
            each.model_rebuild(_types_namespace=space)
    from wfc.runtime.values import filters as functions

    text = functions._json.dumps(VALUES)
    state = space["State"].model_validate_json(text)
    return {
        **space,
        "state": state,
        "event": space["Rejected"](by="eve", level="low"),
        "one": space["Ready"](by="ann"),
    }


@pytest.mark.parametrize(("text", "python", "value"), TABLE, ids=[row[0] for row in TABLE])
def test_an_expression_is_native_python(read, python_world, text: str, python: str, value: object) -> None:
    expression, findings = read(text)
    assert not [finding.message for finding in findings]
    code = generate_expression(expression, {})
    assert code == python
    found = eval(code, dict(python_world))  # noqa: S307 - the code under test
    assert as_data(found) == value
    assert type(as_data(found)) is type(value)


@pytest.mark.full
def test_all_of_it_passes_the_formatter_the_linter_and_the_type_checker(
    read, world: Scope, tmp_path: Path, passes_mypy: Callable[..., None]
) -> None:
    lines = [world_module(world)]
    for number, (text, _, _) in enumerate(TABLE):
        expression, _ = read(text)
        wanted = annotation(base(expression.type), Classes()) if "{" not in text else "object"
        code = generate_expression(expression, {}, target=expression.type)
        lines += [
            "",
            f"def f{number}(state: State, event: Ready | Rejected) -> {wanted}:",
            f"    return {code}",
            "",
        ]
    module = tmp_path / "generated.py"
    module.write_text("\n".join(lines), encoding="utf-8")
    run("ruff", "check", "--isolated", "--target-version", "py311", str(module))
    formatted = tmp_path / "formatted.py"
    formatted.write_text(module.read_text())
    run("ruff", "format", "--isolated", "--target-version", "py311", "--line-length", "200", str(formatted))
    before = [line for line in module.read_text().splitlines() if line.startswith("    return")]
    after = [line for line in formatted.read_text().splitlines() if line.startswith("    return")]
    assert after == before
    passes_mypy(module)


def run(*command: str) -> None:
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_are_spelled_by_their_longest_prefix(read) -> None:
    expression, _ = read("state.order.total if state.order is not none else state.total")
    names = {("state",): Code("self.state"), ("state", "order"): Code("order")}
    assert generate_expression(expression, names) == "order.total if order is not None else self.state.total"


def test_code_that_is_no_name_is_put_in_parentheses(read) -> None:
    expression, _ = read("state.title | upper")
    names = {("state", "title"): Code("a if b else c")}
    assert generate_expression(expression, names) == "(a if b else c).upper()"


@pytest.mark.parametrize(
    ("text", "target", "python"),
    [
        ("state.names", ListOf(Optional(STRING)), "[*state.names]"),
        ("state.names", ListOf(STRING), "state.names"),
        ("state.names", Optional(ListOf(STRING)), "state.names"),
        ("state.grid", ListOf(ListOf(NUMBER)), "[[*item] for item in state.grid]"),
        ("state.prices", MapOf(Optional(NUMBER)), "{**state.prices}"),
        (
            "state.items",
            Optional(ListOf(Optional(STRING))),
            "[*state.items_] if state.items_ is not None else None",
        ),
        ("state.count", NUMBER, "state.count"),
        ("state.count", DECIMAL, "filters.decimal(state.count)"),
        ("[1, state.count]", ListOf(DECIMAL), "[filters.decimal(1), filters.decimal(state.count)]"),
    ],
)
def test_values_widen_where_pythons_types_do_not(read, text: str, target: Type, python: str) -> None:
    expression, _ = read(text)
    assert assignable(expression.type, target)
    assert generate_expression(expression, {}, target=target) == python


def test_a_record_written_out_becomes_its_class(read, world: Scope) -> None:
    expression, _ = read('{"name": state.title, "city": none}')
    customer = world.classes["Customer"]
    assert assignable(expression.type, customer)
    assert generate_expression(expression, {}, target=customer) == "Customer(name=state.title, city=None)"


def test_a_list_of_records_made_of_another_one_becomes_one_of_their_class(read, world: Scope) -> None:
    expression, _ = read('[{"name": n, "city": none} for n in state.names]')
    customers = ListOf(world.classes["Customer"])
    assert assignable(expression.type, customers)
    assert generate_expression(expression, {}, target=customers) == (
        "[Customer(name=n, city=None) for n in filters.at_most(100_000, state.names)]"
    )


def test_the_name_of_an_item_hides_nothing_that_is_mentioned_inside(read) -> None:
    expression, _ = read("[len ~ state.title for len in state.names]")
    names = {("state", "title"): Code("len_")}
    found = generate_expression(expression, names)
    assert found == '[f"{len__2}{len_}" for len__2 in filters.at_most(100_000, state.names)]'
