"""Calls in which an MCP server asks a person: each has a connection of its own, which lives on while the person thinks.

Should it be lost meanwhile, as with its process, the tool is called again, and told what was answered already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from wfc.runtime.calls.asking import MOST_QUESTIONS, Asking, QuestionWantedError, ToolAnswer, ToolQuestion
from wfc.runtime.calls.bindings import McpServer
from wfc.runtime.calls.host import ToolHost
from wfc.runtime.calls.mcp.connections import McpConnection, types
from wfc.runtime.calls.secrets import Revealed

__all__ = ["AskedCall"]

LONGEST_TITLE: Final = 1_000
MOST_FIELDS: Final = 50
LONGEST_VALUE: Final = 1_000
_KINDS: Final = ("string", "number", "integer", "boolean", "array")
_KEPT: Final = (
    "type",
    "title",
    "description",
    "default",
    "enum",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
)

Calling = Callable[[McpConnection, float], Awaitable[types.CallToolResult]]


class AskedCall:
    """A call under way, whose server may ask."""

    def __init__(self, server: McpServer, wait: float, revealed: Revealed, asking: Asking) -> None:
        self._connection = McpConnection(server, wait, revealed, self._asked)
        self._wait = wait + MOST_QUESTIONS * asking.within
        self._revealed = revealed
        self._known = list(asking.answers)
        self._questions: asyncio.Queue[ToolQuestion] = asyncio.Queue()
        self._answer: asyncio.Future[ToolAnswer] | None = None
        self._turn = asyncio.Lock()  # a server may ask several things at once
        self._count = 0
        self._task: asyncio.Task[types.CallToolResult] | None = None

    async def result(self, host: ToolHost, asking: Asking, call: Calling) -> types.CallToolResult:
        """Return the result, once all that the server asks is answered.

        Raises:
            QuestionWantedError: The server asks something.
            StepError: The call has failed, or asks too often.
        """
        if self._task is None:
            self._task = asyncio.ensure_future(call(self._connection, self._wait))
        elif self._answer is not None and not self._answer.done() and asking.answers:
            self._answer.set_result(asking.answers[-1])
        asked = asyncio.ensure_future(self._questions.get())
        try:
            await asyncio.wait([self._task, asked], return_when=asyncio.FIRST_COMPLETED)
            if self._task.done():
                return self._task.result()
            raise QuestionWantedError(asked.result())
        finally:
            asked.cancel()

    async def _asked(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Answer what the server asks: as was answered before, or when a person has answered."""
        if not isinstance(params, types.ElicitRequestFormParams):
            return types.ElicitResult(action="decline")  # an address to look at, which nobody shows
        self._count += 1
        question = _as_question(params, self._revealed)
        if question is None or self._count > MOST_QUESTIONS:
            return types.ElicitResult(action="decline")
        for known in self._known:
            if known.question == question:
                self._known.remove(known)
                return _as_result(known)
        async with self._turn:
            self._answer = asyncio.get_running_loop().create_future()
            self._questions.put_nowait(question)
            return _as_result(await self._answer)

    async def close(self) -> None:
        """End the call, if it is under way, and its connection."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._connection.close()


def _as_result(answer: ToolAnswer) -> types.ElicitResult:
    if answer.action == "cancel":
        return types.ElicitResult(action="cancel")
    return types.ElicitResult(action="accept", content=answer.content)


def _as_question(asked: types.ElicitRequestFormParams, revealed: Revealed) -> ToolQuestion | None:
    """Return what a server asks, with a form of bounded size and of plain fields; ``None`` if it is no such form."""
    schema = dict(asked.requested_schema)
    fields = schema.get("properties")
    if not isinstance(fields, dict) or len(fields) > MOST_FIELDS:
        return None
    shown: dict[str, Any] = {}
    for name, field in fields.items():
        if not isinstance(field, dict) or field.get("type", "string") not in _KINDS:
            return None
        kept = {key: _bounded(field[key], revealed) for key in _KEPT if key in field}
        if isinstance(items := field.get("items"), dict):
            kept["items"] = {key: _bounded(items[key], revealed) for key in ("type", "enum") if key in items}
        shown[str(name)[:100]] = {"type": "string", **kept}
    asked_for = schema.get("required")
    required = [name for name in shown if isinstance(asked_for, list) and name in asked_for]
    form = {"type": "object", "properties": shown, "required": required, "additionalProperties": False}
    return ToolQuestion(title=revealed.hide(asked.message)[:LONGEST_TITLE], form=form)


def _bounded(value: Any, revealed: Revealed) -> Any:
    if isinstance(value, str):
        return revealed.hide(value)[:LONGEST_VALUE]
    if isinstance(value, list):
        return [_bounded(each, revealed) for each in value[:200] if isinstance(each, str | int | float)]
    return value if isinstance(value, int | float | bool) or value is None else None
