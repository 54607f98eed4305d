"""Batches: an event for each item of a list, and steps that collect them in the order of the items."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfc.runtime import (
    All,
    Context,
    EachOf,
    Event,
    StartEvent,
    StopEvent,
    StuckError,
    Workflow,
    WorkflowRuntimeError,
    WorkflowValidationError,
    step,
    transform,
)
from wfc.runtime.events.internal import LateEvent
from wfc.runtime.testing import run_virtually

Play = Callable[..., Any]
Watch = Callable[..., list[Event]]


class Begin(StartEvent):
    numbers: Any


class Item(Event):
    number: Any


class Done(Event):
    number: Any


class Dropped(Event):
    pass


class Gathered(Event):
    numbers: list[Any]


class Flat(Workflow):
    @step
    async def send_out(self, ev: Begin) -> list[Item]:
        return [Item(number=number) for number in ev.numbers]

    @step
    async def work(self, ev: Item) -> Done | Dropped:
        await asyncio.sleep(abs(ev.number))
        return Done(number=ev.number) if ev.number >= 0 else Dropped()

    @step
    async def drop(self, ev: Dropped) -> None:
        return None

    @step
    async def gather(self, events: list[Done]) -> StopEvent:
        return StopEvent(result=[event.number for event in events])


@given(st.lists(st.integers(-9, 9), max_size=12))
@settings(max_examples=50)
def test_items_come_in_their_order_and_dropped_ones_are_missing(numbers: list[int]) -> None:
    async def main() -> Any:
        return await Flat().run(numbers=numbers)

    assert run_virtually(main) == [number for number in numbers if number >= 0]


class Nested(Workflow):
    """Lists within lists: an inner list is sent out, worked on, gathered, and is then an item of the outer one."""

    @step
    async def outer(self, ev: Begin) -> list[Item]:
        return [Item(number=one) for one in ev.numbers]

    @step(num_workers=100)
    async def inner(self, ev: Item) -> list[Done] | Gathered:
        if isinstance(ev.number, int):
            await asyncio.sleep(ev.number)
            return Gathered(numbers=[ev.number])
        return [Done(number=one) for one in ev.number]

    @step(num_workers=100)
    async def work(self, ev: Done) -> Worked:
        await asyncio.sleep(ev.number)
        return Worked(number=-ev.number)

    @step
    async def gather_inner(self, events: list[Worked]) -> Gathered:
        return Gathered(numbers=[event.number for event in events])

    @step
    async def gather_outer(self, events: list[Gathered]) -> StopEvent:
        return StopEvent(result=[event.numbers for event in events])


class Worked(Event):
    number: int


@given(st.lists(st.integers(0, 9) | st.lists(st.integers(0, 9), max_size=4), max_size=6))
@settings(max_examples=50)
def test_batches_nest(numbers: list[Any]) -> None:
    async def main() -> Any:
        return await Nested().run(numbers=numbers)

    expected = [[one] if isinstance(one, int) else [-each for each in one] for one in numbers]
    assert run_virtually(main) == expected


class Part(Event):
    tree: Any
    depth: int


class Leaves(Event):
    numbers: list[int]
    depth: int


class Tree(Workflow):
    """Recursion: an item that is a list is sent out by the same step again, within the batch of the first."""

    @transform
    def begin(self, ev: Begin) -> Part:
        return Part(tree=ev.numbers, depth=0)

    @transform
    def split(self, ev: Part) -> list[Part] | Item:
        if isinstance(ev.tree, int):
            return Item(number=ev.tree, depth=ev.depth)
        return [Part(tree=one, depth=ev.depth + 1) for one in ev.tree]

    @step(num_workers=100)
    async def work(self, ev: Item) -> Leaves:
        await asyncio.sleep(ev.number)
        return Leaves(numbers=[ev.number], depth=ev.depth)

    @transform(join=EachOf("split"))
    def gather(self, events: list[Leaves]) -> Leaves | StopEvent:
        numbers = [number for event in events for number in event.numbers]
        depth = events[0].depth - 1
        return Leaves(numbers=numbers, depth=depth) if depth else StopEvent(result=numbers)


def leaves(tree: Any) -> list[int]:
    return [tree] if isinstance(tree, int) else [each for part in tree for each in leaves(part)]


@given(
    st.lists(
        st.recursive(st.integers(0, 9), lambda part: st.lists(part, min_size=1, max_size=3), max_leaves=9),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=50)
def test_a_batch_within_an_item_of_its_own_step(tree: Any) -> None:
    async def main() -> Any:
        return await Tree().run(numbers=tree)

    assert run_virtually(main) == leaves(tree)


class Result(Event):
    numbers: list[int]


def test_several_events_of_one_item_come_in_the_order_of_emission(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def send_out(self, ev: Begin) -> list[Item]:
            return [Item(number=number) for number in ev.numbers]

        @transform
        def both(self, ev: Item) -> All[Slow, Done]:
            return All(Slow(number=ev.number), Done(number=ev.number))

        @step(num_workers=9)
        async def wait(self, ctx: Context, ev: Slow) -> Done:
            await asyncio.sleep(5 - ev.number)
            ctx.send_event(Done(number=ev.number + 0.25))
            return Done(number=ev.number + 0.5)

        @step
        async def gather(self, events: list[Done]) -> StopEvent:
            return StopEvent(result=[event.number for event in events])

    assert play(Flow, numbers=[1, 2]) == [1.25, 1.5, 1, 2.25, 2.5, 2]


class Slow(Event):
    number: int


def test_a_collector_may_be_bounded_in_time(watch: Watch) -> None:
    class Flow(Workflow):
        @step
        async def send_out(self, ev: Begin) -> list[Item]:
            return [Item(number=number) for number in ev.numbers]

        @step
        async def work(self, ev: Item) -> Done:
            await asyncio.sleep(ev.number)
            return Done(number=ev.number)

        @step(join=EachOf("send_out", within=5, proceed=True))
        async def gather(self, events: list[Done]) -> StopEvent:
            await asyncio.sleep(10)
            return StopEvent(result=[event.number for event in events])

    events = watch(Flow, numbers=[9, 3, 1])
    assert events[-1].result == [3, 1]
    assert [event.event for event in events if isinstance(event, LateEvent)] == [Done(number=9)]
    assert watch(Flow, numbers=[2, 1])[-1].result == [2, 1]


def test_two_batches_at_once_are_gathered_apart(play: Play) -> None:
    class Flow(Workflow):
        @transform
        def send_out(self, ev: Begin) -> All[list[Item], list[Slow]]:
            return All([Item(number=1), Item(number=2)], [Slow(number=number) for number in ev.numbers])

        @transform
        def work(self, ev: Item) -> Done:
            return Done(number=ev.number)

        @step
        async def slow(self, ev: Slow) -> Worked:
            await asyncio.sleep(1)
            return Worked(number=ev.number)

        @transform(join=EachOf("send_out"))
        def gather_done(self, events: list[Done]) -> Gathered:
            return Gathered(numbers=[event.number for event in events])

        @transform(join=EachOf("send_out"))
        def gather_worked(self, events: list[Worked]) -> Result:
            return Result(numbers=[event.number for event in events])

        @step
        async def end(self, gathered: Gathered, result: Result) -> StopEvent:
            return StopEvent(result=(gathered.numbers, result.numbers))

    assert play(Flow, numbers=[5]) == ([1, 2], [5])


def test_a_bound_on_runs_counts_for_each_item(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def send_out(self, ev: Begin) -> list[Item]:
            return [Item(number=number) for number in ev.numbers]

        @step(max_runs=2)
        async def work(self, ev: Item) -> Item:
            return Item(number=ev.number + 1)

        @work.on_limit
        def work_over_limit(self, event: Item) -> Done:
            return Done(number=event.number)

        @step
        async def gather(self, events: list[Done]) -> StopEvent:
            return StopEvent(result=[event.number for event in events])

    assert play(Flow, numbers=[10, 20, 30]) == [12, 22, 32]


def test_an_event_from_outside_of_a_batch_cannot_be_collected(play: Play) -> None:
    class Flow(Flat):
        @step
        async def other(self, ev: Begin) -> Done:
            return Done(number=1)

    with pytest.raises(WorkflowRuntimeError, match="Done reached step `gather`, which collects a batch"):
        play(Flow, numbers=[1])


def test_a_collector_to_which_no_list_leads() -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: Begin) -> Done:
            return Done(number=1)

        @step
        async def gather(self, events: list[Done]) -> StopEvent:
            return StopEvent()

    with pytest.raises(WorkflowValidationError, match="`gather` collects a batch, but no list"):
        Flow().validate()


def test_a_list_whose_items_nobody_collects(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def send_out(self, ev: Begin) -> list[Item]:
            return [Item(number=number) for number in ev.numbers]

        @step
        async def end(self, ctx: Context, ev: Item) -> StopEvent | None:
            seen = ctx.collect_events(ev, [Item] * 3)
            return None if seen is None else StopEvent(result=[one.number for one in seen])

    assert play(Flow, numbers=[1, 2, 3]) == [1, 2, 3]
    with pytest.raises(StuckError, match="step `end` has collected 2 Item and waits for 1 more"):
        play(Flow, numbers=[1, 2])
