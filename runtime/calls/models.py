"""Calls of language models, through ``pydantic_ai.direct``, with our own policies instead of its."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.host import CallHost
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import MissingPackageError, StepError, WorkflowError
from wfc.runtime.values.outputs import InvalidOutput, Wanted

try:
    from pydantic_ai import messages

    from wfc.runtime.calls.model_connections import connected
    from wfc.runtime.calls.model_exchanges import Exchange
    from wfc.runtime.calls.model_failures import failure, refuse_what_is_no_answer
    from wfc.runtime.calls.model_messages import (
        conversation,
        correction,
        read_reply,
        request_parameters,
        text_of,
    )
    from wfc.runtime.calls.model_streams import Shown
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
        exchange = Exchange(host, model, wanted, revealed, watched)
        return await _Conversation(exchange, said, instructions).converse()
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
    """

    exchange: Exchange
    history: list[messages.ModelMessage]
    system: str | None

    async def converse(self) -> Any:
        model, revealed, host = self.exchange.model, self.exchange.revealed, self.exchange.host
        async with connected(model, revealed) as connection:
            parameters = request_parameters(connection, self.exchange.wanted)
            for left in reversed(range(_MOST_CORRECTIONS + 1)):
                reply = await self.exchange.reply(connection, self.history, self.system, parameters)
                refuse_what_is_no_answer(reply, model, revealed)
                try:
                    result = self.read(reply)
                except InvalidOutput as error:
                    name, problem = "model.invalid_output", str(error)
                else:
                    unmet = host.unmet(result)
                    if not unmet:
                        return result
                    name, problem = "requirement", "; ".join(unmet)
                if not left:
                    said = revealed.hide(problem)
                    raise StepError(name, f"the model `{model.use}` gave no usable answer: {said}")
                told = messages.ModelRequest(parts=correction(reply, problem), instructions=self.system)
                self.history.extend([reply, told])
        raise AssertionError("the last reply is returned or raises")

    def read(self, reply: messages.ModelResponse) -> Any:
        """Return the answer in a reply.

        Raises:
            InvalidOutput: It is not of the wanted type.
        """
        if self.exchange.wanted is None:
            return self.exchange.revealed.hide_in_result(text_of(reply))
        return read_reply(reply, self.exchange.wanted, self.exchange.revealed)
