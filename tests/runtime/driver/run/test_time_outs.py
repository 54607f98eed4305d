"""What takes too long: attempts, and whole runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    RetryPolicy,
    StartEvent,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowTimedOutEvent,
    WorkflowTimeoutError,
    step,
)

Play = Callable[..., Any]


Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Item2(Event):
    pass


class Slow(Workflow):
    @step(timeout=2)
    async def work(self, ev: StartEvent) -> StopEvent:
        await asyncio.sleep(ev.seconds)
        return StopEvent(result="done")


def test_a_time_out_is_an_error_like_others(play: Play) -> None:
    assert play(Slow, seconds=1) == "done"
    with pytest.raises(StepFailedError, match=r"it took longer than 2 s \(timeout\)"):
        play(Slow, seconds=3)


def test_a_time_out_may_be_tried_again_and_does_not_count_the_time_in_the_queue(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item(value=value) for value in range(5)]

        @step(num_workers=1, timeout=2, retry_policy=RetryPolicy(retry_on=("timeout",)))
        async def work(self, ctx: Context, ev: Item) -> Item2:
            await asyncio.sleep(3 if ev.value == 2 and ctx.attempt == 1 else 1.5)
            return Item2()

        @step
        async def end(self, events: list[Item2]) -> StopEvent:
            return StopEvent(result=len(events))

    assert play(Flow) == 5


def test_a_time_out_of_the_step_itself_is_not_taken_for_the_runtimes(play: Play) -> None:
    class Flow(Workflow):
        @step(timeout=9)
        async def work(self, ev: StartEvent) -> StopEvent:
            try:
                async with asyncio.timeout(1):
                    await asyncio.sleep(5)
            except TimeoutError:
                return StopEvent(result="its own")
            return StopEvent()

    assert play(Flow) == "its own"


def test_a_time_out_frees_the_caller_of_blocking_code() -> None:
    begun, release, over = threading.Event(), threading.Event(), threading.Event()

    class Flow(Workflow):
        @step(timeout=0.1)
        def work(self, ev: StartEvent) -> StopEvent:
            begun.set()
            release.wait(60)
            over.set()
            return StopEvent()

    async def main() -> Any:
        with pytest.raises(StepFailedError, match="timeout"):
            await Flow().run()

    asyncio.run(main())
    assert not over.is_set()
    release.set()
    assert over.wait(240) or not begun.is_set()  # on a busy machine its time may be up before it has a thread


def test_a_run_has_a_deadline(virtually: Virtually) -> None:
    class Flow(Workflow):
        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            await asyncio.sleep(100)
            return StopEvent(result="done")

    async def main() -> Any:
        handler = Flow(timeout=10).run()
        with pytest.raises(WorkflowTimeoutError, match="longer than 10 s; at work: `work`"):
            await handler
        last = [event async for event in handler.stream_events()][-1]
        assert isinstance(last, WorkflowTimedOutEvent)
        assert (last.timeout, last.active_steps) == (10, ["work"])
        return await Flow(timeout=None).run()

    assert virtually(main) == "done"
    assert Flow().timeout == 45


def test_a_generated_workflow_has_its_own_deadline_or_none() -> None:
    class Bounded(Workflow, name="bounded", deadline=7.0):
        pass

    class Free(Workflow, name="free"):
        pass

    assert (Bounded().timeout, Free().timeout, Free(timeout=3).timeout) == (7.0, None, 3)
