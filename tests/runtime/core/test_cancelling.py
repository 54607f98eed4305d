"""What is cancelled, with what follows from it: the rest that a join does not wait for, or what somebody names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    AllOf,
    AtLeast,
    Delay,
    Event,
    FirstOf,
    Item,
    Items,
    Question,
    QuestionClosed,
    RetryPolicy,
    StartEvent,
    StepStateChanged,
    StopEvent,
    StuckError,
    Workflow,
    WorkflowStepDoesNotExistError,
    pause,
    step,
    transform,
)
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.advance import advance
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Completed, Started

Play = Callable[..., Any]


class Began(StartEvent):
    way: str = "flight"
    count: int = 1


class Fast(Event):
    number: int = 0


class Slow(Event):
    number: int = 0


class A(Event):
    pass


class B(Event):
    pass


class Won(Event):
    number: int = 0


undone: list[str] = []


async def long(name: str) -> None:
    try:
        await asyncio.sleep(1000)
    except asyncio.CancelledError:
        undone.append(name)
        raise


class Race(Workflow):
    """The first branch wins after a second; the second one is somewhere when that happens."""

    @step
    async def fast(self, event: Began) -> Fast:
        await asyncio.sleep(1)
        return Fast()

    @step
    async def slow(self, event: Began) -> A | B | Slow:
        if event.way == "flight":
            await long("slow")
        return B() if event.way in {"paused", "question"} else A()

    @step(retry_policy=RetryPolicy(delay=1000, max_delay=2000), num_workers=1)
    async def second(self, event: A) -> Slow:
        raise ValueError

    @pause
    def third(self, event: B) -> Question[None] | Delay:
        return Delay(1000)

    @third.then
    def after_third(self, event: B, result: None) -> Slow:
        return Slow()

    @transform(join=FirstOf(None, rest="cancel"))
    def first(self, fast: Fast | None, slow: Slow | None) -> Won:
        return Won()

    @step
    async def end(self, event: Won) -> StopEvent:
        await asyncio.sleep(10)
        return StopEvent(result=asyncio.get_running_loop().time())


@pytest.mark.parametrize(("way", "cancelled"), [("flight", "slow"), ("retry", "second"), ("paused", "third")])
def test_the_rest_of_a_frame_is_cancelled_wherever_it_is(virtually: Play, way: str, cancelled: str) -> None:
    async def main() -> Any:
        undone.clear()
        handler = Race(timeout=None).run(way=way)
        seen = [event async for event in handler.stream_events(expose_internal=True)]
        execution = handler._run.execution
        noted = [
            e.name for e in seen if isinstance(e, StepStateChanged) and e.step_state.value == "cancelled"
        ]
        timers = handler._run.timers
        left = set(timers.running()) if timers is not None else set()
        return await handler, noted, execution.timers, execution.paused, left

    result, noted, timers, paused, handles = virtually(main)
    assert (result, noted) == (11.0, [cancelled])
    assert not timers
    assert not paused
    assert not handles
    assert undone == (["slow"] if way == "flight" else [])


def test_rest_finish_lets_it_finish(virtually: Play) -> None:
    class Patient(Race):
        @transform(join=FirstOf(None))
        def first(self, fast: Fast | None, slow: Slow | None) -> Won:
            return Won()

    async def main() -> Any:
        undone.clear()
        await Patient(timeout=None).run()
        return list(undone)

    assert virtually(main) == ["slow"]  # only the end of the run stopped it


class Queue(Workflow):
    """Two of three are enough; the third waits for its turn, one of its kind is not of the join."""

    @transform
    def begin(self, event: Began) -> list[Fast]:
        return [Fast(number=number) for number in range(event.count)]

    @step(num_workers=10_000)
    async def left(self, event: Fast) -> A:
        return A()

    @step(num_workers=10_000)
    async def middle(self, event: Fast) -> B:
        return B()

    @step(num_workers=1)
    async def right(self, event: Fast) -> Slow:
        await asyncio.sleep(5)
        return Slow()

    @transform(join=AtLeast(2, "begin", rest="cancel"))
    def two(self, a: A | None, b: B | None, slow: Slow | None) -> Won:
        return Won(number=sum(one is not None for one in (a, b, slow)))

    @transform
    def end(self, events: list[Won]) -> StopEvent:
        return StopEvent(result=[event.number for event in events])


def test_each_item_of_a_batch_cancels_its_own_rest(virtually: Play) -> None:
    async def main() -> Any:
        handler = Queue(timeout=None).run(count=50)
        return await handler, asyncio.get_running_loop().time(), handler._run.execution.in_flight

    assert virtually(main) == ([2] * 50, 0.0, {})


def test_to_cancel_costs_the_same_however_much_is_under_way(calls_counted: Callable[[], Any]) -> None:
    """Counted in the calls that are made, so that no clock is needed."""

    def calls(count: int) -> int:
        execution = Execution(definition_of(Queue).plan, "r", definition_of(Queue).plan.new_state())
        advance(execution, Started(Began(), {}))
        advance(execution, Completed(1, [Fast(number=number) for number in range(count)]))
        runs = list(execution.in_flight.values())
        of = {name: [run for run in runs if run.step.name == name] for name in ("left", "middle")}
        with calls_counted() as made:
            for left, middle in list(zip(of["left"], of["middle"], strict=True))[:20]:
                advance(execution, Completed(left.number, A()))
                advance(execution, Completed(middle.number, B()))
        return made[0]

    assert calls(1_000) == calls(100)


class Nested(Workflow):
    """The slow branch has a join, a batch and a time-out of its own, all of which are to be gone with it."""

    @step
    async def fast(self, event: Began) -> Fast:
        await asyncio.sleep(1)
        return Fast()

    @transform
    def fork(self, event: Began) -> list[A]:
        return [A(), A()]

    @step
    async def b(self, event: A) -> B:
        await asyncio.sleep(1000)
        return B()

    @transform
    def split(self, event: A) -> Won:
        return Won()

    @transform(join=AllOf("fork", within=500, proceed=True))
    def inner(self, b: B | None, won: Won | None) -> Inner:
        return Inner()

    @transform
    def gather(self, events: list[Inner]) -> Slow:
        return Slow()

    @transform(join=FirstOf(None, rest="cancel"))
    def first(self, fast: Fast | None, slow: Slow | None) -> Last:
        return Last()

    @step
    async def end(self, event: Last) -> StopEvent:
        await asyncio.sleep(10_000)
        return StopEvent(result=asyncio.get_running_loop().time())


class Inner(Event):
    pass


class Last(Event):
    pass


def test_joins_batches_and_time_outs_within_the_rest_are_gone_with_it(virtually: Play) -> None:
    async def main() -> Any:
        handler = Nested(timeout=None).run()
        await asyncio.sleep(2)
        execution = handler._run.execution
        assert [run.step.name for run in execution.in_flight.values()] == ["end"]
        assert not execution.timers
        return await handler

    assert virtually(main) == 10_001.0


class Named(Workflow):
    @transform
    def begin(self, event: Began) -> list[A]:
        return [A() for _ in range(event.count)]

    @pause
    def ask(self, event: A) -> Items[int]:
        return Items([1, 2])

    @ask.item()
    def ask_item(self, event: A, item: Item[int]) -> Question[None]:
        return Question(None)

    @ask.then
    def after_ask(self, event: A, result: list[None]) -> B:
        return B()

    @transform
    def end(self, events: list[B]) -> StopEvent:
        return StopEvent(result=len(events))


@pytest.mark.parametrize(
    ("which", "count", "result"),
    [
        ("ask", 2, 0),  # all of it: the batch ends without
        (2, 1, 1),  # one run of it, with its items
        (4, 1, 2),  # one item: it is left out
        (1, 6, None),  # what the step run 1 has sent out, and with it the batch
        ("begin", 6, None),
    ],
)
def test_a_step_is_cancelled_with_what_follows_from_it(
    virtually: Play, which: Any, count: int, result: int | None
) -> None:
    async def main() -> Any:
        handler = Named(timeout=None).run(count=2)
        while len(handler.questions()) < 4:  # noqa: ASYNC110 - a run has no event of its own for tests
            await asyncio.sleep(0)
        assert handler.cancel_step(which) == count
        for question in handler.questions():
            await handler.answer(question.id)
        closed = [event async for event in handler.stream_events() if isinstance(event, QuestionClosed)]
        assert len(closed) == 4
        return await handler

    if result is None:
        with pytest.raises(StuckError):
            virtually(main)
    else:
        assert virtually(main) == result


def test_a_join_that_lacks_what_was_cancelled_says_so_at_once(virtually: Play) -> None:
    class Pair(Workflow):
        @step
        async def one(self, event: Began) -> A:
            return A()

        @step
        async def two(self, event: Began) -> B:
            await asyncio.sleep(1000)
            return B()

        @transform(join=AllOf(None))
        def both(self, a: A, b: B) -> StopEvent:
            return StopEvent()

    async def main() -> Any:
        handler = Pair(timeout=None).run()
        await asyncio.sleep(1)
        assert handler.cancel_step("one") == 0  # it is done: what it has emitted stays
        assert handler.cancel_step("two") == 1
        with pytest.raises(
            StuckError, match=r"step `two` was cancelled, and without it.*`both` has A.*bring it B"
        ):
            await handler
        with pytest.raises(WorkflowStepDoesNotExistError):
            handler.cancel_step("three")
        return asyncio.get_running_loop().time()

    assert virtually(main) == 1.0


def test_a_cancelled_step_that_goes_on_all_the_same_changes_nothing(virtually: Play) -> None:
    class Deaf(Race):
        @step
        async def slow(self, event: Began) -> A | B | Slow:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                await asyncio.sleep(2)
            return Slow() if event.way == "flight" else A() if event.way == "retry" else B()

    async def main() -> Any:
        return await Deaf(timeout=None).run()

    assert virtually(main) == 11.0
