"""OpenAPI descriptions: the operations of a service, each as a tool. A description is a file of the project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.model import OpenApiOperation, OpenApiParameter
from wfc.compiler.resolve.declarations.foreign_schemas import ForeignSchemas, own_name
from wfc.compiler.resolve.declarations.imports import report_refused
from wfc.compiler.resolve.symbols.declarations import Declarations, Refused
from wfc.compiler.rules import operations as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import ANY, Record, Type
from wfc.compiler.yaml import read

__all__ = ["Described", "Description", "UnsupportedOperationError", "read_description"]

METHODS: Final = ("get", "put", "post", "delete", "patch", "head")
PLACES: Final = ("path", "query", "header")
NOT_OURS: Final = frozenset({"accept", "authorization", "content-type"})
"""Headers of which OpenAPI says that no parameter describes them."""
ADDRESS: Final = re.compile(r"https?://[\w.-]+(:\d{1,5})?(/[\w.~%-]+)*/?", re.ASCII)
HOLE: Final = re.compile(r"\{([^{}]+)\}")
JSON: Final = re.compile(r"application/(?:[\w.+-]+\+)?json(?:\s*;.*)?", re.IGNORECASE)
MOST_OPERATIONS: Final = 5_000
LONGEST_DESCRIPTION: Final = 2_000


class UnsupportedOperationError(Exception):
    """An operation cannot be called as it is described; the message says why."""


@dataclass(frozen=True, slots=True)
class Described:
    """An operation as its description has it.

    Args:
        shared: What the path says of all its operations.
    """

    name: str
    method: str
    path: str
    data: Mapping[str, object]
    shared: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Description:
    """The operations of a service.

    Args:
        server: Its address, as far as the description says a usable one; empty otherwise.
        operations: By their names.
    """

    root: Mapping[str, object]
    server: str
    operations: Mapping[str, Described]

    def operation(
        self, found: Described, schemas: ForeignSchemas, args: Record
    ) -> tuple[OpenApiOperation, dict[str, Any], Type]:
        """Return an operation, the schema of its arguments, and the type of what it gives; fill their record.

        Raises:
            UnsupportedOperationError: It cannot be called.
        """
        schemas.begin()
        if "servers" in found.data or "servers" in found.shared:
            raise UnsupportedOperationError("it is of another server than the rest of the description")
        properties: dict[str, object] = {}
        required: list[str] = []
        parameters: list[OpenApiParameter] = []
        for data in self.parameters(found, schemas):
            made = parameter(data, properties)
            if made is not None:
                parameters.append(made)
                properties[made.arg] = described(data.get("schema"), data)
                required += [made.arg] if data.get("required") is True or made.place == "path" else []
        holes = HOLE.findall(found.path)
        wanted = {each.name for each in parameters if each.place == "path"}
        if set(holes) != wanted:
            raise UnsupportedOperationError("the parameters of its path are not those of its address")
        body = self.body(found, schemas, properties, required)
        schemas.fill(args, properties, set(required))
        schema = schemas.schema({"type": "object", "properties": properties, "required": required})
        operation = OpenApiOperation(found.method.upper(), found.path, tuple(parameters), body)
        return operation, schema, self.result(found, schemas, args.name.removesuffix("Args"))

    def parameters(self, found: Described, schemas: ForeignSchemas) -> Iterator[Mapping[str, object]]:
        """Yield the parameters of an operation, its own in place of those of its path."""
        named: dict[tuple[object, object], Mapping[str, object]] = {}
        for listed in (found.shared.get("parameters"), found.data.get("parameters")):
            for each in listed if isinstance(listed, list) else ():
                data = schemas.find(each)
                named[str(data.get("name")), str(data.get("in"))] = data
        yield from named.values()

    def body(
        self,
        found: Described,
        schemas: ForeignSchemas,
        properties: dict[str, object],
        required: list[str],
    ) -> tuple[str, ...] | str | None:
        """Return what of the arguments is sent: the fields of a record, one that is all of it, or nothing.

        Raises:
            UnsupportedOperationError: It wants something else than JSON.
        """
        if "requestBody" not in found.data:
            return None
        wanted = schemas.find(found.data["requestBody"])
        schema = json_schema(wanted.get("content"))
        if schema is None:
            if wanted.get("required") is True:
                raise UnsupportedOperationError("it is sent something else than JSON")
            return None
        fields, must = schemas.fields(schemas.find(schema), 0)
        if fields is not None and wanted.get("required") is True and not fields.keys() & properties.keys():
            properties |= fields
            required += [name for name in fields if name in must]
            return tuple(fields)
        name = "body"
        while name in properties:
            name += "_"
        properties[name] = schema
        required += [name] if wanted.get("required") is True else []
        return name

    def result(self, found: Described, schemas: ForeignSchemas, name: str) -> Type:
        """Return the type of a reply that went well; `any` where it is not described."""
        replies = found.data.get("responses")
        named = {str(key): each for key, each in replies.items()} if isinstance(replies, Mapping) else {}
        for status in sorted(key for key in named if re.fullmatch(r"2\d\d|2XX", key)):
            schema = json_schema(schemas.find(named[status]).get("content"))
            if schema is not None:
                return schemas.type(schema, f"{name}Output")
        return ANY


def parameter(data: Mapping[str, object], taken: Mapping[str, object]) -> OpenApiParameter | None:
    """Return a parameter; ``None`` for one that need not be sent and cannot.

    Raises:
        UnsupportedOperationError: It must be sent, and cannot.
    """
    name, place = data.get("name"), data.get("in")
    if not isinstance(name, str) or not name or not name.isprintable():
        raise UnsupportedOperationError("one of its parameters has no name")
    if place == "header" and name.lower() in NOT_OURS:
        return None
    kind = schema_type(data.get("schema"))
    why = ""
    if place not in PLACES:
        why = f"its parameter `{name}` is in {place if isinstance(place, str) else 'nothing'}"
    elif "content" in data or kind == "object" or (kind == "array" and place != "query"):
        why = f"its parameter `{name}` is more than a text in its {place}"
    elif kind == "array" and (data.get("explode") is False or data.get("style", "form") != "form"):
        why = f"the list `{name}` is written in a form of its own"
    if why and data.get("required") is True:
        raise UnsupportedOperationError(why)
    if why:
        return None
    arg = name if name not in taken else f"{place}_{name}"
    return OpenApiParameter(arg, name, str(place))


def schema_type(data: object) -> object:
    """Return the type that a schema says, if it says one."""
    return data.get("type") if isinstance(data, Mapping) else None


def described(schema: object, data: Mapping[str, object]) -> object:
    """Return the schema of a parameter, with the parameter's own description."""
    said = data.get("description")
    if not isinstance(schema, Mapping):
        schema = {}
    return {**schema, "description": said} if isinstance(said, str) and "$ref" not in schema else schema


