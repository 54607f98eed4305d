"""What is sent to a model and what it replies, as messages of the library through which models are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from pydantic_ai import messages
from pydantic_ai.models import Model as Connection
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.values.outputs import Wanted

if TYPE_CHECKING:
    from wfc.runtime.records import File, Message

__all__ = ["conversation", "correction", "prompted", "read_reply", "request_parameters", "text_of"]

_OUTPUT_TOOL = "final_result"


def conversation(
    prompt: str, system: str | None, history: Sequence[Message], files: Sequence[File]
) -> tuple[list[messages.ModelMessage], str | None]:
    """Return the messages of a call, and the instructions that stand beside them, if there are any."""
    said: list[messages.ModelMessage] = list(map(_message, history))
    if system is not None and any(message.role == "system" for message in history):
        # as one of these it comes before them; instructions would come after
        said.insert(0, messages.ModelRequest(parts=[messages.SystemPromptPart(system)]))
        system = None
    part = messages.UserPromptPart(prompted(prompt, files))
    said.append(messages.ModelRequest(parts=[part], instructions=system))
    return said, system


def prompted(prompt: str, files: Sequence[File]) -> str | list[messages.UserContent]:
    """Return a prompt with its files: documents first, the question after them."""
    return [*map(_file, files), prompt] if files else prompt


def _message(message: Message) -> messages.ModelMessage:
    if message.role == "assistant":
        return messages.ModelResponse(parts=[messages.TextPart(message.content)])
    kind = messages.SystemPromptPart if message.role == "system" else messages.UserPromptPart
    return messages.ModelRequest(parts=[kind(message.content)])


def _file(file: File) -> messages.UserContent:
    return messages.BinaryContent(file.data, media_type=file.media_type)


def request_parameters(connection: Connection, wanted: Wanted | None) -> ModelRequestParameters:
    """Return how a reply is asked for: as text, or as a record in the best way that the model knows."""
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


def text_of(reply: messages.ModelResponse) -> str:
    """Return the text of a reply, without what the model has thought."""
    return "".join(part.content for part in reply.parts if isinstance(part, messages.TextPart))


def read_reply(reply: messages.ModelResponse, wanted: Wanted, revealed: Revealed) -> Any:
    """Return the value in a reply.

    Raises:
        InvalidOutput: The reply is not of the type.
    """
    calls = _calls(reply)
    text = calls[0].args_as_json_str() if calls else text_of(reply)
    return wanted.read(revealed.hide_in_result(text))


def _calls(reply: messages.ModelResponse) -> list[messages.ToolCallPart]:
    return [part for part in reply.parts if isinstance(part, messages.ToolCallPart)]


def correction(reply: messages.ModelResponse, problem: str) -> Sequence[messages.ModelRequestPart]:
    """Return what a model is told of a reply that cannot be used."""
    said = f"This answer cannot be used: {problem}\nAnswer again, without this mistake."
    calls = _calls(reply)
    if not calls:
        return [messages.UserPromptPart(said)]
    # each call wants its own answer
    return [messages.ToolReturnPart(call.tool_name, said, call.tool_call_id) for call in calls]
