"""Classify a ticket, look facts up in parallel, draft, reply."""

# Generated from triage.yaml. Edit the spec, not this file.
# sha256:302267feb4cc84c9d489d2c71a8d66f6f0711d5415b2dcd36afad6b59e055cbd, output format 2

from decimal import Decimal
from typing import Annotated, Any, Literal, overload

from pydantic import Field
from wfc.runtime import (
    UNHANDLED,
    AllOf,
    Bearer,
    ClosedFields,
    Context,
    Event,
    Format,
    Inputs,
    Model,
    Number,
    PythonTool,
    Record,
    RetryPolicy,
    RunConfig,
    RunInfo,
    RunState,
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
    transform,
)

require_output_format(2, "triage.yaml")


class Order(Record):
    id: str
    total: Decimal


class ClassifyResult(Record):
    category: Literal["billing", "bug", "spam"]
    urgency: Literal["low", "high"]
    summary: str


class DraftResult(Record):
    answer: str
    confidence: Number


class TicketOpened(ClosedFields, StartEvent):
    ticket_id: str
    order_id: str | None = None
    body: str


class FactsNeeded(ClosedFields, Event):
    summary: str


class OrderFound(ClosedFields, Event):
    order: Order | None = None


class ArticlesFound(ClosedFields, Event):
    articles: list[str]


class FactsReady(ClosedFields, Event):
    pass


class ReplyRejected(ClosedFields, Event):
    note: str | None = None


class AnswerReady(ClosedFields, Event):
    answer: str


class TicketAnswered(ClosedFields, StopEvent):
    answer: str


class TicketClosed(ClosedFields, StopEvent):
    reason: str


class TicketEscalated(ClosedFields, StopEvent):
    reason: str


class Config(RunConfig):
    desk_url: Annotated[str, Format("uri")]


class State(RunState):
    urgency: Literal["low", "high"] = "low"
    order: Order | None = None
    articles: list[str] = Field(default_factory=list)


CAREFUL = Model("anthropic:claude-sonnet-4-5", api_key=Secret("ANTHROPIC_API_KEY"))

FAST = Model(
    "openai:gpt-4o-mini",
    api_key=Secret("OPENAI_API_KEY"),
    temperature=0,
    fallback=[CAREFUL],
)

STANDARD = RetryPolicy(
    max_attempts=3,
    delay=1.0,
    backoff=2,
    max_delay=30.0,
    jitter=0.5,
    retry_on=("http.5xx", "timeout"),
)

FIND_ORDER: PythonTool[Order | None] = PythonTool(
    "orders:find",
    output=Order | None,
    beside=__file__,
)


def classify_prompt(event: TicketOpened) -> str:
    return f"""\
Classify this support ticket.
<ticket>{event.body}</ticket>
"""


async def search_kb(
    ctx: Context[State],
    config: Config,
    query: str,
    limit: int = 3,
) -> list[str]:
    """Articles of the knowledge base."""
    return await ctx.http(
        "GET",
        f"{config.desk_url}/kb/search",
        query={"q": query, "limit": limit},
        auth=Bearer(Secret("DESK_TOKEN")),
        output=list[str],
    )


def draft_prompt(
    event: FactsReady | ReplyRejected,
    inputs: Inputs[TicketOpened],
    state: State,
) -> str:
    parts: list[str] = []
    parts.append(
        f"""\
Write a reply to: {inputs.body}
Order: {filters.json(state.order)}  Articles: {filters.json(state.articles)}
""",
    )
    if isinstance(event, ReplyRejected):
        parts.append(
            f"The reviewer said: {event.note if event.note is not None else 'nothing'}",
        )
    parts.append("\n")
    return "".join(parts)


