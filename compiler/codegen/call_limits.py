"""How often a model or a tool may be called, as arguments of the runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.model import CallLimit, ChosenAddress, CommandLine, Tool
from wfc.compiler.python.literals import Code, literal

__all__ = ["NO_LIMIT", "call_limit", "limits"]

NO_LIMIT: Final[Mapping[str, Code]] = {}
"""The arguments of what may be called as often as one likes."""


def call_limit(tool: Tool) -> Code:
    """Return the `CallLimit` of a tool that is no Python function."""
    return call(Code("CallLimit"), literal(called(tool)), **limits(tool.limit))


def limits(limit: CallLimit | None) -> dict[str, Code]:
    """Return the arguments that say how often something may be called."""
    found: dict[str, Code] = {}
    if limit is not None and limit.rate is not None:
        calls, seconds = limit.rate
        found["rate"] = Code(f"({literal(calls)}, {literal(seconds)})")
    if limit is not None and limit.at_once is not None:
        found["at_once"] = literal(limit.at_once)
    return found


def called(tool: Tool) -> str:
    """Return what a tool calls, as a spec says it: tools that call the same are counted together."""
    if tool.command is not None:
        return " ".join(["command", *words_of(tool.command)])
    if tool.mcp is not None:
        server = tool.mcp.server
        where = (
            words_of(server.program)
            if server.program is not None
            else [server.url.text if server.url else ""]
        )
        return " ".join(["mcp", *where, tool.mcp.name])
    if tool.openapi is not None:
        return f"openapi {tool.name}"
    assert tool.request is not None
    url = tool.request.url
    return f"http {tool.request.method} {url.given.text if isinstance(url, ChosenAddress) else url.text}"


def words_of(command: CommandLine) -> list[str]:
    """Return a command's program and arguments as the spec has them."""
    return [command.program, *(each.text.text for each in command.arguments)]
