"""Joins by frame: what belongs together, when they fire, and what is said when they cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    All,
    AllOf,
    AtLeast,
    Context,
    Event,
    FirstOf,
    RunState,
    StartEvent,
    StepFailedError,
    StopEvent,
    StuckError,
    Workflow,
    WorkflowRuntimeError,
    step,
    transform,
)
from wfc.runtime.events.internal import LateEvent

Play = Callable[..., Any]
Watch = Callable[..., list[Event]]


class Ask(Event):
    number: int = 0


class A(Event):
    number: int = 0


class B(Event):
    number: int = 0


class C(Event):
    number: int = 0


class Joined(Event):
    pairs: list[tuple[int, int]]


def flow(how: AllOf | FirstOf | AtLeast, a: float | None, b: float | None, c: float | None) -> type[Workflow]:
    """Three branches that take so many seconds, or end in nothing, and a join of them."""

    async def after(seconds: float | None, event: Event) -> Any:
        if seconds is None:
            return None
        await asyncio.sleep(seconds)
        return event

    class Flow(Workflow):
        @step
        async def fork(self, ev: StartEvent) -> Ask:
            return Ask()

        @step
        async def find_a(self, ev: Ask) -> A | None:
            return await after(a, A())  # type: ignore[no-any-return]

        @step
        async def find_b(self, ev: Ask) -> B | None:
            return await after(b, B())  # type: ignore[no-any-return]

        @step
        async def find_c(self, ev: Ask) -> C | None:
            return await after(c, C())  # type: ignore[no-any-return]

        @step(join=how)
        async def join(self, a: A | None, b: B | None, c: C | None) -> StopEvent:
            await asyncio.sleep(10)
            return StopEvent(result="".join(type(one).__name__ for one in (a, b, c) if one is not None))

        @join.on_timeout
        def join_timed_out(self, a: A | None, c: C | None) -> StopEvent:
            return StopEvent(result=f"only {'A' if a else ''}{'C' if c else ''}")

    return Flow


@pytest.mark.parametrize(
    ("join", "seconds", "result"),
    [
        (AllOf("fork"), (1, 3, 2), "ABC"),
        (AllOf(None), (1, 3, 2), "ABC"),
        (FirstOf("fork"), (3, 1, 2), "B"),
        (FirstOf("fork"), (None, None, 2), "C"),
        (AtLeast(2, "fork"), (3, 1, 2), "BC"),
        (AtLeast(2, "fork"), (None, 1, 2), "BC"),
        (AllOf("fork", within=5, proceed=True), (1, 3, 2), "ABC"),
        (AllOf("fork", within=2.5, proceed=True), (1, 3, 2), "AC"),
        (AllOf("fork", within=0.5, proceed=True), (1, 3, 2), ""),
        (AllOf("fork", within=2.5, proceed=True), (None, None, None), ""),
        (AllOf("fork", within=2.5), (1, 3, 2), "only AC"),
        (AllOf(None, within=2.5), (1, 3, 2), "only AC"),
        (FirstOf("fork", within=0.5), (1, 3, 2), "only "),
        (AtLeast(3, "fork", within=2.5, proceed=True), (1, 3, 2), "AC"),
    ],
)
def test_when_it_fires(play: Play, join: Any, seconds: tuple[Any, Any, Any], result: str) -> None:
    assert play(flow(join, *seconds)) == result


@pytest.mark.parametrize(
    ("join", "seconds", "said"),
    [
        (
            AllOf("fork"),
            (1, None, 2),
            "the join of step `join` has A and C, and in this frame of `fork` nothing is left that could bring it B",
        ),
        (
            AllOf(None),
            (1, None, None),
            "has A, and in this frame of the start of the run .* bring it B and C",
        ),
        (
            AtLeast(2, "fork"),
            (None, None, 1),
            "can no longer move: .* the last step, `find_c`, emitted nothing",
        ),
        (
            AllOf("fork"),
            (None, None, None),
            "can no longer move: .* the last step, `find_.`, emitted nothing on Ask",
        ),
    ],
)
def test_a_join_that_cannot_fire_is_told_of_at_once(
    play: Play, join: Any, seconds: tuple[Any, Any, Any], said: str
) -> None:
    with pytest.raises(StuckError, match=said):
        play(flow(join, *seconds))


def test_what_comes_after_it_fired_is_late(watch: Watch) -> None:
    events = watch(flow(FirstOf("fork"), 1, 2, 3))
    late = [(event.step_name, type(event.event)) for event in events if isinstance(event, LateEvent)]
    assert late == [("join", B), ("join", C)]


class Memory(RunState):
    pairs: list[tuple[int, int]] = []  # noqa: RUF012 - a field


class Loop(Workflow):
    """Goes round through the fork; the second branch of each round is slower than the next round's first."""

    @transform
    def begin(self, ev: StartEvent) -> Ask:
        return Ask(number=1)

    @transform
    def fork(self, ev: Ask) -> All[A, B, C]:
        return All(A(number=ev.number), B(number=ev.number), C(number=ev.number))

    @step
    async def slow(self, ev: A) -> Joined | None:
        return None

    @step
    async def again(self, ev: C) -> Ask | None:
        return Ask(number=ev.number + 1) if ev.number < 4 else None

    @step
    async def wait_a(self, ev: A) -> AA:
        await asyncio.sleep(10 / ev.number)
        return AA(number=ev.number)

    @step
    async def wait_b(self, ev: B) -> BB:
        await asyncio.sleep(7 * ev.number)
        return BB(number=ev.number)

    @transform(join=AllOf("fork"))
    def join(self, aa: AA, bb: BB, state: Memory) -> StopEvent | None:
        pairs = [*state.pairs, (aa.number, bb.number)]
        state.pairs = pairs
        return StopEvent(result=pairs) if len(pairs) == 4 else None

    @transform
    def unused(self, ev: Joined) -> None:
        return None


