"""Work side by side: lists that fan out and in, several parameters, events sent by hand, bounded runs."""

import asyncio
from typing import Annotated

from workflows import Context, Workflow, step
from workflows.collect import All, Collect, Take
from workflows.events import Event, StartEvent, StopEvent


class Job(Event):
    n: int


class Done(Event):
    n: int


class Other(Event):
    n: int


class Part(Event):
    of: int
    n: int


class PartDone(Event):
    of: int
    n: int


class Sum(Event):
    of: int
    total: int


class ByList(Workflow):
    @step
    async def split(self, ev: StartEvent) -> list[Job]:
        return [Job(n=n) for n in range(ev.size)]

    @step(num_workers=3)
    async def work(self, ev: Job) -> Done | None:
        await asyncio.sleep(0.001)
        return None if ev.n % 3 == 2 else Done(n=ev.n)

    @step
    async def join(self, done: Annotated[list[Done], Collect(All())]) -> StopEvent:
        return StopEvent(result=sorted(ev.n for ev in done))


class Fastest(Workflow):
    @step
    async def split(self, ev: StartEvent) -> list[Job]:
        return [Job(n=n) for n in range(4)]

    @step
    async def work(self, ev: Job) -> Done:
        await asyncio.sleep((4 - ev.n) * 0.03)
        return Done(n=ev.n)

    @step
    async def first(self, done: Annotated[list[Done], Collect(Take(2))]) -> StopEvent:
        return StopEvent(result=[ev.n for ev in done])


class Mixed(Workflow):
    @step
    async def split(self, ev: StartEvent) -> list[Job]:
        return [Job(n=n) for n in range(5)]

    @step
    async def work(self, ev: Job) -> Done | Other:
        return Done(n=ev.n) if ev.n % 2 else Other(n=ev.n)

    @step
    async def join(self, evs: list[Done | Other]) -> StopEvent:
        return StopEvent(result=sorted((ev.n, type(ev).__name__) for ev in evs))


class OneOfEach(Workflow):
    @step
    async def left(self, ev: StartEvent) -> Done:
        await asyncio.sleep(0.01)
        return Done(n=1)

    @step
    async def right(self, ev: StartEvent) -> Other:
        return Other(n=2)

    @step
    async def join(self, other: Other, done: Done) -> StopEvent:
        return StopEvent(result=[other.n, done.n])


class Nested(Workflow):
    @step
    async def outer(self, ev: StartEvent) -> list[Job]:
        return [Job(n=n) for n in range(3)]

    @step
    async def inner(self, ev: Job) -> list[Part]:
        return [Part(of=ev.n, n=n) for n in range(ev.n)]

    @step
    async def work(self, ev: Part) -> PartDone:
        return PartDone(of=ev.of, n=ev.n + 1)

    @step
    async def each(self, evs: list[PartDone]) -> Sum:
        return Sum(of=evs[0].of if evs else 0, total=sum(ev.n for ev in evs))

    @step
    async def all(self, evs: list[Sum]) -> StopEvent:
        return StopEvent(result=sorted((ev.of, ev.total) for ev in evs))


class ByHand(Workflow):
    @step
    async def split(self, ctx: Context, ev: StartEvent) -> Job | Other | None:
        for n in range(3):
            ctx.send_event(Job(n=n))
        ctx.send_event(Other(n=9))
        return None

    @step(num_workers=4)
    async def work(self, ev: Job) -> Done:
        await asyncio.sleep(0.001 * (3 - ev.n))
        return Done(n=ev.n)

    @step
    async def join(self, ctx: Context, ev: Done | Other) -> StopEvent | None:
        found = ctx.collect_events(ev, [Other, Done, Done, Done])
        if found is None:
            return None
        return StopEvent(result=[type(found[0]).__name__, sorted(one.n for one in found[1:])])


class Buffers(Workflow):
    @step
    async def split(self, ctx: Context, ev: StartEvent) -> Job | None:
        for n in range(6):
            ctx.send_event(Job(n=n))
        return None

    @step(num_workers=1)
    async def pair(self, ctx: Context, ev: Job) -> Done | None:
        found = ctx.collect_events(ev, [Job] * 3, buffer_id="even" if ev.n % 2 == 0 else "odd")
        return None if found is None else Done(n=sum(one.n for one in found))

    @step
    async def join(self, ctx: Context, ev: Done) -> StopEvent | None:
        found = ctx.collect_events(ev, [Done] * 2)
        return None if found is None else StopEvent(result=sorted(one.n for one in found))


class Bounded(Workflow):
    at_once = 0
    most = 0

    @step
    async def work(self, ev: StartEvent) -> StopEvent:
        Bounded.at_once += 1
        Bounded.most = max(Bounded.most, Bounded.at_once)
        await asyncio.sleep(0.005)
        Bounded.at_once -= 1
        return StopEvent(result=ev.n)


async def main() -> object:
    bounded = Bounded(num_concurrent_runs=2)
    results = await asyncio.gather(*(bounded.run(n=n) for n in range(6)))
    return [
        await ByList().run(size=7),
        await ByList().run(size=0),
        await Fastest().run(),
        await Mixed().run(),
        await OneOfEach().run(),
        await Nested().run(),
        await ByHand().run(),
        await Buffers().run(),
        [results, Bounded.most],
    ]


EXPECTED = [
    [0, 1, 3, 4, 6],
    [],
    [3, 2],
    [[0, "Other"], [1, "Done"], [2, "Other"], [3, "Done"], [4, "Other"]],
    [2, 1],
    [[0, 0], [1, 1], [2, 3]],
    ["Other", [0, 1, 2]],
    [6, 9],
    [[0, 1, 2, 3, 4, 5], 2],
]
