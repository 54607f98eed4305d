"""Calls of language models, through ``pydantic_ai.direct``, with our own policies instead of its."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.host import CallHost
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.errors import MissingPackageError, SettingsError, StepError, WorkflowError
from wfc.runtime.tracing import Span, span_inside
from wfc.runtime.tracing.model_calls import about_model, name_of, note_exchange
from wfc.runtime.values.outputs import InvalidOutput, Wanted

try:
    from pydantic_ai import direct, exceptions, messages
    from pydantic_ai.models import Model as Connection
    from pydantic_ai.models import ModelRequestParameters, infer_model
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.providers import Provider, infer_provider_class
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

    from wfc.runtime.calls.model_streams import streamed_reply
except ImportError:
    raise MissingPackageError(
        "an llm step needs the package pydantic-ai-slim: pip install 'wfc-workflows[models]'"
    ) from None

if TYPE_CHECKING:
    from wfc.runtime.records import Message

__all__ = ["ask"]

_MOST_CORRECTIONS = 2
_LONGEST_SHOWN = 300
_OUTPUT_TOOL = "final_result"


async def ask(
    host: CallHost,
    model: ModelOptions,
    prompt: str,
    *,
    system: str | None = None,
    output: Any = None,
    history: Sequence[Message] = (),
    stream: bool = False,
) -> Any:
    """Call a model once; return the reply as text, or as a value of ``output``.

    Args:
        history: The messages before the prompt.
        stream: Whether the reply is streamed.

    Raises:
        StepError: See ``llm.call_llm``.
        SettingsError: A secret is missing, or the model's settings are wrong.
        MissingPackageError: The provider's package is not installed.
    """
    revealed = Revealed()
    wanted = None if output is None or output is str else Wanted(output)
    try:
        said: list[messages.ModelMessage] = list(map(_message, history))
        if system is not None and any(message.role == "system" for message in history):
            # as one of these it comes before them; instructions would come after
            said.insert(0, messages.ModelRequest(parts=[messages.SystemPromptPart(system)]))
            system = None
        said.append(messages.ModelRequest(parts=[messages.UserPromptPart(prompt)], instructions=system))
        return await _converse(host, model, said, system, wanted, revealed, stream=stream)
    except WorkflowError:
        raise
    except Exception as error:
        failure = _failure(error, model, revealed)
    raise failure  # out of the handler: the client's own error may hold the request's headers


def _message(message: Message) -> messages.ModelMessage:
    if message.role == "assistant":
        return messages.ModelResponse(parts=[messages.TextPart(message.content)])
    kind = messages.SystemPromptPart if message.role == "system" else messages.UserPromptPart
    return messages.ModelRequest(parts=[kind(message.content)])


async def _converse(
    host: CallHost,
    model: ModelOptions,
    history: list[messages.ModelMessage],
    system: str | None,
    wanted: Wanted | None,
    revealed: Revealed,
    *,
    stream: bool,
) -> Any:
    async with _connected(model, revealed) as connection:
        parameters = _parameters(connection, wanted)
        describe = partial(about_model, model, is_structured=wanted is not None)
        for left in reversed(range(_MOST_CORRECTIONS + 1)):
            host.afford(model.use)
            with span_inside("model", name_of(model), describe) as span:
                reply = await _request(
                    connection, model, history, parameters, revealed, span, host if stream else None
                )
                if span is not None:
                    note_exchange(span, history, system, reply, revealed.hide_in_result)
            host.spent(model.use, reply.usage.input_tokens, reply.usage.output_tokens)
            _refuse_what_is_no_answer(reply, model, revealed)
            try:
                result = (
                    revealed.hide_in_result(_text(reply))
                    if wanted is None
                    else _read(reply, wanted, revealed)
                )
            except InvalidOutput as error:
                name, problem = "model.invalid_output", str(error)
            else:
                unmet = host.unmet(result)
                if not unmet:
                    return result
                name, problem = "requirement", "; ".join(unmet)
            if not left:
                raise StepError(
                    name, f"the model `{model.use}` gave no usable answer: {revealed.hide(problem)}"
                )
            history += [reply, messages.ModelRequest(parts=_correction(reply, problem), instructions=system)]
    raise AssertionError("the last reply is returned or raises")


async def _request(
    connection: Connection,
    model: ModelOptions,
    history: list[messages.ModelMessage],
    parameters: ModelRequestParameters,
    revealed: Revealed,
    span: Span | None,
    watched: CallHost | None,
) -> messages.ModelResponse:
    try:
        if watched is not None:
            with watched.answering() as tell:
                return await streamed_reply(connection, history, _settings(model), parameters, tell, revealed)
        return await direct.model_request(
            connection, history, model_settings=_settings(model), model_request_parameters=parameters
        )
    except Exception as error:
        if span is not None:
            # not the client's own error, for the reason given in `ask`
            span.close(error=_failure(error, model, revealed))
        raise


class _Shared:
    """A connection that several calls may use at the same time."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.users = 0


