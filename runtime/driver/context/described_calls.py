"""Calls of tools that others describe: tools of MCP servers, and operations of services."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar, overload
from urllib.parse import quote

from wfc.runtime.calls.bindings import Basic, Bearer, CallLimit, McpServer, OAuth2, OpenApiOperation, Secret
from wfc.runtime.calls.foreign_schemas import ForeignSchema
from wfc.runtime.driver.context.calling import Calling
from wfc.runtime.errors import StepError
from wfc.runtime.values.outputs import Output

__all__ = ["DescribedCalls"]

T = TypeVar("T")

_HOLE: Final = re.compile(r"\{([^{}]+)\}")


class DescribedCalls(Calling):
    """A context's calls of tools that others describe."""

    __slots__ = ()

    @overload
    async def mcp(
        self,
        server: McpServer,
        operation: str,
        args: Mapping[str, object],
        *,
        limit: CallLimit | None = None,
        schema: ForeignSchema | None = None,
        pinned: str = "",
    ) -> Any: ...
    @overload
    async def mcp(
        self,
        server: McpServer,
        operation: str,
        args: Mapping[str, object],
        *,
        output: type[T] | Output[T],
        limit: CallLimit | None = None,
        schema: ForeignSchema | None = None,
        pinned: str = "",
    ) -> T: ...
    async def mcp(
        self,
        server: McpServer,
        operation: str,
        args: Mapping[str, object],
        *,
        output: Any = None,
        limit: CallLimit | None = None,
        schema: ForeignSchema | None = None,
        pinned: str = "",
    ) -> Any:
        """Call a tool of an MCP server; return its result.

        Args:
            operation: What the server calls the tool.
            output: ``str`` for its text, any other type for structured data; without it whatever it gives.
            limit: How often it may be called; the settings may limit the calls of its host, too.
            schema: What the server wants the arguments to be.
            pinned: The digest of the tool as it was pinned; empty if it was not.

        Raises:
            StepError: The call failed; see ``call_mcp``.
        """
        from wfc.runtime.calls.mcp import call_mcp

        step_run = self._inside("mcp")
        step_run.called = True
        wait = self._started("mcp").execution.timeout_of(step_run.step)

        async def call() -> Any:
            async with self.in_turn(limit, server.url):
                return await call_mcp(
                    self, server, operation, args, output=output, wait=wait, schema=schema, pinned=pinned
                )

        return await self._cached(("mcp", server, operation, args), output, call)

    @overload
    async def openapi(
        self,
        operation: OpenApiOperation,
        base_url: str,
        args: Mapping[str, object],
        *,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | OAuth2 | None = None,
        limit: CallLimit | None = None,
    ) -> Any: ...
    @overload
    async def openapi(
        self,
        operation: OpenApiOperation,
        base_url: str,
        args: Mapping[str, object],
        *,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | OAuth2 | None = None,
        output: type[T] | Output[T],
        limit: CallLimit | None = None,
    ) -> T: ...
    async def openapi(
        self,
        operation: OpenApiOperation,
        base_url: str,
        args: Mapping[str, object],
        *,
        headers: Mapping[str, str | Secret] | None = None,
        auth: Bearer | Basic | OAuth2 | None = None,
        output: Any = None,
        limit: CallLimit | None = None,
    ) -> Any:
        """Call an operation of a service; return the response's body. Status and headers go to the step's tail.

        Args:
            base_url: Where the service is; the request goes to no other server.
            args: By the names that they have in the operation's schema; those that are ``None`` and need not be there
                are not sent.
            headers: Of the request, besides those among the arguments.
            limit: How often it may be called; the settings may limit the requests to its host, too.

        Raises:
            StepError: ``tool.arguments``, or the call failed; see ``call_http``.
        """
        given = operation.schema.given(args)
        sent = dict(headers or {})
        query: dict[str, object] = {}
        for arg, name, place in operation.parameters:
            if place == "query" and arg in given:
                query[name] = given[arg]
            elif place == "header" and arg in given:
                sent[name] = _as_text(given[arg])
        body: Any = None
        if isinstance(operation.body, str):
            body = given.get(operation.body)
        elif operation.body is not None:
            body = {name: given[name] for name in operation.body if name in given}
        if isinstance(body, str):
            sent["content-type"], body = "application/json", json.dumps(body)
        base = base_url.rstrip("/")
        url = base + _HOLE.sub(lambda hole: _segment(hole[1], operation, given), operation.path)
        return await self.http(
            operation.method,
            url,
            server=base,
            query=query,
            headers=sent,
            auth=auth,
            body=body,
            output=output,
            limit=limit,
        )


def _segment(name: str, operation: OpenApiOperation, given: Mapping[str, object]) -> str:
    """Return an argument as a part of a path, which it can neither end nor leave.

    Raises:
        StepError: It cannot stand there.
    """
    arg = next(each for each, called, place in operation.parameters if (called, place) == (name, "path"))
    text = _as_text(given[arg])
    if text in {"", ".", ".."}:
        raise StepError("tool.arguments", f"`{arg}` cannot be a part of an address: it is {text!r}")
    return quote(text, safe="")


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
