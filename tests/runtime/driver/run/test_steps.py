"""Steps: what they are given, what they may give, and where that goes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    StartEvent,
    StopEvent,
    UndeclaredResultError,
    Workflow,
    step,
)
from wfc.runtime.authoring.definition import definition_of

Play = Callable[..., Any]


class Item(Event):
    value: int


class Other(Event):
    value: int = 0


def test_events_go_from_step_to_step(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def first(self, ev: StartEvent) -> Item:
            return Item(value=ev.value)

        @step
        async def second(self, ev: Item) -> StopEvent:
            return StopEvent(result=ev.value + 1)

    assert play(Flow, value=1) == 2


def test_an_end_event_of_its_own_class_is_the_result(play: Play) -> None:
    class Done(StopEvent):
        value: int

    class Flow(Workflow):
        @step
        async def only(self, ev: StartEvent) -> Done:
            return Done(value=3)

    assert play(Flow) == Done(value=3)


def test_an_event_goes_to_all_that_accept_it(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Item:
            return Item(value=1)

        @step
        async def left(self, ctx: Context, ev: Item) -> Other:
            return Other(value=ev.value)

        @step
        async def right(self, ctx: Context, ev: Item) -> Other | None:
            return Other(value=-ev.value)

        @step
        async def end(self, ctx: Context, ev: Other) -> StopEvent | None:
            seen = ctx.collect_events(ev, [Other, Other])
            return None if seen is None else StopEvent(result=sorted(one.value for one in seen))

    assert play(Flow) == [-1, 1]


def test_any_of_several_events_and_subclasses(play: Play) -> None:
    class Special(Item):
        pass

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Special | Other:
            return Special(value=1) if ev.special else Other(value=2)

        @step(accept_event_subclasses=True)
        async def end(self, ev: Item | Other) -> StopEvent:
            return StopEvent(result=type(ev).__name__)

    assert (play(Flow, special=True), play(Flow, special=False)) == ("Special", "Other")


def test_a_plain_function_runs_in_a_thread_and_may_use_its_context(play: Play) -> None:
    class Flow(Workflow):
        @step
        def start(self, ctx: Context, ev: StartEvent) -> Item | None:
            ctx.send_event(Item(value=threading.get_ident()))

        @step
        def count(self, ctx: Context, ev: Item) -> StopEvent | None:
            ctx.write_event_to_stream(ev)
            assert ctx.collect_events(ev, [Item]) == [ev]
            return StopEvent(result=ev.value)

    assert play(Flow) != threading.get_ident()


def test_a_free_function_may_be_a_step(play: Play) -> None:
    class Flow(Workflow):
        pass

    @step(workflow=Flow)
    async def only(ctx: Context, ev: StartEvent) -> StopEvent:
        return StopEvent(result=ctx.step_name)

    assert play(Flow) == "only"


def test_steps_are_inherited_and_overridden(play: Play) -> None:
    class Base(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Item:
            return Item(value=1)

        @step
        async def end(self, ev: Item) -> StopEvent:
            return StopEvent(result="base")

    class Derived(Base):
        @step
        async def end(self, ev: Item) -> StopEvent:
            return StopEvent(result="derived")

    assert (play(Base), play(Derived)) == ("base", "derived")
    assert list(definition_of(Derived).steps()) == ["start", "end"]


def test_a_step_may_be_called_like_the_function_that_it_is() -> None:
    class Flow(Workflow):
        @step
        async def only(self, ev: StartEvent) -> StopEvent:
            return StopEvent(result=ev.value)

    assert asyncio.run(Flow().only(StartEvent(value=3))).result == 3


def test_variables_that_a_step_sets_do_not_reach_the_next(play: Play) -> None:
    from contextvars import ContextVar

    seen: ContextVar[str] = ContextVar("seen", default="nothing")

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Item:
            seen.set("left behind")
            return Item(value=1)

        @step
        async def end(self, ev: Item) -> StopEvent:
            return StopEvent(result=seen.get())

    async def main() -> Any:
        seen.set("the caller's")
        return await Flow().run()

    assert asyncio.run(main()) == "the caller's"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Other(), "`start` emitted Other, but declares Item | StopEvent"),
        (3, "`start` returned a value of type int, but declares Item | StopEvent"),
        ([Item(value=1)], "`start` returned a list with a value of type Item, but declares"),
        (StopEvent, "`start` returned a value of type EventClass"),
    ],
)
def test_a_result_that_is_not_declared_is_an_error_at_once(play: Play, given: Any, said: str) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Item | StopEvent:
            return given  # type: ignore[no-any-return]

        @step
        async def end(self, ev: Item) -> Other:
            return Other()

        @step
        async def more(self, ev: Other) -> StopEvent:
            return StopEvent()

    with pytest.raises(UndeclaredResultError) as caught:
        play(Flow)
    assert said in str(caught.value)


def test_a_subclass_of_a_declared_event_is_declared(play: Play) -> None:
    class Special(Item):
        pass

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Item:
            return Special(value=1)

        @step(accept_event_subclasses=True)
        async def end(self, ev: Item) -> StopEvent:
            return StopEvent(result=type(ev).__name__)

    assert play(Flow) == "Special"
