"""What a run shows to those who watch it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    StartEvent,
    StopEvent,
    Workflow,
    step,
)
from wfc.runtime.events.internal import EventEmitted, StepState, StepStateChanged

Play = Callable[..., Any]


Watch = Callable[..., list[Event]]


Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Talks(Workflow):
    @step
    async def start(self, ctx: Context, ev: StartEvent) -> Item:
        for value in range(3):
            ctx.write_event_to_stream(Item(value=value))
            await asyncio.sleep(1)
        ctx.write_event_to_stream(None)
        return Item(value=9)

    @step
    async def end(self, ev: Item) -> StopEvent:
        return StopEvent(result="done")


async def read(handler: Any, **options: Any) -> list[Any]:
    return [
        event.value if isinstance(event, Item) else type(event).__name__
        async for event in handler.stream_events(**options)
    ]


def test_several_readers_each_from_the_beginning(virtually: Virtually) -> None:
    async def main() -> list[Any]:
        handler = Talks().run()
        early = asyncio.ensure_future(read(handler))
        await asyncio.sleep(1.5)
        late = asyncio.ensure_future(read(handler))
        given_up = asyncio.ensure_future(read(handler))
        await asyncio.sleep(0)
        given_up.cancel()
        await handler
        return [await early, await late, await read(handler)]

    assert virtually(main) == [[0, 1, 2, "StopEvent"]] * 3


def test_what_happens_inside_is_shown_to_those_who_ask(watch: Watch) -> None:
    seen: list[Any] = []
    for event in watch(Talks):
        if isinstance(event, StepStateChanged):
            seen.append((event.name, event.step_state, event.output_event_name))
        elif isinstance(event, EventEmitted):
            seen.append((event.step_name, type(event.event).__name__))
        else:
            seen.append(type(event).__name__)
    assert seen == [
        (None, "StartEvent"),
        ("start", StepState.RUNNING, None),
        "Item",
        "Item",
        "Item",
        ("start", StepState.NOT_RUNNING, "Item"),
        ("start", "Item"),
        ("end", StepState.RUNNING, None),
        ("end", StepState.NOT_RUNNING, "StopEvent"),
        ("end", "StopEvent"),
        "StopEvent",
    ]


def test_an_observer_that_fails_does_the_run_no_harm(virtually: Virtually) -> None:
    complaints = []

    async def main() -> Any:
        asyncio.get_running_loop().set_exception_handler(lambda loop, what: complaints.append(what))
        handler = Talks().run()
        handler.observe(lambda event: 1 // 0)  # type: ignore[arg-type,return-value]
        return await handler

    assert virtually(main) == "done"
    assert complaints


def test_verbose_runs_tell_what_they_do(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play(Talks(verbose=True))
    assert capsys.readouterr().out.splitlines() == [
        "Running step start on StartEvent",
        "Step start produced Item",
        "Running step end on Item",
        "Step end produced StopEvent",
    ]
