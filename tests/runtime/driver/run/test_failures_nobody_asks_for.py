"""Failures of runs that nobody awaits: told, but never while garbage is being collected."""

from __future__ import annotations

import ast
import asyncio
import gc
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from wfc.runtime import StartEvent, StopEvent, Workflow, WorkflowError, step


class Ends(Workflow):
    @step
    async def only(self, event: StartEvent) -> StopEvent:
        if event.get("fails"):
            raise ValueError("no")
        await asyncio.sleep(100)
        return StopEvent()


async def failed() -> None:
    async for _ in Ends().run(fails=True).stream_events():
        pass


async def failed_and_awaited() -> None:
    with pytest.raises(ValueError, match="no"):
        await Ends().run(fails=True)


async def cancelled() -> None:
    handler = Ends().run()
    await asyncio.sleep(0)
    await handler.cancel_run()


async def timed_out() -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(Ends().run(fails=False), 0)
    with pytest.raises(WorkflowError):
        await Ends(timeout=0.001).run()


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (failed, 300),
        pytest.param(failed_and_awaited, 0, marks=pytest.mark.full),
        pytest.param(cancelled, 0, marks=pytest.mark.full),
        pytest.param(timed_out, 0, marks=pytest.mark.full),
    ],
)
def test_nothing_is_told_while_garbage_is_collected(run: Any, expected: int) -> None:
    # the loop's exception handler formats tracebacks; within `ast.parse` that breaks Python 3.11
    told: list[bool] = []
    collecting = False

    async def main() -> None:
        nonlocal collecting
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(collecting))
        gc.collect()
        gc.disable()
        try:
            for _ in range(300):
                await run()
            await asyncio.sleep(0.01)
        finally:
            gc.enable()
        collecting = True
        gc.collect()
        collecting = False
        await asyncio.sleep(0.01)

    asyncio.run(main())
    assert told == [False] * expected


SOURCE = "\n".join(f"a{number} = (b + c[{number}]) * d(e, f={number})" for number in range(2000))


def test_a_parse_is_not_broken_by_failures_that_are_collected_meanwhile() -> None:
    # on Python 3.11 this was `SystemError: AST constructor recursion depth mismatch`, as pytest met it
    async def main() -> None:
        for _ in range(300):
            Ends().run(fails=True)
            for _ in range(3):
                await asyncio.sleep(0)

    thresholds = gc.get_threshold()
    gc.collect()
    gc.disable()
    try:
        asyncio.run(main())
        gc.set_threshold(50, 1, 1)
        gc.enable()
        ast.parse(SOURCE)
    finally:
        gc.set_threshold(*thresholds)
        gc.enable()


class Strict(BaseModel):
    number: int


class Validates(Workflow):
    @step
    async def only(self, event: StartEvent) -> StopEvent:
        return StopEvent(result=Strict(number=event.get("number")))


def test_what_pydantic_does_not_accept_is_raised_as_itself() -> None:
    with pytest.raises(ValidationError) as caught:
        asyncio.run(started(Validates(), number="x"))
    assert any("step `only` failed on StartEvent" in note for note in caught.value.__notes__)


async def started(workflow: Workflow, **inputs: Any) -> Any:
    return await workflow.run(**inputs)
