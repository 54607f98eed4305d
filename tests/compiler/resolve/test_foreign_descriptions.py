"""Descriptions and schemas of strangers: what becomes of them, and what they cannot do."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.passes import check_text
from wfc.compiler.resolve import Refused
from wfc.compiler.resolve.declarations.foreign_schemas import MOST_NODES, ForeignSchemas
from wfc.compiler.types import show
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import Project

SPEC = b"""
wfc: 1
workflow: ask
start: Asked
end: Told
tools:
  desk: {openapi: ./desk.json, base_url: "https://desk.example", only: [get]}
events:
  Asked: {id: string}
  Told: {}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: desk
    with: {id: "${{ event.id }}"}
    emit: Told
"""

NUMBER = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


class Files:
    """A folder with a description."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.asked: list[str] = []

    def read(self, path: str) -> bytes | Refused:
        self.asked.append(path)
        return self.content if path == "desk.json" else Refused("missing", "there is none")

    def given(self) -> list[tuple[str, bytes]]:
        return []

    def near(self, path: str) -> list[tuple[str, bytes]]:
        return []


def described(operation: dict[str, Any], path: str = "/x/{id}", **more: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "paths": {path: {"get": {"operationId": "get", **operation}}}, **more}


def check(description: object, spec: bytes = SPEC) -> Compiled:
    raw = description if isinstance(description, bytes) else json.dumps(description).encode()
    files = Files(raw)
    found = check_text(spec, "ask.yaml", Project(files))
    assert set(files.asked) <= {"desk.json", "ask.lock.json"}  # nothing else is read, whatever it refers to
    return found


def codes(found: Compiled) -> list[str]:
    return [each.code for each in found.diagnostics]


def test_none_of_its_operations_is_not_a_choice() -> None:
    spec = SPEC.replace(b"only: [get]", b"only: []").replace(b"tool: desk", b"tool: desk.get")
    assert codes(check(described({"parameters": [NUMBER]}), spec)) == ["nothing-in-it"]


def test_a_good_one_has_no_findings() -> None:
    assert codes(check(described({"parameters": [NUMBER]}))) == []


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("openapi: ./desk.json", "swagger: ./desk.json", "unknown-key"),
        ("openapi: ./desk.json", "openapi: {file: ./desk.json}", "wrong-type"),
        ("base_url:", "url:", "unknown-key"),
        ("only: [get]", "only: [gett]", "no-such-operation"),
        ("only: [get]", "only: get", "wrong-type"),
        ("openapi: ./desk.json", "mcp: {command: desk}", "wrong-type"),
    ],
)
def test_what_is_wrong_with_a_service_is_not_told_again_where_it_is_called(
    right: str, wrong: str, code: str
) -> None:
    spec = SPEC.decode().replace("tool: desk", "tool: desk.get").replace(right, wrong)
    assert codes(check(described({"parameters": [NUMBER]}), spec.encode()))[:1] == [code]
    assert "unknown-tool" not in codes(check(described({"parameters": [NUMBER]}), spec.encode()))


def test_yaml_is_read_too() -> None:
    text = b"""
openapi: 3.0.3
paths:
  /x/{id}:
    get:
      operationId: get
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {200: {content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}}
"""
    assert codes(check(text)) == []


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"1", b"\xff\xfe", b"[" * 200_000, b'{"a":' * 200_000, b"{}", b"a: &a [*a]", b"null",
     b'{"openapi": 3.1, "paths": {}}', b'{"openapi": "2.0"}', b"openapi: [3]", b"x" * 100_000,
     b'{"openapi": "3.1.0", "paths": {}}'],
)  # fmt: skip
def test_what_is_no_description_is_told(content: bytes) -> None:
    found = codes(check(content))
    assert len(found) == 1
    assert found[0] in {"no-description", "no-such-file"}


def test_a_file_of_a_hundred_megabytes_is_not_read() -> None:
    assert codes(check(b" " * 100_000_000)) == ["no-such-file"]


@pytest.mark.parametrize(
    "operation",
    [
        {"parameters": "x"},
        {"parameters": [1, None, [], {}]},
        {"parameters": [{"name": "id", "in": "cookie", "required": True}]},
        {"parameters": [{**NUMBER, "schema": {"type": "object"}}]},
        {"parameters": [{**NUMBER, "schema": {"type": "array"}}]},
        {"parameters": [{**NUMBER, "name": "id\x1b[2J"}]},
        {"parameters": [{"$ref": "#/paths"}]},
        {"parameters": [{"$ref": "https://elsewhere.example/p.json"}, NUMBER], "servers": []},
        {"parameters": [NUMBER], "servers": [{"url": "https://elsewhere.example"}]},
        {"parameters": [NUMBER], "requestBody": {"required": True, "content": {"image/png": {}}}},
        {"parameters": [NUMBER], "requestBody": {"required": True}},
        {},
    ],
)
def test_what_cannot_be_called_is_told_at_its_name(operation: dict[str, Any]) -> None:
    found = check(described(operation))
    assert codes(found) == ["operation-not-supported"]
    (told,) = found.diagnostics
    assert found.text[told.start.offset : told.end.offset] == "get"


