"""What is kept of runs: states that are edited while others read, snapshots of cancelled runs, stores of their own."""

import asyncio
import threading
import warnings

from pydantic import BaseModel, ValidationError
from workflows import Context, Workflow, step
from workflows.context import JsonSerializer
from workflows.context.state_store import DictState, InMemoryStateStore
from workflows.errors import WorkflowRuntimeError
from workflows.events import Event, InputRequiredEvent, StartEvent, StopEvent


class Answer(Event):
    """Is awaited, and in no signature."""

    text: str


class Needed(BaseModel):
    name: str


class Strict(BaseModel):
    number: int


class Edits(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        lock = threading.Lock()  # is nothing that could be copied
        await ctx.store.set("handles", {"lock": lock, "names": ["a"]})
        before = await ctx.store.get("handles.names")
        async with ctx.store.edit_state() as state:
            state["handles"]["names"].append("b")
            unseen = await ctx.store.get("handles.names")
        same = (await ctx.store.get("handles.lock")) is lock
        await ctx.store.set("order", {"items": [{"name": "pen"}]})
        order = await ctx.store.get("order")
        await ctx.store.set("order.items.0.name", "ink")
        await ctx.store.set("order.paid.by", "ann")
        return StopEvent(result=[before, unseen, same, order, await ctx.store.get("order")])


class Waits(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        await ctx.store.set("asked", "yes")
        answer = await ctx.wait_for_event(Answer, waiter_event=InputRequiredEvent(), waiter_id="a")
        return StopEvent(result=[answer.text, await ctx.store.get("asked")])


class Fails(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        return StopEvent(result=Strict(number="none").number)


class Typed(Workflow):
    @step
    async def only(self, ctx: Context[Needed], ev: StartEvent) -> StopEvent:
        return StopEvent()


async def after_a_cancel():
    handler = Waits().run()
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            break
    await handler.cancel_run()
    ctx = Context(Waits(), previous_context=handler.ctx.to_dict(), serializer=JsonSerializer())
    told = [ctx.is_running]
    again = Waits().run(ctx=ctx)
    await asyncio.sleep(0.1)
    again.ctx.send_event(Answer(text="late"))
    return [*told, await again]


async def kinds():
    told = []
    try:
        await Fails().run()
    except ValidationError as error:
        told.append(error.title)
    try:
        Typed().run(start_event=Answer(text="no start"))
    except ValueError:
        told.append("no start event")
    try:
        await InMemoryStateStore(Needed(name="a")).clear()
    except ValueError:
        told.append("no defaults")
    handler = Edits().run()
    handler.ctx.store  # noqa: B018 - may be read at any time
    await handler
    await handler.ctx.store.set("handle", threading.Lock())
    try:
        handler.ctx.to_dict()
    except ValueError as error:
        told.append("handle" in str(error))
    return told


async def stores():
    serializer = JsonSerializer(allowed_types=[Needed])
    store = InMemoryStateStore(DictState(count=1, one=Needed(name="a")))
    data = store.to_dict(serializer)
    again = InMemoryStateStore.from_dict(data, serializer)
    typed = InMemoryStateStore.from_dict(InMemoryStateStore(Needed(name="b")).to_dict(serializer), serializer)
    return [
        data["store_type"],
        await again.get("count"),
        await again.get("one.name"),
        await typed.get("name"),
    ]


async def results():
    warnings.simplefilter("ignore", DeprecationWarning)
    handler = Waits(serializer=JsonSerializer()).run()
    told = []
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            try:
                handler.ctx.get_result()
            except WorkflowRuntimeError:
                told.append("not yet")
            handler.ctx.send_event(Answer(text="now"))
    await handler
    event = JsonSerializer().deserialize(JsonSerializer().serialize(Answer(text="kept")))
    return [*told, handler.ctx.get_result(), type(event).__name__, event.text]


async def main():
    return {
        "edits": await Edits().run(),
        "after a cancel": await after_a_cancel(),
        "kinds": await kinds(),
        "stores": await stores(),
        "results": await results(),
    }


EXPECTED = {
    "edits": [
        ["a"],
        ["a"],
        True,
        {"items": [{"name": "pen"}]},
        {"items": [{"name": "ink"}], "paid": {"by": "ann"}},
    ],
    "after a cancel": [True, ["late", "yes"]],
    "kinds": ["Strict", "no start event", "no defaults", True],
    "stores": ["in_memory", 1, "a", "b"],
    "results": ["not yet", ["now", "yes"], "Answer", "kept"],
}
