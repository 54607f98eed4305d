"""Tools: under `tools`, or written in a step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Secret, Tool
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.declarations import call_limits, commands, mcp_servers, operations, requests
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import binding_scope
from wfc.compiler.rules import bindings as problems
from wfc.compiler.types import ANY, STRING, UNKNOWN, Record, Type, parse_type
from wfc.compiler.types.long_form import check_plain

__all__ = ["PYTHON", "declare_tools", "resolve_tool"]

PYTHON: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def declare_tools(data: Data, declared: Declarations) -> None:
    """Enter the tools under `tools`."""
    for name, content, place in declared.new_entries("tools", declared.tools):
        if isinstance(content, Mapping):
            tool = resolve_tool(name, content, place, declared)
            declared.tools.nodes[name] = tool
            declared.tools.nodes |= {each.name: each for each in tool.operations or ()}
        else:
            declared.tools.broken.add(name)


def resolve_tool(name: str, data: Data, place: Place, declared: Declarations) -> Tool:
    """Return a tool's binding, declared under `tools` or in a step."""
    args = Record(f"{pascal_case(name)}Args", role="namespace", address=(*place.address, "args"))
    read_fields(data.get("args"), args.address, args, declared)
    output: Type = ANY
    if "output" in data:
        class_name = f"{pascal_case(name)}Output"
        output = parse_type(data["output"], place / "output", declared.types, declared.report, class_name)
    if declared.is_broken((*place.address, "output")):
        output = UNKNOWN
    if "description" in data:
        check_plain(data["description"], place / "description", "description", declared.report)
    python = data.get("python")
    if isinstance(python, str) and not PYTHON.fullmatch(python):
        declared.report(problems.bad_python_tool(place / "python", python))
    scope = binding_scope(declared, args)
    if declared.is_broken(args.address):
        scope = scope.with_name("args", UNKNOWN)
    reader = ValueReader(declared.report)
    http = data.get("http")
    request = None
    if isinstance(http, Mapping):
        request = requests.resolve_request(http, place / "http", scope, declared, reader)
    command = commands.resolve_command(data, place, scope, declared, reader) if "command" in data else None
    if command is not None and "output" not in data and output is ANY:
        output = STRING
    mcp = None
    if "mcp" in data:
        server_scope = binding_scope(declared)
        mcp = mcp_servers.resolve_operation(name, data, place, server_scope, declared, reader)
    secrets, workflow = data.get("secrets"), data.get("workflow")
    tool = Tool(
        name=name,
        python=python if isinstance(python, str) else None,
        request=request,
        args=args,
        output=output,
        secrets=tool_secrets(secrets, place / "secrets", declared),
        read_only=data.get("read_only") is True or declared.is_broken((*place.address, "read_only")),
        description=str(data.get("description", "")),
        address=place.address,
        declares_args="args" in data,
        workflow=normal_form(workflow) if isinstance(workflow, str) else None,
        file=place.origin or declared.project.path,
        command=command,
        mcp=mcp,
        ask=mcp_servers.resolve_ask(data, place / "ask", declared) if "ask" in data else None,
        timeout=duration(data["timeout"], place / "timeout", declared.report) if "timeout" in data else None,
        limit=(
            call_limits.resolve_limit(data, place, declared.report)
            if "rate" in data or "at_once" in data
            else None
        ),
    )
    if isinstance(data.get("openapi"), str):
        return operations.with_operations(tool, data, place, binding_scope(declared), declared, reader)
    if mcp is not None and not mcp_servers.declares_types(data, place, declared):
        return operations.with_pinned_tools(tool, mcp.server, data, place, declared)
    return tool


def tool_secrets(data: object, place: Place, declared: Declarations) -> tuple[tuple[str, Secret], ...]:
    """Return the secrets passed to a function as keyword arguments, `token: {secret: NAME}` or `token: NAME`."""
    if not isinstance(data, Mapping):
        return ()
    found: list[tuple[str, Secret]] = []
    for key, content in data.items():
        at = place / str(key)
        if isinstance(content, Mapping):
            named, at = content.get("secret"), at / "secret"
        else:
            named = content
        found.append((normal_form(str(key)), requests.secret(named, at, declared)))
    return tuple(found)