_SHARED: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str | None, str], _Shared]] = (
    WeakKeyDictionary()
)


@asynccontextmanager
async def _connected(model: ModelOptions, revealed: Revealed) -> AsyncIterator[Connection]:
    """Return a connection to a model's service, which is closed when the last call that uses it ends."""
    key = _key(model, revealed)
    # only its digest is kept; another key, another connection
    place = (model.use, model.base_url, hashlib.sha256(key.encode()).hexdigest() if key is not None else "")
    here = _SHARED.setdefault(asyncio.get_running_loop(), {})
    shared = here.get(place)
    if shared is None:
        shared = here[place] = _Shared(_connect(model, key, revealed))

    def leave() -> None:
        shared.users -= 1
        if not shared.users and here.get(place) is shared:
            del here[place]

    provider = shared.connection.provider
    shared.users += 1
    async with AsyncExitStack() as stack:
        try:
            if provider is not None:
                await stack.enter_async_context(provider)
            yield shared.connection
        finally:
            leave()  # before the provider closes, so that nobody else comes in


def _key(model: ModelOptions, revealed: Revealed) -> str | None:
    """Return the API key for a model's service; ``None``: the provider reads its usual variable."""
    if model.api_key is not None:
        return revealed.read(model.api_key)
    if model.base_url is not None:
        return "none"  # else a key from the environment would go to whoever answers there
    usual = f"{re.split('[-:]', model.use)[0].upper()}_API_KEY"
    if os.environ.get(usual):
        revealed.read(Secret(usual))
    return None


def _connect(model: ModelOptions, key: str | None, revealed: Revealed) -> Connection:
    kind, _, name = model.use.partition(":")
    if not kind or not name:
        raise SettingsError(f"the model `{model.use}` is not written as `provider:name`")
    if kind == "openai" and model.base_url is not None:
        kind = "openai-chat"  # the protocol that every compatible server speaks
    try:
        return infer_model(f"{kind}:{name}", lambda _: _provider(kind, model, key))
    except ImportError as error:
        extra = kind.partition("-")[0]
        raise MissingPackageError(
            f"the model `{model.use}` needs its provider's package: pip install 'pydantic-ai-slim[{extra}]'"
        ) from error
    except (exceptions.UserError, ValueError) as error:
        said = revealed.hide(str(error))
        variable = re.search(r"\b[A-Z][A-Z0-9]*_(?:API_)?(?:KEY|TOKEN)\b", said)
        if variable:
            raise SettingsError(
                f"the model `{model.use}` needs a key: set the environment variable {variable[0]}, "
                "or give the model an `api_key`"
            ) from None
        raise SettingsError(f"the model `{model.use}` cannot be used: {said}") from None


def _provider(kind: str, model: ModelOptions, key: str | None) -> Provider[Any]:
    given = {"base_url": model.base_url, "api_key": key}
    given = {name: value for name, value in given.items() if value is not None}
    try:
        return infer_provider_class(kind)(**given)
    except TypeError:
        raise SettingsError(f"models of `{kind}` take no {' or '.join(given)}") from None


def _settings(model: ModelOptions) -> ModelSettings:
    # retries belong to the step's policy, which counts them, waits as declared and tells the watcher
    return cast(ModelSettings, {**model.settings, **model.options(), "max_retries": 0})


