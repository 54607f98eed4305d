"""Every type, bound and default that there is."""

# Generated from all_types.yaml. Edit the spec, not this file.
# sha256:02fc4fcc8a6a02c56f23555abe89c16435b492658a89d898e35205a63e9b12e7, output format 2

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, overload

from pydantic import Field
from wfc.runtime import (
    ClosedFields,
    Context,
    Duration,
    Format,
    Moment,
    Number,
    Record,
    RunConfig,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    require_output_format,
    transform,
)

require_output_format(2, "all_types.yaml")

Mood = Literal["good", "bad", 1, True]


class Node(Record):
    name: str
    children: "list[Node]" = Field(default_factory=list)
    parent: Annotated[
        Annotated["list[Node]", Field(max_length=1)] | None,
        Field(description="One at most."),
    ] = None
    moments: "dict[str, Node]" = Field(default_factory=dict)


class Left(Record):
    pair: "Pair | None" = None


class Right(Record):
    value: int | str | list[Left]


class Pair(Record):
    left: Left
    right: Right


class Money(Record):
    amount: Annotated[
        Decimal,
        Field(
            description="How much, such as 1.50.",
            ge=Decimal(0),
            le=Decimal("1000000.50"),
        ),
    ]
    currency: Annotated[
        str,
        Field(min_length=3, max_length=3, pattern="^(?:[A-Z]{3})$"),
    ] = "EUR"


class GivenInner(Record):
    city: str
    streets: list[str]


class Given(ClosedFields, StartEvent):
    text: Annotated[str, Field(description="A \"text\" with \\ and 'quotes'.")]
    count: Annotated[int, Field(ge=-5)] = 0
    share: Annotated[Number, Field(ge=0, le=1)] = 0.5
    price: Decimal = Decimal("19.99")
    whole: Decimal = Decimal(3)
    yes_or_no: bool = False
    day: date = date(2024, 2, 29)
    moment: Moment = datetime(2024, 2, 29, 10, 30, tzinfo=UTC)
    wait: Duration = timedelta(seconds=90.0)
    long_wait: Duration = timedelta(seconds=5400.0)
    anything: Any
    perhaps: int | None = None
    words: list[str] = Field(default_factory=list)
    some_words: Annotated[list[str], Field(min_length=1, max_length=10)] = Field(
        default=["a", "b"],
    )
    many_words: list[str] = Field(
        default=[
            "the first of many words",
            "the second of many words",
            "the third of many words",
            "the fourth",
        ],
    )
    numbers: dict[str, int] = Field(default={"one": 1, "two": 2})
    nothing_yet: dict[str, list[Money]] = Field(default_factory=dict)
    mood: Mood = "good"
    level: Literal[
        "a very long value",
        "another very long value",
        "a third very long value",
        "short",
    ] = "short"
    either: int | str = "x"
    money: Money = Field(default_factory=lambda: Money(amount=Decimal(5)))
    inner: GivenInner
    mail: Annotated[str, Format("email"), Field(max_length=200)] | None = None
    tree: Node
    pair: Pair | None = None


class Taken(ClosedFields, StopEvent):
    given: Given
    nodes: list[Node]


class Config(RunConfig):
    retries: Annotated[int, Field(ge=0, le=10)] = 3
    site: Annotated[str, Format("uri")]
    since: date = date(2024, 2, 29)


class State(RunState):
    seen: int = 0
    last: Given | None = None


class AllTypes(Workflow, name="all_types", config=Config, source="all_types.yaml"):
    """Every type, bound and default that there is.

    A description may have "quotes", a backslash \\ and \"\"\"three quotes\"\"\", and
    lines so long that they must be wrapped to
    fit.

      Indented text keeps its place.
    """

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        text: str,
        count: int = 0,
        share: Number = 0.5,
        price: Decimal = ...,
        whole: Decimal = ...,
        yes_or_no: bool = False,
        day: date = ...,
        moment: Moment = ...,
        wait: Duration = ...,
        long_wait: Duration = ...,
        anything: Any,
        perhaps: int | None = None,
        words: list[str] = ...,
        some_words: list[str] = ...,
        many_words: list[str] = ...,
        numbers: dict[str, int] = ...,
        nothing_yet: dict[str, list[Money]] = ...,
        mood: Mood = "good",
        level: Literal[
            "a very long value",
            "another very long value",
            "a third very long value",
            "short",
        ] = "short",
        either: int | str = "x",
        money: Money = ...,
        inner: GivenInner,
        mail: str | None = None,
        tree: Node,
        pair: Pair | None = None,
    ) -> WorkflowHandler[Taken]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Taken]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Taken]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Taken]:
        """Start a run.

        Its inputs are ``text``, ``count``, ``share``, ``price``, ``whole``,
        ``yes_or_no``, ``day``, ``moment``, ``wait``, ``long_wait``, ``anything``,
        ``perhaps``, ``words``, ``some_words``, ``many_words``, ``numbers``,
        ``nothing_yet``, ``mood``, ``level``, ``either``, ``money``, ``inner``,
        ``mail``, ``tree``, ``pair``.
        """
        return super().run(*args, **inputs)

    # all_types.yaml:59
    @transform
    def take(self, event: Given) -> Taken:
        return Taken(given=event, nodes=[event.tree])