class AA(Event):
    number: int


class BB(Event):
    number: int


def test_only_events_of_one_frame_belong_together(play: Play) -> None:
    # by order of arrival alone, a number of one round would meet that of another
    assert play(Loop) == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_a_time_out_of_a_frame_that_was_left_fires_nothing(play: Play) -> None:
    class Flow(Workflow):
        @transform
        def fork(self, ev: StartEvent | Ask) -> Ask | All[A, B]:
            number = getattr(ev, "number", 0)
            return Ask(number=number + 1) if number < 3 else All(A(number=number), B(number=number))

        @step
        async def wait(self, ev: A) -> AA:
            return AA(number=ev.number)

        @step
        async def wait_long(self, ev: B) -> BB:
            await asyncio.sleep(40)
            return BB(number=ev.number)

        @transform(join=AllOf("fork", within=5, proceed=True))
        def join(self, aa: AA | None, bb: BB | None, state: Memory) -> Joined:
            state.pairs = [*state.pairs, (aa.number if aa else -1, bb.number if bb else -1)]
            return Joined(pairs=state.pairs)

        @step
        async def end(self, ctx: Context[Memory], ev: Joined) -> StopEvent:
            await asyncio.sleep(20)
            return StopEvent(result=await ctx.store.get("pairs"))

    assert play(Flow) == [(3, -1)]


def test_two_of_one_kind_in_a_frame(play: Play) -> None:
    class Flow(Workflow):
        @transform
        def fork(self, ev: StartEvent) -> All[A, A]:
            return All(A(), A())

        @transform
        def other(self, ev: StartEvent) -> B | None:
            return None

        @transform(join=AllOf("fork"))
        def join(self, a: A, b: B) -> StopEvent:
            return StopEvent()

    with pytest.raises(WorkflowRuntimeError, match="`join` received two A in one frame"):
        play(Flow)


def test_an_event_that_did_not_pass_the_fork(play: Play) -> None:
    class Flow(Workflow):
        @transform
        def other(self, ev: StartEvent) -> A | Ask:
            return A()

        @transform
        def fork(self, ev: Ask) -> B:
            return B()

        @transform(join=AllOf("fork"))
        def join(self, a: A, b: B) -> StopEvent:
            return StopEvent()

    with pytest.raises(
        WorkflowRuntimeError, match="A reached the join of step `join` without passing `fork`"
    ):
        play(Flow)


def test_a_fork_may_send_its_events_while_it_runs(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def fork(self, ctx: Context, ev: StartEvent) -> B | A:
            ctx.send_event(A(number=1))
            await asyncio.sleep(5)
            return B(number=2)

        @transform(join=AllOf("fork"))
        def join(self, a: A, b: B) -> StopEvent:
            return StopEvent(result=(a.number, b.number))

    assert play(Flow) == (1, 2)


def test_a_join_without_an_exit_for_its_time_out(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def fork(self, ev: StartEvent) -> A | B:
            return A()

        @transform(join=AllOf("fork", within=5))
        def join(self, a: A, b: B) -> StopEvent:
            return StopEvent()

    with pytest.raises(StepFailedError, match="did not get all events within 5 s") as caught:
        play(Flow)
    assert caught.value.name == "timeout"


def test_several_event_parameters_join_in_order_of_arrival(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> A | B | None:
            for number in range(3):
                ctx.send_event(A(number=number))
            for number in range(2):
                ctx.send_event(B(number=number))
            await asyncio.sleep(1)
            return B(number=2)

        @step(num_workers=1)
        async def pair(self, a: A, ctx: Context, b: B) -> Joined:
            return Joined(pairs=[(a.number, b.number)])

        @step
        async def end(self, ctx: Context, ev: Joined) -> StopEvent | None:
            seen = ctx.collect_events(ev, [Joined] * 3)
            return None if seen is None else StopEvent(result=[one.pairs[0] for one in seen])

    assert play(Flow) == [(0, 0), (1, 1), (2, 2)]


def test_a_pair_that_stays_alone_is_told_of(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> A | B:
            return A()

        @step
        async def pair(self, a: A, b: B) -> StopEvent:
            return StopEvent()

    with pytest.raises(StuckError, match="step `pair` has A and waits for B"):
        play(Flow)
