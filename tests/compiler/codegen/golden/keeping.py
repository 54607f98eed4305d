"""The workflow keeping."""

# Generated from keeping.yaml. Edit the spec, not this file.
# sha256:00f0edf29f8ed7a0a08394377f1f6d4cf2ff08cc51a78963a09b8e181d675efd, output format 2

from typing import Any, Literal, overload

from wfc.runtime import (
    Cache,
    ClosedFields,
    Context,
    Event,
    Inputs,
    Item,
    Items,
    Model,
    Output,
    PythonTool,
    RetryPolicy,
    Secret,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    pause,
    require_output_format,
    step,
)

require_output_format(2, "keeping.yaml")


class Asked(ClosedFields, StartEvent):
    question: str


class Sorted(ClosedFields, Event):
    kind: Literal["simple", "hard"]


class Found(ClosedFields, Event):
    articles: list[str]


class Answered(ClosedFields, StopEvent):
    summaries: list[str]


FAST = Model("openai:gpt-4o-mini", api_key=Secret("OPENAI_API_KEY"))

SORT_OUTPUT: Output[Literal["simple", "hard"]] = Output(Literal["simple", "hard"])

SORT_RETRY = RetryPolicy(max_attempts=2, delay=1.0, backoff=2.0, max_delay=60.0)

FIND: PythonTool[list[str]] = PythonTool(
    "search:find",
    output=list[str],
    beside=__file__,
)


class Keeping(Workflow, name="keeping", source="keeping.yaml"):
    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        question: str,
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

        Its inputs are ``question``.
        """
        return super().run(*args, **inputs)

    # keeping.yaml:17
    @step(retry_policy=SORT_RETRY, cache=Cache(definition="1678485ec48058ca"))
    async def sort(self, ctx: Context, event: Asked) -> Literal["simple", "hard"]:
        return await ctx.llm(FAST, f"Sort {event.question}", output=SORT_OUTPUT)

    @sort.then
    def after_sort(self, result: Literal["simple", "hard"]) -> Sorted:
        return Sorted(kind=result)

    # keeping.yaml:26
    @step(cache=Cache(seconds=86400.0, definition="2f7737298cba748a"))
    async def look_up(
        self,
        ctx: Context,
        event: Sorted,
        inputs: Inputs[Asked],
    ) -> list[str]:
        return await ctx.tool(FIND, {"query": f"{inputs.question} {event.kind}"})

    @look_up.then
    def after_look_up(self, result: list[str]) -> Found:
        return Found(articles=result)

    # keeping.yaml:33
    @pause
    def shorten(self, event: Found) -> Items[str]:
        return Items(event.articles, most=20)

    @shorten.item(
        cache=Cache(seconds=1209600.0, definition="012846df6c6100a7"),
        on_error="skip",
    )
    async def shorten_item(self, ctx: Context, event: Found, article: Item[str]) -> str:
        return await ctx.llm(FAST, f"Shorten: {article}")

    @shorten.then
    def after_shorten(self, result: list[str]) -> Answered:
        return Answered(summaries=result)
