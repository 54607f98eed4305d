"""Runs that are cancelled, or end with what carries them."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    StartEvent,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowCancelledEvent,
    WorkflowRuntimeError,
    step,
)

Play = Callable[..., Any]


Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Slow(Workflow):
    @step(timeout=2)
    async def work(self, ev: StartEvent) -> StopEvent:
        await asyncio.sleep(ev.seconds)
        return StopEvent(result="done")


class Waiting(Workflow):
    def __init__(self) -> None:
        super().__init__()
        self.cleaned = 0

    @step
    async def work(self, ev: StartEvent) -> StopEvent:
        try:
            await asyncio.sleep(1000)
        finally:
            await asyncio.sleep(1)
            self.cleaned += 1
        return StopEvent()


def test_a_run_may_be_cancelled(virtually: Virtually) -> None:
    async def main() -> None:
        waiting = Waiting()
        handler = waiting.run()
        await asyncio.sleep(1)
        assert not handler.is_done()
        await handler.cancel_run()
        assert (handler.is_done(), waiting.cleaned) == (True, 1)
        with pytest.raises(WorkflowCancelledByUser):
            await handler
        assert isinstance([event async for event in handler.stream_events()][-1], WorkflowCancelledEvent)
        await handler.cancel_run()
        with pytest.raises(WorkflowRuntimeError, match="has ended"):
            await handler.send_event(Item())

    virtually(main)


def test_cancelling_the_one_who_waits_does_not_cancel_the_run(virtually: Virtually) -> None:
    async def main() -> Any:
        handler = Slow(timeout=None).run(seconds=1.5)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await handler
        return await handler

    assert virtually(main) == "done"


def test_the_first_end_ends_the_run_and_cancels_the_rest(virtually: Virtually) -> None:
    told = []

    class Race(Workflow):
        @step
        async def fast(self, ev: StartEvent) -> StopEvent:
            await asyncio.sleep(1)
            return StopEvent(result="fast")

        @step
        async def slow(self, ev: StartEvent) -> StopEvent:
            try:
                await asyncio.sleep(2)
            except asyncio.CancelledError:
                told.append("cancelled")
                raise
            return StopEvent(result="slow")

        @step
        async def stubborn(self, ev: StartEvent) -> StopEvent:
            try:
                await asyncio.sleep(2)
            except asyncio.CancelledError:
                told.append("went on")
            return StopEvent(result="stubborn")

    async def main() -> Any:
        result = await Race().run()
        await asyncio.sleep(5)
        return result

    assert virtually(main) == "fast"
    assert sorted(told) == ["cancelled", "went on"]


def test_something_cancelled_inside_a_step_is_its_failure(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            waiting = asyncio.get_running_loop().create_future()
            waiting.cancel()
            await waiting
            return StopEvent()

    with pytest.raises(StepFailedError, match=r"was cancelled \(cancelled\)"):
        play(Flow)


def test_the_end_of_the_event_loop_ends_its_runs() -> None:
    handlers = []

    async def main() -> None:
        handlers.append(Waiting().run())
        await asyncio.sleep(0.01)

    asyncio.run(main())
    assert handlers[0].is_done()


def test_what_a_cancelled_step_says_after_the_end_is_not_shown(virtually: Virtually) -> None:
    class Race(Workflow):
        @step
        async def fast(self, ev: StartEvent) -> StopEvent:
            await asyncio.sleep(1)
            return StopEvent(result="fast")

        @step
        async def slow(self, ctx: Context, ev: StartEvent) -> Item | None:
            try:
                await asyncio.sleep(2)
            finally:
                ctx.write_event_to_stream(Item())
                ctx.send_event(Item())
            return None

        @step
        async def item(self, ev: Item) -> None: ...

    async def main() -> list[str]:
        handler = Race().run()
        await handler
        await asyncio.sleep(1)
        return [type(event).__name__ async for event in handler.stream_events()]

    assert virtually(main) == ["StopEvent"]


def test_what_ends_the_process_ends_the_run_too(caplog: pytest.LogCaptureFixture) -> None:
    handlers = []

    class Flow(Workflow):
        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            raise SystemExit(3)

    async def main() -> None:
        handlers.append(Flow().run())
        await asyncio.sleep(1)

    with pytest.raises(SystemExit):
        asyncio.run(main())
    assert handlers[0].is_done()
    assert handlers[0]._run.future.exception() is not None
    handlers.clear()
    gc.collect()
    assert not caplog.records  # asyncio complains in the log of exceptions that nobody has looked at
