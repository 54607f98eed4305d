"""Turns of agents: a transcript sent to a model with tools, through ``pydantic_ai.direct``, and what it replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.host import CallHost
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.calls.transcripts import (
    ANSWER_TOOL,
    CallRequest,
    Said,
    TurnReply,
    TurnRequest,
    request_without_calls,
)
from wfc.runtime.errors import MissingPackageError, WorkflowError
from wfc.runtime.values.outputs import Wanted

try:
    from pydantic import ValidationError
    from pydantic_ai import messages
    from pydantic_ai.models import Model as Connection
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

    from wfc.runtime.calls.model_connections import connected
    from wfc.runtime.calls.model_exchanges import Exchange
    from wfc.runtime.calls.model_failures import failure, refuse_what_is_no_answer
    from wfc.runtime.calls.model_messages import prompted, request_parameters, text_of
    from wfc.runtime.calls.model_streams import Shown
except ImportError:
    raise MissingPackageError(
        "an agent needs the package pydantic-ai-slim: pip install 'wfc-workflows[models]'"
    ) from None

__all__ = ["take_turn"]

_LARGEST_RAW: Final = 256_000
"""The size up to which a provider's own form of a message is kept; a larger one is made anew of its text and calls."""

_LONGEST_ID: Final = 64

_PARALLEL: Final = "parallel_tool_calls"


async def take_turn(host: CallHost, model: ModelOptions, request: TurnRequest) -> TurnReply:
    """Ask a model for its next message.

    Raises:
        StepError: ``model…``, ``http…`` (of the model's service), ``timeout``, ``connection``.
        SettingsError: A secret is missing, or the model's settings are wrong.
        MissingPackageError: The provider's package is not installed.
    """
    revealed = Revealed()
    wanted = None if request.output is None or request.output is str else Wanted(request.output)
    watched = Shown("text" in request.shown, "thinking" in request.shown)
    exchange = Exchange(host, model, wanted, revealed, watched)
    try:
        async with connected(model, revealed) as connection:
            parameters = _parameters(connection, model, request, wanted)
            offers = parameters.function_tools or parameters.output_tools
            told = request if offers else request_without_calls(request)
            said = list(_as_messages(told))
            reply = await exchange.reply(
                connection, said, request.system, parameters, _settings(connection, request, model)
            )
        refuse_what_is_no_answer(reply, model, revealed)
        return _as_reply(reply, request.said, revealed)
    except WorkflowError:
        raise
    except Exception as error:
        failed = failure(error, model, revealed, request.files)
    raise failed  # out of the handler: the client's own error may hold the request's headers


def _parameters(
    connection: Connection, model: ModelOptions, request: TurnRequest, wanted: Wanted | None
) -> ModelRequestParameters:
    """Return the tools, and the form of the answer: where there are tools, a tool is called to give it."""
    tools = [
        ToolDefinition(name=each.name, description=each.description, parameters_json_schema=each.schema)
        for each in request.tools
    ]
    if not tools:
        return request_parameters(connection, wanted)
    if wanted is None:
        return ModelRequestParameters(function_tools=tools)
    answer = ToolDefinition(
        name=ANSWER_TOOL,
        description="Gives the answer, when everything is done.",
        parameters_json_schema=wanted.schema,
        kind="output",
    )
    return ModelRequestParameters(
        function_tools=tools, output_mode="tool", output_tools=[answer], allow_text_output=_thinks(model)
    )


def _thinks(model: ModelOptions) -> bool:
    """Return whether a model thinks before it answers: then it cannot be forced to call a tool."""
    return any("thinking" in key and value for key, value in model.settings.items())


def _settings(connection: Connection, request: TurnRequest, model: ModelOptions) -> ModelSettings:
    found = ModelSettings()
    if request.tools and request.must_call and not _thinks(model):
        found["tool_choice"] = [request.must_call]
    if request.tools and request.is_last:
        found["tool_choice"] = "none"
    # who does not know the setting would be warned of it at each turn; the loop makes one call after the other anyway
    if request.tools and not request.in_parallel and _PARALLEL not in connection.unsupported_settings:
        found[_PARALLEL] = False
    return found


def _as_messages(request: TurnRequest) -> Iterator[messages.ModelMessage]:
    """Yield a transcript as messages of the library, with the files of the request."""
    prompt = len(request.said) - 1 - request.since
    for place, one in enumerate(request.said):
        if one.role == "model":
            yield _as_response(one)
            continue
        parts: list[messages.ModelRequestPart] = [
            messages.ToolReturnPart(each.tool, each.text, each.id) for each in one.answers
        ]
        if one.text or not parts:
            files = request.files if place == prompt else ()
            parts.append(messages.UserPromptPart(prompted(one.text, files)))
        yield messages.ModelRequest(parts=parts, instructions=request.system)


def _as_response(said: Said) -> messages.ModelResponse:
    """Return a model's message: as its library wrote it, if that can still be read, or made of its text and calls."""
    if said.raw is not None and (kept := _read_raw(said.raw, said.calls)) is not None:
        return kept
    parts: list[messages.ModelResponsePart] = [messages.TextPart(said.text)] if said.text else []
    parts += [messages.ToolCallPart(each.tool, each.args, each.id) for each in said.calls]
    return messages.ModelResponse(parts=parts or [messages.TextPart("(nothing)")])


def _read_raw(raw: str, calls: Sequence[CallRequest]) -> messages.ModelResponse | None:
    try:
        (kept,) = messages.ModelMessagesTypeAdapter.validate_json(raw)
    except (ValidationError, ValueError):
        return None  # another version of the library
    if not isinstance(kept, messages.ModelResponse):
        return None
    if len(_calls(kept)) != len(calls):
        return None
    ids = iter(calls)
    parts = [
        replace(each, tool_call_id=next(ids).id) if isinstance(each, messages.ToolCallPart) else each
        for each in kept.parts
    ]
    return replace(kept, parts=parts)


def _as_reply(reply: messages.ModelResponse, said: Sequence[Said], revealed: Revealed) -> TurnReply:
    """Return a reply in our own form, without the values of secrets, and with ids that are unique."""
    used = {call.id for one in said for call in one.calls}
    calls: list[CallRequest] = []
    for part in _calls(reply):
        given = part.tool_call_id
        if not given or given in used or len(given) > _LONGEST_ID:
            given = _free_id(used)
        used.add(given)
        args = revealed.hide_in_result(part.args_as_json_str())
        calls.append(CallRequest(id=given, tool=part.tool_name, args=args))
    return TurnReply(text=revealed.hide_in_result(text_of(reply)), calls=calls, raw=_raw(reply, revealed))


def _free_id(used: set[str]) -> str:
    count = len(used) + 1
    while f"call_{count}" in used:
        count += 1
    return f"call_{count}"


def _raw(reply: messages.ModelResponse, revealed: Revealed) -> str | None:
    """Return a reply as its library writes it, if it has more than text and calls, such as signed thinking."""
    plain = (messages.TextPart, messages.ToolCallPart)
    if all(isinstance(each, plain) and not _details(each) for each in reply.parts):
        return None
    written = messages.ModelMessagesTypeAdapter.dump_json([reply]).decode()
    is_safe = revealed.hide_in_result(written) == written
    return written if is_safe and len(written) <= _LARGEST_RAW else None


def _details(part: Any) -> object:
    return part.provider_details or part.id


def _calls(reply: messages.ModelResponse) -> list[messages.ToolCallPart]:
    return [part for part in reply.parts if isinstance(part, messages.ToolCallPart)]
