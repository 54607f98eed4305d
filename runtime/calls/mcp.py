"""Calls of tools that servers offer by the Model Context Protocol (MCP), through its official package."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TextIO

from pydantic_core import to_json

from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.bindings import Basic, Bearer, McpServer
from wfc.runtime.calls.commands import executable
from wfc.runtime.calls.host import ToolHost
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.errors import MissingPackageError, StepError, WorkflowError
from wfc.runtime.tracing import conventions, span_inside
from wfc.runtime.values.outputs import InvalidOutput, from_json, plain, plain_type

try:
    from mcp import Client, MCPError, StdioServerParameters, types
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    from wfc.runtime.calls.http.clients import client_with
except ImportError:
    raise MissingPackageError(
        "a tool of an MCP server needs the package mcp: pip install 'wfc-workflows[mcp]'"
    ) from None

__all__ = ["call_mcp"]

LARGEST_RESULT: Final = 16 * 1024 * 1024
LONGEST_SHOWN: Final = 300
LONGEST_COMPLAINT: Final = 4096
MOST_REPORTS: Final = 1000
"""How often one call may report progress; what a server says beyond that is let go."""
MOST_PAGES: Final = 20
MOST_NAMED: Final = 20
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
) -> Any:
    """Call a tool of a server; return its result as a value of ``output``.

    The calls of a run share a server, which is started by the first and ended with the run.

    Args:
        operation: What the server calls the tool.
        output: ``str`` for its text, ``None`` or ``Any`` for whatever it is, any other type for structured data.
        wait: Seconds to wait for the server at most: the step's time-out; 300 without.

    Raises:
        StepError: ``tool.failed``, ``tool.changed`` (there is no such tool), ``tool.invalid_output``,
            ``tool.too_large``, ``connection``, ``timeout``, ``http.<status>``.
        SettingsError: The program is not allowed, or a secret is missing.
        MissingPackageError: The package for MCP is not installed.
    """
    with span_inside("tool", operation, lambda: _about(operation)) as span:
        revealed = Revealed()
        given = {name: plain(value) for name, value in args.items()}
        servers: _Servers = await host.resource(_OF_RUN)
        running = servers.get(server, wait or PATIENCE, revealed)
        reply = await running.call(host, operation, given, wait or PATIENCE)
        result = _read(reply, operation, plain_type(output), revealed)
        if span is not None:
            span.content = {conventions.TOOL_ARGUMENTS: args, conventions.TOOL_RESULT: result}
            span.result = result
        return result


def _about(operation: str) -> dict[str, object]:
    return {
        conventions.OPERATION: conventions.EXECUTE_TOOL,
        conventions.TOOL_NAME: operation,
        conventions.TOOL_TYPE: "extension",
    }


class _Running:
    """A connection to a server, which one task opens and closes, as the package wants it."""

    def __init__(self, server: McpServer, wait: float, revealed: Revealed) -> None:
        self._server = server
        self._wait = wait
        self._revealed = revealed
        self._complaint = bytearray()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._done = asyncio.Event()
        self._owner = asyncio.create_task(self._own())

    @property
    def is_over(self) -> bool:
        """Whether it has broken, or could not be opened."""
        return self._done.is_set() or self._owner.done()

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it is left to be closed."""
        return self._owner.done()

    async def _own(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                client = Client(await self._transport(stack), read_timeout_seconds=self._wait)
                self._ready.set_result(await stack.enter_async_context(client))
                await self._done.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(self._failure(error))
                self._ready.exception()  # that nobody waits any more is no mistake
            elif not self._done.is_set():
                self._done.set()  # it broke; each call says so
            if isinstance(error, asyncio.CancelledError):
                raise

    async def _transport(self, stack: AsyncExitStack) -> Any:
        server = self._server
        if server.url is not None:
            client = await client_with(server.headers, server.auth, self._wait, self._revealed)
            return streamable_http_client(server.url, http_client=await stack.enter_async_context(client))
        assert server.command is not None
        folder = _folder(server.beside)
        started = StdioServerParameters(
            command=executable(server.command[0], folder),
            args=list(server.command[1:]),
            env={
                name: self._revealed.read(each) if isinstance(each, Secret) else each
                for name, each in server.env.items()
            },
            cwd=folder,
        )
        return stdio_client(started, errlog=await stack.enter_async_context(self._complaints()))

    @asynccontextmanager
    async def _complaints(self) -> AsyncIterator[TextIO]:
        """Yield a file for a program's errors, of which the end is kept."""
        reading, writing = os.pipe()
        kept = self._complaint

        class Keep(asyncio.Protocol):
            def data_received(self, data: bytes) -> None:
                kept.extend(data)
                del kept[:-LONGEST_COMPLAINT]

        with os.fdopen(writing, "w", encoding="utf-8") as file:
            loop = asyncio.get_running_loop()
            transport, _ = await loop.connect_read_pipe(Keep, os.fdopen(reading, "rb", buffering=0))
            try:
                yield file
            finally:
                transport.close()

    async def call(
        self, host: ToolHost, operation: str, args: dict[str, Any], wait: float
    ) -> types.CallToolResult:
        """Call a tool.

        Args:
            wait: Seconds to wait for its result at most.

        Raises:
            StepError: The server cannot be reached, has no such tool, or gave no answer.
        """
        client = await asyncio.shield(self._ready)
        told = 0

        async def report(progress: float, total: float | None, message: str | None) -> None:
            nonlocal told
            told += 1
            if message and told <= MOST_REPORTS:
                host.report(self._revealed.hide(message)[:LONGEST_SHOWN])

        calling = asyncio.create_task(client.call_tool(operation, args, wait, progress_callback=report))
        broken = asyncio.create_task(self._done.wait())
        try:
            await asyncio.wait([calling, broken], return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                raise self._failure(ConnectionError("the connection broke"))
            reply = calling.result()
            if reply.is_error:
                await self._check_offered(client, operation)
            return reply
        except WorkflowError:
            raise
        except Exception as error:
            if isinstance(error, MCPError) and error.error.code == types.INVALID_PARAMS:
                await self._check_offered(client, operation)
            failed = self._failure(error)
            if getattr(failed, "name", "") in {"connection", "http.401"}:
                self._done.set()  # the next call begins anew, with a new token where it has one
        finally:
            calling.cancel()
            broken.cancel()
            await asyncio.wait([calling, broken])
        raise failed

    async def _check_offered(self, client: Client, operation: str) -> None:
        """Check, of a call that went wrong, whether there is such a tool.

        Raises:
            StepError: ``tool.changed``.
        """
        names: list[str] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            try:
                page = await client.list_tools(cursor=cursor)
            except Exception:
                return  # what went wrong first is told
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if operation in names or cursor is None:
                break
        if operation not in names:
            offered = ", ".join(f"`{name}`" for name in names[:MOST_NAMED]) or "none"
            said = f"{_named(self._server)} offers no tool `{operation}`; it offers {offered}"
            raise StepError("tool.changed", self._revealed.hide(said))

    async def close(self) -> None:
        """End the connection, and the program if one was started."""
        self._done.set()
        if not self._ready.done():
            self._owner.cancel()
        await asyncio.wait([self._owner])

    def _failure(self, error: BaseException) -> WorkflowError:
        """Return an error of the package as one of ours, without the values of secrets."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, WorkflowError):
            return error
        who = _named(self._server)
        said = self._revealed.hide(str(error))[:LONGEST_SHOWN] or type(error).__name__
        complaint = self._revealed.hide(self._complaint.decode("utf-8", "replace")).strip()
        if complaint:
            said += f"; it said: {complaint[-LONGEST_SHOWN:]}"
        status = getattr(getattr(error, "response", None), "status_code", None)
        if isinstance(status, int):
            return StepError(f"http.{status}", f"{who} replied {status}", status=status, also=("tool",))
        if isinstance(error, MCPError):
            if error.error.code == types.REQUEST_TIMEOUT:
                return StepError("timeout", f"{who} gave no answer in time", also=("tool",))
            if error.error.code == types.CONNECTION_CLOSED:
                return StepError("connection", f"{who} ended: {said}", also=("tool",))
            return StepError("tool.failed", f"{who} refused the call: {said}")
        if isinstance(error, TimeoutError):
            return StepError("timeout", f"{who} gave no answer in time", also=("tool",))
        return StepError("connection", f"{who} could not be reached: {said}", also=("tool",))


class _Servers:
    """The servers that a run has connected to."""

    def __init__(self) -> None:
        self._running: dict[str, _Running] = {}
        self._begun: list[_Running] = []

    def get(self, server: McpServer, wait: float, revealed: Revealed) -> _Running:
        """Return the connection to a server, a new one if there is none or it has broken."""
        secrets = [
            each for each in (*server.env.values(), *server.headers.values()) if isinstance(each, Secret)
        ]
        if isinstance(server.auth, Basic | Bearer):
            secrets.append(server.auth.secret)
        # another key, another connection; only the digest is kept
        key = sha256(repr((server, [revealed.read(each) for each in secrets])).encode()).hexdigest()
        running = self._running.get(key)
        if running is None or running.is_over:
            running = self._running[key] = _Running(server, wait, revealed)
            self._begun = [each for each in self._begun if not each.has_ended] + [running]
        return running

    async def close(self) -> None:
        """End all of them, at the same time."""
        await asyncio.gather(*(running.close() for running in self._begun))


_OF_RUN: Final[Resource[_Servers]] = Resource(_Servers, per="run")


def _folder(beside: str | Path) -> Path:
    place = Path(beside)
    return (place if place.is_dir() else place.parent).resolve()


def _named(server: McpServer) -> str:
    return f"the MCP server `{server.command[0] if server.command else server.url}`"


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
