"""The test runner that llama-index-workflows has too."""

from __future__ import annotations

import pytest

from wfc.runtime import (
    Context,
    Event,
    StartEvent,
    StepFailedError,
    StepStateChanged,
    StopEvent,
    Workflow,
    step,
)
from wfc.runtime.events.internal import EventEmitted
from wfc.runtime.llama_index.testing import WorkflowTestRunner
from wfc.runtime.testing import run_virtually


class Named(StartEvent):
    name: str = "nobody"


class Greeted(Event):
    text: str


class Greeter(Workflow):
    @step
    async def greet(self, ctx: Context, ev: Named) -> Greeted:
        if ev.name == "Nemo":
            raise ValueError("no such person")
        await ctx.store.set("name", ev.name)
        ctx.write_event_to_stream(Greeted(text="just a moment"))
        return Greeted(text=f"Hello {ev.name}")

    @step
    async def end(self, ev: Greeted) -> StopEvent:
        return StopEvent(result=ev.text)


def test_it_keeps_what_the_stream_shows_and_the_result() -> None:
    told = run_virtually(lambda: WorkflowTestRunner(Greeter()).run(Named(name="Ada"), expose_internal=False))
    assert told.result == "Hello Ada"
    assert told.collected[0] == Greeted(text="just a moment")
    assert told.event_types == {Greeted: 1, StopEvent: 1}


def test_what_happens_inside_is_kept_unless_excluded() -> None:
    runner = WorkflowTestRunner(Greeter())
    everything = run_virtually(runner.run)
    assert everything.result == "Hello nobody"
    # each of two steps: running, not running; and three events: the start, between, the end
    assert everything.event_types == {StepStateChanged: 4, EventEmitted: 3, Greeted: 1, StopEvent: 1}
    assert len(everything.collected) == 9
    fewer = run_virtually(lambda: runner.run(exclude_events=[EventEmitted, Greeted]))
    assert fewer.event_types == {StepStateChanged: 4, StopEvent: 1}


def test_a_context_goes_on_and_can_be_looked_at() -> None:
    async def main() -> None:
        flow = Greeter()
        told = await WorkflowTestRunner(flow).run(Named(name="Ada"), ctx=Context(flow))
        assert await told.ctx.store.get("name") == "Ada"

    run_virtually(main)


def test_a_failure_is_raised() -> None:
    with pytest.raises(StepFailedError, match="no such person"):
        run_virtually(lambda: WorkflowTestRunner(Greeter()).run(Named(name="Nemo")))
