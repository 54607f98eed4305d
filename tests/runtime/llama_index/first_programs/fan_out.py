"""Work side by side: sent one by one and collected, or as a list; a bound on how much at once; progress."""

import asyncio

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent


class Page(Event):
    number: int


class Read(Event):
    number: int
    words: int


class Progress(Event):
    text: str


class Sources(Event):
    pass


class FromWeb(Event):
    found: str


class FromShelf(Event):
    found: str


class Reading(Workflow):
    """Sends an event for each page, and collects as many results."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.now = self.most = 0

    @step
    async def split(self, ctx: Context, ev: StartEvent) -> Page | None:
        await ctx.store.set("pages", ev.pages)
        for number in range(ev.pages):
            ctx.send_event(Page(number=number))

    @step(num_workers=3)
    async def read(self, ctx: Context, ev: Page) -> Read:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        ctx.write_event_to_stream(Progress(text=f"page {ev.number}"))
        return Read(number=ev.number, words=ev.number * 10)

    @step
    async def add_up(self, ctx: Context, ev: Read) -> StopEvent | None:
        read = ctx.collect_events(ev, [Read] * await ctx.store.get("pages"))
        if read is None:
            return None
        return StopEvent(
            result={"pages": sorted(one.number for one in read), "words": sum(one.words for one in read)}
        )


class AsList(Workflow):
    """The same by a list: a join of its own, which waits for all of them."""

    @step
    async def split(self, ev: StartEvent) -> list[Page]:
        return [Page(number=number) for number in range(ev.pages)]

    @step(num_workers=8)
    async def read(self, ev: Page) -> Read | None:
        await asyncio.sleep(0)
        return Read(number=ev.number, words=1) if ev.number % 3 else None

    @step
    async def add_up(self, evs: list[Read]) -> StopEvent:
        return StopEvent(result=sorted(ev.number for ev in evs))


class BothKinds(Workflow):
    """Waits for one event of each kind."""

    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> Sources | FromWeb | None:
        ctx.send_event(Sources())
        return FromWeb(found="a page")

    @step
    async def shelf(self, ev: Sources) -> FromShelf:
        return FromShelf(found="a book")

    @step
    async def join(self, ctx: Context, ev: FromWeb | FromShelf) -> StopEvent | None:
        found = ctx.collect_events(ev, [FromWeb, FromShelf])
        return None if found is None else StopEvent(result=[one.found for one in found])


async def main() -> None:
    workflow = Reading(timeout=10)
    handler = workflow.run(pages=9)
    told = [ev.text async for ev in handler.stream_events() if isinstance(ev, Progress)]
    print(await handler, "| told of", sorted(told)[:2], len(told), "| at most", workflow.most)
    print(await AsList(timeout=10).run(pages=10))
    print(await BothKinds(timeout=10).run())


if __name__ == "__main__":
    asyncio.run(main())
