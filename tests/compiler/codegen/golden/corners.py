"""The workflow corners."""

# Generated from corners.yaml. Edit the spec, not this file.
# sha256:2b3de17a2ff62e8e8c3cba92ee1a95a43c12fa8431e8a5c1b62da4d62ba9b728, output format 2

from typing import Any, Literal, overload

from wfc.runtime import (
    ClosedFields,
    Context,
    EachOf,
    Event,
    Inputs,
    Model,
    Output,
    PythonTool,
    RetryPolicy,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    filters,
    require_output_format,
    step,
    transform,
)

require_output_format(2, "corners.yaml")

Verdict = Literal["yes", "no", "it depends"]


class Begun(ClosedFields, StartEvent):
    names: list[str]
    count: int


class Again(ClosedFields, Event):
    names: list[str]
    count: int


class Judged(ClosedFields, Event):
    verdict: Verdict


class Looked(ClosedFields, Event):
    seen: int | str


class Listed(ClosedFields, Event):
    all: list[Any]


class Piece(ClosedFields, Event):
    name: str
    verdict: Verdict | None = None


class PieceDone(ClosedFields, Event):
    name: str


class SomethingWithQuiteALongNameHappened(ClosedFields, Event):
    which: str


class SomethingElseWithQuiteALongNameHappened(ClosedFields, Event):
    which: str


class AThirdThingWithQuiteALongNameHappened(ClosedFields, Event):
    which: str


class Ended(ClosedFields, StopEvent):
    names: list[str]


class Stopped(ClosedFields, StopEvent):
    why: str


JUDGE = Model("anthropic:claude-sonnet-4-5")

JUDGE_OUTPUT: Output[Verdict] = Output(Verdict)

JUDGE_RETRY = RetryPolicy(max_attempts=2, delay=0.1, backoff=2.0, max_delay=60.0)

LOOK: PythonTool[int | str] = PythonTool(
    "tools:look",
    output=int | str,
    beside=__file__,
)

ANYTHING: PythonTool[list[Any]] = PythonTool(
    "tools:anything",
    output=list[Any],
    beside=__file__,
)

WORK_OUTPUT: Output[Verdict | None] = Output(Verdict | None)


def judge_prompt(event: Begun | Again) -> str:
    return f"""Is "{", ".join(event.names)}" {{fine}}?\n"""


class Corners(Workflow, name="corners", source="corners.yaml"):
    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        names: list[str],
        count: int,
    ) -> WorkflowHandler[Ended | Stopped]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Ended | Stopped]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Ended | Stopped]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Ended | Stopped]:
        """Start a run.

        Its inputs are ``names``, ``count``.
        """
        return super().run(*args, **inputs)

    # corners.yaml:27
    @step(retry_policy=JUDGE_RETRY, max_runs=5)
    async def judge(self, ctx: Context, event: Begun | Again) -> Verdict:
        return await ctx.llm(JUDGE, judge_prompt(event), output=JUDGE_OUTPUT)

    @judge.then
    def after_judge(
        self,
        event: Begun | Again,
        result: Verdict,
    ) -> Judged | Again | Stopped:
        if result != "it depends":
            return Judged(verdict=result)
        if event.count < 3:
            return Again(names=event.names, count=event.count + 1)
        return Stopped(why=f"{event.count} times “{result}”")

    @judge.on_limit
    def judge_over_limit(self) -> Stopped:
        return Stopped(why="asked too often")

    # corners.yaml:45
    @step
    async def look(
        self,
        ctx: Context,
        event: Judged,
        inputs: Inputs[Begun],
    ) -> int | str:
        return await ctx.tool(
            LOOK,
            {
                "name": filters.default(filters.first(inputs.names), "nobody"),
                "deep": ["a"],
            },
        )

    @look.then
    def after_look(self, result: int | str) -> Looked:
        return Looked(seen=result)

    # corners.yaml:52
    @step(name="list")
    async def list_(
        self,
        ctx: Context,
        event: Looked,
        inputs: Inputs[Begun],
    ) -> list[Any]:
        return await ctx.tool(
            ANYTHING,
            {"whatever": event.seen, "more": [1, {"deep": inputs.count}], "none": None},
        )

    @list_.then
    def after_list(self, result: list[Any]) -> Listed:
        return Listed(all=result)

    # corners.yaml:59
    @transform
    def send(self, event: Listed, inputs: Inputs[Begun]) -> list[Piece]:
        return [Piece(name=name) for name in filters.at_most(3, inputs.names)]

    # corners.yaml:64
    @step
    async def work(self, ctx: Context, event: Piece) -> Verdict | None:
        return await ctx.http(
            "POST",
            f"https://example.org/{filters.path_part(event.name)}",
            server="https://example.org",
            body=[event.name, event.verdict, {"at": 1.5}],
            output=WORK_OUTPUT,
        )

    @work.then
    def after_work(self, result: Verdict | None) -> PieceDone:
        if result == "yes":
            return PieceDone(name=result)
        return PieceDone(name=result if result is not None else "nothing")

    @work.on_error
    def work_failed(self) -> PieceDone:
        return PieceDone(name="failed")

    # corners.yaml:79
    @transform(join=EachOf(fork="send", within=60.0, proceed=True))
    def gather(
        self,
        events: list[PieceDone],
    ) -> (
        SomethingWithQuiteALongNameHappened
        | SomethingElseWithQuiteALongNameHappened
        | AThirdThingWithQuiteALongNameHappened
    ):
        if len(events) == 1:
            return SomethingWithQuiteALongNameHappened(which="one")
        if len(events) == 2:
            return SomethingElseWithQuiteALongNameHappened(which="two")
        return AThirdThingWithQuiteALongNameHappened(
            which=" ".join([item.name for item in events]),
        )

    # corners.yaml:91
    @transform
    def finish(
        self,
        event: (
            SomethingWithQuiteALongNameHappened
            | SomethingElseWithQuiteALongNameHappened
            | AThirdThingWithQuiteALongNameHappened
        ),
    ) -> Ended | Stopped:
        if isinstance(event, AThirdThingWithQuiteALongNameHappened):
            return Ended(names=[event.which])
        return Stopped(why=event.which)
