"""Random schedules of what may happen to a run: it ends, leaves nothing, and its ticks give the same again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wfc.runtime import (
    AllOf,
    Context,
    Delay,
    Event,
    FirstOf,
    Inputs,
    Item,
    Items,
    Outside,
    Question,
    Receives,
    Restart,
    RetryPolicy,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Unhandled,
    UnhandledEvent,
    Workflow,
    WorkflowError,
    WorkflowHandler,
    pause,
    run_error,
    transform,
)
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.advance import advance
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Tick
from wfc.runtime.driver import run as runs
from wfc.runtime.driver.run import workers
from wfc.runtime.testing import run_virtually


class Begin(StartEvent):
    count: int
    round: int = 0


class One(Event):
    number: int


class A(Event):
    number: int


class B(Event):
    number: int


class C(Event):
    number: int


class First(Event):
    number: int
    by: str


class Met(Event):
    number: int
    by: str


class Memory(RunState):
    given: int = 0


class Paid(Event, closed=True):
    number: int


class Rich(Workflow, receives=(Receives(Paid),)):
    """In each item of a batch: a question, a map of attempts that fail, and an event from outside, side by side.

    The first of the first two cancels the other, and is paired with the event by its number, if that comes in time.
    """

    @transform
    def begin(self, event: Begin) -> list[One]:
        return [One(number=number) for number in range(event.count)]

    @pause(num_workers=1, within=40)
    def ask(self, event: One) -> Question[None]:
        return Question(None, title=str(event.number))

    @ask.then
    def after_ask(self, state: Memory, event: One, result: None) -> A:
        state.given += 1
        return A(number=event.number)

    @ask.on_expired
    def ask_expired(self, event: One) -> A:
        return A(number=-event.number)

    @pause
    def work(self, event: One) -> Items[int]:
        return Items(range(event.number + 1))

    @work.item(num_workers=2, retry_policy=RetryPolicy(delay=3), on_error="skip", timeout=5)
    async def work_item(self, ctx: Context[Memory], event: One, item: Item[int]) -> int:
        await asyncio.sleep((event.number * 7 + item * 3 + ctx.attempt) % 9)
        if (item + ctx.attempt) % 2:
            raise StepError("odd", "it failed")
        return item

    @work.then
    def after_work(self, event: One, result: list[int]) -> B:
        return B(number=event.number)

    @pause(within=60)
    def pay(self, event: One) -> Outside[Paid]:
        return Outside(Paid)

    @pay.that
    def pay_that(self, event: One, result: Paid) -> bool:
        return result.number == event.number

    @pay.then
    def after_pay(self, event: One, result: Paid) -> C:
        return C(number=event.number)

    @pay.on_expired
    def pay_expired(self, event: One) -> None:
        return None

    @transform(join=FirstOf("begin", rest="cancel"))
    def first(self, a: A | None, b: B | None) -> First:
        return First(number=(a or b).number, by="a" if a else "b")  # type: ignore[union-attr]

    @transform(join=AllOf("begin", within=100, proceed=True))
    def meet(self, first: First | None, paid: C | None) -> Met:
        return Met(number=0, by=f"{first.by if first else '-'}{'c' if paid else '-'}")

    @meet.match_by
    def meet_by(self, event: First | C) -> int:
        return abs(event.number)

    @transform
    def rest(self, events: list[Met]) -> Slept:
        return Slept(said=[one.by for one in events])

    @pause
    def sleep(self, event: Slept) -> Delay:
        return Delay(len(event.said))

    @sleep.then
    def after_sleep(self, inputs: Inputs[Begin], event: Slept, result: None) -> StopEvent | Restart:
        if inputs.round == 0 and len(event.said) == 1:
            return Restart(Begin(count=2, round=1))
        return StopEvent(result=event.said)

    @run_error
    def failed(self, error: StepError) -> StopEvent | Unhandled:
        return StopEvent(result=error.name)


class Slept(Event):
    said: list[str]


ACTIONS = st.one_of(
    st.tuples(st.just("sleep"), st.integers(0, 30)),
    st.tuples(st.just("answer"), st.integers(0, 5)),
    st.tuples(st.just("pay"), st.integers(0, 5)),
    st.tuples(st.just("cancel"), st.integers(1, 30)),
    st.tuples(st.just("cancel"), st.sampled_from(["ask", "work", "pay", "sleep"])),
)


async def perform(handler: WorkflowHandler, actions: list[tuple[str, Any]]) -> None:
    for what, value in actions:
        if handler.is_done():
            return
        if what == "sleep":
            await asyncio.sleep(value)
        elif what == "answer":
            for question in handler.questions()[value : value + 1]:
                await handler.answer(question.id)
        elif what == "pay":
            await handler.send_event(Paid(number=value))
        else:
            handler.cancel_step(value)


def played(
    count: int, actions: list[tuple[str, Any]], patch: pytest.MonkeyPatch
) -> tuple[Execution, list[Tick], Any]:
    """A run under a schedule, its ticks, and what the stream said at its end."""
    ticks: list[Tick] = []

    def record(execution: Execution, tick: Tick, at: int) -> None:
        ticks.append(tick)
        advance(execution, tick, at)

    patch.setattr(workers, "advance", record)
    patch.setattr(runs, "advance", record)

    async def main() -> Any:
        handler = Rich(timeout=None).run(run_id="r", count=count)
        await perform(handler, actions)
        left = [event async for event in handler.stream_events() if isinstance(event, UnhandledEvent)]
        try:
            outcome: Any = await handler
        except WorkflowError as error:
            outcome = type(error).__name__
        return handler._run.execution, outcome, len(left), asyncio.get_running_loop().time()

    execution, *rest = run_virtually(main)
    return execution, ticks, rest


@given(st.integers(0, 4), st.lists(ACTIONS, max_size=12))
@example(2, [("pay", 0), ("sleep", 7), ("cancel", 1)])
@settings(max_examples=150)
def test_whatever_happens_a_run_ends_and_leaves_nothing(count: int, actions: list[tuple[str, Any]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        first, ticks, said = played(count, actions, patch)
        _, others, said_again = played(count, actions, patch)
    assert said == said_again  # the same happens, the same comes of it
    assert [type(tick) for tick in ticks] == [type(tick) for tick in others]
    assert not first.paused
    assert not first.in_flight
    assert not first.starting
    paid = sum(what == "pay" for what, _ in actions)
    assert said[1] <= paid  # each event is taken once, or told of at the end

    again = Execution(definition_of(Rich).plan, "r", definition_of(Rich).plan.new_state())
    for tick in ticks:
        advance(again, tick)
        if again.outcome is None:
            assert all(count >= 0 for count in again.busy)
            assert all(run.frame is None or run.frame.live > 0 for run in again.in_flight.values())
            assert all(pause.run.number == number for number, pause in again.paused.items())
            assert all(pause.timers.keys() <= again.timers.keys() for pause in again.paused.values())
        again.starting.clear()
        again.take_effects()
    assert type(again.outcome) is type(first.outcome)
    if isinstance(first.outcome, StopEvent):
        assert again.outcome is first.outcome
    assert again.number == first.number
