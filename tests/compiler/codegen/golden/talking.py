"""The workflow talking."""

# Generated from talking.yaml. Edit the spec, not this file.
# sha256:95b5638e713be84472cda4864c732d2d6d2550a4bd0628f5ef4463c7182d2942, output format 2

from typing import Any, overload

from pydantic import Field
from wfc.runtime import (
    Cache,
    ClosedFields,
    Context,
    Event,
    Inputs,
    Item,
    Items,
    Model,
    Record,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    pause,
    require_output_format,
    step,
)
from wfc.runtime.records import File, Message, Passage

require_output_format(2, "talking.yaml")


class Source(Record):
    passage: Passage
    files: dict[str, File]


class Asked(ClosedFields, StartEvent):
    text: str
    before: list[Message] | None = None
    sources: list[Source]


class Known(ClosedFields, Event):
    notes: list[str]


class Answered(ClosedFields, StopEvent):
    messages: list[Message]
    about: File | Passage | Message | None = None
    names: list[str]


class State(RunState):
    messages: list[Message] = Field(
        default=[Message(role="system", content="Be kind.")],
    )
    said: list[Message] = Field(default_factory=list)
    first: Message | None = None


FAST = Model("openai:gpt-4o-mini")


class Talking(Workflow, name="talking", source="talking.yaml"):
    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        text: str,
        before: list[Message] | None = None,
        sources: list[Source],
    ) -> WorkflowHandler[Answered]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Answered]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Answered]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Answered]:
        """Start a run.

        Its inputs are ``text``, ``before``, ``sources``.
        """
        return super().run(*args, **inputs)

    # talking.yaml:18
    @pause
    def read(self, event: Asked) -> Items[Source]:
        return Items(event.sources, most=20)

    @read.item()
    async def read_item(
        self,
        ctx: Context[State],
        event: Asked,
        source: Item[Source],
    ) -> str:
        return await ctx.llm(
            FAST,
            f"{source.passage.text}",
            history=[
                Message(role="user", content=f"About {source.passage.source}"),
                Message(role="assistant", content="What of it?"),
            ],
            stream=True,
        )

    @read.then
    def after_read(self, result: list[str]) -> Known:
        return Known(notes=result)

    # talking.yaml:31
    @step(cache=Cache(definition="5d6b2bb804778cfb"))
    async def answer(
        self,
        ctx: Context[State],
        event: Known,
        inputs: Inputs[Asked],
        state: State,
    ) -> str:
        return await ctx.llm(
            FAST,
            f"{inputs.text}",
            system=f"Use {', '.join(event.notes)}.",
            history=(
                (
                    inputs.before
                    if inputs.before is not None
                    else [Message(role="user", content="Hello")]
                )
                + state.messages
            ),
            stream=True,
        )

    @answer.then
    def after_answer(
        self,
        inputs: Inputs[Asked],
        state: State,
        result: str,
    ) -> Answered:
        messages = (
            state.messages
            + [Message(role="user", content=inputs.text)]
            + [Message(role="assistant", content=result)]
        )
        said: list[Message] = [
            *state.said,
            *[Message(role="assistant", content=result)],
        ]
        first = (
            state.first
            if state.first is not None
            else Message(role="user", content=inputs.text)
        )
        emitted = Answered(
            messages=messages,
            about=inputs.sources[0].passage if len(inputs.sources) > 0 else first,
            names=[each.source for each in [item.passage for item in inputs.sources]],
        )
        state.messages = messages
        state.said = said
        state.first = first
        return emitted

    @answer.stream_before
    def before_answer(self) -> str:
        return "thinking"
