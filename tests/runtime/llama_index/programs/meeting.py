"""Events that meet their takers: several steps at once, a wait that comes later, one event instead of a list."""

import asyncio

from workflows import Context, Workflow, step
from workflows.events import Event, HumanResponseEvent, StartEvent, StopEvent


class Note(Event):
    text: str


class Answer(HumanResponseEvent):
    text: str


class Done(Event):
    n: int


class Together(Workflow):
    @step
    async def first(self, ctx: Context, ev: StartEvent) -> StopEvent:
        return StopEvent(result="first")

    @step
    async def second(self, ctx: Context, ev: StartEvent) -> None:
        ctx.write_event_to_stream(Note(text="second"))

    @step
    async def third(self, ctx: Context, ev: StartEvent) -> StopEvent:
        ctx.write_event_to_stream(Note(text="third"))
        return StopEvent(result="third")


class Early(Workflow):
    @step
    async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
        ctx.send_event(Answer(text="at once"))
        answer = await ctx.wait_for_event(Answer, waiter_event=Note(text="asked"))
        return StopEvent(result=answer.text)


class Refused(Workflow):
    @step
    async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
        answer = await ctx.wait_for_event(
            Answer, waiter_event=Note(text="asked"), requirements={"text": "right"}
        )
        return StopEvent(result=answer.text)


class OneOrMany(Workflow):
    @step
    async def split(self, ev: StartEvent) -> list[Done] | Done:
        return Done(n=7) if ev.count == 1 else [Done(n=1), Done(n=2)]

    @step
    async def one(self, ev: Done) -> StopEvent | None:
        return StopEvent(result=["one", ev.n]) if ev.n == 7 else None

    @step
    async def every(self, evs: list[Done]) -> StopEvent:
        return StopEvent(result=["every", sorted(ev.n for ev in evs)])


async def seen(workflow: Workflow) -> object:
    handler = workflow.run()
    texts = [ev.text async for ev in handler.stream_events() if isinstance(ev, Note)]
    return [texts, await handler]


async def refused() -> object:
    handler = Refused().run()
    async for ev in handler.stream_events():
        if isinstance(ev, Note):
            handler.ctx.send_event(Answer(text="wrong"))
            await asyncio.sleep(0.01)
            handler.ctx.send_event(Answer(text="right"))
    return await handler


async def main() -> object:
    return [
        await seen(Together()),
        await seen(Early()),
        await refused(),
        await OneOrMany().run(count=1),
        await OneOrMany().run(count=2),
    ]


EXPECTED = [
    [["second", "third"], "first"],
    [["asked"], "at once"],
    "right",
    ["one", 7],
    ["every", [1, 2]],
]
