"""The workflow names."""

# Generated from names.yaml. Edit the spec, not this file.
# sha256:b81e57127395637d0ee58c39a13ae71e53d0060b4014e18e249b2afdeb015a08, output format 2

from datetime import date
from typing import Annotated, Any

from pydantic import Field
from wfc.runtime import (
    ClosedFields,
    Context,
    EachOf,
    Event,
    Model,
    PythonTool,
    Record,
    RetryPolicy,
    RunConfig,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    filters,
    require_output_format,
    step,
    transform,
)

require_output_format(2, "names.yaml")


class Model_(Record):
    json_: Annotated[str, Field(alias="json")]
    copy_: Annotated[int, Field(alias="copy")]
    date_: Annotated[date | None, Field(alias="date")] = None
    until: date | None = None
    list_: Annotated[list[str], Field(alias="list")]


class Straße(Record):
    größe: int


class Field_(ClosedFields, StartEvent, name="Field"):
    class_: Annotated[str, Field(alias="class")]
    def_: Annotated[int, Field(alias="def")]
    items_: Annotated[list[Model_], Field(alias="items")]
    self: str


class Event_(ClosedFields, Event, name="Event"):
    from_: Annotated[str, Field(alias="from")]
    get_: Annotated[int, Field(alias="get")]


class 工单(ClosedFields, Event):
    正文: str
    ort: Straße | None = None


class OneMore(ClosedFields, Event):
    text: str


class Context_(ClosedFields, StopEvent, name="Context"):
    model_dump_: Annotated[str, Field(alias="model_dump")]
    正文: str


class State_(ClosedFields, StopEvent, name="State"):
    result: int


class Literal_(ClosedFields, StopEvent, name="Literal"):
    type_: Annotated[str, Field(alias="type")]


class Config(RunConfig):
    class_: Annotated[str, Field(alias="class")] = "x"
    schema_: Annotated[int, Field(alias="schema")] = 1


class State(RunState):
    model_dump_: Annotated[str, Field(alias="model_dump")] = ""
    event: int = 0
    filters: int = 0


EVENT: PythonTool[Model_] = PythonTool("tools:event", output=Model_, beside=__file__)

FAST = RetryPolicy(max_attempts=2, delay=1.0, backoff=2.0, max_delay=60.0)

FAST_TOOL: PythonTool[int] = PythonTool("tools:fast", output=int, beside=__file__)

FAST_MODEL = Model("openai:gpt-4o-mini")


class Names(Workflow, name="names", config=Config, source="names.yaml"):
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *args: Any,
        **inputs: Any,
    ) -> WorkflowHandler[Context_ | State_ | Literal_]:
        """Start a run."""
        return super().run(ctx, start_event, run_id, *args, **inputs)

    # names.yaml:32
    @step(name="run", retry_policy=FAST)
    async def run_(self, ctx: Context[State], event: Field_) -> Model_:
        return await ctx.tool(EVENT, {"class": event.class_, "lambda": event.def_})

    @run_.then
    def after_run_(
        self,
        event: Field_,
        state: State,
        config: Config,
    ) -> list[Event_] | State_:
        event_ = state.event + event.def_
        emitted: list[Event_] | State_
        if config.class_ == "x":
            emitted = [
                Event_(from_=filters_.json_, get_=filters_.copy_)
                for filters_ in filters.at_most(10, event.items_)
            ]
        else:
            emitted = State_(result=event_)
        state.model_dump_ = event.class_
        state.event = event_
        state.filters = 1
        return emitted

    # names.yaml:47
    @step(name="validate")
    async def validate_(self, ctx: Context[State], event: Event_) -> int:
        return await ctx.tool(FAST_TOOL, {})

    @validate_.then
    def after_validate(self, event: Event_) -> 工单:
        return 工单(正文=event.from_)

    # names.yaml:52
    @step
    async def after_run(self, ctx: Context[State], event: 工单) -> str:
        return await ctx.llm(FAST_MODEL, f"{event.正文}")

    @after_run.then
    def after_after_run(self, result: str) -> OneMore:
        return OneMore(text=result)

    # names.yaml:58
    @transform(name="list", join=EachOf(fork="run"))
    def list_(
        self,
        events: list[OneMore],
        state: State,
        config: Config,
    ) -> Literal_ | Context_:
        if config.schema_ == 2:
            return Literal_(type_=config.class_)
        return Context_(model_dump_=state.model_dump_, 正文=f"{len(events)} of them")
