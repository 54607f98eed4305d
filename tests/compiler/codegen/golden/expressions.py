"""The workflow expressions."""

# Generated from expressions.yaml. Edit the spec, not this file.
# sha256:85c7b789233889df3fe76239c750e07bd4fa43e4bb42c43648a71e6faad5475c, output format 2

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, overload

from pydantic import Field
from wfc.runtime import (
    All,
    AllOf,
    ClosedFields,
    Context,
    Duration,
    Event,
    Inputs,
    Moment,
    Number,
    Record,
    RunConfig,
    RunInfo,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    filters,
    require_output_format,
    transform,
)

require_output_format(2, "expressions.yaml")

Level = Literal["low", "mid", "high"]

Size = Literal[1, 2, 3]


class Address(Record):
    street: str
    zip: str | None = None


class Person(Record):
    name: str
    address: Address | None = None
    tags: list[str] = Field(default_factory=list)


class Item(Record):
    sku: str
    price: Decimal
    count: int
    size: Size
    weight: Number | None = None


class Given(ClosedFields, StartEvent):
    person: Person
    items_: Annotated[list[Item], Field(alias="items")]
    level: Level
    either: int | str | list[str]
    day: date
    at: Moment
    wait: Duration
    any: Any
    limits: dict[str, int]
    note: str | None = None
    maybe: list[int | None]


class Priced(ClosedFields, Event):
    total: Decimal
    weights: list[Number]
    names: list[str | None]
    by_sku: dict[str, Item]


class Named(ClosedFields, Event):
    name: str
    street: str | None = None
    level: Level
    sizes: list[Size]


class Mixed(ClosedFields, Event):
    value: int | str
    people: list[Person]
    limits: dict[str, Number]


class Timed(ClosedFields, Event):
    late: bool
    at: Moment
    day: date
    wait: Duration
    text: str


class Taken(ClosedFields, StopEvent):
    total: Decimal
    text: str


class Dropped(ClosedFields, StopEvent):
    why: str


class Config(RunConfig):
    rate: Decimal = Decimal("0.19")
    until: date = date(2030, 1, 1)


class State(RunState):
    total: Decimal = Decimal(0)
    best: Item | None = None
    levels: list[Level] = Field(default=["low"])
    limits: dict[str, int] = Field(default_factory=dict)
    notes: list[str | None] = Field(default_factory=list)
    share: Number | None = None


class Expressions(
    Workflow,
    name="expressions",
    config=Config,
    source="expressions.yaml",
):
    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        person: Person,
        items_: list[Item],
        level: Level,
        either: int | str | list[str],
        day: date,
        at: Moment,
        wait: Duration,
        any: Any,
        limits: dict[str, int],
        note: str | None = None,
        maybe: list[int | None],
    ) -> WorkflowHandler[Taken | Dropped]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Taken | Dropped]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Taken | Dropped]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Taken | Dropped]:
        """Start a run.

        Its inputs are ``person``, ``items_``, ``level``, ``either``, ``day``, ``at``,
        ``wait``, ``any``, ``limits``, ``note``, ``maybe``.
        """
        return super().run(*args, **inputs)

    # expressions.yaml:42
    @transform
    def price(
        self,
        event: Given,
        state: State,
        config: Config,
        run: RunInfo,
    ) -> All[Priced, Named, Timed]:
        total = filters.decimal(sum([item.price for item in event.items_]))
        best = filters.first(sorted(event.items_, key=lambda item: item.price))
        levels: list[Level] = state.levels + [event.level, "high"]
        notes = state.notes + [event.note, None]
        share: Number | None = event.limits.get("a")
        emitted = All(
            Priced(
                total=total * config.rate,
                weights=[*[item.count for item in event.items_]],
                names=[*event.person.tags],
                by_sku={},
            ),
            Named(
                name=event.person.name.upper(),
                street=(
                    event.person.address.street
                    if event.person.address is not None
                    else None
                ),
                level="high" if event.level == "low" else event.level,
                sizes=[item.size for item in event.items_],
            ),
            Timed(
                late=event.day > config.until or event.at > run.now,
                at=event.at + event.wait,
                day=event.day,
                wait=event.wait,
                text=(
                    f"{event.level} since {filters.text(event.day)}, "
                    f"{filters.text(event.wait)} of {filters.json(event.limits)}"
                ),
            ),
        )
        state.total = total
        state.best = best
        state.levels = levels
        state.notes = notes
        state.share = share
        state.limits = event.limits
        return emitted

    # expressions.yaml:71
    @transform
    def mix(self, event: Named, inputs: Inputs[Given]) -> Mixed | Dropped:
        if isinstance(inputs.either, str):
            return Mixed(
                value=inputs.either,
                people=[
                    Person(
                        name=event.name,
                        address=Address(
                            street=event.street if event.street is not None else "none",
                        ),
                    ),
                ],
                limits={**inputs.limits},
            )
        if isinstance(inputs.either, int) and inputs.either > 3:
            return Mixed(
                value=inputs.either + 1,
                people=[inputs.person],
                limits={"a": 1, "b": 2.5},
            )
        if inputs.note is not None and event.level in ("low", "mid"):
            return Mixed(value=inputs.note, people=[], limits={})
        return Dropped(
            why=(
                f"{inputs.note if inputs.note is not None else 'nothing'} "
                f"{len(inputs.maybe)}"
            ),
        )

    # expressions.yaml:89
    @transform(join=AllOf(fork="price"))
    def choose(
        self,
        priced: Priced,
        mixed: Mixed,
        timed: Timed,
        state: State,
    ) -> Dropped | Taken:
        if state.best is None:
            return Dropped(why="nothing")
        if state.best.size == 3 or state.best.weight is None:
            return Dropped(why=state.best.sku)
        if isinstance(mixed.value, str):
            return Taken(total=state.best.price * 2, text=mixed.value)
        return Taken(
            total=priced.total,
            text=(
                f"{filters.text(filters.rounded(filters.finite(state.best.weight / 2), 1))}"
                f" {mixed.value} {filters.truncate(timed.text, 20)}"
            ),
        )
