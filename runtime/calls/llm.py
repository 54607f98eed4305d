"""Calls of language models, independent of the package that makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.host import CallHost
from wfc.runtime.values.outputs import plain_type

if TYPE_CHECKING:
    from wfc.runtime.calls.transcripts import TurnReply, TurnRequest
    from wfc.runtime.records import File, Message  # whose class pydantic takes a while to build

__all__ = ["Model", "call_llm"]


@dataclass(frozen=True)
class Model(ModelOptions):
    """A model, how to call it, and the models that are tried after it.

    Args:
        fallback: Models tried in order once the step's retry policy has given up on this one.
    """

    fallback: Sequence[Model] = ()

    def chain(self) -> tuple[Model, ...]:
        """Return this model and its fallbacks in order, each once."""
        found: list[Model] = []
        waiting: list[Model] = [self]
        while waiting:
            model = waiting.pop(0)
            if not any(model is one for one in found):
                found.append(model)
                waiting[:0] = model.fallback
        return tuple(found)

    async def ask(
        self,
        host: CallHost,
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
        """Call this model and no other; see ``call_llm``."""
        from wfc.runtime.calls.models import ask

        return await ask(
            host,
            self,
            prompt,
            system=system,
            output=output,
            history=history,
            files=files,
            stream=stream,
            thinking=thinking,
            partial=partial,
        )

    async def take_turn(self, host: CallHost, request: TurnRequest) -> TurnReply:
        """Ask this model, and no other, for the next message of an agent; see ``model_turns.take_turn``."""
        from wfc.runtime.calls.model_turns import take_turn

        return await take_turn(host, self, request)


async def call_llm(
    host: CallHost,
    model: Model,
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
    """Call a model; return the reply as text, or as a value of ``output``.

    Args:
        history: What was said before the prompt.
        files: Images and documents that the model is shown with the prompt.
        stream: Whether the reply is streamed to the run's observers.
        thinking: Whether what the model thinks before it replies is.
        partial: Whether the fields of a value of ``output`` are, as they arrive.

    A reply that is not of that type, or that a requirement of the step refuses, is sent back with what is
    wrong, at most twice.

    Raises:
        StepError: ``model…``, ``http…`` (of the model's service), ``timeout``, ``connection``, ``requirement``.
        SettingsError: A secret is missing.
        MissingPackageError: The models' package is not installed.
    """
    models = model.chain()
    chosen = models[host.choose_model(len(models))]
    more: dict[str, Any] = {"history": history, "files": files}
    more |= {"stream": stream, "thinking": thinking, "partial": partial}
    more = {
        name: value for name, value in more.items() if value
    }  # a model of one's own may not know them all
    return await chosen.ask(host, prompt, system=system, output=plain_type(output), **more)