def json_schema(content: object) -> object | None:
    """Return the schema of what is JSON among kinds of content; an empty one that allows anything if it has none."""
    for kind, each in content.items() if isinstance(content, Mapping) else ():
        if JSON.fullmatch(str(kind)) and isinstance(each, Mapping):
            schema: object = each.get("schema", {})
            return schema
    return None


def read_description(path: str, place: Place, declared: Declarations) -> Description | None:
    """Return the description in a file; ``None`` with a finding, if there is none."""
    found = declared.project.text(path)
    if isinstance(found, Refused):
        report_refused(found, path, place, "an OpenAPI description", declared.report)
        return None
    shown, text = found
    data = parsed(text, shown)
    version = data.get("openapi") if isinstance(data, Mapping) else None
    paths = data.get("paths") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not (isinstance(version, str) and version.startswith("3.")):
        is_old = isinstance(data, Mapping) and "swagger" in data
        declared.report(problems.no_description(place, path, is_old=is_old))
        return None
    operations: dict[str, Described] = {}
    for way, shared in paths.items() if isinstance(paths, Mapping) else ():
        for method in METHODS if isinstance(shared, Mapping) and len(operations) < MOST_OPERATIONS else ():
            operation = shared.get(method)
            if isinstance(operation, Mapping):
                name = operation_name(operation, method, str(way))
                operations.setdefault(name, Described(name, method, str(way), operation, shared))
    if not operations:
        declared.report(problems.no_description(place, path, is_empty=True))
        return None
    return Description(data, server_of(data), operations)


def parsed(text: str, path: str) -> object:
    """Return what a file in JSON or YAML says; ``None`` if it is neither."""
    if text.lstrip()[:1] == "{":
        try:
            return json.loads(text, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            return None
    findings: list[Finding] = []
    return read(text.encode(), path, findings.append).data


def operation_name(operation: Mapping[str, object], method: str, path: str) -> str:
    """Return what an operation is called: its `operationId`, or the method and the path as one word."""
    name = operation.get("operationId")
    if isinstance(name, str) and name and name.isprintable():
        return name
    return own_name(f"{method}_{path}", method)


def server_of(data: Mapping[str, object]) -> str:
    """Return the first address among a description's servers, if it is one that requests can be sent to."""
    servers = data.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    url = first.get("url") if isinstance(first, Mapping) else None
    return url.rstrip("/") if isinstance(url, str) and ADDRESS.fullmatch(url) else ""
