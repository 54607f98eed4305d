"""Exits of a run that lead on: they cancel other work, and what follows brings the run to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import Field

from wfc.runtime import (
    Child,
    Context,
    Engine,
    ErrorHandled,
    Event,
    Inputs,
    JsonSerializer,
    Limits,
    Receives,
    RunState,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    UnhandledEvent,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowTimeoutError,
    WorkflowValidationError,
    pause,
    run_cancel,
    run_deadline,
    run_error,
    step,
    transform,
)
from wfc.runtime.errors import LimitError
from wfc.runtime.events.internal import StepStateChanged

Play = Callable[..., Any]


class Began(StartEvent):
    how: str = ""


class Working(Event):
    pass


class Undo(Event):
    why: str


class Undone(Event):
    pass


class News(Event, closed=True):
    text: str


class Ended(StopEvent, closed=True):
    said: str


class Memory(RunState):
    done: list[str] = Field(default_factory=list)


class Saga(Workflow, limits=Limits(steps=4), receives=(Receives(News),)):
    @transform
    def begin(self, event: Began, state: Memory) -> list[Working]:
        state.done = ["booked"]
        return [Working(), Working()]

    @step
    async def work(self, inputs: Inputs[Began], event: Working) -> str:
        try:
            await asyncio.sleep(1 if inputs.how == "error" else 1000)
        finally:
            SEEN.append("cancelled" if inputs.how != "error" else "over")
        raise StepError("shop.closed", "nobody is there")

    @work.then
    def after_work(self, event: Working, result: str) -> Ended:
        return Ended(said=result)

    @step
    async def undo(self, inputs: Inputs[Began], event: Undo) -> str:
        await asyncio.sleep(10)
        if inputs.how == "twice":
            raise StepError("shop.gone", "it is gone")
        return event.why

    @undo.then
    def after_undo(self, event: Undo, state: Memory, result: str) -> Undone:
        state.done = [*state.done, result]
        return Undone()

    @transform
    def finish(self, event: Undone, state: Memory) -> Ended:
        return Ended(said=", ".join(state.done))

    @transform
    def hear(self, event: News, state: Memory) -> None:
        state.done = [*state.done, event.text]

    @run_error
    def failed(self, error: StepError) -> Undo:
        return Undo(why=f"{error.name} in {error.step}")

    @run_deadline
    def late(self, error: StepError) -> Undo:
        return Undo(why=error.name)

    @run_cancel
    def stopped(self, error: StepError) -> Undo:
        return Undo(why=error.name)


SEEN: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    SEEN.clear()


async def cancelled_after(handler: Any, *moments: float) -> None:
    for moment in moments:
        await asyncio.sleep(moment)
        await handler.cancel_run(timeout=0.1)


@pytest.mark.parametrize(
    ("how", "said", "exit"),
    [
        ("error", "booked, shop.closed in work", "on_error"),
        ("late", "booked, deadline", "on_deadline"),
        ("cancel", "booked, cancelled", "on_cancel"),
    ],
)
def test_an_exit_leads_on_to_the_end(virtually: Play, how: str, said: str, exit: str) -> None:
    async def main() -> Any:
        handler = Saga(timeout=50).run(how=how)
        if how == "cancel":
            await cancelled_after(handler, 5)
        told = [event async for event in handler.stream_events() if isinstance(event, ErrorHandled)]
        return await handler, told, asyncio.get_running_loop().time()

    end, told, _took = virtually(main)
    assert end == Ended(said=said)
    assert [(each.exit, each.goes_to) for each in told] == [(exit, ["Undo"])]
    assert told[0].step == ("work" if how == "error" else "")
    assert "cancelled" in SEEN or how == "error"


def test_an_error_on_the_way_of_an_exit_fails_the_run(virtually: Play) -> None:
    async def main() -> None:
        with pytest.raises(StepFailedError, match="it is gone"):
            await Saga(timeout=50).run(how="twice")

    virtually(main)


def test_each_exit_is_taken_once(virtually: Play) -> None:
    async def main() -> Any:
        handler = Saga().run(how="cancel")
        await cancelled_after(handler, 5, 5)
        with pytest.raises(WorkflowCancelledByUser):
            await handler
        late = Saga(timeout=50).run(how="cancel")
        await cancelled_after(late, 45)  # which takes until second 55
        return await late

    assert virtually(main) == Ended(said="booked, deadline")


def test_a_cancelled_run_is_cancelled_on_the_way_of_another_exit(virtually: Play) -> None:
    async def main() -> Any:
        handler = Saga(timeout=50).run(how="late")
        await cancelled_after(handler, 55)
        return await handler

    assert virtually(main) == Ended(said="booked, cancelled")


def test_limits_begin_anew_with_the_first_exit(virtually: Play) -> None:
    """Three of four steps are used up before the exit; two follow."""

    class Narrow(Saga, limits=Limits(steps=3)):
        pass

    async def main() -> Any:
        first = await Narrow(timeout=50).run(how="late")
        handler = Narrow(timeout=50).run(how="late")
        await cancelled_after(handler, 55)  # the way of `on_deadline` has used one of its three
        return first, await handler

    assert virtually(main) == (Ended(said="booked, deadline"), Ended(said="booked, cancelled"))

    class TooNarrow(Saga, limits=Limits(steps=1)):
        pass

    async def fails() -> None:
        with pytest.raises(LimitError):
            await TooNarrow(timeout=50).run(how="late")

    virtually(fails)


def test_events_from_outside_for_steps_that_the_exit_does_not_reach_are_left_over(virtually: Play) -> None:
    async def main() -> Any:
        handler = Saga(timeout=50).run(how="late")
        await asyncio.sleep(5)
        await handler.send_event(News(text="heard"))
        await asyncio.sleep(50)
        await handler.send_event(News(text="too late"))
        left = [event async for event in handler.stream_events() if isinstance(event, UnhandledEvent)]
        return await handler, [each.event_type for each in left]

    assert virtually(main) == (Ended(said="booked, heard, deadline"), ["News"])


@pytest.mark.parametrize("moment", [20, 55])
def test_a_run_goes_on_from_a_snapshot_on_the_way_of_an_exit(virtually: Play, moment: int) -> None:
    kept: list[Any] = []

    async def first() -> None:
        handler = Saga(timeout=50).run(how="late")
        await asyncio.sleep(moment)
        kept.append(handler.ctx.to_dict(serializer=JsonSerializer()))
        await cancelled_after(handler, 0, 0.2)

    async def second() -> Any:
        workflow = Saga(timeout=50)
        handler = workflow.run(ctx=Context.from_dict(workflow, kept[0]))
        if moment == 55:
            await cancelled_after(handler, 0)  # which is another exit; the one of the deadline is used up
        return await handler

    virtually(first)
    assert virtually(second) == Ended(said="booked, cancelled" if moment == 55 else "booked, deadline")


def test_a_deadline_that_is_over_does_not_end_a_resumed_run(virtually: Play) -> None:
    kept: list[Any] = []

    async def first() -> None:
        handler = Saga(timeout=50).run(how="late")
        await asyncio.sleep(55)
        kept.append(handler.ctx.to_dict(serializer=JsonSerializer()))
        await handler

    async def second() -> Any:
        workflow = Saga(timeout=1)
        return await workflow.run(ctx=Context.from_dict(workflow, kept[0]))

    virtually(first)
    assert kept[0]["execution"]["left_by"] == ["run_deadline"]
    assert virtually(second) == Ended(said="booked, deadline")


def test_a_run_that_has_not_begun_goes_the_way_of_its_exit_all_the_same(virtually: Play) -> None:
    async def main() -> Any:
        handler = Saga().run(how="cancel")
        await handler.cancel_run(timeout=0.1)
        states = [event async for event in handler.stream_events(expose_internal=True)]
        began = {event.name for event in states if isinstance(event, StepStateChanged)}
        return await handler, began

    assert virtually(main) == (Ended(said="cancelled"), {"undo", "finish"})


class Parent(Workflow):
    @pause
    async def call(self, event: Began) -> Child[Ended]:
        return Child(Saga, Began(how="child"))

    @call.then
    def after_call(self, event: Began, result: Ended) -> Ended:
        return result


def test_a_cancelled_child_goes_its_own_way_and_nobody_waits_for_it(virtually: Play) -> None:
    async def main() -> Any:
        engine, loop = Engine(), asyncio.get_running_loop()
        handler = Parent(timeout=5, engine=engine).run()
        with pytest.raises(WorkflowTimeoutError):
            await handler
        took = loop.time()
        child = next(iter(engine._runs.values()))
        end = await child.future
        return took, loop.time(), end

    took, later, end = virtually(main)
    assert later - took == pytest.approx(10)
    assert end == Ended(said="booked, cancelled")


def test_an_exit_that_leads_nowhere_is_refused() -> None:
    class Lost(Workflow):
        @transform
        def begin(self, event: Began) -> Ended:
            return Ended(said="")

        @run_cancel
        def stopped(self) -> Undo:
            return Undo(why="")

    with pytest.raises(WorkflowValidationError, match="no step accepts Undo, which an exit of the run emits"):
        Lost().validate()

    class Many(Saga):
        @run_cancel
        def stopped(self) -> list[Undo]:  # type: ignore[override]
            return []

    with pytest.raises(WorkflowValidationError, match="can emit only one"):
        Many().validate()
