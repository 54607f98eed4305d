"""Messages between runs: by id, by key, by topic; each taken once, and read by the receiver's own class."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from pydantic import Field

from wfc.runtime import (
    Context,
    Engine,
    Event,
    InvalidMessageError,
    Keep,
    Message,
    Moment,
    Outside,
    Receives,
    Record,
    RetryPolicy,
    RunEndedError,
    RunState,
    RunUnknownError,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
    pause,
    run_key,
    step,
)

Virtually = Callable[[Callable[[], Any]], Any]


class Line(Record):
    item: str


class Opened(StartEvent, closed=True):
    order_id: str
    wanted: int = 1


class Paid(Event, closed=True):
    order_id: str
    amount: Decimal = Decimal(0)


class Note(Event, closed=True):
    text: str


class Got(RunState):
    amounts: list[str] = []  # noqa: RUF012


class Orders(
    Workflow,
    name="orders",
    deadline=None,
    when_running="parallel",
    receives=(Receives(Paid, key="order_id"), Receives(Note, topic="news")),
):
    """Ends when it has been paid as often as wanted; gives the amounts."""

    @run_key
    def key(self, inputs: Opened) -> str:
        return inputs.order_id

    @step
    async def begin(self, ev: Opened) -> None:
        return None

    @step
    async def paid(self, ctx: Context[Got], ev: Paid) -> StopEvent | None:
        return await self.count(ctx, str(ev.amount))

    @step
    async def noted(self, ctx: Context[Got], ev: Note) -> StopEvent | None:
        return await self.count(ctx, ev.text)

    async def count(self, ctx: Context[Got], what: str) -> StopEvent | None:
        async with ctx.store.edit_state() as state:
            state.amounts = [*state.amounts, what]
        return StopEvent(result=state.amounts) if len(state.amounts) >= inputs_of(ctx).wanted else None


def inputs_of(ctx: Context[Any]) -> Any:
    return ctx._started("inputs").execution.inputs


def sent(kind: type[Event] | str, **fields: Any) -> Event | Message:
    return Message(kind, fields) if isinstance(kind, str) else kind(**fields)


# the same event, as another program's class would have it
OtherPaid = type("Paid", (Event,), {"__annotations__": {"order_id": str, "amount": str}})
TooMuch = type("Paid", (Event,), {"__annotations__": {"order_id": str, "amount": str, "more": str}})


@pytest.mark.parametrize(
    ("event", "address"),
    [
        (Paid(order_id="A", amount=Decimal(5)), {"workflow": "orders", "key": "A"}),
        (Paid(order_id="A", amount=Decimal(5)), {"workflow": "orders"}),
        (Paid(order_id="A", amount=Decimal(5)), {"run_id": "one"}),
        (Paid(order_id="elsewhere", amount=Decimal(5)), {"run_id": "one"}),
        (OtherPaid(order_id="A", amount="5"), {"workflow": "orders"}),
        (Message("Paid", {"order_id": "A", "amount": "5"}), {"workflow": "orders"}),
        (Message("Paid", {"order_id": "A", "amount": "5"}), {"run_id": "one"}),
    ],
)
@pytest.mark.parametrize("began", [True, False])
def test_an_event_reaches_the_run_it_is_addressed_to(
    virtually: Virtually, event: Any, address: dict[str, Any], began: bool
) -> None:
    async def main() -> Any:
        engine = Engine()
        flow = Orders(engine=engine)
        handler = flow.run(order_id="A", run_id="one")
        other = flow.run(order_id="B", run_id="two")
        if began:
            await asyncio.sleep(0.1)
        assert await engine.deliver(event, **address)
        assert await handler == ["5"]
        assert not other.is_done()
        await other.cancel_run()

    virtually(main)


@pytest.mark.parametrize(
    ("event", "address", "error", "said"),
    [
        (Paid(order_id="A"), {"run_id": "x"}, RunUnknownError, "no run `x`"),
        (Paid(order_id="A"), {"run_id": "over"}, RunEndedError, "`over` has ended"),
        (Paid(order_id="C"), {"workflow": "orders"}, RunUnknownError, "key 'C'"),
        (Paid(order_id="Z"), {"workflow": "orders"}, RunEndedError, "key 'Z' has ended"),
        (Paid(order_id="A"), {"workflow": "others"}, RunUnknownError, "no workflow `others`"),
        (Paid(order_id="A"), {"workflow": "others", "key": "A"}, RunUnknownError, "run of `others`"),
        (Note(text="x"), {"workflow": "orders"}, InvalidMessageError, "which field of Note has the key"),
        (Message("Lost", {}), {"run_id": "one"}, InvalidMessageError, "takes no Lost"),
        (Message("Opened", {"order_id": "A"}), {"run_id": "one"}, InvalidMessageError, "takes no Opened"),
        (Message("StopEvent", {}), {"run_id": "one"}, InvalidMessageError, "takes no StopEvent"),
        (StopEvent(), {"run_id": "one"}, InvalidMessageError, "takes no StopEvent"),
        (
            Message("Paid", {"order_id": "A", "amount": "x"}),
            {"run_id": "one"},
            InvalidMessageError,
            "`amount`",
        ),
        (
            Message("Paid", {"order_id": "A", "amount": 5.5, "x": 1}),
            {"run_id": "one"},
            InvalidMessageError,
            "`x`",
        ),
        (TooMuch(order_id="A", amount="1", more="x"), {"run_id": "one"}, InvalidMessageError, "`more`"),
        (Message("Paid", {"order_id": object()}), {"run_id": "one"}, InvalidMessageError, "as JSON"),
        (Message("Paid", {}), {"workflow": "orders"}, InvalidMessageError, "`order_id`: field required"),
        (Paid(order_id="A"), {}, WorkflowConfigurationError, "run_id"),
        (Paid(order_id="A"), {"run_id": "one", "workflow": "orders"}, WorkflowConfigurationError, "run_id"),
    ],
)
def test_what_does_not_reach_anybody_is_an_error(
    virtually: Virtually, event: Any, address: dict[str, Any], error: type[Exception], said: str
) -> None:
    async def main() -> None:
        engine = Engine()
        flow = Orders(engine=engine)
        over = flow.run(order_id="Z", run_id="over")
        await engine.deliver(Paid(order_id="Z"), run_id="over")
        await over
        handler = flow.run(order_id="A", run_id="one")
        with pytest.raises(error, match=said):
            await engine.deliver(event, **address)
        assert not handler.is_done()
        await handler.cancel_run()

    virtually(main)


def test_one_id_is_taken_once_by_each_run(virtually: Virtually) -> None:
    async def main() -> None:
        engine = Engine()
        flow = Orders(engine=engine)
        handlers = [flow.run(order_id="A", wanted=2) for _ in range(2)]
        paid = [Paid(order_id="A", amount=Decimal(n)) for n in range(3)]
        assert await engine.deliver(paid[0], workflow="orders", message_id="m")
        assert not await engine.deliver(paid[1], workflow="orders", message_id="m")
        await asyncio.sleep(1)
        assert not await engine.deliver(paid[1], run_id=handlers[0].run_id, message_id="m")
        assert not any(handler.is_done() for handler in handlers)
        assert await engine.deliver(paid[2], workflow="orders", message_id="n")
        assert [await handler for handler in handlers] == [["0", "2"]] * 2

    virtually(main)


def test_what_a_run_refused_may_come_again(virtually: Virtually) -> None:
    async def main() -> None:
        engine = Engine()
        handler = Orders(engine=engine).run(order_id="A")
        with pytest.raises(InvalidMessageError):
            await engine.deliver(Message("Paid", {}), run_id=handler.run_id, message_id="m")
        assert await engine.deliver(Paid(order_id="A"), run_id=handler.run_id, message_id="m")
        await handler

    virtually(main)


@pytest.mark.parametrize(
    ("after", "result"), [(0, ["5"]), (9, ["5"]), (11, None)], ids=["at once", "in time", "too late"]
)
def test_an_event_may_wait_for_a_run_to_start(virtually: Virtually, after: float, result: Any) -> None:
    async def main() -> None:
        engine = Engine()
        paid = Paid(order_id="A", amount=Decimal(5))
        for _ in range(2):
            await engine.deliver(paid, workflow="orders", key="A", if_absent=Keep(10), message_id="m")
        await asyncio.sleep(after)
        handler = Orders(engine=engine).run(order_id="A")
        await asyncio.sleep(1)
        assert handler.is_done() is (result is not None)
        if result is None:
            await handler.cancel_run()
        else:
            assert await handler == result
        assert not engine.mailbox._kept
        assert not engine.mailbox._count

    virtually(main)


def test_how_many_events_wait_for_runs_is_bounded(virtually: Virtually, monkeypatch: Any) -> None:
    monkeypatch.setattr("wfc.runtime.engine.messages.KEPT", 3)

    async def main() -> None:
        engine = Engine()

        async def keep(key: str) -> None:
            await engine.deliver(Paid(order_id=key), workflow="orders", key=key, if_absent=Keep(10))

        for key in "ABC":
            await keep(key)
        with pytest.raises(WorkflowRuntimeError, match="already wait"):
            await keep("D")
        await asyncio.sleep(11)
        await keep("D")

    virtually(main)


def test_a_kept_event_that_does_not_fit_is_told_of(virtually: Virtually) -> None:
    async def main() -> list[Any]:
        told: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: told.append(context["exception"])
        )
        engine = Engine()
        bad = Message("Paid", {"order_id": "A", "amount": "?"})
        await engine.deliver(bad, workflow="orders", key="A", if_absent=Keep(10))
        handler = Orders(engine=engine).run(order_id="A")
        await handler.cancel_run()
        return told

    (error,) = virtually(main)
    assert isinstance(error, InvalidMessageError)


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
            await engine.deliver(Message("Paid", {}), workflow="collector", key="B", if_absent="start")
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
        ("any", Message("Paid", {"order_id": "B", "amount": "1"}), ["B"]),
        ("news", Message("Lost", {}), []),
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
        assert await engine.deliver(Message("Paid", {"order_id": "A", "amount": "3"}), run_id=handler.run_id)
        assert await handler == "3"

    virtually(main)


class When(Event, closed=True):
    order_id: str
    at: Moment
    lines: list[Line]


def test_records_and_moments_cross_as_what_they_are(virtually: Virtually) -> None:
    class Dated(Workflow, name="dated", deadline=None, receives=(Receives(When),)):
        @step
        async def begin(self, ev: Order2) -> None:
            return None

        @step
        async def end(self, ev: When) -> StopEvent:
            return StopEvent(result=ev)

    class OtherLine(Record):
        item: str

    other = type(
        "When", (Event,), {"__annotations__": {"order_id": str, "at": datetime, "lines": list[OtherLine]}}
    )
    at = datetime.fromisoformat("2026-01-31T10:00:00+01:00")

    async def main() -> Any:
        engine = Engine()
        handler = Dated(engine=engine).run(order_id="A")
        await engine.deliver(other(order_id="A", at=at, lines=[OtherLine(item="x")]), run_id=handler.run_id)
        return await handler

    assert virtually(main) == When(order_id="A", at=at, lines=[Line(item="x")])


def test_a_message_crosses_from_thread_to_thread() -> None:
    engine = Engine()
    ready = threading.Event()
    results: list[Any] = []

    def there() -> None:
        async def main() -> None:
            handler = Orders(engine=engine).run(order_id="A", run_id="there")
            ready.set()
            results.append(await handler)

        asyncio.run(main())

    thread = threading.Thread(target=there)
    thread.start()
    assert ready.wait(10)

    async def here() -> None:
        await engine.deliver(Paid(order_id="A", amount=Decimal(5)), workflow="orders")

    asyncio.run(here())
    thread.join(10)
    assert results == [["5"]]


class Timed(StartEvent, closed=True):
    class_: Moment = Field(alias="class")


class TimedPaid(Event, closed=True):
    class_: Moment = Field(alias="class")


def test_a_key_may_be_a_moment_in_a_field_that_goes_by_another_name(virtually: Virtually) -> None:
    class Moments(Workflow, name="moments", deadline=None, receives=(Receives(TimedPaid, key="class_"),)):
        @run_key
        def key(self, inputs: Timed) -> str:
            return str(inputs.class_)

        @step
        async def begin(self, ev: Timed) -> None:
            return None

        @step
        async def end(self, ev: TimedPaid) -> StopEvent:
            return StopEvent()

    here, there = (
        datetime.fromisoformat(f"2026-01-31T{text}") for text in ("10:00:00+01:00", "09:00:00+00:00")
    )

    async def main() -> None:
        engine = Engine()
        engine.add(Moments)
        for event in (TimedPaid(class_=there), Message("TimedPaid", {"class": there.isoformat()})):
            handler = Moments(engine=engine).run(class_=here)
            assert await engine.deliver(event, workflow="moments")
            await handler
        assert await engine.deliver(
            Message("TimedPaid", {"class": here}), workflow="moments", if_absent="start"
        )
        (run,) = engine.runs_of("moments", str(there))
        await run.future

    virtually(main)


class Waits(Workflow, name="waits", deadline=None, receives=(Receives(Paid, key="order_id"),)):
    """Pauses for the first payment of more than ten."""

    @run_key
    def key(self, inputs: Opened) -> str:
        return inputs.order_id

    @pause(within=100.0)
    def wait(self, event: Opened) -> Outside[Paid]:
        return Outside(Paid)

    @wait.that
    def is_enough(self, result: Paid) -> bool:
        return result.amount > 10

    @wait.then
    def after_wait(self, result: Paid) -> StopEvent:
        return StopEvent(result=str(result.amount))

    @wait.on_expired
    def nobody(self) -> StopEvent:
        return StopEvent(result="nobody")


@pytest.mark.parametrize("before", [0, 1, 50], ids=["before it begins", "as it begins", "while it waits"])
@pytest.mark.parametrize("amounts", [[11], [1, 20], [20, 30], [1]])
def test_a_run_that_has_paused_gets_what_it_waits_for(
    virtually: Virtually, before: float, amounts: list[int]
) -> None:
    async def main() -> Any:
        engine = Engine()
        handler = Waits(engine=engine).run(order_id="A")
        if before:
            await asyncio.sleep(before - 1)
        for number, amount in enumerate(amounts):
            event = Paid(order_id="A", amount=Decimal(amount))
            if not handler.is_done():
                await engine.deliver(event, workflow="waits", message_id=f"{number}")
                assert not await engine.deliver(event, run_id=handler.run_id, message_id=f"{number}")
        return await handler

    enough = [str(amount) for amount in amounts if amount > 10]
    assert virtually(main) == (enough or ["nobody"])[0]


class Queued(
    Waits, name="queued", deadline=None, when_running="queue", receives=(Receives(Paid, key="order_id"),)
):
    """The same, one after the other."""


def test_of_runs_that_queue_the_first_gets_what_comes_for_their_key(virtually: Virtually) -> None:
    async def main() -> list[Any]:
        engine = Engine()
        handlers = [Queued(engine=engine).run(order_id="A") for _ in range(2)]
        await engine.deliver(Paid(order_id="A", amount=Decimal(20)), workflow="queued")
        return [await handler for handler in handlers]

    assert virtually(main) == ["20", "nobody"]
