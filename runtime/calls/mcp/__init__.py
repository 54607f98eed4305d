"""Calls of tools that servers offer by the Model Context Protocol (MCP), through its official package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic_core import to_json

from wfc.runtime.calls.asking import Asking, QuestionWantedError, asking_now
from wfc.runtime.calls.bindings import McpServer
from wfc.runtime.calls.foreign_schemas import ForeignSchema
from wfc.runtime.calls.host import ToolHost
from wfc.runtime.calls.mcp.asking import AskedCall, Calling
from wfc.runtime.calls.mcp.connections import LONGEST_SHOWN, OF_RUN, McpConnection, Servers, types
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import StepError
from wfc.runtime.tracing import conventions, span_inside
from wfc.runtime.values.outputs import InvalidOutput, from_json, plain, plain_type

__all__ = ["call_mcp", "tools_of"]

LARGEST_RESULT: Final = 16 * 1024 * 1024
PATIENCE: Final = 300.0
"""How many seconds a server has to answer, where the step has no time-out."""


async def call_mcp(
    host: ToolHost,
    server: McpServer,
    operation: str,
    args: Mapping[str, object],
    *,
    output: Any = None,
    wait: float | None = None,
    schema: ForeignSchema | None = None,
    pinned: str = "",
) -> Any:
    """Call a tool of a server; return its result as a value of ``output``.

    The calls of a run share a server, which is started by the first and ended with the run.

    Args:
        operation: What the server calls the tool.
        output: ``str`` for its text, ``None`` or ``Any`` for whatever it is, any other type for structured data.
        wait: Seconds to wait for the server at most: the step's time-out; 300 without.
        schema: What the server wants the arguments to be.
        pinned: The digest of the tool as it was pinned; empty if it was not.

    Raises:
        StepError: ``tool.failed``, ``tool.changed`` (there is no such tool, or it is not as it was pinned),
            ``tool.arguments``, ``tool.invalid_output``,
            ``tool.too_large``, ``connection``, ``timeout``, ``http.<status>``.
        SettingsError: The program is not allowed, or a secret is missing.
        MissingPackageError: The package for MCP is not installed.
    """
    with span_inside("tool", operation, lambda: _about(operation)) as span:
        revealed = Revealed()
        given = {name: plain(value) for name, value in args.items()} if schema is None else schema.given(args)
        servers: Servers = await host.resource(OF_RUN)
        patience = wait or PATIENCE

        async def call(connection: McpConnection, seconds: float) -> types.CallToolResult:
            if pinned:
                await connection.check_pinned(operation, pinned)
            return await connection.call(host, operation, given, seconds)

        asking = asking_now()
        if asking is None:
            reply = await call(servers.get(server, patience, revealed), patience)
        else:
            reply = await _asked(
                servers, asking, host, call, lambda: AskedCall(server, patience, revealed, asking)
            )
        result = _read(reply, operation, plain_type(output), revealed)
        if span is not None:
            span.content = {conventions.TOOL_ARGUMENTS: args, conventions.TOOL_RESULT: result}
            span.result = result
        return result


async def _asked(
    servers: Servers, asking: Asking, host: ToolHost, call: Calling, begin: Callable[[], AskedCall]
) -> types.CallToolResult:
    """Return the result of a call in which the server may ask a person; it stays under way while one is asked.

    Raises:
        QuestionWantedError: The server asks.
    """
    known = servers.asked.get(asking.call)
    asked = servers.asked[asking.call] = known if isinstance(known, AskedCall) else begin()
    try:
        reply = await asked.result(host, asking, call)
    except QuestionWantedError:
        raise
    except BaseException:
        del servers.asked[asking.call]
        await asked.close()
        raise
    del servers.asked[asking.call]
    await asked.close()
    return reply


async def tools_of(
    server: McpServer, wait: float = PATIENCE, revealed: Revealed | None = None
) -> tuple[str, list[types.Tool]]:
    """Return what a server calls itself, with its version, and the tools that it has now.

    Args:
        revealed: Remembers the secrets that the server is given.

    Raises:
        StepError: It cannot be reached.
        SettingsError: Its program is not allowed, or a secret is missing.
    """
    connection = McpConnection(server, wait, Revealed() if revealed is None else revealed)
    try:
        return await connection.name(), await connection.tools()
    finally:
        await connection.close()


def _about(operation: str) -> dict[str, object]:
    return {
        conventions.OPERATION: conventions.EXECUTE_TOOL,
        conventions.TOOL_NAME: operation,
        conventions.TOOL_TYPE: "extension",
    }


def _read(reply: types.CallToolResult, operation: str, output: Any, revealed: Revealed) -> Any:
    """Return the result in a reply.

    Raises:
        StepError: The tool failed, or its result is too large or not of the type.
    """
    text = "\n".join(part.text for part in reply.content if isinstance(part, types.TextContent))
    if reply.is_error:
        said = revealed.hide(text)[:LONGEST_SHOWN]
        raise StepError("tool.failed", f"`{operation}` failed: {said or 'it did not say why'}")
    structured = reply.structured_content
    data = text.encode() if structured is None else to_json(structured)
    if len(data) > LARGEST_RESULT or len(text) > LARGEST_RESULT:
        raise StepError("tool.too_large", f"`{operation}` gave more than {LARGEST_RESULT // 2**20} MB")
    if output is str:
        return revealed.hide_in_result(text)
    if output in (None, Any):
        return revealed.hide_in_result(text if structured is None else structured)
    try:
        return _typed(revealed.hide_in_result(data), structured, output)
    except InvalidOutput as error:
        said = revealed.hide(str(error))
    raise StepError("tool.invalid_output", f"`{operation}` gave something else than declared: {said}")


def _typed(data: bytes, structured: dict[str, Any] | None, output: Any) -> Any:
    try:
        return from_json(output, data, extra_fields=True, outside=True)
    except InvalidOutput:
        if structured is None or structured.keys() != {"result"}:
            raise
    # what is no record travels as the only field of one
    return from_json(output, to_json(structured["result"]), extra_fields=True, outside=True)
