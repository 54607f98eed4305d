"""What the steps of a run share: untyped and typed state, edited alone, kept over runs."""

import asyncio

from pydantic import BaseModel, Field
from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent


class Count(Event):
    pass


class Counted(Event):
    pass


class Tally(BaseModel):
    count: int = 0
    names: list[str] = Field(default_factory=list)


class LongTally(Tally):
    note: str = "none"


class Untyped(Workflow):
    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> StopEvent:
        store = ctx.store
        before = await store.get("count", default=0)
        await store.set("count", before + 1)
        await store.set("order.items", [{"name": "pen"}, {"name": "ink"}])
        await store.set("order.items.1.name", "paper")
        try:
            await store.get("nothing.there")
            missing = False
        except ValueError:
            missing = True
        async with store.edit_state() as state:
            state["note"] = "edited"
            state.items_left = 2
        whole = await store.get_state()
        await store.set("keys", "a word of dictionaries")
        return StopEvent(
            result=[
                before,
                await store.get("order.items.1.name"),
                missing,
                await store.get("nothing.there", default="else"),
                whole.get("note"),
                whole["items_left"],
                await store.get("keys"),
            ]
        )


class Parallel(Workflow):
    @step
    async def begin(self, ctx: Context[Tally], ev: StartEvent) -> Count | None:
        for _ in range(20):
            ctx.send_event(Count())
        return None

    @step(num_workers=8)
    async def add(self, ctx: Context[Tally], ev: Count) -> Counted:
        async with ctx.store.edit_state() as state:
            before = state.count
            await asyncio.sleep(0.001)
            state.count = before + 1
        return Counted()

    @step
    async def finish(self, ctx: Context[Tally], ev: Counted) -> StopEvent | None:
        if ctx.collect_events(ev, [Counted] * 20) is None:
            return None
        return StopEvent(result=(await ctx.store.get_state()).count)


class Inherited(Workflow):
    @step
    async def one(self, ctx: Context[Tally], ev: StartEvent) -> Count:
        await ctx.store.set("count", 5)
        return Count()

    @step
    async def two(self, ctx: Context[LongTally], ev: Count) -> StopEvent:
        await ctx.store.set("note", "kept")
        await ctx.store.set_state(Tally(count=9, names=["Ada"]))
        state = await ctx.store.get_state()
        found = [type(state).__name__, state.count, state.names, state.note]
        await ctx.store.clear()
        cleared = await ctx.store.get_state()
        return StopEvent(result=[found, [cleared.count, cleared.note]])


class Over(Workflow):
    @step
    async def again(self, ctx: Context[Tally], ev: StartEvent) -> StopEvent:
        async with ctx.store.edit_state() as state:
            state.count += 1
            if ev.get("fail"):
                raise ValueError
        return StopEvent(result=await ctx.store.get("count"))


async def over_runs() -> object:
    workflow = Over()
    ctx = Context(workflow)
    await ctx.store.set("count", 10)
    first = await workflow.run(ctx=ctx)
    second = await workflow.run(ctx=ctx)
    failed = workflow.run(ctx=ctx, fail=True)
    try:
        await failed
        raised = False
    except ValueError:
        raised = True
    return [first, second, raised, await ctx.store.get("count"), await Over().run()]


async def main() -> object:
    return [await Untyped().run(), await Parallel().run(), await Inherited().run(), await over_runs()]


EXPECTED = [
    [0, "paper", True, "else", "edited", 2, "a word of dictionaries"],
    20,
    [["LongTally", 9, ["Ada"], "kept"], [0, "none"]],
    [11, 12, True, 12, 1],
]
