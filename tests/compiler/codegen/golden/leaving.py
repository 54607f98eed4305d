"""Undoes what it did when it fails, is late or is cancelled."""

# Generated from leaving.yaml. Edit the spec, not this file.
# sha256:d7457f03c38976d50826bae5490692fdaa960ad67b22b04442254d9b76b57639, output format 2

from typing import Any

from pydantic import Field
from wfc.runtime import (
    AllOf,
    ClosedFields,
    Context,
    Event,
    Fail,
    PythonTool,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    WorkflowHandler,
    require_output_format,
    run_cancel,
    run_deadline,
    run_error,
    step,
    transform,
)

require_output_format(2, "leaving.yaml")


class Asked(ClosedFields, StartEvent):
    pass


class Undo(ClosedFields, Event):
    why: str
    where: str | None = None


class Left(ClosedFields, Event):
    pass


class Right(ClosedFields, Event):
    pass


class Done(ClosedFields, StopEvent):
    pass


class Dropped(ClosedFields, StopEvent):
    why: str


class State(RunState):
    booked: list[str] = Field(default_factory=list)


BOOK: PythonTool[str] = PythonTool("shop.book:book", output=str, beside=__file__)

UNDO: PythonTool[Any] = PythonTool("shop.book:undo", output=Any, beside=__file__)


class Leaving(Workflow, name="leaving", deadline=3600.0, source="leaving.yaml"):
    """Undoes what it did when it fails, is late or is cancelled."""

    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
    ) -> WorkflowHandler[Done | Dropped]:
        """Start a run."""
        return super().run(ctx, start_event, run_id)

    # leaving.yaml:26
    @step
    async def book(self, ctx: Context[State], event: Asked) -> str:
        return await ctx.tool(BOOK, {})

    @book.then
    def after_book(self, state: State, result: str) -> Done:
        state.booked = [result]
        return Done()

    # leaving.yaml:27
    @step
    async def left(self, ctx: Context[State], event: Undo) -> Any:
        return await ctx.tool(UNDO, {"why": event.why})

    @left.then
    def after_left(self) -> Left:
        return Left()

    # leaving.yaml:28
    @step
    async def right(self, ctx: Context[State], event: Undo) -> Any:
        return await ctx.tool(
            UNDO,
            {"why": event.where if event.where is not None else "somewhere"},
        )

    @right.then
    def after_right(self) -> Right:
        return Right()

    # leaving.yaml:29
    @transform(join=AllOf(fork=None))
    def undone(self, left: Left, right: Right) -> Dropped:
        return Dropped(why="undone")

    @run_error
    def run_failed(self, state: State, error: StepError) -> Dropped | Undo | Fail:
        if error.matches("limit"):
            return Dropped(why=error.name)
        if len(state.booked) > 0:
            return Undo(why=error.message, where=error.step)
        return Fail("nothing was booked")

    @run_deadline
    def run_out_of_time(self) -> Undo:
        return Undo(why="late")

    @run_cancel
    def run_cancelled(self, state: State) -> Undo:
        booked: list[str] = []
        emitted = Undo(why=f"cancelled after {len(state.booked)}")
        state.booked = booked
        return emitted
