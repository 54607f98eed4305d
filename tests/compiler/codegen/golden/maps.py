"""Goes through lists, with something to do for each item, and makes lists of others."""

# Generated from maps.yaml. Edit the spec, not this file.
# sha256:5f19ee735edea91289f99bcb834e374fbcee24a2642d12f34fb09f78b696e725, output format 2

from collections.abc import Iterator
from typing import Any, overload

from pydantic import Field
from wfc.runtime import (
    ClosedFields,
    Context,
    Event,
    Inputs,
    Item,
    Items,
    Model,
    Record,
    RetryPolicy,
    RunInfo,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    WorkflowHandler,
    filters,
    pause,
    require_output_format,
    transform,
)

require_output_format(2, "maps.yaml")


class Chapter(Record):
    title: str
    text: str | None = None
    pages: list[str]


class Translation(Record):
    title: str
    text: str


class PageOutput(Record):
    text: str
    words: int


class Chapters(ClosedFields, StartEvent):
    chapters: list[Chapter]
    language: str


class Sorted(ClosedFields, Event):
    titles: list[str]
    long: list[Chapter]


class Translated(ClosedFields, Event):
    translations: list[Translation]


class Fetched(ClosedFields, Event):
    pages: list[str | None]


class Failed(ClosedFields, Event):
    why: str


class Bound(ClosedFields, StopEvent):
    translations: list[Translation]
    words: int


class State(RunState):
    translations: list[Translation] = Field(default_factory=list)
    title: str = ""


FAST = Model("openai:gpt-4o-mini")

TRANSLATE_RETRY = RetryPolicy(max_attempts=2, delay=1.0, backoff=2.0, max_delay=60.0)


def translate_prompt(chapter: Item[Chapter], inputs: Inputs[Chapters]) -> str:
    return f"Translate into {inputs.language}:\n{chapter.text}\n"


async def page(ctx: Context[State], name: str) -> PageOutput:
    return await ctx.http(
        "GET",
        f"https://pages.example/{filters.path_part(name)}",
        server="https://pages.example",
        output=PageOutput,
    )


class Maps(Workflow, name="maps", source="maps.yaml"):
    """Goes through lists, with something to do for each item, and makes lists of
    others.
    """

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        chapters: list[Chapter],
        language: str,
    ) -> WorkflowHandler[Bound]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Bound]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Bound]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Bound]:
        """Start a run.

        Its inputs are ``chapters``, ``language``.
        """
        return super().run(*args, **inputs)

    # maps.yaml:24
    @transform
    def sort(self, event: Chapters, state: State) -> Sorted:
        return Sorted(
            titles=[
                one.title
                for one in filters.at_most(100_000, event.chapters)
                if one.text is not None
            ],
            long=[
                one
                for one in filters.at_most(100_000, event.chapters)
                if one.text is not None and one.title != state.title
            ],
        )

    # maps.yaml:32
    @pause
    def translate(self, event: Sorted) -> Items[Chapter]:
        """One call for each chapter that has a text."""
        return Items(
            [chapter for chapter in event.long if chapter.text is not None],
            most=50,
        )

    @translate.item(retry_policy=TRANSLATE_RETRY, timeout=30.0, num_workers=8)
    async def translate_item(
        self,
        ctx: Context[State],
        event: Sorted,
        chapter: Item[Chapter],
        inputs: Inputs[Chapters],
    ) -> str:
        return await ctx.llm(FAST, translate_prompt(chapter, inputs))

    @translate.give
    def translate_given(self, chapter: Item[Chapter], result: str) -> Translation:
        return Translation(title=chapter.title, text=result)

    @translate.require
    def require_translate(self, chapter: Item[Chapter], result: str) -> Iterator[str]:
        if len(result) <= 3:
            yield f"the translation of {chapter.title} is too short"

    @translate.then
    def after_translate(self, state: State, result: list[Translation]) -> Translated:
        emitted = Translated(translations=result)
        state.translations = result
        return emitted

    @translate.on_error
    def translate_failed(self, error: StepError) -> Failed:
        return Failed(why=error.message)

    @translate.idempotency_key
    def translate_key(self, chapter: Item[Chapter], run: RunInfo) -> str:
        return f"{run.id}-{chapter.title}"

    # maps.yaml:56
    @pause(max_runs=3)
    def fetch(self, event: Translated) -> Items[Translation]:
        return Items(
            [item_ for item_ in event.translations if item_.title != ""],
            most=20,
        )

    @fetch.item()
    async def fetch_item(
        self,
        ctx: Context[State],
        event: Translated,
        item_: Item[Translation],
    ) -> PageOutput:
        return await page(ctx, name=item_.title)

    @fetch.give
    def fetch_given(self, item_: Item[Translation], result: PageOutput) -> str:
        return result.text

    @fetch.on_item_error
    def fetch_item_failed(self, item_: Item[Translation]) -> str | None:
        return None

    @fetch.then
    def after_fetch(self, result: list[str | None]) -> Fetched:
        return Fetched(pages=result)

    # maps.yaml:68
    @transform
    def count(self, event: Fetched, state: State) -> Bound:
        return Bound(
            translations=[
                filters.replaced(one, title=one.title.upper())
                for one in filters.at_most(100_000, state.translations)
            ],
            words=sum(
                [
                    len(page if page is not None else "")
                    for page in filters.at_most(100_000, event.pages)
                ],
            ),
        )

    # maps.yaml:76
    @transform
    def give_up(self, event: Failed) -> Bound:
        return Bound(translations=[], words=0)
