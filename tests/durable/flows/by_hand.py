"""A workflow that a person wrote, whose bodies touch the run in between, and which is cut off anywhere."""

from __future__ import annotations

import asyncio
from typing import Any

from effects import note

from wfc.runtime import Context, Event, StartEvent, StopEvent, Workflow, step


class Go(StartEvent):
    n: int


class Piece(Event):
    n: int


class Done(StopEvent):
    n: int
    words: list[str]
    pieces: list[int]
    part: int


class Waited(Event):
    n: int


class Reply(Event):
    n: int


class PartGo(StartEvent):
    n: int


class PartDone(StopEvent):
    n: int


class Part(Workflow):
    @step
    async def work(self, ctx: Context[Any], event: PartGo) -> PartDone:
        note("begin", ctx.run_id, "part", event.n)
        await asyncio.sleep(0.01)
        note("end", ctx.run_id, "part", event.n)
        return PartDone(n=event.n + 1)


class ByHand(Workflow):
    """Saves, sends, waits for what it has sent, starts a run, and collects."""

    @step
    async def begin(self, ctx: Context[Any], event: Go) -> Piece | None:
        note("begin", ctx.run_id, "begin", event.n)
        async with ctx.store.edit_state() as state:
            state["words"] = [*state.get("words", []), "begun"]
        await asyncio.sleep(0.003)
        for number in range(5):
            ctx.send_event(Piece(n=number))
            await asyncio.sleep(0.002)
        await ctx.store.set("count", await ctx.store.get("count", 0) + 1)
        await asyncio.sleep(0.003)
        note("end", ctx.run_id, "begin", event.n)
        return None

    @step(num_workers=1)
    async def gather(self, ctx: Context[Any], event: Piece) -> Waited | None:
        note("begin", ctx.run_id, "gather", event.n)
        await asyncio.sleep(0.002)
        found = ctx.collect_events(event, [Piece] * 5)
        note("end", ctx.run_id, "gather", event.n)
        if found is None:
            return None
        async with ctx.store.edit_state() as state:
            state["pieces"] = sorted(one.n for one in found)
        return Waited(n=len(found))

    @step
    async def listen(self, ctx: Context[Any], event: Waited, part: Part) -> Done:
        note("begin", ctx.run_id, "listen", event.n)
        ctx.send_event(Reply(n=event.n * 10))
        reply = await ctx.wait_for_event(Reply, waiter_id="reply", timeout=None)
        await asyncio.sleep(0.003)
        async with ctx.store.edit_state() as state:
            state["words"] = [*state["words"], f"heard {reply.n}"]
        await asyncio.sleep(0.003)
        ended: PartDone = await part.run(n=reply.n)
        await asyncio.sleep(0.003)
        state = await ctx.store.get_state()
        note("end", ctx.run_id, "listen", event.n)
        assert state["count"] == 1
        return Done(n=event.n, words=state["words"], pieces=state["pieces"], part=ended.n)
