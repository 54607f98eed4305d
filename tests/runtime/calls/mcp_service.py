"""An MCP server for the tests: `python mcp_service.py` speaks by its input and output, with a port by HTTP."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("desk")


class Sum(BaseModel):
    value: int
    of: list[int]


@server.tool()
def add(numbers: list[int]) -> Sum:
    return Sum(value=sum(numbers), of=numbers)


@server.tool()
def words(text: str) -> list[str]:
    return text.split()


@server.tool()
def variable(name: str) -> str:
    return f"{name} is {os.environ.get(name)}"


@server.tool()
def fail(why: str) -> str:
    raise ToolError(why)


@server.tool()
async def slow(seconds: float, ctx: Context[Any]) -> str:
    await ctx.report_progress(1, 2, "half of it")
    await asyncio.sleep(seconds)
    return "done"


@server.tool()
def large(size: int) -> str:
    return "x" * size


@server.tool()
def die() -> str:
    print("I have seen enough", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
def process() -> int:
    return os.getpid()


if __name__ == "__main__":
    print("the desk opens", file=sys.stderr, flush=True)
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
