"""Events that bodies send, collect and wait for, and those from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StepFailedError,
    StopEvent,
    StuckError,
    UndeclaredResultError,
    Workflow,
    WorkflowStepDoesNotExistError,
    step,
)

Play = Callable[..., Any]


Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Done(Event):
    value: int = 0


class Named(Workflow):
    @step
    async def start(self, ctx: Context, ev: StartEvent) -> Item | Done | None:
        ctx.send_event(ev.sent, step=ev.to)
        return None

    @step
    async def left(self, ev: Item) -> StopEvent:
        return StopEvent(result="left")

    @step
    async def right(self, ev: Item | Done) -> StopEvent:
        return StopEvent(result="right")


@pytest.mark.parametrize(
    ("sent", "to", "result"),
    [
        (Item(), "left", "left"),
        (Item(), "right", "right"),
        (Done(), None, "right"),
        (StopEvent(result="at once"), None, "at once"),
        (Item(), "nobody", WorkflowStepDoesNotExistError),
        (Done(), "left", UndeclaredResultError),
        (3, None, UndeclaredResultError),
    ],
)
def test_events_may_be_sent_to_all_or_to_one(play: Play, sent: Any, to: str | None, result: Any) -> None:
    if isinstance(result, str):
        assert play(Named, sent=sent, to=to) == result
    else:
        with pytest.raises(StepFailedError) as caught:
            play(Named, sent=sent, to=to)
        assert isinstance(caught.value.__cause__, result)


def test_an_event_that_nothing_waits_for_is_named_by_a_run_that_can_no_longer_move(play: Play) -> None:
    with pytest.raises(StuckError, match="HumanResponseEvent was sent, and nothing waits for it"):
        play(Named, sent=HumanResponseEvent(), to=None)


class Human(Workflow):
    @step
    async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
        if ev.style == "twice":
            first = await self.answer(ctx, 1)
            return StopEvent(result=(first.text, (await self.answer(ctx, 2)).text))
        answer = await ctx.wait_for_event(
            HumanResponseEvent, InputRequiredEvent(prefix="?"), requirements={"user": "ann"}, timeout=10
        )
        return StopEvent(result=answer.text)

    async def answer(self, ctx: Context, number: int) -> HumanResponseEvent:
        return await ctx.wait_for_event(
            HumanResponseEvent, InputRequiredEvent(prefix="?"), "the question", {"number": number}
        )


def test_a_body_may_wait_for_an_event(virtually: Virtually) -> None:
    async def main() -> Any:
        handler = Human().run(style="once")
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent):
                await handler.send_event(HumanResponseEvent(user="bob", text="not he"))
                await handler.send_event(HumanResponseEvent(user="ann", text="yes"))
        return await handler

    assert virtually(main) == "yes"


def test_a_question_with_an_id_is_asked_once(virtually: Virtually) -> None:
    async def main() -> Any:
        handler = Human().run(style="twice")
        asked = 0
        await asyncio.sleep(1)
        await handler.send_event(HumanResponseEvent(number=1, text="a"))
        await asyncio.sleep(1)
        await handler.send_event(HumanResponseEvent(number=2, text="b"))
        async for event in handler.stream_events():
            asked += isinstance(event, InputRequiredEvent)
        return await handler, asked

    assert virtually(main) == (("a", "b"), 1)


def test_a_wait_may_be_in_vain(play: Play) -> None:
    with pytest.raises(StepFailedError, match="timeout"):
        play(Human, style="once")


def test_events_sent_before_the_run_has_begun_are_kept(virtually: Virtually) -> None:
    class Keep(Workflow):
        @step
        async def both(self, ctx: Context, ev: StartEvent | HumanResponseEvent) -> StopEvent | None:
            seen = ctx.collect_events(ev, [StartEvent, HumanResponseEvent])
            return None if seen is None else StopEvent(result=len(seen))

    async def main() -> Any:
        handler = Keep().run()
        await handler.send_event(HumanResponseEvent())
        return await handler

    assert virtually(main) == 2


def test_collected_events_come_in_the_order_that_was_asked_for(play: Play) -> None:
    class Collect(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> Item | Done | None:
            for event in ev.sent:
                ctx.send_event(event)
            return None

        @step(num_workers=1)
        async def gather(self, ctx: Context, ev: Item | Done) -> StopEvent | None:
            assert ctx.collect_events(ev, []) == []
            seen = ctx.collect_events(ev, [Done, Item, Item], buffer_id=str(ev.value % 10))
            return (
                None if seen is None else StopEvent(result=[(type(one).__name__, one.value) for one in seen])
            )

    sent = [Item(value=1), Done(value=2), Item(value=11), Item(value=21), Item(value=2), Done(value=1)]
    assert play(Collect, sent=sent) == [("Done", 1), ("Item", 1), ("Item", 11)]


def test_what_is_expected_may_change(play: Play) -> None:
    class Collect(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> Item | Done | None:
            for event in (Item(), Item(), Done(), Item(), Done()):
                ctx.send_event(event)
            return None

        @step(num_workers=1)
        async def gather(self, ctx: Context, ev: Item | Done) -> StopEvent | None:
            self.calls += 1
            expected = [Item, Item, Item, Done] if self.calls < 4 else [Item, Done, Done, Done]
            seen = ctx.collect_events(ev, expected if self.calls < 5 else [Item, Done, Done])
            return None if seen is None else StopEvent(result=[type(one).__name__ for one in seen])

        calls = 0

    assert play(Collect) == ["Item", "Done", "Done"]
