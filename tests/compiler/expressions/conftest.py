"""A small world that expressions are about: its types, its names, and the same as Python."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Expression, Scope, Template, parse_expression, parse_template
from wfc.compiler.types import OneOf, Record, Type, parse_fields

# what several tests here share is imported by name: `import meaning`
for _name in ("scalar_meaning", "meaning", "random_expressions", "branches"):
    _spec = importlib.util.spec_from_file_location(_name, Path(__file__).with_name(f"{_name}.py"))
    assert _spec is not None
    assert _spec.loader is not None
    sys.modules[_name] = _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)

PLACE = Place(("steps", "draft", "when"))

DECLARED: dict[str, Any] = {
    "Customer": {"name": "string", "city": "optional string"},
    "Order": {
        "id": "string",
        "total": "decimal",
        "kind": {"enum": ["book", "pen"]},
        "quantity": "integer",
        "price": "number",
        "paid": "boolean",
        "note": "optional string",
        "customer": "Customer",
    },
    "Ready": {"by": "string"},
    "Rejected": {"by": "string", "note": "optional string", "level": {"enum": ["low", "high"]}},
    "Cancelled": {"by": "string"},
    "State": {
        "count": "integer",
        "score": "number",
        "urgency": {"enum": ["low", "mid", "high"]},
        "level": "optional Level",
        "order": "optional Order",
        "orders": "list of Order",
        "names": "list of string",
        "numbers": "list of integer",
        "scores": "list of number",
        "maybes": "list of optional string",
        "prices": "map of number",
        "flag": "boolean",
        "maybe_flag": "optional boolean",
        "title": "string",
        "comment": "optional string",
        "due": "date",
        "at": "datetime",
        "took": "duration",
        "total": "decimal",
        "class": "string",
        "mixed": {"one_of": ["string", "integer"]},
        "grid": "list of list of integer",
        "anything": "any",
        "items": "optional list of string",
    },
}


def build_world() -> Scope:
    from wfc.compiler.types import Enumeration

    records = {
        name: Record(name, role="event" if name in {"Ready", "Rejected", "Cancelled"} else "type")
        for name in DECLARED
    }
    declared: dict[str, Type] = {**records, "Level": Enumeration(("low", "high"), "Level")}
    findings: list[Finding] = []
    for name, fields in DECLARED.items():
        parse_fields(fields, Place(("types", name)), declared, findings.append, records[name])
    assert not findings
    event = OneOf((records["Ready"], records["Rejected"]))
    names = {"event": event, "state": records["State"], "one": records["Ready"]}
    return Scope(names, {name: record for name, record in records.items() if name != "State"})


WORLD = build_world()


@pytest.fixture(scope="session")
def world() -> Scope:
    """``event`` (Ready or Rejected), ``one`` (Ready) and ``state``, with fields of every type."""
    return WORLD


Read = Callable[..., tuple[Expression, list[Finding]]]
ReadText = Callable[..., tuple[Template, list[Finding]]]


@pytest.fixture(scope="session")
def read() -> Read:
    """Reads an expression in the world; gives it, and what was found."""

    def parse(
        text: str, *, condition: bool = False, scope: Scope = WORLD
    ) -> tuple[Expression, list[Finding]]:
        findings: list[Finding] = []
        return parse_expression(text, PLACE, scope, findings.append, condition=condition), findings

    return parse


@pytest.fixture(scope="session")
def read_text() -> ReadText:
    """Reads a text with expressions in the world; gives it, and what was found."""

    def parse(text: str, *, statements: bool = False, scope: Scope = WORLD) -> tuple[Template, list[Finding]]:
        findings: list[Finding] = []
        return parse_template(
            text, PLACE, scope, findings.append, statements=statements, whole=not statements
        ), findings

    return parse