LOOP = {"$ref": "#/components/schemas/B"}
SCHEMAS: dict[str, Any] = {
    "A": LOOP,
    "B": {"$ref": "#/components/schemas/A"},
    "Self": {"type": "object", "properties": {"again": {"$ref": "#/components/schemas/Self"}}},
    "All": {"allOf": [{"$ref": "#/components/schemas/All"}]},
    "Any": {"anyOf": [{"$ref": "#/components/schemas/Any"}, {"type": "null"}]},
    "List": {"type": "array", "items": {"$ref": "#/components/schemas/List"}},
    "Map": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Map"}},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_references_in_a_circle_end(name: str) -> None:
    schema = {"$ref": f"#/components/schemas/{name}"}
    operation = {
        "parameters": [NUMBER],
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
    }
    assert codes(check(described(operation, components={"schemas": SCHEMAS}))) == []


@pytest.mark.parametrize(
    "reference",
    ["https://elsewhere.example/a.json", "file:///etc/passwd", "other.json#/A", "#", "#/a/b", "../x", ""],
)
def test_references_lead_nowhere_else(reference: str) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": reference}, "b": {"type": "string"}}}
    operation = {
        "parameters": [NUMBER],
        "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
    }
    assert codes(check(described(operation))) == []
    foreign = ForeignSchemas({}, "X", ("tools", "desk"))
    assert show(foreign.type(schema, "Made")) == "{a: any, b: optional string}"
    assert "elsewhere" not in json.dumps(foreign.schema(schema))


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "optional string"),
        ({"type": "string", "nullable": True}, "optional string"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "optional integer"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": "string", "format": "date-time"}, "datetime"),
        ({"type": "string", "format": "uuid"}, "string"),
        ({"enum": ["a", "b"]}, "{enum: [a, b]}"),
        ({"enum": ["a", None]}, "optional {enum: [a]}"),
        ({"const": "a"}, "{enum: [a]}"),
        ({"enum": [1, 2]}, "any"),
        ({"enum": ["a", "a"]}, "string"),
        ({"enum": [""]}, "string"),
        ({"type": "array", "items": {"type": "number"}}, "list of number"),
        ({"type": "array"}, "list of any"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "map of boolean"),
        ({"type": "object"}, "any"),
        ({"type": ["string", "integer"]}, "any"),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "any"),
        ({"not": {}}, "any"),
        (True, "any"),
        (7, "any"),
        (
            {"type": "object", "properties": {"class": {"type": "string"}}, "required": ["class"]},
            "{class: string}",
        ),
        ({"properties": {"a b": {}, "a-b": {}, "1": {}}}, "{a_b: any, a_b_: any, field_3: any}"),
        (
            {
                "allOf": [
                    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"b": True}},
                ]
            },
            "{a: string, b: any}",
        ),
    ],
)
def test_types_of_schemas(schema: object, shown: str) -> None:
    assert show(ForeignSchemas({}, "X", ("tools", "desk")).type(schema, "Made")) == shown


def test_schemas_without_end_are_bounded() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(900):
        deep = {"type": "object", "properties": {"a": deep}}
    # each doubles the one before: written out these would be 2^40
    doubling = {f"D{number}": {"type": "object", "properties": {key: {"$ref": f"#/d/D{number + 1}"} for key in "ab"}}
                for number in range(40)}  # fmt: skip
    wide = {
        "type": "object",
        "properties": {f"a{number}": {"type": "string"} for number in range(MOST_NODES * 2)},
    }
    begun = time.process_time()
    for schema in (deep, {"$ref": "#/d/D0"}, wide):
        foreign = ForeignSchemas({"d": doubling}, "X", ("tools", "desk"))
        foreign.type(schema, "Made")
        foreign.begin()
        assert len(json.dumps(foreign.schema(schema))) < 500_000
    assert time.process_time() - begun < 5


def test_no_text_of_a_description_becomes_code_or_an_expression(tmp_path: Path) -> None:
    evil = '"""\n${{ secrets.K }} {% if x %} \\" ); import os #'
    number = {
        **NUMBER,
        "description": evil,
        "schema": {"type": "string", "description": evil, "enum": [evil, "a"]},
    }
    operation = {"summary": evil, "parameters": [number], "responses": {"200": {"description": evil}}}
    agent = SPEC.replace(b'with: {id: "${{ event.id }}"}', b"with: {id: a}")
    found = check(described(operation), agent)
    assert codes(found) == []
    from wfc.compiler.passes import compile_text

    files = Files(json.dumps(described(operation)).encode())
    python = compile_text(agent, "ask.yaml", source="ask.yaml", project=Project(files)).python
    compile(python, "ask_workflow.py", "exec")
    assert "\nimport os" not in python
