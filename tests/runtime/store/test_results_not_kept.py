"""Results that a journal cannot keep: errors of the step that gave them, which it may retry or handle."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from wfc.runtime import Event, RetryPolicy, StartEvent, StopEvent, Workflow, step, transform
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.advance import advance
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import AttemptFailed, Completed, Failed, Tick
from wfc.runtime.driver.run import workers
from wfc.runtime.driver.run.attempts import settle
from wfc.runtime.errors import SnapshotError, StepError, StepFailedError
from wfc.runtime.store.snapshots import values_for
from wfc.runtime.store.ticks import decode_tick, encode_tick
from wfc.runtime.testing import run_virtually

NAN = float("nan")


class Told(Event):
    value: Any = None


class Sad(Event):
    value: Any = None


class Plain(Workflow):
    @step
    async def work(self, event: StartEvent) -> Told:
        await asyncio.sleep(9)
        return Told()

    @work.on_error
    def sad_work(self, error: StepError) -> Sad:
        return Sad(value=NAN if "surrogate" in error.message else error.name)

    @step
    async def end(self, event: Told | Sad) -> StopEvent:
        return StopEvent()


class Patient(Workflow):
    @step(retry_policy=RetryPolicy(max_attempts=2, delay=1))
    async def work(self, event: StartEvent) -> StopEvent:
        await asyncio.sleep(9)
        return StopEvent()


class Tailed(Workflow):
    @transform
    async def work(self, event: StartEvent) -> StopEvent:
        return StopEvent()


def settled(kind: type[Workflow], emitted: object) -> tuple[list[Tick], list[bytes]]:
    """What is tried, and what is kept, where a step of a workflow has emitted something."""

    async def main() -> Any:
        handler = kind().run(run_id="r")
        await asyncio.sleep(1)
        run = handler._run
        (step_run,) = run.execution.in_flight.values()
        values, tried, kept = values_for(run.execution.plan, None), [], []

        def keep(tick: Tick) -> None:
            tried.append(tick)
            kept.append(encode_tick(tick, 5, run.execution, values))

        try:
            keep(Completed(step_run.number, emitted))
        except SnapshotError as refused:
            settle(run, step_run, refused, keep)
        for body in kept:
            assert encode_tick(decode_tick(body, run.execution, values)[0], 5, run.execution, values) == body
        run.cancel()
        await asyncio.gather(handler, return_exceptions=True)
        return tried, kept

    return run_virtually(main)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (NAN, "result"),
        ([float("inf")], "result"),
        (lambda: 0, "result"),
        ("x" * 16_000_001, "result.too_large"),
    ],
    ids=["nan", "inf", "function", "large"],
)
def test_a_result_that_cannot_be_kept_is_an_error_of_the_step(value: object, name: str) -> None:
    (first, second), kept = settled(Plain, Told(value=value))
    assert isinstance(first, Completed)
    assert isinstance(second, Completed) and second.emitted == Sad(value=name)
    assert len(kept) == 1


def test_it_is_tried_again() -> None:
    (_, second), kept = settled(Patient, StopEvent(result=NAN))
    assert isinstance(second, AttemptFailed) and second.delay == 1.0
    assert str(second.error).startswith("the result cannot be kept: a value has no form in JSON")
    assert len(kept) == 1


def test_where_what_its_handler_emits_cannot_be_kept_either_the_step_has_failed() -> None:
    ticks, kept = settled(Plain, Told(value="\ud800"))
    assert [type(tick) for tick in ticks] == [Completed, Completed, Failed]
    failed = ticks[-1]
    assert isinstance(failed, Failed) and isinstance(failed.error, StepFailedError)
    assert failed.error.name == "result" and len(kept) == 1


class Broken(Workflow):
    @step
    async def work(self, event: StartEvent) -> float:
        return event["value"]  # type: ignore[no-any-return]

    @work.then
    def after_work(self, result: float) -> StopEvent:
        return StopEvent(result=1 / (result - result))


def test_what_an_action_gave_is_kept_where_its_tail_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Tick] = []

    def seeing(execution: Execution, tick: Tick, at: int) -> None:
        if isinstance(tick, Failed):
            values = values_for(execution.plan, None)
            found.append(decode_tick(encode_tick(tick, at, execution, values), execution, values)[0])
        advance(execution, tick, at)

    monkeypatch.setattr(workers, "advance", seeing)

    async def main() -> None:
        with pytest.raises(StepFailedError, match="ZeroDivisionError"):
            await Broken().run(value=4.5)

    run_virtually(main)
    (tick,) = found
    assert isinstance(tick, Failed) and tick.result == 4.5


def test_an_error_is_kept_whatever_its_text_and_what_came_with_it() -> None:
    plan = definition_of(Broken).plan
    execution, values = Execution(plan, "r", plan.new_state()), values_for(plan, None)
    error = StepError("odd", "odd \ud800", body={"odd": NAN})
    tick = Failed(1, StepFailedError("work", "StartEvent", 1, error, tail=True), result=NAN)
    read, _ = decode_tick(encode_tick(tick, 5, execution, values), execution, values)
    assert isinstance(read, Failed) and isinstance(read.error, StepFailedError)
    assert read.result is None and "odd \\ud800" in str(read.error) and read.error.error.body is None
