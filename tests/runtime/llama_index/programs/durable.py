"""Runs are written down as JSON, and go on from it; their state goes from run to run."""

import asyncio
import json

from workflows import Context, Workflow, step
from workflows.context import JsonSerializer
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent


class First(Event):
    count: int


class Second(Event):
    count: int


class Steps(Workflow):
    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> First:
        await ctx.store.set("seen", ["begin"])
        return First(count=1)

    @step
    async def one(self, ctx: Context, ev: First) -> Second:
        await ctx.store.set("seen", [*await ctx.store.get("seen"), "one"])
        return Second(count=ev.count + 1)

    @step
    async def two(self, ctx: Context, ev: Second) -> StopEvent:
        await asyncio.sleep(HOLD[0])
        return StopEvent(result=[*await ctx.store.get("seen"), ev.count])


HOLD = [30.0]


class Asks(Workflow):
    @step
    async def ask(self, ctx: Context, ev: StartEvent) -> InputRequiredEvent:
        await ctx.store.set("name", ev.name)
        return InputRequiredEvent(prefix="how old?")

    @step
    async def take(self, ctx: Context, ev: HumanResponseEvent) -> StopEvent:
        return StopEvent(result=f"{await ctx.store.get('name')} is {ev.response}")


class Counts(Workflow):
    @step
    async def count(self, ctx: Context, ev: StartEvent) -> StopEvent:
        count = await ctx.store.get("count", default=0) + 1
        await ctx.store.set("count", count)
        return StopEvent(result=count)


async def goes_on() -> list[object]:
    HOLD[0] = 30.0
    handler = Steps().run()
    await asyncio.sleep(0.1)
    text = json.dumps(handler.ctx.to_dict(serializer=JsonSerializer()))
    await handler.cancel_run()
    HOLD[0] = 0.0
    workflow = Steps()
    ctx = Context.from_dict(workflow, json.loads(text), serializer=JsonSerializer())
    return await workflow.run(ctx=ctx)


async def answered_later() -> str:
    handler = Asks().run(name="Ann")
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            break
    text = json.dumps(handler.ctx.to_dict())
    await handler.cancel_run()
    workflow = Asks()
    again = workflow.run(ctx=Context.from_dict(workflow, json.loads(text)))
    again.ctx.send_event(HumanResponseEvent(response="36"))
    return await again


async def from_run_to_run() -> list[int]:
    workflow = Counts()
    ctx = Context(workflow)
    found = [await workflow.run(ctx=ctx), await workflow.run(ctx=ctx)]
    later = Context.from_dict(workflow, json.loads(json.dumps(ctx.to_dict())))
    return [*found, await workflow.run(ctx=later)]


async def main() -> list[object]:
    return [await goes_on(), await answered_later(), await from_run_to_run()]


EXPECTED = [["begin", "one", 2], "Ann is 36", [1, 2, 3]]
