"""A model of llama_index.core that says what it is told to; imported once the runtime has been chosen."""

# no postponed annotations: llama-index-core looks at the classes themselves

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import ToolSelection
from pydantic import PrivateAttr


def said(text: str, **calls: dict[str, Any]) -> ChatMessage:
    """A reply, with calls of tools by name."""
    chosen = [
        ToolSelection(tool_id=f"{name}-{at}", tool_name=name.rstrip("_"), tool_kwargs=arguments)
        for at, (name, arguments) in enumerate(calls.items())
    ]
    return ChatMessage(role="assistant", content=text, additional_kwargs={"calls": chosen})


class Scripted(FunctionCallingLLM):
    """Says what it is told to, word by word where it is streamed."""

    calls_functions: bool = True
    _replies: list[ChatMessage] = PrivateAttr()
    _asked: list[list[str]] = PrivateAttr(default_factory=list)

    def __init__(self, *replies: ChatMessage | str, calls_functions: bool = True) -> None:
        super().__init__(calls_functions=calls_functions)
        self._replies = [said(one) if isinstance(one, str) else one for one in replies]
        self._asked = []

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=self.calls_functions, is_chat_model=True)

    def _next(self, messages: Sequence[ChatMessage]) -> ChatMessage:
        self._asked.append([f"{one.role.value}: {one.content}" for one in messages])
        return self._replies.pop(0)

    async def achat(self, messages: Sequence[ChatMessage], **_more: Any) -> ChatResponse:
        return ChatResponse(message=self._next(messages), raw={"from": "script"})

    async def astream_chat(
        self, messages: Sequence[ChatMessage], **_more: Any
    ) -> AsyncIterator[ChatResponse]:
        message = self._next(messages)

        async def words() -> AsyncIterator[ChatResponse]:
            parts = (message.content or "").split(" ")
            for count, part in enumerate(parts, 1):
                await asyncio.sleep(0)
                shown = ChatMessage(role="assistant", content=" ".join(parts[:count]))
                if count == len(parts):
                    shown.additional_kwargs = message.additional_kwargs
                yield ChatResponse(
                    message=shown, delta=part if count == 1 else f" {part}", raw={"part": count}
                )

        return words()

    def _prepare_chat_with_tools(
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **_more: Any
    ) -> dict[str, Any]:
        return {"messages": [*(chat_history or []), *([user_msg] if user_msg else [])]}

    def get_tool_calls_from_response(self, response: ChatResponse, **_more: Any) -> list[ToolSelection]:
        return list(response.message.additional_kwargs.get("calls", ()))

    def chat(self, *_args: Any, **_more: Any) -> Any:
        raise NotImplementedError

    stream_chat = complete = stream_complete = chat

    async def acomplete(self, *_args: Any, **_more: Any) -> Any:
        raise NotImplementedError

    astream_complete = acomplete
