"""Tools that are many: the operations of a service by its OpenAPI description, and the tools of an MCP server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model import Header, McpOperation, McpServer, OpenApiService, Tool
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.declarations import lock_files, requests
from wfc.compiler.resolve.declarations.addresses import resolve_address
from wfc.compiler.resolve.declarations.foreign_schemas import ForeignSchemas, own_name
from wfc.compiler.resolve.declarations.openapi import (
    Description,
    UnsupportedOperationError,
    read_description,
)
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import operations as problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import STRING, Record

__all__ = ["are_unread", "find_tool", "one_operation", "with_operations", "with_pinned_tools"]

MOST: Final = 100
"""How many operations become tools where none are named."""
LONGEST_DESCRIPTION: Final = 2_000


def one_operation(tool: Tool, place: Place, declared: Declarations) -> Tool | None:
    """Return the one operation that a tool is; ``None`` with a finding if it stands for several."""
    if tool.operations is None:
        return tool
    if len(tool.operations) == 1:
        return tool.operations[0]
    if tool.operations:  # what is wrong with one that has none is told where it is declared
        names = [each.name.removeprefix(f"{tool.name}.") for each in tool.operations]
        declared.report(problems.operation_not_named(place, tool.name, names))
    return None


def find_tool(name: str, place: Place, declared: Declarations) -> Tool | None:
    """Return the tool of a name, which may be that of an operation; ``None`` if it is broken, or with a finding."""
    tools = declared.tools
    if not are_unread(name, declared):
        tools.elsewhere = lambda each: of_another_section(each, declared)
        return tools.find(name, place, declared.report)
    group = normal_form(name).partition(".")[0]
    tools.used.add(group)
    server = tools.nodes.get(group)
    if server is not None and server.operations is None:  # why nothing is known of a broken one is told there
        declared.report(problems.server_not_pinned(place, server.name, declared.project.path))
    return None


def of_another_section(name: str, declared: Declarations) -> str:
    """Return what a step does with an agent or a collection that it names as a tool; empty of all other names."""
    agents, knowledge = declared.data.get("agents"), declared.data.get("knowledge")
    if isinstance(agents, dict) and name in agents:
        return f"`{name}` is an agent, which works in a step of kind `agent`: `agent: {name}`"
    if isinstance(knowledge, dict) and name in knowledge:
        return (
            f"`{name}` is a collection, which is searched by a step of kind `retrieve`: `knowledge: {name}`"
        )
    return ""


def are_unread(name: str, declared: Declarations) -> bool:
    """Return whether a name is that of an operation, where nothing is known of the operations of its service."""
    own, tools = normal_form(name), declared.tools
    group, dot, _ = own.partition(".")
    if dot and own not in tools.nodes and group in tools.broken:
        return True
    tool = tools.nodes.get(group)
    if not dot or tool is None:
        return False
    return tool.operations == () or (
        tool.operations is None and tool.mcp is not None and not tool.declares_args
    )


def with_operations(
    tool: Tool, data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> Tool:
    """Return a tool with the operations of the service that `openapi` describes.

    Args:
        scope: What the expressions of its address and its headers may use.
    """
    service = resolve_service(data, place, scope, declared, reader)
    description = read_description(str(data.get("openapi")), place / "openapi", declared)
    if description is None:
        return replace(tool, operations=())
    if service.base_url is None:
        if not description.server:
            declared.report(
                problems.service_without_address(place / "openapi", described_server(description))
            )
        service = replace(service, server=description.server)
    names = chosen(
        data, place, description.operations, f"`{data.get('openapi')}`", "openapi", declared, tool.name
    )
    schemas = ForeignSchemas(description.root, pascal_case(tool.name), place.address)
    made = [operation_of(tool, description, name, at, schemas, service, data, declared) for name, at in names]
    return replace(tool, operations=tuple(each for each in made if each is not None))


def described_server(description: Description) -> str:
    """Return what a description says of its server, where that is no address."""
    servers = description.root.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    return str(first.get("url", ""))[:100] if isinstance(first, dict) else ""


def resolve_service(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> OpenApiService:
    """Return how a service is asked."""
    headers = data.get("headers")
    return OpenApiService(
        base_url=resolve_address(data["base_url"], place / "base_url", scope, reader)
        if "base_url" in data
        else None,
        server="",
        headers=tuple(
            Header(
                str(key), requests.header_value(each, place / "headers" / str(key), scope, declared, reader)
            )
            for key, each in (headers.items() if isinstance(headers, dict) else ())
        ),
        auth=requests.resolve_auth(data.get("auth"), place / "auth", scope, declared, reader),
    )


def chosen(
    data: Data, place: Place, known: Iterable[str], where: str, key: str, declared: Declarations, group: str
) -> list[tuple[str, Place]]:
    """Return the operations that are used, by name, each with where it is named.

    Args:
        group: What the spec calls the service.
    """
    names, only = list(known), data.get("only")
    if not isinstance(only, list):
        if len(names) > MOST:
            declared.report(problems.too_many_operations(place / key, len(names), MOST))
        return [(name, place / key) for name in names[:MOST]]
    found: dict[str, Place] = {}
    for index, each in enumerate(only):
        name = str(each)
        if name in names:
            found.setdefault(name, place / "only" / index)
        else:
            declared.report(problems.no_such_operation(place / "only" / index, name, names, where))
            declared.tools.broken.add(group)  # it is not known which others are meant
    return list(found.items())


def operation_of(
    tool: Tool,
    description: Description,
    name: str,
    place: Place,
    schemas: ForeignSchemas,
    service: OpenApiService,
    data: Data,
    declared: Declarations,
) -> Tool | None:
    """Return an operation as a tool; ``None`` with a finding if it cannot be called."""
    described = description.operations[name]
    made = pascal_case(own_name(f"{tool.name}_{name}", tool.name))
    args = Record(f"{made}Args", role="namespace", address=place.address)
    try:
        operation, schema, output = description.operation(described, schemas, args)
    except UnsupportedOperationError as error:
        declared.report(problems.operation_not_supported(place, name, str(error), "only" in data))
        return None
    return replace(
        tool,
        name=f"{tool.name}.{normal_form(name)}",
        group=tool.name,
        args=args,
        output=output,
        description=said_of(described.data.get("description"), described.data.get("summary")),
        read_only=operation.method in {"GET", "HEAD"},
        declares_args=True,
        schema=schema,
        openapi=replace(operation, service=service),
        operations=None,
    )


def with_pinned_tools(
    tool: Tool, server: McpServer, data: Data, place: Place, declared: Declarations
) -> Tool:
    """Return a tool with those of the MCP server that it is, if they were pinned."""
    pinned = lock_files.pinned_tools(tool.name, server, place / "mcp", declared)
    only = data.get("only")
    if pinned is None:
        if isinstance(only, list) and len(only) != 1:
            declared.report(problems.server_not_pinned(place / "mcp", tool.name, declared.project.path))
        return tool
    where = f"the server `{tool.name}`"
    names = chosen(data, place, pinned, where, "mcp", declared, tool.name) if pinned else []
    made: Sequence[Tool] = [pinned_tool(tool, server, name, pinned[name], at) for name, at in names]
    return replace(tool, operations=tuple(made))


def pinned_tool(tool: Tool, server: McpServer, name: str, pinned: Any, place: Place) -> Tool:
    """Return one tool of a server as it was pinned."""
    made = pascal_case(own_name(f"{tool.name}_{name}", tool.name))
    args = Record(f"{made}Args", role="namespace", address=place.address)
    given = ForeignSchemas(pinned["input"], made, place.address)
    fields, required = given.fields(given.find(pinned["input"]), 0)
    given.fill(args, fields or {}, required)
    given.begin()
    schema = {"type": "object", **given.schema(pinned["input"])}
    result = pinned.get("output")
    output = ForeignSchemas(result, made, place.address).type(result, f"{made}Output") if result else STRING
    return replace(
        tool,
        name=f"{tool.name}.{normal_form(name)}",
        group=tool.name,
        args=args,
        output=output,
        description=said_of(pinned["description"]),
        declares_args=True,
        schema=schema,
        mcp=McpOperation(server, name, pinned["sha256"]),
        operations=None,
    )


def said_of(*texts: object) -> str:
    """Return the first text that says something, of bounded length."""
    said = next((each.strip() for each in texts if isinstance(each, str) and each.strip()), "")
    return said[:LONGEST_DESCRIPTION]
