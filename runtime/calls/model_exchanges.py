"""Exchanges with a model: one request and its reply, counted, traced, and shown to watchers while it arrives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

from pydantic_ai import direct, messages
from pydantic_ai.models import Model as Connection
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.host import CallHost
from wfc.runtime.calls.model_connections import settings_without_retries
from wfc.runtime.calls.model_failures import failure, refuse_what_is_too_large
from wfc.runtime.calls.model_streams import Shown, streamed_reply
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.tracing import Span, span_inside
from wfc.runtime.tracing.model_calls import about_model, name_of, note_exchange
from wfc.runtime.values.outputs import Wanted

__all__ = ["Exchange"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """How a model is asked.

    Args:
        wanted: The type of the answer; ``None`` for a text.
        revealed: The secrets that the call has read.
        watched: What of the replies is shown while they arrive.
    """

    host: CallHost
    model: ModelOptions
    wanted: Wanted | None
    revealed: Revealed
    watched: Shown

    async def reply(
        self,
        connection: Connection,
        said: list[messages.ModelMessage],
        system: str | None,
        parameters: ModelRequestParameters,
        more: ModelSettings | None = None,
    ) -> messages.ModelResponse:
        """Send a conversation, if the run can afford it; return the reply, whose usage is added to the run's.

        Args:
            said: The conversation.
            system: The instructions that go with it.
            parameters: The tools, and the form of the answer.
            more: Settings of this request alone.
        """
        self.host.afford(self.model.use, own_server=self.model.base_url is not None)
        describe = partial(about_model, self.model, is_structured=self.wanted is not None)
        async with self.host.in_turn(self.model.limit(), self.model.base_url):
            with span_inside("model", name_of(self.model), describe) as span:
                found = await self._request(connection, said, parameters, more, span)
                if span is not None:
                    note_exchange(span, said, system, found, self.revealed.hide_in_result)
        self._count(found)
        refuse_what_is_too_large(found)
        return found

    def _count(self, reply: messages.ModelResponse) -> None:
        used = reply.usage
        price = None if self.model.base_url is not None else partial(_listed_price, reply)
        self.host.spent(
            self.model.use, used.input_tokens, used.output_tokens, cached=used.cache_read_tokens, price=price
        )

    async def _request(
        self,
        connection: Connection,
        said: list[messages.ModelMessage],
        parameters: ModelRequestParameters,
        more: ModelSettings | None,
        span: Span | None,
    ) -> messages.ModelResponse:
        given = {**self.model.settings, **self.model.options(), **settings_without_retries(connection)}
        settings = cast(ModelSettings, {**given, **(more or {})})
        try:
            if not self.watched:
                return await direct.model_request(
                    connection, said, model_settings=settings, model_request_parameters=parameters
                )
            with self.host.answering() as tell:
                return await streamed_reply(
                    connection, said, settings, parameters, self.watched, tell, self.wanted, self.revealed
                )
        except Exception as error:
            if span is not None:
                # not the client's own error: that may hold the request's headers
                span.close(error=failure(error, self.model, self.revealed))
            raise


def _listed_price(reply: messages.ModelResponse) -> float | None:
    """Return what a reply has cost in US dollars by the library's prices; ``None`` if it has none for it."""
    try:
        return float(reply.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None
