"""Calls of an agent's tools: arguments read and checked, the call made within its time, the result as a text."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from typing import Any, Final

from pydantic_core import to_json

from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.agents.events import CallDone
from wfc.runtime.agents.turns import cut
from wfc.runtime.calls.standing_time import bounded_by
from wfc.runtime.calls.transcripts import CallRequest
from wfc.runtime.errors import StepError
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.outside_names import json_outside
from wfc.runtime.values.spans import span

__all__ = ["CANNOT_BE_MADE", "as_done", "make_call", "read_call", "told_of"]

CANNOT_BE_MADE: Final = ("agent.unknown_tool", "agent.arguments")
"""The errors of calls that were not made, of which the model is told in any case."""

_LARGEST: Final = 16_000_000
"""The size of a result in JSON that a call may have."""

_LONGEST_ERROR: Final = 300

_NO_KEYS: Final[Mapping[str, str]] = {}


def read_call(
    agent: Agent,
    call: CallRequest,
    args: str,
    bound: Mapping[str, object],
    offered: Collection[str] | None = None,
) -> tuple[AgentTool, Any]:
    """Return the tool of a call and its arguments, those that the model does not choose among them.

    Args:
        args: The arguments as JSON.
        bound: What the model does not choose, by names outside.
        offered: The tools that it was offered; ``None``: all.

    Raises:
        StepError: There is no such tool, or the arguments do not fit.
    """
    tool = agent.by_name.get(call.tool)
    if tool is None or (offered is not None and call.tool not in offered):
        there = agent.by_name if offered is None else offered
        known = ", ".join(f"`{name}`" for name in there) or "none"
        raise StepError(
            "agent.unknown_tool", f"there is no tool `{call.tool[:100]}`; those that there are: {known}"
        )
    try:
        given = json.loads(args or "{}")
    except (ValueError, RecursionError):
        raise StepError("agent.arguments", f"the arguments of `{call.tool}` are no JSON") from None
    if not isinstance(given, dict):
        raise StepError("agent.arguments", f"the arguments of `{call.tool}` are no record")
    if strange := sorted(given.keys() & set(tool.bound)):
        raise StepError("agent.arguments", f"`{call.tool}` has no argument `{strange[0]}`")
    try:
        if tool.foreign is not None:
            tool.foreign.check({**given, **bound})
        return tool, from_json(tool.args, to_json({**given, **bound}), outside=True)
    except (InvalidOutput, ValueError) as error:
        raise StepError("agent.arguments", f"the arguments of `{call.tool}` do not fit: {error}") from None


async def make_call(
    context: Any, config: Any, tool: AgentTool, args: Any, keys: Mapping[str, str] = _NO_KEYS
) -> Any:
    """Call a tool; return its result.

    Args:
        keys: Whose entries are meant, by the names of collections.

    Raises:
        StepError: The call failed, or took too long.
    """
    more = [config] if tool.takes_config else []
    if tool.takes_key:
        if tool.takes_key not in keys:  # begun by a version that had no such tool
            raise StepError("knowledge.key", f"it is not known whose entries `{tool.name}` is to see")
        more.append(keys[tool.takes_key])
    try:
        async with asyncio.timeout(tool.timeout) as bound:
            assert tool.call is not None
            with bounded_by(bound):
                return await tool.call(context, *more, args)
    except TimeoutError:
        if bound.expired():
            raise StepError("timeout", f"`{tool.name}` took longer than {span(tool.timeout)}") from None
        raise


def as_done(tool: AgentTool, result: object, *, keep: bool = False) -> CallDone:
    """Return the result of a call as the model is told of it; ``keep``: as it is, too.

    Raises:
        StepError: It cannot be written as JSON, or is too large.
    """
    try:
        written = json_outside(result)
        if b"NaN" in written or b"Infinity" in written:
            json.loads(written, parse_constant=_refuse_constant)
        text = result if isinstance(result, str) else written.decode()
    except (ValueError, RecursionError) as error:
        raise StepError("tool.invalid_output", f"`{tool.name}` gave what is no JSON: {error}") from None
    if len(written) > _LARGEST:
        raise StepError(
            "tool.too_large", f"`{tool.name}` gave {len(written):,} bytes; at most {_LARGEST:,} are taken"
        )
    value = written.decode() if tool.final or keep else None
    return CallDone(text=cut(text) or "(nothing)", value=value, is_text=isinstance(result, str))


def _refuse_constant(name: str) -> None:
    """Refuse what Python writes into JSON for numbers that JSON does not have.

    Raises:
        ValueError: Always.
    """
    raise ValueError(f"{name} is no number there")


def told_of(error: StepError) -> str:
    """Return what a model is told of a call that has failed."""
    said = error.message if len(error.message) <= _LONGEST_ERROR else error.message[:_LONGEST_ERROR] + "…"
    return f"error: {said} ({error.name})"
