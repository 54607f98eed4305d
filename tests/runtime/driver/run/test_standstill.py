"""The wait of a worker until something is recorded, as asyncio's tasks see it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar

import pytest

from wfc.runtime.driver.run.standstill import Standstill

_WHO: ContextVar[str] = ContextVar("_WHO", default="nobody")


def _at_once(standstill: Standstill) -> None:
    assert standstill.wake is not None and standstill.context is not None
    standstill.context.run(standstill.wake, standstill)


@pytest.mark.parametrize("go_on", [_at_once, Standstill.go_on_soon])
def test_a_task_goes_on_in_its_own_context_as_often_as_it_is_told(
    go_on: Callable[[Standstill], None],
) -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        standstill, seen = Standstill(loop), []
        assert asyncio.isfuture(standstill)

        async def work() -> None:
            _WHO.set("worker")
            for _ in range(3):
                await standstill
                assert asyncio.current_task() is task
                seen.append(_WHO.get())

        task = asyncio.create_task(work())
        for _ in range(3):
            await asyncio.sleep(0)
            loop.call_soon(go_on, standstill)
            await asyncio.sleep(0)
        await asyncio.wait_for(task, 60)
        return seen

    assert asyncio.run(main()) == ["worker"] * 3


@pytest.mark.parametrize("is_told_before", [False, True])
def test_a_task_that_is_cancelled_meanwhile_is_cancelled_once(is_told_before: bool) -> None:
    async def main() -> None:
        standstill, caught = Standstill(asyncio.get_running_loop()), []

        async def work() -> None:
            try:
                await standstill
            except asyncio.CancelledError as error:
                caught.append(error.args)
                asyncio.get_running_loop().call_soon(standstill.go_on_soon)
                await standstill
                caught.append("went on")
                raise

        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        if is_told_before:
            standstill.go_on_soon()
        assert task.cancel("enough")
        standstill.go_on_soon()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert caught == [("enough",), "went on"]

    asyncio.run(main())
