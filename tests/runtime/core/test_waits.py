"""Waits for a time and for events from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from wfc.runtime import (
    Delay,
    Event,
    Outside,
    Receives,
    StartEvent,
    StepFailedError,
    StopEvent,
    UnhandledEvent,
    Until,
    Workflow,
    pause,
)
from wfc.runtime.testing import VirtualTimeLoop

Play = Callable[..., Any]


HOUR = 3600.0


class Asked(StartEvent):
    text: str = "sure?"
    seconds: float = 0.0


class Later(Workflow):
    @pause
    def wait(self, event: Asked) -> Delay | Until:
        if event.text == "until":
            return Until(asyncio.get_running_loop().today() + timedelta(seconds=event.seconds))  # type: ignore[attr-defined]
        return Delay(event.seconds)

    @wait.then
    def after_wait(self, event: Asked, result: None) -> StopEvent:
        return StopEvent(result=result)


@pytest.mark.parametrize("seconds", [0.0, 90.0, 14 * 24 * HOUR, -5.0])
@pytest.mark.parametrize("text", ["for", "until"])
def test_a_wait_ends_when_its_time_has_come(virtually: Play, text: str, seconds: float) -> None:
    async def main() -> Any:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        start = loop.today()
        assert await Later(timeout=None).run(text=text, seconds=seconds) is None
        return loop.today() - start

    assert virtually(main) == timedelta(seconds=max(0.0, seconds))


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
def test_nobody_waits_for_what_is_no_time(play: Play, seconds: float) -> None:
    with pytest.raises(StepFailedError, match="nobody can wait"):
        play(Later, seconds=seconds)


class Naive(Workflow):
    @pause
    def wait(self, event: Asked) -> Until:
        return Until(datetime(2026, 1, 1))

    @wait.then
    def after_wait(self, event: Asked, result: None) -> StopEvent:
        return StopEvent()


def test_a_moment_has_an_offset(play: Play) -> None:
    with pytest.raises(StepFailedError, match="no offset"):
        play(Naive)


class Paid(Event, closed=True):
    order: str
    amount: int = 0


class Settled(Workflow, receives=(Receives(Paid),)):
    @pause(within=HOUR)
    def payment(self, event: Asked) -> Outside[Paid]:
        return Outside(Paid)

    @payment.that
    def is_payment(self, event: Asked, result: Paid) -> bool:
        return result.order == event.text

    @payment.then
    def after_payment(self, event: Asked, result: Paid) -> StopEvent:
        return StopEvent(result=result.amount)


def test_an_event_from_outside_is_kept_from_the_start_and_the_oldest_that_fits_is_taken(
    virtually: Play,
) -> None:
    async def main() -> Any:
        handler = Settled(timeout=None).run(text="b")
        for order, amount in (("a", 1), ("b", 2), ("b", 3)):
            await handler.send_event(Paid(order=order, amount=amount))  # before the run has begun
        return await handler, [event async for event in handler.stream_events()]

    result, streamed = virtually(main)
    assert result == 2
    left = [event.event_type for event in streamed if isinstance(event, UnhandledEvent)]
    assert left == ["Paid", "Paid"]  # nobody took these


def test_an_event_that_comes_later_ends_the_wait(virtually: Play) -> None:
    async def main() -> Any:
        handler = Settled(timeout=None).run(text="b")
        await asyncio.sleep(60)
        await handler.send_event(Paid(order="a"))
        await asyncio.sleep(60)
        assert len(handler._run.execution.inbox) == 1
        await handler.send_event(Paid(order="b", amount=7))
        return await handler

    assert virtually(main) == 7


def test_a_condition_without_a_value_fails_the_run(virtually: Play) -> None:
    class Odd(Settled):
        @pause
        def payment(self, event: Asked) -> Outside[Paid]:
            return Outside(Paid)

        @payment.that
        def is_payment(self, event: Asked, result: Paid) -> bool:
            return 1 // result.amount > 0

        @payment.then
        def after_payment(self, event: Asked, result: Paid) -> StopEvent:
            return StopEvent()

    async def main() -> Any:
        handler = Odd().run()
        await handler.send_event(Paid(order="a"))
        with pytest.raises(StepFailedError, match="ZeroDivisionError") as failure:
            await handler
        return failure.value.name

    assert virtually(main) == "expression"
