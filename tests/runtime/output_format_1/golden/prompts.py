"""The workflow prompts."""

# Generated from prompts.yaml. Edit the spec, not this file.
# sha256:c5e8d1548ed3256a6c3baca7ed7104a0137aa076aaa397277500a14d14ddcd61, output format 1

from wfc.runtime import (
    Context,
    Event,
    Model,
    StartEvent,
    StopEvent,
    Workflow,
    require_output_format,
    step,
)

require_output_format(1, "prompts.yaml")


class Asked(StartEvent, closed=True):
    name: str
    notes: list[str]


class Drafted(Event, closed=True):
    name: str
    notes: list[str]
    draft: str


class Answered(StopEvent, closed=True):
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
