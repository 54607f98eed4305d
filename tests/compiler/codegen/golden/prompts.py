"""The workflow prompts."""

# Generated from prompts.yaml. Edit the spec, not this file.
# sha256:0cb7e36fd7922cf557b14770d4822b9bef49475bc8e953710301b09edf00e2da, output format 2

from typing import Any, overload

from wfc.runtime import (
    ClosedFields,
    Context,
    Event,
    Model,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    require_output_format,
    step,
)

require_output_format(2, "prompts.yaml")


class Asked(ClosedFields, StartEvent):
    name: str
    notes: list[str]


class Drafted(ClosedFields, Event):
    name: str
    notes: list[str]
    draft: str


class Answered(ClosedFields, StopEvent):
    text: str


FAST = Model("openai:gpt-4o-mini")


def draft_prompt(event: Asked) -> str:
    parts: list[str] = []
    parts.append(f"Write to {event.name}.\n")
    for note in event.notes:
        parts.append(f"- {note}\n")
    return "".join(parts)


def answer_prompt(event: Drafted) -> str:
    parts: list[str] = []
    parts.append(f"Write to {event.name}.\n")
    for note in event.notes:
        parts.append(f"- {note}\n")
    return "".join(parts)


class Prompts(Workflow, name="prompts", source="prompts.yaml"):
    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        name: str,
        notes: list[str],
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

        Its inputs are ``name``, ``notes``.
        """
        return super().run(*args, **inputs)

    # prompts.yaml:20
    @step
    async def draft(self, ctx: Context, event: Asked) -> str:
        return await ctx.llm(FAST, draft_prompt(event), system="Be kind.")

    @draft.then
    def after_draft(self, event: Asked, result: str) -> Drafted:
        return Drafted(name=event.name, notes=event.notes, draft=result)

    # prompts.yaml:27
    @step
    async def answer(self, ctx: Context, event: Drafted) -> str:
        return await ctx.llm(
            FAST,
            answer_prompt(event),
            system=f"Mend this: {event.draft}",
        )

    @answer.then
    def after_answer(self, result: str) -> Answered:
        return Answered(text=result)
