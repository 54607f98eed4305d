"""Runs that begin anew for ever, and steps that never rest: cancelling, other runs and events have their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    EventEmitted,
    Outside,
    Receives,
    Restart,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowHandler,
    pause,
    step,
    transform,
)

Play = Callable[..., Any]


class Began(StartEvent):
    round: int = 0


class Ended(StopEvent, closed=True):
    said: str


class Round(Event):
    pass


class Again(Event):
    pass


class Spinning(Workflow):
    @transform
    def look(self, event: Began) -> Restart | Ended:
        return Restart(Began(round=event.round + 1)) if event.round >= 0 else Ended(said="never")


class Waiting(Workflow, receives=(Receives(Again),)):
    @transform
    def look(self, event: Began) -> Restart | Round:
        return Restart(Began(round=event.round + 1)) if event.round < 3 else Round()

    @pause
    def hear(self, event: Round) -> Outside[Again]:
        return Outside(Again)

    @hear.then
    def after_hear(self, event: Round, result: Again) -> Ended:
        return Ended(said="heard")


def _note_rounds(handler: WorkflowHandler, rounds: list[int], wanted: int) -> asyncio.Event:
    """Add the rounds that a run begins to a list; return what is set when there are as many as are wanted."""
    enough = asyncio.Event()

    def note(event: Event) -> None:
        if isinstance(event, EventEmitted) and isinstance(event.event, Began):
            rounds.append(event.event.round)
            if len(rounds) == wanted:
                enough.set()

    handler.observe(note)
    return enough


async def _spinning() -> tuple[WorkflowHandler, list[int]]:
    """Start a run that begins anew for ever; return it, and the rounds that it has begun."""
    handler, rounds = Spinning().run(), list[int]()
    await _note_rounds(handler, rounds, 5).wait()
    return handler, rounds


async def _cancelled() -> Any:
    handler, rounds = await _spinning()
    await handler.cancel_run()
    with pytest.raises(WorkflowCancelledByUser):
        await handler
    seen = len(rounds)
    for _ in range(10):
        await asyncio.sleep(0)
    assert len(rounds) == seen
    return "cancelled"


async def _told() -> Any:
    for turns in range(8):
        handler = Waiting().run()
        for _ in range(turns):  # wherever it is in its rounds
            await asyncio.sleep(0)
        await handler.send_event(Again())
        assert (await handler).said == "heard"
    return "heard"


async def _resumed() -> Any:
    for turns in range(4):
        handler, rounds = await _spinning()
        for _ in range(turns):
            await asyncio.sleep(0)
        data, seen = handler.ctx.to_dict(), rounds[-1]
        await handler.cancel_run()
        with pytest.raises(WorkflowCancelledByUser):
            await handler
        workflow = Spinning()
        resumed, rounds_after = workflow.run(ctx=Context.from_dict(workflow, data)), list[int]()
        await _note_rounds(resumed, rounds_after, 1).wait()
        assert rounds_after[0] in {seen, seen + 1}  # it goes on where it was
        await resumed.cancel_run()
        with pytest.raises(WorkflowCancelledByUser):
            await resumed
    return "resumed"


async def _beside() -> Any:
    handler, _ = await _spinning()
    other = await Brief().run()
    await handler.cancel_run()
    with pytest.raises(WorkflowCancelledByUser):
        await handler
    return other.said


class Brief(Workflow):
    @step
    async def one(self, event: Began) -> Round:
        await asyncio.sleep(0)
        return Round()

    @step
    async def two(self, event: Round) -> Ended:
        await asyncio.sleep(0)
        return Ended(said="beside")


@pytest.mark.parametrize(
    ("scene", "said"),
    [(_cancelled, "cancelled"), (_told, "heard"), (_resumed, "resumed"), (_beside, "beside")],
)
@pytest.mark.parametrize("clock", ["virtual", "real"])
def test_a_run_that_begins_anew_for_ever_lets_others_have_their_turn(
    virtually: Play, scene: Callable[[], Any], said: str, clock: str
) -> None:
    assert (virtually(scene) if clock == "virtual" else asyncio.run(scene())) == said


class Sleepless(Workflow):
    @transform
    def begin(self, event: Began) -> Round:
        return Round()

    @transform
    def round(self, event: Round) -> Round | Ended:
        return Round()


def test_steps_that_go_on_for_ever_leave_the_loop_a_turn_where_the_clock_stands_still(
    virtually: Play,
) -> None:
    async def main() -> None:
        handler = Sleepless().run()
        for _ in range(5):
            await asyncio.sleep(0)
        await handler.cancel_run()
        await handler

    with pytest.raises(WorkflowCancelledByUser):
        virtually(main)
