"""What a step may look like: unions, nothing, lists, texts as annotations, plain functions, inheritance."""

from typing import Optional, Union

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent


class Left(Event):
    n: int = 0


class Right(Event):
    n: int = 0


class Unions(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> Union[Left, Right]:
        return Right(n=1) if ev.right else Left(n=2)

    @step
    async def end(self, ctx: Context, ev: Union[Left, Right]) -> StopEvent:
        return StopEvent(result=[type(ev).__name__, ev.n])


class Maybe(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> Optional[Left]:
        return None if ev.nothing else Left()

    @step
    async def also(self, ev: StartEvent) -> "Right | None":
        return Right() if ev.nothing else None

    @step
    async def end(self, ev: "Left | Right") -> "StopEvent":
        return StopEvent(result=type(ev).__name__)


class MaybeMany(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> list[Left] | StopEvent | None:
        if ev.how == "none":
            return None
        return [Left(n=1), Left(n=2)] if ev.how == "list" else StopEvent(result="bare")

    @step
    async def other(self, ev: StartEvent) -> Right | None:
        return Right() if ev.how == "none" else None

    @step
    async def give_up(self, ev: Right) -> StopEvent:
        return StopEvent(result="nothing")

    @step
    async def end(self, evs: list[Left]) -> StopEvent:
        return StopEvent(result=sum(ev.n for ev in evs))


class Plainly(Workflow):
    @step
    def begin(self, ev: StartEvent) -> Left:
        return Left(n=5)

    @step
    def end(self, ev: Left) -> StopEvent:
        return StopEvent(result=ev.n)


class Base(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> Left:
        return Left(n=self.start_at())

    def start_at(self) -> int:
        return 1

    @step
    async def end(self, ev: Left) -> StopEvent:
        return StopEvent(result=["base", ev.n])


class Derived(Base):
    def start_at(self) -> int:
        return 2

    @step
    async def end(self, ev: Left) -> StopEvent:
        return StopEvent(result=["derived", ev.n])


class Targeted(Workflow):
    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> Left | None:
        ctx.send_event(Left(n=3), step="second")
        return None

    @step
    async def first(self, ev: Left) -> StopEvent:
        return StopEvent(result="first")

    @step
    async def second(self, ev: Left) -> StopEvent:
        return StopEvent(result="second")


async def main() -> object:
    handler = Plainly().run()
    streamed = [type(ev).__name__ async for ev in handler.stream_events()]
    return [
        [await Unions().run(right=right) for right in (True, False)],
        [await Maybe().run(nothing=nothing) for nothing in (True, False)],
        [await MaybeMany().run(how=how) for how in ("none", "list", "bare")],
        [await handler, streamed],
        [await Base().run(), await Derived().run()],
        await Targeted().run(),
    ]


EXPECTED = [
    [["Right", 1], ["Left", 2]],
    ["Right", "Left"],
    ["nothing", 3, "bare"],
    [5, ["StopEvent"]],
    [["base", 1], ["derived", 2]],
    "second",
]
