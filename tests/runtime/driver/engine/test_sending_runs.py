"""Messages from run to run: topics, and steps that send."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from order_flows import Got, Note, Orders, Paid

from wfc.runtime import (
    Context,
    Engine,
    Event,
    EventData,
    InvalidMessageError,
    Receives,
    RetryPolicy,
    RunUnknownError,
    StartEvent,
    StopEvent,
    Workflow,
    run_key,
    step,
)

Virtually = Callable[[Callable[[], Any]], Any]


class Order2(StartEvent, closed=True):
    order_id: str


class Collector(Workflow, name="collector", deadline=None, receives=(Receives(Paid, key="order_id"),)):
    """Started by the first payment, which it then gets; ends with the second one."""

    @run_key
    def key(self, inputs: Order2) -> str:
        return inputs.order_id

    @step
    async def begin(self, ev: Order2) -> None:
        return None

    @step
    async def paid(self, ctx: Context[Got], ev: Paid) -> StopEvent | None:
        async with ctx.store.edit_state() as state:
            state.amounts = [*state.amounts, str(ev.amount)]
        return StopEvent(result=state.amounts) if len(state.amounts) == 2 else None


def test_an_event_may_start_the_run_that_it_is_for(virtually: Virtually) -> None:
    async def main() -> None:
        engine = Engine()
        engine.add(Collector)
        paid = [Paid(order_id="A", amount=Decimal(n)) for n in (1, 2)]
        first, second = (
            asyncio.create_task(engine.deliver(one, workflow="collector", if_absent="start")) for one in paid
        )
        await asyncio.sleep(0)
        (run,) = engine.runs_of("collector", "A")
        assert await asyncio.gather(first, second) == [True, True]
        assert (await run.future).result == ["1", "2"]
        assert await engine.deliver(paid[0], workflow="collector", if_absent="start")  # the old one is over
        (again,) = engine.runs_of("collector", "A")
        again.cancel()
        with pytest.raises(InvalidMessageError, match="the key 'A', not 'B'"):
            await engine.deliver(paid[0], workflow="collector", key="B", if_absent="start")
        with pytest.raises(InvalidMessageError, match="inputs of `collector`"):
            await engine.deliver(EventData("Paid", {}), workflow="collector", key="B", if_absent="start")
        with pytest.raises(RunUnknownError, match="no workflow"):
            await engine.deliver(paid[0], workflow="orders", key="A", if_absent="start")
        assert not engine._runs

    virtually(main)


@pytest.mark.parametrize(
    ("topic", "event", "reached"),
    [
        ("news", Note(text="hello"), ["A", "B"]),
        ("other", Note(text="hello"), []),
        ("any", Paid(order_id="A"), ["A"]),
        ("any", EventData("Paid", {"order_id": "B", "amount": "1"}), ["B"]),
        ("news", EventData("Lost", {}), []),
    ],
)
def test_a_topic_reaches_the_runs_that_receive_it(
    virtually: Virtually, topic: str, event: Any, reached: list[str]
) -> None:
    async def main() -> None:
        engine = Engine()
        handlers = {key: Orders(engine=engine).run(order_id=key) for key in "AB"}
        elsewhere = Orders(engine=Engine()).run(order_id="A")
        assert await engine.publish(topic, event, message_id="m") == len(reached)
        assert await engine.publish(topic, event, message_id="m") == 0
        await asyncio.sleep(1)
        assert [key for key, handler in handlers.items() if handler.is_done()] == reached
        assert not elsewhere.is_done()
        for handler in (*handlers.values(), elsewhere):
            if not handler.is_done():
                await handler.cancel_run()
        assert not any(engine._receiving.values())

    virtually(main)


class Sending(StartEvent):
    failing: int = 0


def sender(failures: int) -> type[Workflow]:
    """Pays an order, notes it, and fails so many times after that."""

    class Sender(Workflow):
        left = failures

        @step(retry_policy=RetryPolicy(max_attempts=5, delay=1))
        async def send(self, ctx: Context[Any], ev: Sending) -> StopEvent:
            await ctx.send(Paid(order_id="A", amount=Decimal(1)), to="orders")
            await ctx.send(Paid(order_id="A", amount=Decimal(2)), to="orders", key="A")
            await ctx.publish(Note(text="paid"), topic="news")
            if self.left:
                self.left -= 1
                raise ValueError("once more")
            return StopEvent()

    return Sender


@pytest.mark.parametrize("failures", [0, 1, 3])
def test_a_step_that_is_tried_again_sends_nothing_twice(virtually: Virtually, failures: int) -> None:
    async def main() -> None:
        engine = Engine()
        handler = Orders(engine=engine).run(order_id="A", wanted=4)
        await sender(failures)(engine=engine).run()
        await asyncio.sleep(1)
        assert not handler.is_done()
        await engine.deliver(Paid(order_id="A", amount=Decimal(9)), workflow="orders")
        assert await handler == ["1", "2", "paid", "9"]

    virtually(main)


def test_two_workflows_may_message_each_other(virtually: Virtually) -> None:
    class Ping(Event):
        count: int
        back: str

    class Pong(Event):
        count: int
        back: str

    class Serve(StartEvent):
        first: str | None = None

    class Left(Workflow):
        @step
        async def begin(self, ctx: Context[Any], ev: Serve) -> None:
            if ev.first:
                await ctx.send(Ping(count=0, back=ctx.run_id), run_id=ev.first)

        @step
        async def hit(self, ctx: Context[Any], ev: Pong) -> StopEvent | None:
            if ev.count >= 10:
                return StopEvent(result=ev.count)
            await ctx.send(Ping(count=ev.count + 1, back=ctx.run_id), run_id=ev.back)
            return None

    class Right(Workflow):
        @step
        async def begin(self, ev: StartEvent) -> None:
            return None

        @step
        async def hit(self, ctx: Context[Any], ev: Ping) -> StopEvent | None:
            await ctx.send(Pong(count=ev.count + 1, back=ctx.run_id), run_id=ev.back)
            return StopEvent(result=ev.count) if ev.count >= 9 else None

    async def main() -> None:
        engine = Engine()
        right = Right(engine=engine, disable_validation=True).run(run_id="right")
        left = Left(engine=engine, disable_validation=True).run(first="right")
        assert (await left, await right) == (11, 10)

    virtually(main)


def test_a_body_that_waits_takes_messages_too(virtually: Virtually) -> None:
    class Asking(Workflow):
        @step
        async def work(self, ctx: Context[Any], ev: StartEvent) -> StopEvent:
            paid = await ctx.wait_for_event(Paid, timeout=100)
            return StopEvent(result=str(paid.amount))

    async def main() -> None:
        engine = Engine()
        handler = Asking(engine=engine).run()
        await asyncio.sleep(1)
        assert await engine.deliver(
            EventData("Paid", {"order_id": "A", "amount": "3"}), run_id=handler.run_id
        )
        assert await handler == "3"

    virtually(main)
