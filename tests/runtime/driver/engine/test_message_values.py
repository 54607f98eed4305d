"""What messages hold crosses as what it is, from run to run and from thread to thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

from order_flows import Orders, Paid
from pydantic import Field

from wfc.runtime import (
    Engine,
    Event,
    EventData,
    Moment,
    Receives,
    Record,
    StartEvent,
    StopEvent,
    Workflow,
    run_key,
    step,
)

Virtually = Callable[[Callable[[], Any]], Any]


class Line(Record):
    item: str


class Order2(StartEvent, closed=True):
    order_id: str


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
    assert ready.wait(240)

    async def here() -> None:
        await engine.deliver(Paid(order_id="A", amount=Decimal(5)), workflow="orders")

    asyncio.run(here())
    thread.join(240)
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
        for event in (TimedPaid(class_=there), EventData("TimedPaid", {"class": there.isoformat()})):
            handler = Moments(engine=engine).run(class_=here)
            assert await engine.deliver(event, workflow="moments")
            await handler
        assert await engine.deliver(
            EventData("TimedPaid", {"class": here}), workflow="moments", if_absent="start"
        )
        (run,) = engine.runs_of("moments", str(there))
        await run.future

    virtually(main)
