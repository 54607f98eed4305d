"""The work of the benchmark on ``wfc.runtime``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from gate import THE, Gate

from wfc.runtime import (
    Context,
    Event,
    Question,
    Record,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    pause,
    step,
)

NAME = "wfc.runtime"


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
        self.expected = [Done] * ev.count
        for number in range(ev.count):
            ctx.send_event(Item(number=number))
        return None

    @step
    async def work(self, ev: Item) -> Done:
        return Done(number=ev.number)

    @step
    async def end(self, ctx: Context, ev: Done) -> StopEvent | None:
        seen = ctx.collect_events(ev, self.expected)
        return None if seen is None else StopEvent(result=await ctx.store.get("count"))


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


class Telling(Workflow):
    @step
    async def tell(self, ctx: Context, ev: StartEvent) -> StopEvent:
        for number in range(ev.count):
            ctx.write_event_to_stream(Item(number=number))
        return StopEvent(result=ev.count)


async def _read(handler: WorkflowHandler) -> int:
    return sum([isinstance(event, Item) async for event in handler.stream_events()])


async def stream(count: int, readers: int = 1) -> None:
    """A step that shows many events to so many readers, each of which gets all."""
    handler = Telling(timeout=None).run(count=count)
    assert await asyncio.gather(*(_read(handler) for _ in range(readers))) == [count] * readers
    assert await handler == count


async def stream_three(count: int) -> None:
    """The same with three readers."""
    await stream(count, 3)


class Answer(Record):
    sure: bool


class Asking(Workflow):
    @step
    async def first(self, ev: StartEvent) -> Item:
        return Item(number=1)

    @pause
    def ask(self, ev: Item) -> Question[Answer]:
        return Question(Answer, title="Are you sure?")

    @ask.then
    def answered(self, ev: Item, result: Answer) -> StopEvent:
        return StopEvent(result=result.sure)


async def paused(count: int) -> AsyncIterator[None]:
    """So many runs that each wait for a person's answer, which all get one."""
    workflow = Asking(timeout=None)
    handlers = [workflow.run() for _ in range(count)]
    for handler in handlers:
        while not handler.questions():  # noqa: ASYNC110 - nobody tells when all have asked
            await asyncio.sleep(0)
    yield
    for handler in handlers:
        await handler.answer(handler.questions()[0].id, {"sure": True})
    for handler in handlers:
        assert await handler is True


class Queued(Workflow):
    @step
    async def start(self, ctx: Context, ev: StartEvent) -> Item | None:
        for number in range(ev.count):
            ctx.send_event(Item(number=number))
        return None

    @step(num_workers=1)
    async def work(self, ev: Item) -> StopEvent:
        await THE[0].wait()
        return StopEvent(result="done")


class Past(Workflow):
    @step
    async def start(self, ev: StartEvent) -> Ping:
        return Ping(left=ev.left)

    @step
    async def ping(self, ev: Ping) -> Pong | StopEvent:
        if ev.left > 0:
            return Pong(left=ev.left - 1)
        await THE[0].wait()
        return StopEvent(result="done")

    @step
    async def pong(self, ev: Pong) -> Ping | StopEvent:
        return Ping(left=ev.left - 1)


async def _snapshot(handler: WorkflowHandler) -> float:
    """Seconds that a snapshot takes, the middle one of nine."""
    await THE[0].all_here.wait()
    taken = []
    for _ in range(9):
        start = time.process_time()
        assert handler.ctx.to_dict()
        taken.append(time.process_time() - start)
    THE[0].opened.set()
    assert await handler == "done"
    return sorted(taken)[4]


async def snapshot_queued(count: int) -> float:
    """A snapshot of a run with so many events in a queue."""
    THE[:] = [Gate(1)]
    return await _snapshot(Queued(timeout=None).run(count=count))


async def snapshot_past(hops: int) -> float:
    """A snapshot of a run with so many hops behind it, and nothing in a queue."""
    THE[:] = [Gate(1)]
    return await _snapshot(Past(timeout=None).run(left=hops - hops % 2))
