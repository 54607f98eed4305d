"""The workflow computed_bounds."""

# Generated from bounds.yaml. Edit the spec, not this file.
# sha256:b53d7dcf8eb420f1a920a0b1e9c34ede06808a6c3baebba7c4300babdc41742e, output format 2

from datetime import timedelta
from typing import Annotated, Any, overload

from pydantic import Field
from wfc.runtime import (
    Bounds,
    ClosedFields,
    Context,
    Duration,
    EachOf,
    Event,
    Inputs,
    Moment,
    PythonTool,
    Question,
    Record,
    RetryBounds,
    RetryPolicy,
    RunConfig,
    StartEvent,
    StepBounds,
    StopEvent,
    Workflow,
    WorkflowHandler,
    filters,
    pause,
    require_output_format,
    run_bounds,
    run_deadline,
    step,
    transform,
)

require_output_format(2, "bounds.yaml")


class AskForm(Record):
    fine: bool


class Asked(ClosedFields, StartEvent):
    items_: Annotated[list[int], Field(alias="items")]
    patience: Duration
    due: Moment


class Item(ClosedFields, Event):
    n: int


class Done(ClosedFields, Event):
    n: int


class Seen(ClosedFields, Event):
    pass


class Told(ClosedFields, StopEvent):
    count: int


class Late(ClosedFields, StopEvent):
    pass


class Config(RunConfig):
    patience: Duration = timedelta(seconds=5.0)
    workers: int = 2
    most: int = 3
    votes: int = 2


WORK: PythonTool[int] = PythonTool("tools:work", output=int, beside=__file__)

WORK_RETRY = RetryPolicy(backoff=2.0, retry_on=("tool",))


class ComputedBounds(
    Workflow,
    name="computed_bounds",
    config=Config,
    source="bounds.yaml",
):
    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        items_: list[int],
        patience: Duration,
        due: Moment,
    ) -> WorkflowHandler[Told | Late]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Told | Late]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Told | Late]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Told | Late]:
        """Start a run.

        Its inputs are ``items_``, ``patience``, ``due``.
        """
        return super().run(*args, **inputs)

    # bounds.yaml:21
    @transform
    def split(self, event: Asked, config: Config) -> list[Item]:
        return [Item(n=n) for n in filters.at_most(config.most, event.items_)]

    # bounds.yaml:22
    @step(retry_policy=WORK_RETRY)
    async def work(self, ctx: Context, event: Item) -> int:
        return await ctx.tool(WORK, {"seconds": event.n, "value": event.n})

    @work.then
    def after_work(self, result: int) -> Done:
        return Done(n=result)

    # bounds.yaml:31
    @transform(join=EachOf(fork="split", proceed=True))
    def gather(self, events: list[Done]) -> Seen:
        return Seen()

    # bounds.yaml:35
    @pause(within=3600.0)
    def ask(self, event: Seen) -> Question[AskForm]:
        return Question(AskForm, title="Fine?")

    @ask.then
    def after_ask(self, result: list[AskForm]) -> Told:
        return Told(count=len(result))

    @ask.on_expired
    def ask_expired(self) -> Late:
        return Late()

    @run_bounds
    def bounds(self, inputs: Inputs[Asked], config: Config) -> Bounds:
        return Bounds(
            deadline=inputs.patience * 10,
            steps=config.most * 10,
            of_steps={
                "work": StepBounds(
                    timeout=config.patience,
                    num_workers=config.workers,
                    retry=RetryBounds(
                        max_attempts=config.most,
                        delay=config.patience,
                        max_delay=max(config.patience, timedelta(seconds=60.0)),
                    ),
                ),
                "gather": StepBounds(within=config.patience, until=inputs.due),
                "ask": StepBounds(quorum=config.votes),
            },
        )

    @run_deadline
    def run_out_of_time(self) -> Late:
        return Late()