class SupportTriage(
    Workflow,
    name="support_triage",
    config=Config,
    deadline=259200.0,
    source="triage.yaml",
):
    """Classify a ticket, look facts up in parallel, draft, reply."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        ticket_id: str,
        order_id: str | None = None,
        body: str,
    ) -> WorkflowHandler[TicketAnswered | TicketClosed | TicketEscalated]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[TicketAnswered | TicketClosed | TicketEscalated]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[TicketAnswered | TicketClosed | TicketEscalated]:
        """Go on with a context."""

    def run(
        self,
        *args: Any,
        **inputs: Any,
    ) -> WorkflowHandler[TicketAnswered | TicketClosed | TicketEscalated]:
        """Start a run.

        Its inputs are ``ticket_id``, ``order_id``, ``body``.
        """
        return super().run(*args, **inputs)

    # triage.yaml:53
    @step(retry_policy=STANDARD, timeout=30.0)
    async def classify(
        self,
        ctx: Context[State],
        event: TicketOpened,
    ) -> ClassifyResult:
        return await ctx.llm(FAST, classify_prompt(event), output=ClassifyResult)

    @classify.then
    def after_classify(
        self,
        state: State,
        result: ClassifyResult,
    ) -> TicketClosed | FactsNeeded:
        emitted: TicketClosed | FactsNeeded
        if result.category == "spam":
            emitted = TicketClosed(reason="spam")
        else:
            emitted = FactsNeeded(summary=result.summary)
        state.urgency = result.urgency
        return emitted

    # triage.yaml:70
    @step
    async def look_up_order(
        self,
        ctx: Context[State],
        event: FactsNeeded,
        inputs: Inputs[TicketOpened],
    ) -> Order | None:
        return await ctx.tool(FIND_ORDER, {"order_id": inputs.order_id})

    @look_up_order.then
    def after_look_up_order(self, result: Order | None) -> OrderFound:
        return OrderFound(order=result)

    # triage.yaml:76
    @step
    async def look_up_articles(
        self,
        ctx: Context[State],
        event: FactsNeeded,
        config: Config,
    ) -> list[str]:
        return await search_kb(ctx, config, query=event.summary)

    @look_up_articles.then
    def after_look_up_articles(self, result: list[str]) -> ArticlesFound:
        return ArticlesFound(articles=result)

    # triage.yaml:84
    @transform(join=AllOf(fork="classify", within=20.0, proceed=True))
    def remember(
        self,
        order_found: OrderFound | None,
        articles_found: ArticlesFound | None,
        state: State,
    ) -> FactsReady:
        order = order_found.order if order_found is not None else None
        articles = articles_found.articles if articles_found is not None else None
        state.articles = articles if articles is not None else []
        state.order = order
        return FactsReady()

    # triage.yaml:92
    @step(max_runs=3)
    async def draft(
        self,
        ctx: Context[State],
        event: FactsReady | ReplyRejected,
        inputs: Inputs[TicketOpened],
        state: State,
    ) -> DraftResult:
        return await ctx.llm(
            CAREFUL,
            draft_prompt(event, inputs, state),
            output=DraftResult,
        )

    @draft.then
    def after_draft(
        self,
        state: State,
        result: DraftResult,
    ) -> AnswerReady | ReplyRejected:
        if result.confidence >= 0.9 and state.urgency == "low":
            return AnswerReady(answer=result.answer)
        return ReplyRejected(note="be surer")

    @draft.on_limit
    def draft_over_limit(self) -> TicketEscalated:
        return TicketEscalated(reason="too many drafts")

    # triage.yaml:109
    @step(retry_policy=STANDARD)
    async def reply(
        self,
        ctx: Context[State],
        event: AnswerReady,
        inputs: Inputs[TicketOpened],
        config: Config,
    ) -> Any:
        return await ctx.http(
            "POST",
            f"{config.desk_url}/tickets/{filters.path_part(inputs.ticket_id)}/reply",
            server=config.desk_url,
            auth=Bearer(Secret("DESK_TOKEN")),
            body={"text": event.answer},
        )

    @reply.then
    def after_reply(self, event: AnswerReady) -> TicketAnswered:
        return TicketAnswered(answer=event.answer)

    @reply.on_error
    def reply_failed(self, error: StepError) -> TicketEscalated | Unhandled:
        if error.matches("http.4xx"):
            return TicketEscalated(reason=error.message)
        return UNHANDLED

    @reply.idempotency_key
    def reply_key(self, inputs: Inputs[TicketOpened], run: RunInfo) -> str:
        return f"reply-{inputs.ticket_id}-{run.id}"
