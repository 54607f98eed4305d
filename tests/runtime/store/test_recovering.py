"""Runs that go on after their process: what is counted stays, what was at work begins again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from version_1 import Old

from wfc.runtime import (
    Breakpoint,
    Context,
    Delay,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowTimeoutError,
    pause,
    step,
)
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.advance import advance
from wfc.runtime.core.effects import StartAgain, StartTimer
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.moments import SECOND, as_datetime
from wfc.runtime.core.ticks import Cancelled, Completed, Continued, Halted, Paused, Recovered, Started
from wfc.runtime.plan.outcomes import Restart
from wfc.runtime.testing import run_virtually

VERSION_1 = Path(__file__).with_name("version_1.json")


def test_a_snapshot_of_the_first_version_goes_on() -> None:
    async def main() -> Any:
        workflow = Old(timeout=100)
        ctx: Context[Any] = Context.from_dict(workflow, json.loads(VERSION_1.read_text(encoding="utf-8")))
        handler = workflow.run(ctx=ctx)
        await asyncio.sleep(80)
        (question,) = handler.questions()
        execution = handler._run.execution
        left = (execution.deadline or 0) - handler._run.now()
        await handler.answer(question.id, None)
        return await handler, left

    said, left = run_virtually(main)
    assert left == 8 * SECOND
    assert said == ["2 r/works/3", "3 not yet", 78.0]


class Slow(Workflow):
    @step
    async def work(self, event: StartEvent) -> StopEvent:
        await asyncio.sleep(50)
        return StopEvent(result=asyncio.get_running_loop().time())


def begun(timeout: float | None = 100.0) -> Execution:
    plan = definition_of(Slow).plan
    execution = Execution(plan, "r", plan.new_state())
    advance(execution, Started(StartEvent(), {}, None, timeout), 10 * SECOND)
    return execution


def test_the_deadline_is_the_same_moment_after_a_recovery() -> None:
    execution = begun()
    advance(execution, Recovered(), 60 * SECOND)
    assert execution.deadline == 110 * SECOND
    advance(execution, Recovered(rest=5 * SECOND), 65 * SECOND)  # it was put aside for that time
    assert execution.deadline == 115 * SECOND
    assert begun(None).deadline is None


def test_the_deadline_stands_still_while_the_run_is_halted() -> None:
    execution = begun()
    advance(execution, Halted(), 20 * SECOND)
    assert (execution.deadline, execution.deadline_left) == (None, 90 * SECOND)
    advance(execution, Continued(), 50 * SECOND)
    assert (execution.deadline, execution.deadline_left) == (140 * SECOND, None)
    advance(execution, Halted(), 60 * SECOND)
    advance(execution, Recovered(), 70 * SECOND)  # nobody remembers the breakpoint
    assert (execution.deadline, execution.deadline_left) == (150 * SECOND, None)


def test_time_that_is_up_is_up_only_once() -> None:
    execution = begun()
    advance(execution, Cancelled(WorkflowTimeoutError("late")), 110 * SECOND)
    assert execution.deadline is None


def test_a_halted_run_has_the_rest_of_its_time_after_a_snapshot() -> None:
    async def first() -> Any:
        handler = Slow(timeout=60).run(run_id="r")
        handler.break_at(Breakpoint(before="work"))
        await handler.halted()
        await asyncio.sleep(1000)
        data = handler.ctx.to_dict()
        await handler.cancel_run()
        return json.dumps(data)

    async def second() -> Any:
        workflow = Slow(timeout=60)
        return await workflow.run(ctx=Context.from_dict(workflow, json.loads(text)))

    text = run_virtually(first)
    assert run_virtually(second) == 50.0


def test_a_run_that_is_late_is_stopped_at_once_after_a_snapshot() -> None:
    async def first() -> Any:
        handler = Slow(timeout=60).run(run_id="r")
        await asyncio.sleep(30)
        data = handler.ctx.to_dict()
        await handler.cancel_run()
        return json.dumps(data)

    async def second() -> Any:
        workflow = Slow(timeout=60)
        with pytest.raises(WorkflowTimeoutError):
            await workflow.run(ctx=Context.from_dict(workflow, json.loads(text)))
        return asyncio.get_running_loop().time()

    text = run_virtually(first)
    assert run_virtually(second) == 30.0


def test_what_was_at_work_begins_again_and_what_was_ready_is_as_it_was() -> None:
    execution = begun()
    (run,) = execution.in_flight.values()
    assert [*execution.starting] == [run]
    advance(execution, Recovered(ready=(1,)), 20 * SECOND)
    assert ([*execution.starting], run.attempt, run.since) == ([run], 1, 0)
    advance(execution, Recovered(), 30 * SECOND)
    assert ([*execution.starting], run.attempt, run.since) == ([run], 2, 1)
    advance(execution, Recovered(ready=(7,)), 30 * SECOND)  # one that is over
    assert ([*execution.starting], run.attempt, run.since) == ([run], 3, 2)


def test_a_run_that_was_restarting_starts_again() -> None:
    execution = begun()
    advance(execution, Completed(1, Restart(StartEvent())), 20 * SECOND)
    assert execution.deadline is None
    execution.take_effects()
    advance(execution, Recovered(), 30 * SECOND)
    assert execution.outcome is None
    assert [type(effect) for effect in execution.effects] == [StartAgain]
    assert not any(isinstance(effect, StartTimer) for effect in execution.effects)


class Resting(Workflow):
    @pause
    def long(self, event: StartEvent) -> Delay:
        return Delay(20)

    @long.then
    def after_long(self, event: StartEvent) -> StopEvent:
        return StopEvent(result="long")

    @pause
    def short(self, event: StartEvent) -> Delay:
        return Delay(10)

    @short.then
    def after_short(self, event: StartEvent) -> StopEvent:
        return StopEvent(result="short")


def test_of_two_timers_that_are_late_the_earlier_fires_first() -> None:
    plan = definition_of(Resting).plan
    execution = Execution(plan, "r", plan.new_state())
    advance(execution, Started(StartEvent(), {}), 10 * SECOND)
    for number, seconds in ((1, 20), (2, 10)):
        advance(execution, Paused(number, Delay(seconds), as_datetime(10 * SECOND), None), 10 * SECOND)
    execution.take_effects()
    advance(execution, Recovered(), 100 * SECOND)
    due = [effect.due for effect in execution.effects if isinstance(effect, StartTimer)]
    assert due == [20 * SECOND, 30 * SECOND]
