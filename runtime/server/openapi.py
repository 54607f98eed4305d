"""The description of a server by OpenAPI 3.1, made from its endpoints and from the types of its workflows."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.events import event_name
from wfc.runtime.server.access import Principal
from wfc.runtime.server.calls import PROBLEM
from wfc.runtime.server.endpoint import ANYBODY, LINK, OPENED, PAGE, SENDER, Endpoint
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.workflows import schema_of

__all__ = ["description"]

_PROBLEMS: Final = (
    "400",
    "401",
    "403",
    "404",
    "405",
    "408",
    "409",
    "410",
    "412",
    "413",
    "415",
    "422",
    "429",
    "503",
)
_PARAMETER: Final = re.compile(r"\{(\w+)\}")

_PROBLEM_SCHEMA: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "message"],
                "properties": {
                    "pointer": {"type": "string"},
                    "message": {"type": "string"},
                    "beside": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}
_RUN_SCHEMA: Final = {
    "type": "object",
    "required": ["run", "workflow", "status", "started", "tick"],
    "properties": {
        "run": {"type": "string"},
        "workflow": {"type": "string"},
        "version": {"type": "string"},
        "key": {"type": ["string", "null"]},
        "status": {"type": "string"},
        "started": {"type": "string", "format": "date-time"},
        "ended": {"type": ["string", "null"], "format": "date-time"},
        "tick": {"type": "integer"},
        "result": {"type": "object"},
        "error": {"type": "object"},
    },
}


def description(
    endpoints: Iterable[Endpoint], server: Installation, principal: Principal, address: str
) -> dict[str, Any]:
    """Return the description, with those workflows that somebody may see."""
    schemas: dict[str, Any] = {"Problem": _PROBLEM_SCHEMA, "Run": _RUN_SCHEMA}
    paths: dict[str, Any] = {}
    start: Endpoint | None = None
    for one in endpoints:
        if one.content == PAGE:
            continue
        if one.name == "start_run":
            start = one
            continue
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, _body(one), {"type": "object"})
    for name, workflow in server.offered.items():
        if start is not None and principal.knows(name):
            path = start.path.replace("{workflow}", name)
            paths[path] = {"post": _start_operation(start, name, workflow, schemas)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "wfc",
            "version": "1",
            "description": "Workflows, their runs, and questions to people.",
        },
        "servers": [{"url": address}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "link": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`Link TOKEN`, of a link to one question, one form or one talk",
                },
            },
        },
    }


def _start_operation(
    start: Endpoint, name: str, workflow: StartableWorkflow, schemas: dict[str, Any]
) -> dict[str, Any]:
    plan = workflow._wfc.plan
    inputs = _added(schemas, f"{name}.{event_name(plan.start_class)}", schema_of(plan.start_class))
    results = [
        {
            "type": "object",
            "properties": {
                "event": {"const": event_name(kind)},
                "with": _added(schemas, f"{name}.{event_name(kind)}", schema_of(kind)),
            },
        }
        for kind in plan.end_classes
    ]
    body = {"type": "object", "properties": {"inputs": inputs}, "additionalProperties": False}
    if plan.start_class and schema_of(plan.start_class).get("required"):
        body["required"] = ["inputs"]
    run = {"allOf": [_ref("Run"), {"properties": {"result": {"anyOf": results}}}]}
    found = _operation(start, body, run)
    found["operationId"] = f"start_{name}"
    found["summary"] = f"Start a run of {name}."
    found["parameters"] = [one for one in found["parameters"] if one["in"] != "path"]
    return found


def _operation(one: Endpoint, body: Mapping[str, Any] | None, result: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.summary,
        "description": one.description,
        "parameters": _parameters(one),
        "responses": {str(status): _good(one, result) for status in one.good},
        "x-roles": list(one.roles),
    }
    for status in _PROBLEMS:
        told["responses"][status] = {
            "description": "A problem.",
            "content": {PROBLEM: {"schema": _ref("Problem")}},
        }
    if body is not None:
        told["requestBody"] = {
            "required": "required" in body,
            "content": {"application/json": {"schema": body}},
        }
    if one.roles in {(ANYBODY,), (OPENED,), (SENDER,)}:
        told["security"] = []
    elif one.roles == (LINK,):
        told["security"] = [{"link": []}]
    return told


def _good(one: Endpoint, result: Mapping[str, Any]) -> dict[str, Any]:
    contents = [one.content]
    if one.content == "text/event-stream":
        contents.append("application/x-ndjson")
    if one.name in {"draw_flow", "draw_run"}:
        contents += ["text/html", "image/svg+xml"]
    schema = result if one.content == "application/json" else {"type": "string"}
    return {"description": "As it was asked for.", "content": {each: {"schema": schema} for each in contents}}


def _parameters(one: Endpoint) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in _PARAMETER.findall(one.path)
    ]
    found += [{"name": name, "in": "query", "schema": schema} for name, schema in one.query.items()]
    found += [
        {"name": name, "in": "header", "schema": {"type": "string"}}
        for name in one.headers
        if name != "Accept"  # which has a place of its own
    ]
    return found


def _body(one: Endpoint) -> Mapping[str, Any] | None:
    return one.body


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _added(schemas: dict[str, Any], name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Add a schema to those of the description, with the definitions that it brings; return a reference to it."""
    own = copy.deepcopy(dict(schema))
    names = {f"#/$defs/{each}": f"#/components/schemas/{name}.{each}" for each in own.get("$defs", {})}
    for each, inner in own.pop("$defs", {}).items():
        schemas[f"{name}.{each}"] = _renamed(inner, names)
    schemas[name] = _renamed(own, names)
    return _ref(name)


def _renamed(data: Any, names: Mapping[str, str]) -> Any:
    if isinstance(data, dict):
        return {
            key: names.get(value, value)
            if key == "$ref" and isinstance(value, str)
            else _renamed(value, names)
            for key, value in data.items()
        }
    return [_renamed(one, names) for one in data] if isinstance(data, list) else data
