"""What tails save: it comes with the tick of the step run, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    UNHANDLED,
    Event,
    Item,
    Items,
    RunState,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    Unhandled,
    Workflow,
    pause,
    run_error,
    step,
    transform,
)

Play = Callable[..., Any]


class Begun(StartEvent):
    pass


class Left(Event):
    pass


class Right(Event):
    pass


class Sum(RunState):
    count: int = 0
    words: list[str] = []  # noqa: RUF012 - pydantic copies it


def test_tails_of_steps_that_take_one_event_lose_nothing_that_another_has_saved(play: Play) -> None:
    class Both(Workflow):
        @step
        async def left(self, event: Begun) -> Left:
            return Left()

        @left.then
        def after_left(self, state: Sum, event: Begun, result: Left) -> Left:
            state.count += 1
            return result

        @transform
        def right(self, state: Sum, event: Begun) -> Right:
            state.count += 1
            return Right()

        @transform
        def end(self, state: Sum, left: Left, right: Right) -> StopEvent:
            return StopEvent(result=state.count)

    assert play(Both) == 2


def test_a_tail_that_fails_saves_nothing(virtually: Play) -> None:
    class Failing(Workflow):
        @step
        async def work(self, event: Begun) -> int:
            return 0

        @work.then
        def after_work(self, state: Sum, event: Begun, result: int) -> Left:
            state.count, state.words = 7, ["half"]
            raise StepError("odd", "not so")

        @transform
        def end(self, state: Sum, event: Left) -> StopEvent:
            return StopEvent(result=state.count)

    async def main() -> Sum:
        handler = Failing().run()
        with pytest.raises(StepFailedError):
            await handler
        return await handler.ctx.store.get_state()  # type: ignore[no-any-return]

    seen = virtually(main)
    assert (seen.count, seen.words) == (0, [])


def test_items_and_an_error_left_to_others_save_too(play: Play) -> None:
    class Counting(Workflow):
        @pause
        def each(self, event: Begun) -> Items[int]:
            return Items([1, 2, 3])

        @each.item()
        async def each_item(self, event: Begun, item: Item[int]) -> int:
            return item

        @each.give
        def given(self, state: Sum, item: Item[int], result: int) -> int:
            state.count += item
            return item

        @each.then
        def after_each(self, event: Begun, result: list[int]) -> Left:
            return Left()

        @step
        async def fail(self, event: Left) -> Right:
            raise StepError("odd", "no")

        @fail.on_error
        def failed(self, state: Sum, error: StepError) -> Right | Unhandled:
            state.words = [*state.words, error.name]
            return UNHANDLED

        @transform
        def end(self, event: Right) -> StopEvent:
            return StopEvent()

        @run_error
        def over(self, state: Sum, error: StepError) -> StopEvent:
            return StopEvent(result=(state.count, state.words))

    assert play(Counting) == (6, ["odd"])
