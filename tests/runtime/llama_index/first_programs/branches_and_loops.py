"""Branches by the class of what a step returns, and loops that go back to an earlier step until it is good."""

import asyncio
import itertools

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent


class Short(Event):
    text: str


class Long(Event):
    text: str


class Draft(Event):
    text: str
    tries: int


class Refused(Event):
    text: str
    why: str
    tries: int


class Writing(Workflow):
    """Takes one of two ways, and goes round until the text is long enough or it has tried too often."""

    def __init__(self, more: str, **options: object) -> None:
        super().__init__(**options)
        self.more = itertools.cycle(more)

    @step
    async def sort(self, ev: StartEvent) -> Short | Long:
        return Short(text=ev.text) if len(ev.text) < 5 else Long(text=ev.text)

    @step
    async def stretch(self, ev: Short) -> Draft:
        return Draft(text=ev.text * 2, tries=0)

    @step
    async def keep(self, ev: Long) -> Draft:
        return Draft(text=ev.text, tries=0)

    @step
    async def review(self, ctx: Context, ev: Draft) -> Refused | StopEvent:
        await ctx.store.set("reviews", await ctx.store.get("reviews", default=0) + 1)
        if ev.tries == 4:
            return StopEvent(result=f"given up after {ev.tries}: {ev.text}")
        if len(ev.text) < 12:
            return Refused(text=ev.text, why="too short", tries=ev.tries)
        return StopEvent(result=f"{ev.text} after {ev.tries}")

    @step
    async def mend(self, ev: Refused) -> Draft:
        return Draft(text=ev.text + next(self.more), tries=ev.tries + 1)


class Counting(Workflow):
    """A step that takes what starts the run and what it sends back to itself."""

    @step
    async def count(self, ev: StartEvent | Draft) -> Draft | StopEvent:
        tries = 0 if isinstance(ev, StartEvent) else ev.tries
        return StopEvent(result=tries) if tries == 100 else Draft(text="", tries=tries + 1)


async def main() -> None:
    for text in ("sea", "mountains", "a whole sentence"):
        handler = Writing("xyz", timeout=10).run(text=text)
        print(await handler, "| reviews:", await handler.ctx.store.get("reviews"))
    print(await Counting(timeout=10).run())


if __name__ == "__main__":
    asyncio.run(main())
