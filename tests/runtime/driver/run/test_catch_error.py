"""``@catch_error``: what takes over when a step has failed for good, and how often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from wfc.runtime import (
    AllOf,
    Event,
    RetryPolicy,
    StartEvent,
    StepFailedError,
    StepFailedEvent,
    StopEvent,
    Workflow,
    WorkflowValidationError,
    catch_error,
    step,
)
from wfc.runtime.events import CollectionReleaseEvent

Play = Callable[..., Any]


class Ask(Event):
    n: int = 0


class Got(Event):
    n: int = 0


class Other(Event):
    n: int = 0


class Again(Event):
    n: int = 0


def test_the_handler_for_all_ends_the_run_and_knows_what_failed(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Ask:
            return Ask(n=7)

        @step(retry_policy=RetryPolicy(max_attempts=3, delay=2.0, backoff=1.0))
        async def fetch(self, ev: Ask) -> StopEvent:
            await asyncio.sleep(1)
            raise KeyError("nothing there")

        @catch_error
        async def mend(self, ev: StepFailedEvent) -> StopEvent:
            return StopEvent(result=ev)

    told = play(Flow)
    assert (told.step_name, told.attempts, told.input_event) == ("fetch", 3, Ask(n=7))
    assert isinstance(told.exception, KeyError)
    assert told.elapsed_seconds == pytest.approx(3 * 1 + 2 * 2)
    assert told.failed_at.tzinfo is UTC


def test_a_handler_that_names_a_step_comes_before_the_one_for_all(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def fetch(self, ev: StartEvent) -> Ask:
            raise ValueError("first")

        @step
        async def use(self, ev: Ask) -> StopEvent:
            raise ValueError("second")

        @catch_error(for_steps=["fetch"])
        async def instead(self, ev: StepFailedEvent) -> Ask:
            return Ask()

        @catch_error
        async def rest(self, ev: StepFailedEvent) -> StopEvent:
            return StopEvent(result=f"{ev.step_name}: {ev.exception}")

    assert play(Flow) == "use: second"


def test_a_failing_handler_fails_the_run_with_its_own_error(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def fetch(self, ev: StartEvent) -> StopEvent:
            raise ValueError("first")

        @catch_error
        async def mend(self, ev: StepFailedEvent) -> StopEvent:
            raise RuntimeError("cannot be mended") from ev.exception

    with pytest.raises(StepFailedError, match="cannot be mended") as caught:
        play(Flow)
    assert caught.value.step == "mend"


@pytest.mark.parametrize("recoveries", [1, 2, 5])
def test_a_loop_through_a_handler_is_bounded(play: Play, recoveries: int) -> None:
    tried = []

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Ask:
            return Ask()

        @step
        async def fetch(self, ev: Ask | Again) -> StopEvent:
            tried.append(ev)
            raise ValueError(f"try {len(tried)}")

        @catch_error(for_steps=["fetch"], max_recoveries=recoveries)
        async def once_more(self, ev: StepFailedEvent) -> Again:
            return Again()

    with pytest.raises(StepFailedError, match=f"try {recoveries + 1}"):
        play(Flow)
    assert len(tried) == recoveries + 1


def test_each_lineage_has_its_own_budget(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Ask]:
            return [Ask(n=n) for n in range(5)]

        @step
        async def fetch(self, ev: Ask) -> Got:
            if ev.n % 2:
                raise ValueError(ev.n)
            return Got(n=ev.n)

        @catch_error
        async def stand_in(self, ev: StepFailedEvent) -> Got:
            return Got(n=-ev.input_event.n)

        @step
        async def gather(self, evs: list[Got]) -> StopEvent:
            return StopEvent(result=[ev.n for ev in evs])

    # what a handler gives takes the failed item's place in the batch
    assert play(Flow) == [0, -1, 2, -3, 4]


def test_the_budget_survives_a_fork_that_is_passed_again(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def fork(self, ev: StartEvent | Again) -> Ask:
            return Ask()

        @step
        async def fetch(self, ev: Ask) -> Got | Other:
            raise ValueError("never works")

        @step(join=AllOf("fork"))
        async def join(self, got: Got, other: Other) -> StopEvent:
            return StopEvent()

        @catch_error(max_recoveries=3)
        async def mend(self, ev: StepFailedEvent) -> Again:
            return Again()

    with pytest.raises(StepFailedError, match="never works"):
        play(Flow)


def test_a_failed_join_and_a_failed_collector_tell_all_their_events(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def ask(self, ev: StartEvent) -> list[Ask]:
            return [Ask(n=1), Ask(n=2)]

        @step
        async def gather(self, evs: list[Ask]) -> Got:
            raise ValueError("too many")

        @catch_error
        async def mend(self, ev: StepFailedEvent) -> StopEvent:
            return StopEvent(result=ev.input_event)

        @step
        async def done(self, ev: Got) -> StopEvent:
            return StopEvent()

    assert play(Flow) == CollectionReleaseEvent(events=[Ask(n=1), Ask(n=2)])


def test_the_worker_of_a_failed_step_is_free_again(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Ask]:
            return [Ask(n=n) for n in range(20)]

        @step(num_workers=1)
        async def fetch(self, ev: Ask) -> Got:
            raise ValueError

        @catch_error
        async def drop(self, ev: StepFailedEvent) -> None: ...

        @step
        async def gather(self, evs: list[Got]) -> StopEvent:
            return StopEvent(result=evs)

    assert play(Flow) == []


def wrong_handlers() -> list[tuple[Callable[[], Any], str]]:
    def takes_something_else() -> Any:
        class Flow(Workflow):
            @step
            async def start(self, ev: StartEvent) -> StopEvent: ...

            @catch_error
            async def mend(self, ev: Ask) -> StopEvent: ...

        return Flow()

    def unknown_step() -> Any:
        class Flow(Workflow):
            @step
            async def start(self, ev: StartEvent) -> StopEvent: ...

            @catch_error(for_steps=["strat"])
            async def mend(self, ev: StepFailedEvent) -> StopEvent: ...

        return Flow()

    def two_for_all() -> Any:
        class Flow(Workflow):
            @step
            async def start(self, ev: StartEvent) -> StopEvent: ...

            @catch_error
            async def mend(self, ev: StepFailedEvent) -> StopEvent: ...

            @catch_error
            async def mend_too(self, ev: StepFailedEvent) -> StopEvent: ...

        return Flow()

    def two_for_one() -> Any:
        class Flow(Workflow):
            @step
            async def start(self, ev: StartEvent) -> StopEvent: ...

            @catch_error(for_steps=["start"])
            async def mend(self, ev: StepFailedEvent) -> StopEvent: ...

            @catch_error(for_steps=["start"])
            async def mend_too(self, ev: StepFailedEvent) -> StopEvent: ...

        return Flow()

    def for_a_handler() -> Any:
        class Flow(Workflow):
            @step
            async def start(self, ev: StartEvent) -> StopEvent: ...

            @catch_error
            async def mend(self, ev: StepFailedEvent) -> StopEvent: ...

            @catch_error(for_steps=["mend"])
            async def mend_it(self, ev: StepFailedEvent) -> StopEvent: ...

        return Flow()

    return [
        (takes_something_else, "`mend` must take a StepFailedEvent"),
        (unknown_step, "`mend` is for `strat`, which is no step"),
        (two_for_all, "only one handler can be for all steps, not `mend`, `mend_too`"),
        (two_for_one, "`mend` and `mend_too` are both for `start`"),
        (for_a_handler, "`mend_it` is for `mend`, which is a handler itself"),
        (lambda: catch_error(max_recoveries=0), "greater than 0"),
        (lambda: catch_error(max_recoveries=True), "greater than 0"),
        (lambda: catch_error(for_steps="start"), "list of the names"),  # type: ignore[call-overload]
    ]


@pytest.mark.parametrize(("make", "said"), wrong_handlers())
def test_wrong_handlers_are_told_of_when_the_workflow_is_made(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(WorkflowValidationError, match=said):
        make()
