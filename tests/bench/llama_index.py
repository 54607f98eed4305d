"""The work of the benchmark on ``llama-index-workflows``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from gate import THE, Gate
from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

NAME = "llama-index-workflows"


class Ping(Event):
    left: int


class Pong(Event):
    left: int


class Item(Event):
    number: int


class Done(Event):
    number: int


class PingPong(Workflow):
    @step
    async def start(self, ev: StartEvent) -> Ping:
        return Ping(left=ev.left)

    @step
    async def ping(self, ev: Ping) -> Pong | StopEvent:
        return Pong(left=ev.left - 1) if ev.left > 0 else StopEvent(result="done")

    @step
    async def pong(self, ev: Pong) -> Ping | StopEvent:
        return Ping(left=ev.left - 1) if ev.left > 0 else StopEvent(result="done")


async def ping_pong(hops: int) -> None:
    """Two steps hand one event back and forth."""
    assert await PingPong(timeout=None).run(left=hops) == "done"


class FanOutList(Workflow):
    @step
    async def start(self, ev: StartEvent) -> list[Item]:
        return [Item(number=number) for number in range(ev.count)]

    @step
    async def work(self, ev: Item) -> Done:
        return Done(number=ev.number)

    @step
    async def end(self, events: list[Done]) -> StopEvent:
        return StopEvent(result=len(events))


async def fan_out_list(count: int) -> None:
    """One list of events, a step for each, and their join."""
    assert await FanOutList(timeout=None).run(count=count) == count


class FanOutSend(Workflow):
    @step
    async def start(self, ctx: Context, ev: StartEvent) -> Item | None:
        await ctx.store.set("count", ev.count)
        for number in range(ev.count):
            ctx.send_event(Item(number=number))
        return None

    @step
    async def work(self, ev: Item) -> Done:
        return Done(number=ev.number)

    @step
    async def end(self, ctx: Context, ev: Done) -> StopEvent | None:
        seen = ctx.collect_events(ev, [Done] * await ctx.store.get("count"))
        return None if seen is None else StopEvent(result=len(seen))


async def fan_out_send(count: int) -> None:
    """Events sent one by one, a step for each, and a step that collects them."""
    assert await FanOutSend(timeout=None).run(count=count) == count


class Backlog(FanOutList):
    @step(num_workers=4)
    async def work(self, ev: Item) -> Done:
        await asyncio.sleep(0)
        return Done(number=ev.number)


async def backlog(count: int) -> None:
    """Many events before a step with four workers, each of which gives way once."""
    assert await Backlog(timeout=None).run(count=count) == count


class ThreeSteps(Workflow):
    @step
    async def first(self, ev: StartEvent) -> Item:
        return Item(number=1)

    @step
    async def second(self, ev: Item) -> Done:
        await THE[0].wait()
        return Done(number=ev.number + 1)

    @step
    async def third(self, ev: Done) -> StopEvent:
        return StopEvent(result=ev.number)


async def runs(count: int) -> AsyncIterator[None]:
    """So many runs at once; stops where all are half-way, and goes on to the end."""
    THE[:] = [Gate(count)]
    workflow = ThreeSteps(timeout=None)
    handlers = [workflow.run() for _ in range(count)]
    await THE[0].all_here.wait()
    yield
    THE[0].opened.set()
    for handler in handlers:
        assert await handler == 2
