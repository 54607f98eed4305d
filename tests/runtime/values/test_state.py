"""The state of a run, typed and free."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from wfc.runtime import (
    Context,
    ContextStateError,
    Event,
    StartEvent,
    StopEvent,
    Workflow,
    step,
)
from wfc.runtime.errors import InvalidValueError
from wfc.runtime.events import DictState
from wfc.runtime.values import state_edits

Play = Callable[..., Any]


Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Done(Event):
    value: int = 0


class Inner(BaseModel):
    names: list[str] = ["a"]


class State(BaseModel):
    count: int = 0
    inner: Inner = Inner()
    free: dict[str, Any] = {}


class Typed(Workflow):
    @step
    async def work(self, ctx: Context[State], ev: StartEvent) -> StopEvent:
        return StopEvent(result=await ev.act(ctx.store))


async def nested(store: Any) -> Any:
    await store.set("inner.names.0", "b")
    await store.set("free.deep.er", 1)
    return await store.get("inner.names"), await store.get("free"), await store.get("free.none", default=3)


async def edited(store: Any) -> Any:
    async with store.edit_state() as state:
        state.count += 1
        state.inner.names.append("c")
    with pytest.raises(ZeroDivisionError):
        await failed_edit(store)
    return await store.get("count"), await store.get("inner.names")


async def failed_edit(store: Any) -> None:
    async with store.edit_state() as state:
        state.count = 7
        state.inner.names.append("never")
        assert await store.get("count") == 1
        raise ZeroDivisionError


async def replaced(store: Any) -> Any:
    copy = await store.get_state()
    copy.count = 5
    assert await store.get("count") == 0
    await store.set_state(copy)
    assert await store.get("count") == 5
    with pytest.raises(ValueError, match="must be of type State"):
        await store.set_state(Inner())
    await store.clear()
    return await store.get("count")


async def missing(store: Any) -> Any:
    with pytest.raises(ValueError, match=r"nothing at `inner\.none`"):
        await store.get("inner.none")
    with pytest.raises(ValueError, match="empty"):
        await store.set("", 1)
    return "told"


@pytest.mark.parametrize(
    ("act", "result"),
    [
        (nested, (["b"], {"deep": {"er": 1}}, 3)),
        (edited, (1, ["a", "c"])),
        (replaced, 0),
        (missing, "told"),
    ],
)
def test_the_store(play: Play, act: Any, result: Any) -> None:
    assert play(Typed, act=act) == result


def test_edits_of_the_state_exclude_each_other(play: Play) -> None:
    class Count(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item() for _ in range(20)]

        @step(num_workers=20)
        async def work(self, ctx: Context[State], ev: Item) -> Done:
            async with ctx.store.edit_state() as state:
                count = state.count
                await asyncio.sleep(0.1)
                state.count = count + 1
            return Done()

        @step
        async def end(self, ctx: Context[State], events: list[Done]) -> StopEvent:
            return StopEvent(result=await ctx.store.get("count"))

    assert play(Count) == 20


def test_a_state_that_nobody_declares_takes_everything(play: Play) -> None:
    class Free(Workflow):
        @step
        async def work(self, ctx: Context, ev: StartEvent) -> StopEvent:
            await ctx.store.set("anything", 1)
            await ctx.store.set("deep.est", 2)
            return StopEvent(result=(await ctx.store.get("anything"), await ctx.store.get("deep")))

    assert play(Free) == (1, {"est": 2})


def test_a_context_goes_on_from_run_to_run(virtually: Virtually) -> None:
    class Count(Workflow):
        @step
        async def work(self, ctx: Context[State], ev: StartEvent) -> StopEvent:
            await ctx.store.set("count", await ctx.store.get("count") + 1)
            return StopEvent(result=await ctx.store.get("count"))

    async def main() -> Any:
        workflow = Count()
        context: Context[State] = Context(workflow)
        await context.store.set("count", 10)
        assert not context.is_running
        for what in (lambda: context.send_event(Item()), lambda: context.run_id):
            with pytest.raises(ContextStateError, match="has not started"):
                what()
        first = workflow.run(ctx=context)
        assert (first.ctx, context.is_running) == (context, True)
        with pytest.raises(ContextStateError, match="is not over"):
            workflow.run(ctx=context)
        with pytest.raises(ContextStateError, match="inside a step"):
            context.retry_info()
        return await first, await workflow.run(ctx=context), await context.store.get("count")

    assert virtually(main) == (11, 12, 12)


@pytest.mark.parametrize("is_declared", [False, True])
def test_who_edits_a_state_without_fields_may_add_some_unless_all_are_declared(is_declared: bool) -> None:
    def edit() -> dict[str, Any]:
        return state_edits.edited(DictState(a=1), {"b": 2}, is_declared=is_declared)

    if is_declared:
        with pytest.raises(InvalidValueError, match="no field `b`: the workflow declares none"):
            edit()
    else:
        assert edit() == {"b": 2}
