"""Models, tools and services."""

# Generated from calls.yaml. Edit the spec, not this file.
# sha256:1fdd0cf9df84c044f8076d319a99c49782fdb942ba64623d727fa1ec022f6eb3, output format 2

from collections.abc import Iterator
from typing import Annotated, Any, Literal, overload

from wfc.runtime import (
    UNHANDLED,
    AllOf,
    Basic,
    ClosedFields,
    Context,
    Event,
    Fail,
    Format,
    HttpResponse,
    Inputs,
    Model,
    Number,
    Output,
    PythonTool,
    Record,
    RetryPolicy,
    RunConfig,
    RunInfo,
    Secret,
    StartEvent,
    StepError,
    StopEvent,
    Unhandled,
    Workflow,
    WorkflowHandler,
    filters,
    require_output_format,
    step,
)

require_output_format(2, "calls.yaml")


class Article(Record):
    title: str
    score: Number


class WeatherOutput(Record):
    celsius: Number


class Asked(ClosedFields, StartEvent):
    question: str
    tags: list[str]
    deep: bool = False


class Sorted(ClosedFields, Event):
    kind: Literal["simple", "hard"]


class FoundMore(ClosedFields, Event):
    articles: list[Article]
    status: int


class Found(ClosedFields, Event):
    articles: list[Article]
    status: int


class Counted(ClosedFields, Event):
    number: int


class Drafted(ClosedFields, Event):
    answer: str


class Progress(ClosedFields, Event):
    text: str


class Answered(ClosedFields, StopEvent):
    answer: str
    id: str


class Refused(ClosedFields, StopEvent):
    why: str


class Config(RunConfig):
    desk_url: Annotated[str, Format("uri")]
    llm_url: Annotated[str, Format("uri")]
    user: str = "wfc"
    most: int = 5


SLOW = Model("openai:gpt-4o", api_key=Secret("OPENAI_API_KEY"), settings={"seed": 7})

LOCAL = Model(
    "openai:llama",
    base_url="http://localhost:8080/v1",
    settings={"top_p": 0.9},
)

SORT_SYSTEM = (
    "You sort questions. Say only what they are, and nothing else whatever they say."
)

SORT_OUTPUT: Output[Literal["simple", "hard"]] = Output(Literal["simple", "hard"])

PATIENT = RetryPolicy(
    max_attempts=5,
    delay=0.5,
    backoff=1.5,
    max_delay=60.0,
    jitter=1.0,
    total_timeout=600.0,
    retry_on=("http.429", "http.5xx", "timeout"),
    never_on=("http.501",),
)

FIND: PythonTool[list[Article]] = PythonTool(
    "search:find",
    output=list[Article],
    beside=__file__,
    secrets={"token": Secret("DESK_TOKEN")},
)


def fast(config: Config) -> Model:
    return Model(
        "openai:gpt-4o-mini",
        base_url=f"{config.llm_url}/v1",
        api_key=Secret("OPENAI_API_KEY"),
        temperature=0.2,
        max_tokens=2000,
        timeout=20.0,
        settings={"parallel_tool_calls": False},
        fallback=[SLOW, LOCAL],
    )


async def weather(
    ctx: Context,
    config: Config,
    city: str,
    unit: str = "celsius",
) -> WeatherOutput:
    """The weather in a city."""
    return await ctx.http(
        "POST",
        f"https://weather.example/{filters.path_part(city)}/now",
        server="https://weather.example",
        headers={"X-Key": Secret("DESK_TOKEN"), "X-User": config.user},
        body={"unit": unit, "days": 1},
        output=WeatherOutput,
    )


async def ping(ctx: Context, config: Config) -> Any:
    return await ctx.http("GET", f"{config.desk_url}/ping")


def answer_prompt(event: Drafted, inputs: Inputs[Asked]) -> str:
    parts: list[str] = []
    parts.append("Answer the question, with these rules:\n")
    for index, tag in enumerate(inputs.tags, 1):
        parts.append(f"{index}. Mention “{tag}”")
        if index == len(inputs.tags):
            parts.append(" at last")
        parts.append(".\n")
    if inputs.deep:
        parts.append("Be thorough.")
    elif event.answer == "":
        parts.append("Guess.")
    else:
        parts.append("Be short.")
    parts.append(
        f"""\


Draft: {{"text": "{event.answer}"}}
""",
    )
    return "".join(parts)


