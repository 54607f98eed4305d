"""Bounds that a run works out when it starts: where they hold, out of range, and after a snapshot."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from wfc.runtime import (
    Bounds,
    Context,
    Event,
    ExpressionError,
    Item,
    Items,
    LimitError,
    Question,
    StartEvent,
    StepBounds,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowTimeoutError,
    pause,
    run_bounds,
    step,
)
from wfc.runtime.testing import run_virtually


class Asked(StartEvent):
    bounds: Any = None


class Again(Event):
    left: int


class Bounded(Workflow):
    @run_bounds
    def bounds(self, inputs: Asked) -> Bounds:
        return inputs.bounds

    @step
    async def work(self, event: Asked | Again) -> Again | StopEvent:
        await asyncio.sleep(10)
        left = event.left if isinstance(event, Again) else 3
        return Again(left=left - 1) if left else StopEvent(result="done")


def outcome(bounds: Bounds, kind: type[Workflow] = Bounded) -> Any:
    async def main() -> Any:
        return await kind(timeout=None).run(start_event=Asked(bounds=bounds))

    return run_virtually(main)


def test_without_bounds_of_its_own_a_run_has_those_of_its_class() -> None:
    assert outcome(Bounds()) == "done"


@pytest.mark.parametrize(
    ("bounds", "error", "said"),
    [
        (Bounds(deadline=timedelta(seconds=25)), WorkflowTimeoutError, "longer than 25 s"),
        (Bounds(deadline=25), WorkflowTimeoutError, "longer than 25 s"),
        (Bounds(steps=3), LimitError, "more than 3 steps"),
        (
            Bounds(of_steps={"work": StepBounds(timeout=timedelta(seconds=9))}),
            StepFailedError,
            "longer than 9 s",
        ),
        (Bounds(deadline=timedelta(0)), ExpressionError, "`deadline` of the run is worked out as 0 s"),
        (Bounds(deadline=float("nan")), ExpressionError, "worked out as nan s"),
        (Bounds(deadline=timedelta(days=4000)), ExpressionError, "at most ten years"),
        (Bounds(steps=0), ExpressionError, "`steps` of the run is worked out as 0: at least 1"),
        (Bounds(cost_usd=-0.5), ExpressionError, "`cost_usd` of the run is worked out as -0.5: at least 0"),
        (
            Bounds(of_steps={"work": StepBounds(num_workers=0)}),
            ExpressionError,
            "`num_workers` of step `work` is worked out as 0: at least 1",
        ),
        (Bounds(of_steps={"walk": StepBounds(num_workers=1)}), ExpressionError, "cannot be computed: 'walk'"),
    ],
)
def test_a_bound_holds_or_is_out_of_range(bounds: Bounds, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        outcome(bounds)


class Many(Workflow):
    most = 0

    @run_bounds
    def bounds(self, inputs: Asked) -> Bounds:
        return inputs.bounds

    @pause
    def work(self, event: Asked) -> Items[int]:
        return Items(list(range(6)))

    @work.item()
    async def work_on(self, item: Item[int]) -> int:
        kind = type(self)
        kind.at_work += 1
        kind.most = max(kind.most, kind.at_work)
        await asyncio.sleep(1)
        kind.at_work -= 1
        return item

    @work.then
    def after_work(self, result: list[int]) -> StopEvent:
        return StopEvent(result=result)


@pytest.mark.parametrize("workers", [1, 3, 5])
def test_so_many_items_are_at_work_as_the_run_works_out(workers: int) -> None:
    class Counted(Many):
        most = at_work = 0

    assert outcome(Bounds(of_steps={"work": StepBounds(num_workers=workers)}), Counted) == list(range(6))
    assert Counted.most == workers


def test_more_items_than_the_run_works_out_are_refused() -> None:
    with pytest.raises(StepFailedError, match="there are 6 items, and 5 at most are allowed"):
        outcome(Bounds(of_steps={"work": StepBounds(items=5)}), Many)


class Voting(Workflow):
    @run_bounds
    def bounds(self, inputs: Asked) -> Bounds:
        return Bounds(deadline=1000, of_steps={"ask": StepBounds(quorum=inputs.bounds)})

    @pause
    def ask(self, event: Asked) -> Question[None]:
        return Question(None, title="Yes?")

    @ask.then
    def after_ask(self, result: list[None]) -> StopEvent:
        return StopEvent(result=len(result))


def test_bounds_outlive_a_snapshot() -> None:
    async def first() -> str:
        handler = Voting(timeout=None).run(start_event=Asked(bounds=2))
        await asyncio.sleep(400)
        (question,) = handler.questions()
        await handler.answer(question.id, None, by="user:ann")
        data = handler.ctx.to_dict()
        await handler.cancel_run()
        return json.dumps(data)

    async def second() -> tuple[Any, list[str], float]:
        workflow = Voting(timeout=None)
        handler = workflow.run(ctx=Context.from_dict(workflow, json.loads(text)))
        await asyncio.sleep(1)
        (question,) = handler.questions()
        execution = handler._run.execution
        left = (execution.deadline - handler._run.now()) / 1e9
        await handler.answer(question.id, None, by="user:ann")
        await asyncio.sleep(1)
        open_still = [one.id for one in handler.questions()]
        await handler.answer(question.id, None, by="user:bob")
        return await handler, open_still, left

    text = run_virtually(first)
    count, open_still, left = run_virtually(second)
    assert count == 2 and len(open_still) == 1
    assert left == pytest.approx(599)
