"""The servers of tools that speak the Model Context Protocol (MCP)."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model import Asks, CommandLine, Header, McpOperation, McpServer
from wfc.compiler.resolve.declarations import commands, requests
from wfc.compiler.resolve.declarations.addresses import resolve_address
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.assignees import ASSIGNEES
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import bindings as problems
from wfc.compiler.rules import pauses as pause_problems

__all__ = ["declares_types", "resolve_ask", "resolve_operation"]


def resolve_operation(
    name: str, data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> McpOperation | None:
    """Return the tool of a server that `mcp` and `only` describe.

    Args:
        name: What the tool is called here.
        scope: What the server's expressions may use.
    """
    server = data.get("mcp")
    if not isinstance(server, Mapping):
        return None
    only = data.get("only")
    if isinstance(only, list) and len(only) != 1 and declares_types(data, place, declared):
        declared.report(problems.several_operations(place / "only", len(only)))
    given = str(only[0]) if isinstance(only, list) and only else name
    return McpOperation(resolve_server(server, place / "mcp", scope, declared, reader), given)


def resolve_ask(data: Data, place: Place, declared: Declarations) -> Asks | None:
    """Return how a person is asked what the server asks; ``None``: nobody is."""
    said = data.get("ask")
    if not isinstance(said, Mapping) or "within" not in said:
        return None
    within = duration(said["within"], place / "within", declared.report)
    assign = said.get("assign")
    people = [str(each) for each in assign] if isinstance(assign, list) else []
    for index, each in enumerate(people):
        if not each.startswith(ASSIGNEES):
            declared.report(pause_problems.assigned_to_whom(place / "assign" / index, each))
    return None if within is None else Asks(tuple(people), within)


def declares_types(data: Data, place: Place, declared: Declarations) -> bool:
    """Return whether the spec itself says what a tool of a server takes or gives."""
    return bool({"args", "output"} & data.keys()) or declared.any_broken(place, ("args", "output"))


def resolve_server(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> McpServer:
    """Return a server; report one that is neither a program nor an address, or both."""
    has_program, has_url = "command" in data, "url" in data
    lost = declared.any_broken(place, ("command", "url"))
    if has_program == has_url and not lost:
        declared.report(problems.program_or_address(place, both=has_program))
    for key in ("headers", "auth") if has_program else ("env",) if has_url else ():
        if key in data and has_program != has_url:
            declared.report(problems.not_of_this_server((place / key).key, key, of_address=not has_program))
    program: CommandLine | None = None
    if has_program:
        program = commands.resolve_command(data, place, scope, declared, reader)
    headers = data.get("headers")
    return McpServer(
        program,
        resolve_address(data["url"], place / "url", scope, reader) if has_url else None,
        tuple(
            Header(
                str(key), requests.header_value(each, place / "headers" / str(key), scope, declared, reader)
            )
            for key, each in (headers.items() if isinstance(headers, Mapping) else ())
        ),
        requests.resolve_auth(data.get("auth"), place / "auth", scope, declared, reader),
    )
