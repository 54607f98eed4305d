"""Saves, choices, joins, batches and exits."""

# Generated from tails.yaml. Edit the spec, not this file.
# sha256:26d2a514d224a92a715eaaa6e0894060bb0412a25bbbbcb799fe3c0d99be4cf8, output format 2

from typing import Annotated, Any, Literal, overload

from pydantic import Field
from wfc.runtime import (
    All,
    AllOf,
    AtLeast,
    ClosedFields,
    Context,
    EachOf,
    Event,
    Fail,
    FirstOf,
    Inputs,
    Number,
    Record,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    filters,
    require_output_format,
    transform,
)

require_output_format(2, "tails.yaml")

Level = Literal["low", "high"]


class Line(Record):
    text: str
    level: Level


class Started(ClosedFields, StartEvent):
    items_: Annotated[list[str], Field(alias="items")]
    level: Level
    limit: int = 3


class Left(ClosedFields, Event):
    left: int
    shared: str


class Right(ClosedFields, Event):
    right: int | None = None
    shared: str


class Late(ClosedFields, Event):
    late: str


class Joined(ClosedFields, Event):
    total: int


class Two(ClosedFields, Event):
    total: int


class First(ClosedFields, Event):
    what: str


class Item(ClosedFields, Event):
    text: str
    total: Number


class Sorted(ClosedFields, Event):
    line: Line


class Odd(ClosedFields, Event):
    why: str


class Collected(ClosedFields, Event):
    lines: list[Line]


class Done(ClosedFields, StopEvent):
    lines: list[Line]
    total: int


class GaveUp(ClosedFields, StopEvent):
    why: str


class State(RunState):
    count: Annotated[int, Field(ge=0, le=100)] = 0
    total: int = 0
    other: int = 1
    level: Level = "low"
    phase: Literal["begun", "joined", "over"] = "begun"
    words: list[str] = Field(default_factory=list)
    last: Line | None = None
    share: Number = 0


class Tails(Workflow, name="tails", source="tails.yaml"):
    """Saves, choices, joins, batches and exits."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        items_: list[str],
        level: Level,
        limit: int = 3,
    ) -> WorkflowHandler[Done | GaveUp]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Done | GaveUp]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Done | GaveUp]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Done | GaveUp]:
        """Start a run.

        Its inputs are ``items_``, ``level``, ``limit``.
        """
        return super().run(*args, **inputs)

    # tails.yaml:34
    @transform
    def begin(self, event: Started, state: State) -> All[Left, Right, Late]:
        total = state.other
        other = state.total + 1
        emitted = All(
            Left(left=total, shared="left"),
            Right(shared=event.level),
            Late(late=filters.default(filters.first(event.items_), "none")),
        )
        state.total = total
        state.other = other
        state.level = event.level
        state.words = event.items_
        return emitted

    # tails.yaml:47
    @transform(join=AllOf(fork="begin"))
    def join(self, left: Left, right: Right, state: State) -> Joined:
        count = state.checked("count", state.count + 1)
        emitted = Joined(
            total=left.left + (right.right if right.right is not None else 0) + count,
        )
        state.count = count
        state.phase = "joined"
        return emitted

    # tails.yaml:56
    @transform(join=AllOf(fork="begin", within=10.0, proceed=True))
    def join_in_time(
        self,
        left: Left | None,
        late: Late | None,
        state: State,
    ) -> Two | None:
        late_ = late.late if late is not None else None
        left_ = left.left if left is not None else None
        last: Line | None = Line(
            text=late_ if late_ is not None else "late",
            level="high",
        )
        emitted: Two | None
        if left_ is not None and left_ > 3:
            emitted = Two(total=left_)
        else:
            emitted = None
        state.last = last
        return emitted

    # tails.yaml:65
    @transform(join=FirstOf(fork="begin", within=300.0))
    def join_first(self, left: Left | None, right: Right | None) -> First:
        right_ = right.right if right is not None else None
        if left is not None:
            return First(what=left.shared)
        return First(what=f"right {right_ if right_ is not None else 7}")

    @join_first.on_timeout
    def join_first_timed_out(self) -> None:
        return None

    # tails.yaml:74
    @transform(join=AtLeast(2, fork="begin", within=60.0))
    def join_some(
        self,
        two: Two | None,
        first: First | None,
        late: Late | None,
    ) -> None:
        return None

    @join_some.on_timeout
    def join_some_timed_out(self, first: First | None, late: Late | None) -> GaveUp:
        late_ = late.late if late is not None else None
        what = first.what if first is not None else None
        return GaveUp(
            why=what if what is not None else late_ if late_ is not None else "nothing",
        )

    # tails.yaml:82
    @transform
    def send_out(self, event: Joined, state: State) -> list[Item]:
        return [
            Item(text=f"{word}!", total=event.total / 2)
            for word in filters.at_most(50, state.words)
        ]

    # tails.yaml:92
    @transform
    def sort(self, event: Item, state: State) -> Odd | Sorted | None:
        share: Number = filters.finite(state.share + event.total)
        emitted: Odd | Sorted | None
        if event.text == "":
            total = state.total + 1
            share_: Number = 0
            emitted = Odd(why=f"empty, the {filters.text(filters.rounded(share, 2))}th")
            state.total = total
            share = share_
        elif share > 3:
            last: Line | None = Line(text=event.text, level="low")
            emitted = Sorted(
                line=Line(text=event.text, level="low" if share < 10 else "high"),
            )
            state.last = last
        else:
            emitted = None
        state.share = share
        return emitted

    @sort.on_limit
    def sort_over_limit(self, inputs: Inputs[Started]) -> Odd:
        return Odd(why=f"limit of {inputs.limit}")

    @sort.max_runs
    def sort_max_runs(self, inputs: Inputs[Started]) -> int:
        return inputs.limit * 2

    # tails.yaml:108
    @transform(join=EachOf(fork="send_out"))
    def collect(
        self,
        events: list[Sorted | Odd],
        inputs: Inputs[Started],
        state: State,
    ) -> Collected | Fail:
        if len(events) > 0:
            count = state.checked("count", len(events))
            emitted = Collected(lines=[])
            state.phase = "over"
            state.count = count
            return emitted
        return Fail(f"There was nothing among {len(inputs.items_)} items.")

    # tails.yaml:117
    @transform
    def finish(self, event: Collected, state: State) -> Done:
        total = state.total + 1
        emitted = Done(lines=event.lines, total=total)
        state.total = total
        return emitted
