"""Connections to servers that speak the Model Context Protocol (MCP), each opened, shared and closed by one task."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol, TextIO

from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.bindings import Basic, Bearer, McpServer
from wfc.runtime.calls.commands import executable
from wfc.runtime.calls.host import ToolHost
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.errors import MissingPackageError, StepError, WorkflowError
from wfc.schemas.lock import digest

try:
    from mcp import Client, MCPError, StdioServerParameters, types
    from mcp.client.session import ElicitationFnT
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.client.subscriptions import ListenNotSupportedError

    from wfc.runtime.calls.http.clients import client_with
except ImportError:
    raise MissingPackageError(
        "a tool of an MCP server needs the package mcp: pip install 'wfc-workflows[mcp]'"
    ) from None

__all__ = ["LONGEST_SHOWN", "OF_RUN", "McpConnection", "Servers", "types"]

LONGEST_SHOWN: Final = 300
LONGEST_COMPLAINT: Final = 4096
MOST_REPORTS: Final = 1000
"""How often one call may report progress; what a server says beyond that is let go."""
MOST_PAGES: Final = 20
MOST_TOOLS: Final = 2000
MOST_NAMED: Final = 20


class McpConnection:
    """A connection to a server, which one task opens and closes, as the package wants it."""

    def __init__(
        self, server: McpServer, wait: float, revealed: Revealed, elicit: ElicitationFnT | None = None
    ) -> None:
        self._server = server
        self._elicit = elicit
        self._wait = wait
        self._revealed = revealed
        self._complaint = bytearray()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._done = asyncio.Event()
        self._owner = asyncio.create_task(self._own())
        self._digests: dict[str, str] | None = None
        self._changes = 0  # how often the server has said that its tools changed
        self._follower: asyncio.Task[None] | None = None
        self._is_followed = False  # whether the server says when its tools change

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
                transport = await self._transport(stack)
                client = Client(
                    transport,
                    read_timeout_seconds=self._wait,
                    message_handler=self._hear,
                    elicitation_callback=self._elicit,
                )
                opened = await stack.enter_async_context(client)
                stack.push_async_callback(self._stop_following)
                self._ready.set_result(opened)
                await self._done.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(self._failure(error))
                self._ready.exception()  # that nobody waits any more is no mistake
            elif not self._done.is_set():
                self._done.set()  # it broke; each call says so
            if isinstance(error, asyncio.CancelledError):
                raise

    async def _hear(self, message: object) -> None:
        """Take what the server says by itself: that its tools have changed."""
        if isinstance(message, types.ToolListChangedNotification):
            self._forget()

    def _forget(self) -> None:
        """Ask for the tools again before the next call of one that is pinned."""
        self._digests = None
        self._changes += 1

    async def _follow(self, client: Client) -> None:
        """Hear when the server's tools change, which newer servers say only to those who ask for it."""
        try:
            async with client.listen(tools_list_changed=True) as changes:
                self._forget()  # what was asked before may have changed before this
                self._is_followed = bool(changes.honored.tools_list_changed)
                async for _ in changes:
                    self._forget()
        except ListenNotSupportedError:
            self._is_followed = True  # an older server says it to everybody
        except (MCPError, RuntimeError, TimeoutError, OSError):
            self._is_followed = False  # it refuses, or the stream broke
        else:
            self._is_followed = False

    async def _stop_following(self) -> None:
        if self._follower is not None:
            self._follower.cancel()
            await asyncio.wait([self._follower])

    async def name(self) -> str:
        """Return what the server calls itself, with its version.

        Raises:
            StepError: It cannot be reached.
        """
        found = (await asyncio.shield(self._ready)).server_info
        return (
            ""
            if found is None
            else self._revealed.hide(f"{found.name} {found.version}".strip())[:LONGEST_SHOWN]
        )

    async def tools(self) -> list[types.Tool]:
        """Return the tools that the server has now, in its order.

        Raises:
            StepError: It cannot be reached, or says it wrongly.
        """
        client = await asyncio.shield(self._ready)
        found: list[types.Tool] = []
        cursor: str | None = None
        try:
            for _ in range(MOST_PAGES):
                page = await client.list_tools(cursor=cursor, cache_mode="refresh")
                found += page.tools
                cursor = page.next_cursor
                if cursor is None or len(found) > MOST_TOOLS:
                    break
        except Exception as error:
            failed = self._failure(error)
        else:
            return found[:MOST_TOOLS]
        raise failed

    async def check_pinned(self, operation: str, pinned: str) -> None:
        """Check that a tool is as it was pinned.

        The server is asked once, and again when it says that its tools have changed; one that does not say so is asked
        before each call.

        Raises:
            StepError: ``tool.changed``.
        """
        digests = await self._digests_now()
        if digests.get(operation) == pinned:
            return
        if operation in digests:
            said = f"the tool `{operation}` of {_named(self._server)} is not what was pinned"
        else:
            said = f"{_named(self._server)} offers no tool `{operation}` any more"
        raise StepError(
            "tool.changed",
            self._revealed.hide(f"{said}: `wfc tools pin` asks it again, and shows what has changed"),
        )

    async def _digests_now(self) -> dict[str, str]:
        """Return the digests of the tools that the server has now, by their names."""
        if self._follower is None:
            self._follower = asyncio.create_task(self._follow(await asyncio.shield(self._ready)))
        if self._digests is not None and self._is_followed:
            return self._digests
        known = self._changes
        digests = {
            tool.name: digest(tool.description or "", tool.input_schema, tool.output_schema)
            for tool in await self.tools()
        }
        if known == self._changes:
            self._digests = digests
        return digests

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
                await self._check_offered(operation)
            return reply
        except WorkflowError:
            raise
        except Exception as error:
            if isinstance(error, MCPError) and error.error.code == types.INVALID_PARAMS:
                await self._check_offered(operation)
            failed = self._failure(error)
            if getattr(failed, "name", "") in {"connection", "http.401"}:
                self._done.set()  # the next call begins anew, with a new token where it has one
        finally:
            calling.cancel()
            broken.cancel()
            await asyncio.wait([calling, broken])
        raise failed

    async def _check_offered(self, operation: str) -> None:
        """Check, of a call that went wrong, whether there is such a tool.

        Raises:
            StepError: ``tool.changed``.
        """
        try:
            names = [tool.name for tool in await self.tools()]
        except WorkflowError:
            return  # what went wrong first is told
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


class Closing(Protocol):
    """What is to be closed when a run ends."""

    async def close(self) -> None:
        """End it."""


class Servers:
    """The servers that a run has connected to."""

    def __init__(self) -> None:
        self._running: dict[str, McpConnection] = {}
        self._begun: list[McpConnection] = []
        self.asked: dict[str, Closing] = {}  # calls in which a person is asked

    def get(self, server: McpServer, wait: float, revealed: Revealed) -> McpConnection:
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
            running = self._running[key] = McpConnection(server, wait, revealed)
            self._begun = [each for each in self._begun if not each.has_ended] + [running]
        return running

    async def close(self) -> None:
        """End all of them, at the same time."""
        await asyncio.gather(*(each.close() for each in (*self._begun, *self.asked.values())))


OF_RUN: Final[Resource[Servers]] = Resource(Servers, per="run")


def _folder(beside: str | Path) -> Path:
    place = Path(beside)
    return (place if place.is_dir() else place.parent).resolve()


def _named(server: McpServer) -> str:
    return f"the MCP server `{server.command[0] if server.command else server.url}`"
