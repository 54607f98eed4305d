"""Calls of language models, through ``pydantic_ai.direct``, with our own policies instead of its."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.host import CallHost
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import MissingPackageError, StepError, WorkflowError
from wfc.runtime.tracing import Span, span_inside
from wfc.runtime.tracing.model_calls import about_model, name_of, note_exchange
from wfc.runtime.values.outputs import InvalidOutput, Wanted

try:
    from pydantic_ai import direct, messages
    from pydantic_ai.models import Model as Connection
    from pydantic_ai.settings import ModelSettings

    from wfc.runtime.calls.model_connections import connected
    from wfc.runtime.calls.model_failures import failure, refuse_what_is_no_answer
    from wfc.runtime.calls.model_messages import (
        conversation,
        correction,
        read_reply,
        request_parameters,
        text_of,
    )
    from wfc.runtime.calls.model_streams import Shown, streamed_reply
except ImportError:
    raise MissingPackageError(
        "an llm step needs the package pydantic-ai-slim: pip install 'wfc-workflows[models]'"
    ) from None

if TYPE_CHECKING:
    from wfc.runtime.records import File, Message

__all__ = ["ask"]

_MOST_CORRECTIONS = 2


async def ask(
    host: CallHost,
    model: ModelOptions,
    prompt: str,
    *,
    system: str | None = None,
    output: Any = None,
    history: Sequence[Message] = (),
    files: Sequence[File] = (),
    stream: bool = False,
    thinking: bool = False,
    partial: bool = False,
) -> Any:
    """Call a model once; return the reply as text, or as a value of ``output``.

    Args:
        history: The messages before the prompt.
        files: Images and documents that belong to the prompt.
        stream: Whether the text of the reply is shown while it arrives.
        thinking: Whether what the model thinks before it answers is.
        partial: Whether the fields of the value that have arrived so far are.

    Raises:
        StepError: See ``llm.call_llm``.
        SettingsError: A secret is missing, or the model's settings are wrong.
        MissingPackageError: The provider's package is not installed.
    """
    revealed = Revealed()
    wanted = None if output is None or output is str else Wanted(output)
    try:
        said, instructions = conversation(prompt, system, history, files)
        watched = Shown(stream, thinking, partial)
        call = _Conversation(host, model, said, instructions, wanted, revealed, watched)
        return await call.converse()
    except WorkflowError:
        raise
    except Exception as error:
        failed = failure(error, model, revealed, files)
    raise failed  # out of the handler: the client's own error may hold the request's headers


@dataclass(frozen=True, slots=True)
class _Conversation:
    """One call of a model, until it gives a usable answer.

    Args:
        history: What was said so far, the prompt included; grows by answers that cannot be used.
        system: The instructions that go with each request.
        wanted: The type of the answer; ``None`` for a text.
        revealed: The secrets that the call has read.
        watched: What of the replies is shown while they arrive.
    """

    host: CallHost
    model: ModelOptions
    history: list[messages.ModelMessage]
    system: str | None
    wanted: Wanted | None
    revealed: Revealed
    watched: Shown

    async def converse(self) -> Any:
        async with connected(self.model, self.revealed) as connection:
            for left in reversed(range(_MOST_CORRECTIONS + 1)):
                self.host.afford(self.model.use, own_server=self.model.base_url is not None)
                reply = await self.exchange(connection)
                self.count(reply)
                refuse_what_is_no_answer(reply, self.model, self.revealed)
                try:
                    result = self.read(reply)
                except InvalidOutput as error:
                    name, problem = "model.invalid_output", str(error)
                else:
                    unmet = self.host.unmet(result)
                    if not unmet:
                        return result
                    name, problem = "requirement", "; ".join(unmet)
                if not left:
                    said = self.revealed.hide(problem)
                    raise StepError(name, f"the model `{self.model.use}` gave no usable answer: {said}")
                told = messages.ModelRequest(parts=correction(reply, problem), instructions=self.system)
                self.history.extend([reply, told])
        raise AssertionError("the last reply is returned or raises")

    def count(self, reply: messages.ModelResponse) -> None:
        """Add a reply's usage to the run's."""
        used = reply.usage
        price = None if self.model.base_url is not None else partial(_listed_price, reply)
        self.host.spent(
            self.model.use, used.input_tokens, used.output_tokens, cached=used.cache_read_tokens, price=price
        )

    async def exchange(self, connection: Connection) -> messages.ModelResponse:
        """Send the conversation, and return the reply."""
        describe = partial(about_model, self.model, is_structured=self.wanted is not None)
        with span_inside("model", name_of(self.model), describe) as span:
            reply = await self.request(connection, span)
            if span is not None:
                note_exchange(span, self.history, self.system, reply, self.revealed.hide_in_result)
        return reply

    async def request(self, connection: Connection, span: Span | None) -> messages.ModelResponse:
        settings, parameters = _settings(self.model), request_parameters(connection, self.wanted)
        try:
            if not self.watched:
                return await direct.model_request(
                    connection, self.history, model_settings=settings, model_request_parameters=parameters
                )
            with self.host.answering() as tell:
                return await streamed_reply(
                    connection,
                    self.history,
                    settings,
                    parameters,
                    self.watched,
                    tell,
                    self.wanted,
                    self.revealed,
                )
        except Exception as error:
            if span is not None:
                # not the client's own error, for the reason given in `ask`
                span.close(error=failure(error, self.model, self.revealed))
            raise

    def read(self, reply: messages.ModelResponse) -> Any:
        """Return the answer in a reply.

        Raises:
            InvalidOutput: It is not of the wanted type.
        """
        if self.wanted is None:
            return self.revealed.hide_in_result(text_of(reply))
        return read_reply(reply, self.wanted, self.revealed)


def _settings(model: ModelOptions) -> ModelSettings:
    # retries belong to the step's policy, which counts them, waits as declared and tells the watcher
    return cast(ModelSettings, {**model.settings, **model.options(), "max_retries": 0})


def _listed_price(reply: messages.ModelResponse) -> float | None:
    """Return what a reply has cost in US dollars by the library's prices; ``None`` if it has none for it."""
    try:
        return float(reply.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None