def _parameters(connection: Connection, wanted: Wanted | None) -> ModelRequestParameters:
    if wanted is None:
        return ModelRequestParameters()
    profile = connection.profile
    if profile.get("supports_json_schema_output", False):
        mode = "native"
    else:
        mode = "tool" if profile.get("supports_tools", True) else "prompted"
    if mode == "tool":
        tool = ToolDefinition(
            name=_OUTPUT_TOOL,
            parameters_json_schema=wanted.schema,
            description="Gives the answer.",
            kind="output",
        )
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    described = OutputObjectDefinition(json_schema=wanted.schema, name=wanted.name)
    return ModelRequestParameters(output_mode=cast(Any, mode), output_object=described)


def _refuse_what_is_no_answer(reply: messages.ModelResponse, model: ModelOptions, revealed: Revealed) -> None:
    if reply.finish_reason == "content_filter":
        said = (reply.provider_details or {}).get("refusal") or _text(reply)
        shown = f": {revealed.hide(str(said))[:_LONGEST_SHOWN]}" if said else ""
        raise StepError("model.refused", f"the model `{model.use}` refused to answer{shown}")
    if reply.finish_reason == "length":
        bound = f" of {model.max_tokens} tokens" if model.max_tokens is not None else ""
        raise StepError(
            "model.cut_off", f"the answer of the model `{model.use}` was cut off at its limit{bound}"
        )


def _text(reply: messages.ModelResponse) -> str:
    return "".join(part.content for part in reply.parts if isinstance(part, messages.TextPart))


def _read(reply: messages.ModelResponse, wanted: Wanted, revealed: Revealed) -> Any:
    calls = _calls(reply)
    text = calls[0].args_as_json_str() if calls else _text(reply)
    return wanted.read(revealed.hide_in_result(text))


def _calls(reply: messages.ModelResponse) -> list[messages.ToolCallPart]:
    return [part for part in reply.parts if isinstance(part, messages.ToolCallPart)]


def _correction(reply: messages.ModelResponse, problem: str) -> Sequence[messages.ModelRequestPart]:
    said = f"This answer cannot be used: {problem}\nAnswer again, without this mistake."
    calls = _calls(reply)
    if not calls:
        return [messages.UserPromptPart(said)]
    # each call wants its own answer
    return [messages.ToolReturnPart(call.tool_name, said, call.tool_call_id) for call in calls]


def _failure(error: Exception, model: ModelOptions, revealed: Revealed) -> WorkflowError:
    who = f"the model `{model.use}`"
    said = revealed.hide(str(error))[:_LONGEST_SHOWN] or type(error).__name__
    match error:
        case exceptions.ContentFilterError():
            return StepError("model.refused", f"{who} refused to answer: {said}")
        case exceptions.ModelHTTPError():
            return _http_failure(error, who, revealed)
        case exceptions.ModelTimeoutError() | exceptions.ModelRequestTimeout():
            return StepError("timeout", f"{who} gave no answer in time: {said}")
        case exceptions.ModelConnectionError():
            return StepError("connection", f"{who} could not be reached: {said}")
        case exceptions.ModelAPIError():
            return StepError("model", f"{who} failed: {said}", body=revealed.hide_in(error.body))
        case exceptions.UnexpectedModelBehavior():
            return StepError("model.invalid_output", f"{who} gave no usable answer: {said}")
        case exceptions.UserError():
            return SettingsError(f"{who} cannot be used so: {said}")
        case _:
            return StepError("model", f"{who} failed: {type(error).__name__}: {said}")


def _http_failure(error: exceptions.ModelHTTPError, who: str, revealed: Revealed) -> StepError:
    body = revealed.hide_in(error.body)
    said = body.get("message") if isinstance(body, dict) else body
    shown = f": {str(said)[:_LONGEST_SHOWN]}" if said else ""
    return StepError(
        f"http.{error.status_code}",
        f"{who} replied {error.status_code}{shown}",
        status=error.status_code,
        body=body,
        retry_after=error.retry_after,
        also=("model",),
    )
