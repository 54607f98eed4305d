"""Steps that do something for each of their items: runs of their own, with retries, time-outs and notes each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from wfc.runtime import (
    SKIP,
    Context,
    Delay,
    Event,
    Item,
    Items,
    Question,
    RetryPolicy,
    RunState,
    Skip,
    StartEvent,
    StepError,
    StepFailedError,
    StepStateChanged,
    StopEvent,
    Workflow,
    WorkflowValidationError,
    pause,
    step,
    transform,
)
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.advance import advance
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Completed, ItemCompleted, Paused, Started
from wfc.runtime.testing import run_virtually

Play = Callable[..., Any]


class Began(StartEvent):
    seconds: list[float]
    most: int | None = None


class Seen(RunState):
    given: int = 0
    order: tuple[float, ...] = ()


class Mapped(Workflow):
    @pause
    def work(self, event: Began) -> Items[float]:
        return Items(event.seconds, most=event.most)

    @work.item(num_workers=2)
    async def work_item(self, ctx: Context[Seen], event: Began, item: Item[float]) -> float:
        await asyncio.sleep(item)
        return item * 10

    @work.give
    def work_gives(self, state: Seen, event: Began, item: Item[float], result: float) -> float | Skip:
        state.given += 1
        state.order = (*state.order, item)
        return SKIP if item == 7 else result + event.seconds[0]

    @work.then
    def after_work(self, state: Seen, event: Began, result: list[float]) -> StopEvent:
        return StopEvent(result=(result, state.given, state.order))

    @work.on_error
    def work_failed(self, event: Began, error: StepError) -> StopEvent:
        return StopEvent(result=error.name)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([], ([], 0, ())),
        ([1.0], ([11.0], 1, (1.0,))),
        ([3.0, 1.0, 2.0], ([33.0, 13.0, 23.0], 3, (1.0, 3.0, 2.0))),  # results in the items' order
        ([1.0, 7.0, 2.0], ([11.0, 21.0], 3, (1.0, 2.0, 7.0))),  # an item that is not kept
    ],
)
def test_results_come_in_the_order_of_the_items(play: Play, seconds: list[float], expected: Any) -> None:
    assert play(Mapped, seconds=seconds) == expected


def test_no_more_are_at_work_at_once_than_may(virtually: Play) -> None:
    async def main() -> Any:
        await Mapped(timeout=None).run(seconds=[1.0] * 10)
        return asyncio.get_running_loop().time()

    assert virtually(main) == 5.0


def test_too_many_items_fail_the_action(play: Play) -> None:
    assert play(Mapped, seconds=[1.0, 2.0], most=1) == "items"


def failing(on_error: str, **options: Any) -> type[Workflow]:
    """Items that fail after so many seconds if these are odd."""

    class Failing(Workflow):
        @pause
        def work(self, event: Began) -> Items[float]:
            return Items(event.seconds)

        @work.item(on_error=on_error, num_workers=8, **options)  # type: ignore[arg-type]
        async def work_item(self, ctx: Context[Seen], event: Began, item: Item[float]) -> float:
            await asyncio.sleep(item)
            if item % 2:
                raise StepError("odd.number", f"{item} is odd")
            if ctx.attempt == 1 and item == 4:
                raise ValueError
            return item

        @work.then
        def after_work(self, event: Began, result: list[float | None]) -> StopEvent:
            return StopEvent(result=result)

        @work.on_error
        def work_failed(self, event: Began, error: StepError) -> StopEvent:
            return StopEvent(result=(error.name, asyncio.get_running_loop().time()))

    return Failing


@pytest.mark.parametrize(
    ("on_error", "options", "expected"),
    [
        ("fail", {}, ("odd.number", 1.0)),  # the others are cancelled: nobody waits for them
        ("skip", {}, [2.0]),
        ("null", {}, [2.0, None, None, None]),
        ("null", {"retry_policy": RetryPolicy(delay=1, never_on=["odd"])}, [2.0, None, 4.0, None]),
        ("null", {"timeout": 1.5}, [None, None, None, None]),
        ("skip", {"timeout": 2.5}, [2.0]),
    ],
)
def test_an_item_that_fails_for_good(play: Play, on_error: str, options: Any, expected: Any) -> None:
    assert play(failing(on_error, **options), seconds=[2.0, 1.0, 4.0, 9.0]) == expected


def trying(num_workers: int, on_error: str = "skip") -> type[Workflow]:
    """Items that take a second for each attempt, and fail as often as they say, each time for another second."""

    class Trying(Workflow):
        began: ClassVar[list[tuple[float, float, int]]] = []

        @pause
        def work(self, event: Began) -> Items[float]:
            return Items(event.seconds)

        @work.item(
            num_workers=num_workers,
            on_error=on_error,  # type: ignore[arg-type]
            retry_policy=RetryPolicy(max_attempts=3, delay=5, backoff=1),
        )
        async def work_item(self, ctx: Context, event: Began, item: Item[float]) -> float:
            self.began.append((asyncio.get_running_loop().time(), item, ctx.attempt))
            await asyncio.sleep(1)
            if ctx.attempt <= item:
                raise StepError("busy", "not yet")
            return item

        @work.then
        def after_work(self, event: Began, result: list[float]) -> StopEvent:
            return StopEvent(result=result)

        @work.on_error
        def work_failed(self, event: Began, error: StepError) -> StopEvent:
            return StopEvent(result=error.name)

    return Trying


@pytest.mark.parametrize(
    ("num_workers", "seconds", "began", "expected"),
    [
        # one after the other: the next one waits for all attempts of the one before it
        (1, [1, 0], [(0, 1, 1), (6, 1, 2), (7, 0, 1)], [1, 0]),
        (1, [2, 1], [(0, 2, 1), (6, 2, 2), (12, 2, 3), (13, 1, 1), (19, 1, 2)], [2, 1]),
        (1, [3, 0], [(0, 3, 1), (6, 3, 2), (12, 3, 3), (13, 0, 1)], [0]),  # the first one for nothing
        # two at once: the third one begins when one of them is done, not when one waits
        (2, [1, 1, 0], [(0, 1, 1), (0, 1, 1), (6, 1, 2), (6, 1, 2), (7, 0, 1)], [1, 1, 0]),
        (2, [1, 0, 0], [(0, 1, 1), (0, 0, 1), (1, 0, 1), (6, 1, 2)], [1, 0, 0]),
        (3, [1, 1, 0], [(0, 1, 1), (0, 1, 1), (0, 0, 1), (6, 1, 2), (6, 1, 2)], [1, 1, 0]),
    ],
)
def test_an_item_keeps_its_place_between_its_attempts(
    play: Play, num_workers: int, seconds: list[float], began: Any, expected: Any
) -> None:
    workflow = trying(num_workers)
    assert play(workflow, seconds=seconds) == expected
    assert workflow.began == began  # type: ignore[attr-defined]


@pytest.mark.parametrize("seconds", [[9, 9, 9, 9], [9, 0, 9, 0]])
def test_a_place_that_is_kept_is_given_back_when_the_map_has_failed(
    virtually: Play, seconds: list[float]
) -> None:
    workflow = trying(2, "fail")

    async def main() -> Any:
        handler = workflow(timeout=None).run(seconds=seconds)
        await asyncio.sleep(3)
        assert handler._run.execution.busy[-1] == 2
        return await handler, handler._run.execution.busy[-1]

    assert virtually(main) == ("busy", 0)


def test_a_place_that_is_kept_is_given_back_when_its_item_is_cancelled(virtually: Play) -> None:
    workflow = trying(1)

    async def main() -> Any:
        handler = workflow(timeout=None).run(seconds=[1, 0])
        await asyncio.sleep(3)
        (waiting,) = [one for one in handler._run.execution.timers.values() if isinstance(one, StepRun)]
        assert handler._run.cancel_step(waiting.number) == 1
        return await handler, asyncio.get_running_loop().time()

    assert virtually(main) == ([0], 4.0)


def test_what_a_failed_map_has_begun_is_cancelled(virtually: Play) -> None:
    undone: list[float] = []

    class After(Event):
        pass

    class Careful(Workflow):
        @pause
        def work(self, event: Began) -> Items[float]:
            return Items(event.seconds)

        @work.item(num_workers=2)
        async def work_item(self, event: Began, item: Item[float]) -> float:
            try:
                await asyncio.sleep(item)
            except asyncio.CancelledError:
                undone.append(item)
                raise
            raise StepError("late", "it took so long")

        @work.then
        def after_work(self, event: Began, result: list[float]) -> StopEvent:
            return StopEvent()

        @work.on_error
        def work_failed(self, event: Began, error: StepError) -> After:
            return After()

        @step
        async def after(self, event: After) -> StopEvent:
            await asyncio.sleep(100)
            return StopEvent(result=asyncio.get_running_loop().time())

    async def main() -> Any:
        handler = Careful(timeout=None).run(seconds=[5.0, 50.0, 500.0])
        result = await handler
        return result, handler._run.execution.busy[-1]

    assert virtually(main) == (105.0, 0)
    assert undone == [50.0]  # and the third never began


def test_a_tail_of_an_item_that_fails_is_no_item_s_failure(play: Play) -> None:
    class Broken(Mapped):
        @pause
        def work(self, event: Began) -> Items[float]:
            return Items(event.seconds)

        @work.item(on_error="skip", retry_policy=RetryPolicy())
        async def work_item(self, event: Began, item: Item[float]) -> float:
            return item

        @work.give
        def work_gives(self, event: Began, item: Item[float], result: float) -> float:
            return 1 / result

        @work.then
        def after_work(self, event: Began, result: list[float]) -> StopEvent:
            return StopEvent(result=result)

    with pytest.raises(StepFailedError, match="ZeroDivisionError") as failure:
        play(Broken, seconds=[1.0, 0.0])
    assert failure.value.name == "expression"


def test_each_item_is_noted_and_has_a_key_of_its_own(watch: Play) -> None:
    keys: list[str] = []

    class Keyed(Workflow):
        @pause(name="work")
        def work_(self, event: Began) -> Items[float]:
            return Items(event.seconds)

        @work_.item(retry_policy=RetryPolicy(delay=0))
        async def work_item(self, ctx: Context, event: Began, item: Item[float]) -> float:
            keys.append(ctx.idempotency_key.partition("/")[2])
            if ctx.attempt == 1:
                raise ValueError
            return item

        @work_.idempotency_key
        def work_key(self, event: Began, item: Item[float]) -> str:
            return f"x/{item}"

        @work_.then
        def after_work(self, event: Began, result: list[float]) -> StopEvent:
            return StopEvent()

    events = watch(Keyed, seconds=[1.0, 2.0])
    assert sorted(keys) == ["1.0", "1.0", "2.0", "2.0"]
    noted = [
        (event.worker_id, event.step_state.value, event.attempt)
        for event in events
        if isinstance(event, StepStateChanged) and event.name == "work" and event.worker_id != "1"
    ]
    assert noted.count(("2", "running", 1)) == noted.count(("2", "running", 2)) == 1
    assert noted.count(("3", "not_running", 2)) == 1


def test_items_may_pause_themselves(virtually: Play) -> None:
    class Asking(Workflow):
        @pause
        def ask(self, event: Began) -> Items[float]:
            return Items(event.seconds)

        @ask.item(num_workers=1)
        def ask_item(self, event: Began, item: Item[float]) -> Delay | Question[None]:
            return Delay(item) if item else Question(None, title="one")

        @ask.then
        def after_ask(self, event: Began, result: list[None]) -> StopEvent:
            return StopEvent(result=result)

    async def main() -> Any:
        handler = Asking(timeout=None).run(seconds=[5.0, 0.0, 3.0])
        await asyncio.sleep(4)
        (question,) = handler.questions()
        await handler.answer(question.id)
        return await handler, asyncio.get_running_loop().time()

    assert virtually(main) == ([None, None, None], 5.0)


def test_a_map_within_a_batch_belongs_to_its_item(play: Play) -> None:
    class One(Event):
        number: int

    class Done(Event):
        numbers: list[int]

    class Nested(Workflow):
        @transform
        def begin(self, event: Began) -> list[One]:
            return [One(number=int(number)) for number in event.seconds]

        @pause
        def work(self, event: One) -> Items[int]:
            return Items(range(event.number))

        @work.item(num_workers=2)
        async def work_item(self, event: One, item: Item[int]) -> int:
            await asyncio.sleep(item)
            return item + event.number

        @work.then
        def after_work(self, event: One, result: list[int]) -> Done:
            return Done(numbers=result)

        @transform
        def end(self, events: list[Done]) -> StopEvent:
            return StopEvent(result=[one.numbers for one in events])

    assert play(Nested, seconds=[2, 0, 3]) == [[2, 3], [], [3, 4, 5]]


def test_the_bound_of_a_map_cancels_its_items(virtually: Play) -> None:
    class Bounded(Workflow):
        @pause(within=3)
        def work(self, event: Began) -> Items[float]:
            return Items(event.seconds)

        @work.item()
        async def work_item(self, event: Began, item: Item[float]) -> float:
            await asyncio.sleep(item)
            return item

        @work.then
        def after_work(self, event: Began, result: list[float]) -> StopEvent:
            return StopEvent(result=result)

        @work.on_expired
        def work_expired(self, event: Began) -> StopEvent:
            return StopEvent(result="too slow")

    async def main() -> Any:
        return await Bounded().run(seconds=[1.0, 8.0]), asyncio.get_running_loop().time()

    assert virtually(main) == ("too slow", 3.0)


def test_blocking_items_run_in_threads() -> None:
    class Blocking(Workflow):
        @pause
        def work(self, event: Began) -> Items[float]:
            return Items(event.seconds)

        @work.item()
        def work_item(self, event: Began, item: Item[float]) -> float:
            return item + 1

        @work.then
        def after_work(self, event: Began, result: list[float]) -> StopEvent:
            return StopEvent(result=result)

    async def main() -> Any:
        return await Blocking().run(seconds=[1.0, 2.0])

    assert run_virtually(main) == [2.0, 3.0]


def test_each_item_costs_the_same_however_many_there_are(calls_counted: Callable[[], Any]) -> None:
    """Counted in the calls that are made, so that no clock is needed."""

    def calls(count: int) -> int:
        execution = Execution(definition_of(Mapped).plan, "r", definition_of(Mapped).plan.new_state())
        advance(execution, Started(Began(seconds=[0.0] * count), {}))
        advance(execution, Paused(1, Items([0.0] * count), None, None))  # type: ignore[arg-type]
        with calls_counted() as made:
            for number in range(2, 202):
                advance(execution, ItemCompleted(number, 1.0))
        assert execution.paused[1].items is not None
        assert len(execution.paused[1].items.live) == count - 200
        for number in range(202, count + 2):
            advance(execution, ItemCompleted(number, 1.0))
        assert len(execution.starting[-1].result) == count
        advance(execution, Completed(1, StopEvent()))
        assert isinstance(execution.outcome, StopEvent)
        return made[0]

    assert calls(1_000) == calls(10_000)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"num_workers": 0}, "num_workers"), ({"timeout": 0}, "timeout"), ({"on_error": "ignore"}, "on_error")],
)
def test_options_out_of_range_are_told_of(options: Any, said: str) -> None:
    with pytest.raises(WorkflowValidationError, match=said):
        Mapped.work.item(**options)


def test_a_map_has_an_action_for_its_items_and_that_takes_them() -> None:
    class Without(Workflow):
        @pause
        def work(self, event: Began) -> Items[float]:
            return Items([])

        @work.then
        def after_work(self, event: Began, result: list[float]) -> StopEvent:
            return StopEvent()

    with pytest.raises(WorkflowValidationError, match="has an action for each"):
        Without()

    class Blind(Workflow):
        @pause
        def work(self, event: Began) -> Items[float]:
            return Items([])

        @work.item()
        async def work_item(self, event: Began) -> float:
            return 1.0

        @work.then
        def after_work(self, event: Began, result: list[float]) -> StopEvent:
            return StopEvent()

    with pytest.raises(WorkflowValidationError, match="takes no item"):
        Blind()