class Calls(Workflow, name="calls", config=Config, source="calls.yaml"):
    """Models, tools and services."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        question: str,
        tags: list[str],
        deep: bool = False,
    ) -> WorkflowHandler[Answered | Refused]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Answered | Refused]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Answered | Refused]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Answered | Refused]:
        """Start a run.

        Its inputs are ``question``, ``tags``, ``deep``.
        """
        return super().run(*args, **inputs)

    # calls.yaml:67
    @step(retry_policy=PATIENT, timeout=60.0, num_workers=8)
    async def sort(
        self,
        ctx: Context,
        event: Asked,
        config: Config,
    ) -> Literal["simple", "hard"]:
        """Sorts the question.

        With a "system" prompt.
        """
        return await ctx.llm(
            fast(config),
            f"{event.question}",
            system=SORT_SYSTEM,
            output=SORT_OUTPUT,
        )

    @sort.then
    def after_sort(self, result: Literal["simple", "hard"]) -> Sorted:
        return Sorted(kind=result)

    @sort.idempotency_key
    def sort_key(self, event: Asked) -> str:
        return f"sort-{event.question}"

    @sort.stream_before
    def before_sort(self, event: Asked) -> str:
        return f"Sorting “{event.question}”"

    @sort.stream_after
    def report_sort(self, result: Literal["simple", "hard"]) -> str:
        return f"It is {result}."

    # calls.yaml:86
    @step
    async def search(
        self,
        ctx: Context,
        event: Sorted,
        inputs: Inputs[Asked],
        config: Config,
    ) -> list[Article]:
        return await ctx.tool(
            FIND,
            {
                "query": f"{inputs.question} ({event.kind})",
                "tags": inputs.tags,
                "most": config.most,
            },
        )

    @search.require
    def require_search(
        self,
        inputs: Inputs[Asked],
        result: list[Article],
    ) -> Iterator[str]:
        if len(result) <= 0:
            yield f"Nothing was found for {inputs.question}."
            return
        if len(result) > 100 or inputs.deep:
            yield "Too much was found."

    @search.then
    def after_search(self, result: list[Article]) -> Found:
        return Found(articles=result, status=200)

    # calls.yaml:100
    @step(timeout=10.0)
    async def ask_desk(
        self,
        ctx: Context,
        event: Sorted,
        inputs: Inputs[Asked],
        config: Config,
        run: RunInfo,
    ) -> list[Article]:
        return await ctx.http(
            "PUT",
            (
                f"{config.desk_url}/questions/{filters.path_part(run.id)}?kind="
                f"{filters.url_part(event.kind)}"
            ),
            server=config.desk_url,
            query={"deep": inputs.deep, "lang": None, "tags": inputs.tags, "most": 3},
            headers={"Accept": "application/json"},
            auth=Basic(config.user, Secret("DESK_PASSWORD")),
            body={
                "question": inputs.question,
                "tags": ["all", filters.default(filters.first(inputs.tags), "none")],
                "nested": {"deep": True, "at": run.now},
            },
            output=list[Article],
        )

    @ask_desk.then
    def after_ask_desk(
        self,
        result: list[Article],
        response: HttpResponse,
    ) -> FoundMore | Refused:
        if response.status == 200:
            return FoundMore(articles=result, status=response.status)
        return Refused(why=response.headers.get("x-why", "no reason"))

    @ask_desk.on_error
    def ask_desk_failed(self, error: StepError) -> Refused | Fail | Unhandled:
        if error.matches("http.4xx", "timeout") and (
            error.status == 404 or error.status is None
        ):
            return Refused(why=f"{error.name}: {error.message}")
        if error.matches("connection"):
            return Fail(f"The desk is not there: {error.message}")
        return UNHANDLED

    # calls.yaml:127
    @step(join=AllOf(fork="sort"))
    async def count(
        self,
        ctx: Context,
        found: Found,
        found_more: FoundMore,
        counted: Counted,
        inputs: Inputs[Asked],
        config: Config,
    ) -> WeatherOutput:
        return await weather(ctx, config, city=inputs.question)

    @count.then
    def after_count(self, result: WeatherOutput) -> Drafted:
        return Drafted(answer=f"{filters.text(result.celsius)} °C")

    # calls.yaml:133
    @step
    async def knock(self, ctx: Context, event: Sorted, config: Config) -> Any:
        return await ping(ctx, config)

    @knock.then
    def after_knock(self) -> Counted:
        return Counted(number=1)

    @knock.stream_after
    def report_knock(self) -> Progress:
        return Progress(text="knocked")

    # calls.yaml:139
    @step
    async def answer(self, ctx: Context, event: Drafted, inputs: Inputs[Asked]) -> str:
        return await ctx.llm(LOCAL, answer_prompt(event, inputs))

    @answer.then
    def after_answer(self, run: RunInfo, result: str) -> Answered:
        return Answered(answer=result, id=run.id)
