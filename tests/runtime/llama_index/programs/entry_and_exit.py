"""Start and end events with fields of their own; what a handler says of a run."""

from workflows import Context, Workflow, step
from workflows.errors import ContextStateError, WorkflowRuntimeError
from workflows.events import StartEvent, StopEvent


class Order(StartEvent):
    article: str
    count: int = 1


class Receipt(StopEvent):
    text: str
    total: int


class Counter(StopEvent):
    def _get_result(self):
        return "never shown, as the event itself is the result"


class Shop(Workflow):
    @step
    async def sell(self, ctx: Context, ev: Order) -> Receipt:
        return Receipt(text=f"{ev.count} {ev.article}", total=ev.count * 3)


class Plain(Workflow):
    @step
    async def work(self, ctx: Context, ev: StartEvent) -> StopEvent:
        inside = Context.get_step_context()
        return StopEvent(
            result=[ev.topic, ev.get("mood", "calm"), sorted(ev.keys()), type(inside).__name__ != ""]
        )


async def main() -> object:
    shop = Shop()
    by_fields = await shop.run(article="pens", count=4)
    by_event = await shop.run(start_event=Order(article="ink"))
    try:
        await shop.run(count=4)
        wrong = False
    except WorkflowRuntimeError:
        wrong = True
    handler = shop.run(article="pens", run_id="order-7")
    before = [handler.is_done(), handler.run_id, handler.ctx.is_running]
    result = await handler
    after = [handler.is_done(), handler.ctx.is_running, handler.get_stop_event() is result]
    ctx = Context(shop)
    try:
        ctx.send_event(Order(article="x"))
        early = False
    except ContextStateError:
        early = True
    names = [shop.start_event_class.__name__, shop.stop_event_class.__name__]
    named = Shop(workflow_name="the-shop").workflow_name
    stop = await Plain().run(topic="x").stop_event_result()
    return [
        [by_fields.text, by_fields.total, by_event.text],
        wrong,
        before,
        after,
        early,
        names,
        named,
        await Plain().run(topic="rain", mood="bright"),
        [type(stop).__name__, stop.result[0]],
    ]


EXPECTED = [
    ["4 pens", 12, "1 ink"],
    True,
    [False, "order-7", True],
    [True, False, True],
    True,
    ["Order", "Receipt"],
    "the-shop",
    ["rain", "bright", ["mood", "topic"], True],
    ["StopEvent", "x"],
]
