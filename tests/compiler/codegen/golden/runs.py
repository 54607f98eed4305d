"""Says what becomes of runs as a whole."""

# Generated from runs.yaml. Edit the spec, not this file.
# sha256:a9ce2c869701f746e2e6ea75c7ee081797e684455da1108164e665ba9dbbeedc, output format 2

from typing import Annotated, Any, overload

from pydantic import Field
from wfc.runtime import (
    UNHANDLED,
    All,
    AllOf,
    ClosedFields,
    Context,
    Event,
    FirstOf,
    Inputs,
    Limits,
    PythonTool,
    Record,
    Restart,
    RetryPolicy,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Unhandled,
    Workflow,
    WorkflowHandler,
    filters,
    require_output_format,
    run_cancel,
    run_deadline,
    run_error,
    runs_per,
    step,
    transform,
)

require_output_format(2, "runs.yaml")


class Word(Record):
    id: str
    text: str


class Asked(ClosedFields, StartEvent):
    customer: str
    id: int
    note: str | None = None


class Left(ClosedFields, Event):
    id: int
    left: str


class Right(ClosedFields, Event):
    id: int
    right: str


class Found(ClosedFields, Event):
    id: int


class Checked(ClosedFields, Event):
    id: int
    by: str


class Told(ClosedFields, StopEvent):
    id: int
    words: list[str]


class Closed(ClosedFields, StopEvent):
    why: str


class State(RunState):
    rounds: int = 0
    words: Annotated[list[str], Field(max_length=9)] = Field(default_factory=list)
    seen: list[Word] = Field(default_factory=list)


LOOK: PythonTool[str] = PythonTool("shop.look:look", output=str, beside=__file__)

DEFAULT_RETRY = RetryPolicy(max_attempts=2, delay=1.0, backoff=2.0, max_delay=60.0)


class Runs(
    Workflow,
    name="runs",
    deadline=3600.0,
    limits=Limits(steps=1000, tokens=50000, cost_usd=2.5, concurrent_runs=4),
    moved={"look": "search", "Sought": "Asked"},
    removed=("polish",),
    source="runs.yaml",
):
    """Says what becomes of runs as a whole."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        customer: str,
        id: int,
        note: str | None = None,
    ) -> WorkflowHandler[Told | Closed]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Told | Closed]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Told | Closed]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Told | Closed]:
        """Start a run.

        Its inputs are ``customer``, ``id``, ``note``.
        """
        return super().run(*args, **inputs)

    # runs.yaml:33
    @step(retry_policy=DEFAULT_RETRY, timeout=10.0)
    async def search(self, ctx: Context[State], event: Asked) -> str:
        return await ctx.tool(LOOK, {})

    @search.then
    def after_search(self, event: Asked, state: State, result: str) -> All[Left, Right]:
        words: list[str] = state.checked("words", [*state.words, result])
        rounds = state.rounds + 1
        emitted = All(Left(id=event.id, left=result), Right(id=event.id, right="r"))
        state.words = words
        state.rounds = rounds
        return emitted

    # runs.yaml:34
    @transform(join=AllOf(fork="search", within=10.0))
    def pair(self, left: Left, right: Right) -> Found:
        return Found(id=left.id)

    @pair.on_timeout
    def pair_timed_out(self, inputs: Inputs[Asked]) -> Restart:
        return Restart(Asked(customer=inputs.customer, id=inputs.id, note=inputs.note))

    # runs.yaml:38
    @step(retry_policy=DEFAULT_RETRY, timeout=10.0)
    async def check(self, ctx: Context[State], event: Found) -> str:
        return await ctx.tool(LOOK, {})

    @check.then
    def after_check(self, event: Found, state: State, result: str) -> Checked:
        seen: list[Word] = filters.merged_by(
            state.seen,
            [Word(id=result, text="x")],
            lambda item: item.id,
        )
        emitted: Checked
        words: list[str] = state.checked("words", [*state.words, "checked"])
        seen_: list[Word] = filters.merged_by(seen, [], lambda item: item.id)
        emitted = Checked(id=event.id, by=result)
        state.words = words
        seen = seen_
        state.seen = seen
        return emitted

    # runs.yaml:39
    @step(retry_policy=DEFAULT_RETRY, timeout=10.0)
    async def again(self, ctx: Context[State], event: Found) -> str:
        return await ctx.tool(LOOK, {})

    @again.then
    def after_again(self, event: Found, result: str) -> Checked:
        return Checked(id=event.id, by=result)

    # runs.yaml:40
    @transform(join=FirstOf(fork="pair", rest="cancel"))
    def take(self, checked: Checked, state: State) -> Told:
        return Told(id=1, words=state.words)

    @runs_per
    def runs_per_value(self, inputs: Asked) -> str:
        return inputs.customer

    @run_error
    def run_failed(self, state: State, error: StepError) -> Closed | Unhandled:
        if error.matches("http.404"):
            return Closed(why=error.message)
        if error.matches("timeout") and state.rounds < 3:
            return Closed(why=f"late: {error.name}")
        return UNHANDLED

    @run_deadline
    def run_out_of_time(self, state: State) -> Closed:
        return Closed(why=f"after {state.rounds} rounds")

    @run_cancel
    def run_cancelled(self) -> Closed:
        return Closed(why="cancelled")
