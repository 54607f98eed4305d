"""Calls of tools that others describe: tools of MCP servers, and operations of services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.requests import authentication, headers
from wfc.compiler.model import McpOperation, OpenApiOperation, Tool
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import Type

__all__ = ["mcp_call", "openapi_call"]


class ModuleBindings(Protocol):
    """What these calls need of the bindings of a module."""

    names: ModuleNames
    constants: list[list[str]]

    def output(self, type_: Type, name: str) -> dict[str, Code]:
        """Return the argument that declares the type of a result."""

    def schema(self, tool: Tool) -> Code:
        """Return the constant with the schema of a tool's arguments."""

    def beside(self, file: str) -> Code:
        """Return where the modules of a file's tools are."""


def mcp_call(
    bindings: ModuleBindings,
    tool: Tool,
    wanted: McpOperation,
    words: Mapping[str, Code],
    function: FunctionBuilder,
    output: Type,
    limit: Mapping[str, Code],
) -> Code:
    """Return a call of ``ctx.mcp``.

    Args:
        words: The parameters that hold the tool's arguments, by their names in the spec.
    """
    server, named = wanted.server, dict[str, Code]()
    if server.program is not None:
        command = [literal(server.program.program)]
        command += [function.template(each.text) for each in server.program.arguments]
        named["command"] = Code(f"[{', '.join(command)}]")
        if server.program.env:
            named["env"] = headers(server.program.env, function)
        named["beside"] = bindings.beside(tool.file)
    if server.url is not None:
        named["url"] = function.template(server.url)
    if server.headers:
        named["headers"] = headers(server.headers, function)
    if server.auth is not None:
        named["auth"] = authentication(server.auth, function, ValueWriter(function, bindings.names))
    how = bindings.output(output, tool.identifier)
    if tool.schema is not None:
        how |= {"schema": bindings.schema(tool), "pinned": literal(wanted.pinned)}
    made = call(Code("McpServer"), **named)
    return call(Code("ctx.mcp"), made, literal(wanted.name), given_args(tool, words), **how, **limit)


def openapi_call(
    bindings: ModuleBindings,
    tool: Tool,
    wanted: OpenApiOperation,
    words: Mapping[str, Code],
    function: FunctionBuilder,
    output: Type,
    limit: Mapping[str, Code],
) -> Code:
    """Return a call of ``ctx.openapi``; see ``mcp_call``."""
    assert wanted.service is not None
    service, named = wanted.service, dict[str, Code]()
    base = literal(service.server) if service.base_url is None else function.template(service.base_url)
    if service.headers:
        named["headers"] = headers(service.headers, function)
    if service.auth is not None:
        named["auth"] = authentication(service.auth, function, ValueWriter(function, bindings.names))
    named |= bindings.output(output, tool.identifier)
    constant_ = bindings.names.constant(tool, "OPERATION")
    made = {"schema": bindings.schema(tool)}
    if wanted.parameters:
        listed = [(each.arg, each.name, each.place) for each in wanted.parameters]
        made["parameters"] = literal(listed)
    if wanted.body is not None:
        made["body"] = literal(wanted.body)
    value = call(Code("OpenApiOperation"), literal(wanted.method), literal(wanted.path), **made)
    bindings.constants.append(fit(f"{constant_} = {value}"))
    return call(Code("ctx.openapi"), constant_, base, given_args(tool, words), **named, **limit)


def given_args(tool: Tool, words: Mapping[str, Code]) -> Code:
    """Return the arguments of a tool by the names that they have outside."""
    pairs = (f"{literal(each.name_outside)}: {words[each.name]}" for each in tool.args.fields.values())
    return Code(f"{{{', '.join(pairs)}}}")
