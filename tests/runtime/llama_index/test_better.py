"""Where llama-index-workflows is known to hurt: what ours does instead.

Each test first has the mistake or the race that hurts there, and then shows what comes of it here.
"""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    Resource,
    StartEvent,
    StepFailedError,
    StopEvent,
    StuckError,
    UndeclaredResultError,
    Workflow,
    WorkflowError,
    step,
)
from wfc.runtime.authoring.retry import asked_wait
from wfc.runtime.llama_index.retry_policy import (
    retry_policy,
    stop_after_attempt,
    stop_before_delay,
    wait_fixed,
)

Play = Callable[..., Any]
Virtually = Callable[..., Any]


class Job(Event):
    n: int = 0


class Done(Event):
    n: int = 0


class Unknown(Event):
    pass


def test_a_result_that_is_not_declared_ends_the_run_at_once(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Job:
            return Unknown()  # type: ignore[return-value]

        @step
        async def end(self, ev: Job) -> StopEvent: ...

    with pytest.raises(UndeclaredResultError, match="step `start` emitted Unknown, but declares Job"):
        play(Flow(timeout=None))


def test_a_run_that_can_no_longer_move_says_so_at_once(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> Job | None:
            ctx.send_event(Job())
            return None

        @step
        async def gather(self, ctx: Context, ev: Job) -> StopEvent | None:
            found = ctx.collect_events(ev, [Job, Job])
            return None if found is None else StopEvent()

    with pytest.raises(StuckError, match="step `gather` has collected 1 Job and waits for 1 more"):
        play(Flow(timeout=None))


def test_an_event_that_a_step_sends_and_nobody_ever_takes_is_an_error(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> StopEvent:
            ctx.send_event(Unknown())
            return StopEvent()

    with pytest.raises(UndeclaredResultError, match="no step accepts Unknown, which step `start` sent"):
        play(Flow)


def test_what_one_of_two_steps_sends_at_once_does_not_keep_the_other_from_starting() -> None:
    started = []

    class Flow(Workflow):
        @step
        async def first(self, ctx: Context, ev: StartEvent) -> StopEvent | None:
            ctx.send_event(StopEvent(result="sent"))
            return None

        @step
        async def second(self, ev: StartEvent) -> None:
            started.append("second")

    assert asyncio.run(_run(Flow)) == "sent"
    assert started == ["second"]


def test_the_time_out_of_a_step_frees_its_caller_from_blocking_code() -> None:
    stop = threading.Event()

    class Flow(Workflow):
        @step(timeout=0.05)
        def start(self, ev: StartEvent) -> StopEvent:
            stop.wait(60)
            return StopEvent()

    async def main() -> None:
        with pytest.raises(StepFailedError, match=r"longer than 50 ms"):
            await Flow(timeout=None).run()

    try:
        asyncio.run(main())
    finally:
        stop.set()


def test_a_plain_function_sends_events_and_edits_what_is_shown(play: Play) -> None:
    # there the context needs the event loop's thread, in which a plain function does not run
    class Flow(Workflow):
        @step
        def start(self, ctx: Context, ev: StartEvent) -> Job | None:
            for n in range(3):
                ctx.send_event(Job(n=n))
            ctx.write_event_to_stream(Unknown())
            return None

        @step
        def gather(self, ctx: Context, ev: Job) -> StopEvent | None:
            found = ctx.collect_events(ev, [Job] * 3)
            return None if found is None else StopEvent(result=sorted(one.n for one in found))

    assert asyncio.run(_run(Flow)) == [0, 1, 2]


async def _run(flow: type[Workflow]) -> Any:
    return await flow().run()


def test_parallel_first_use_of_nested_resources_is_no_circle(play: Play) -> None:
    # there the names under way are kept in one list for all, so that two steps side by side seem to be a circle
    made = []

    async def base() -> object:
        await asyncio.sleep(1)
        made.append("base")
        return object()

    async def top(base: Annotated[object, Resource(base)]) -> object:
        await asyncio.sleep(1)
        made.append("top")
        return base

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Job]:
            return [Job(n=n) for n in range(8)]

        @step(num_workers=8)
        async def work(
            self, ev: Job, top: Annotated[object, Resource(top)], base: Annotated[object, Resource(base)]
        ) -> Done:
            return Done(n=int(top is base))

        @step
        async def gather(self, evs: list[Done]) -> StopEvent:
            return StopEvent(result=sum(ev.n for ev in evs))

    assert play(Flow) == 8
    assert made == ["base", "top"]


def test_a_body_that_waits_is_not_run_again(virtually: Virtually) -> None:
    runs = []

    class Flow(Workflow):
        @step
        async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
            runs.append(1)
            first = await ctx.wait_for_event(Job)
            second = await ctx.wait_for_event(Job)
            return StopEvent(result=[first.n, second.n])

    async def main() -> Any:
        handler = Flow().run()
        for n in range(2):
            await asyncio.sleep(1)
            await handler.send_event(Job(n=n))
        return await handler

    assert virtually(main) == [0, 1]
    assert runs == [1]


def test_several_readers_see_the_whole_stream(virtually: Virtually) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> StopEvent:
            for n in range(3):
                ctx.write_event_to_stream(Done(n=n))
                await asyncio.sleep(1)
            return StopEvent()

    async def main() -> Any:
        handler = Flow().run()

        async def read(after: float) -> list[str]:
            await asyncio.sleep(after)
            return [type(ev).__name__ async for ev in handler.stream_events()]

        return await asyncio.gather(read(0), read(1.5), read(10))

    assert virtually(main) == [["Done", "Done", "Done", "StopEvent"]] * 3


def test_a_batch_comes_in_the_order_of_its_items(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Job]:
            return [Job(n=n) for n in range(5)]

        @step(num_workers=5)
        async def work(self, ev: Job) -> Done:
            await asyncio.sleep(5 - ev.n)
            return Done(n=ev.n)

        @step
        async def gather(self, evs: list[Done]) -> StopEvent:
            return StopEvent(result=[ev.n for ev in evs])

    assert play(Flow) == [0, 1, 2, 3, 4]


def test_whatever_goes_wrong_has_one_base_class(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> StopEvent:
            raise KeyError("x")

    with pytest.raises(WorkflowError):
        play(Flow)
    with pytest.raises(KeyError):
        play(Flow)
    with pytest.raises(WorkflowError):
        type("Empty", (Workflow,), {})()


class ReplyError(Exception):
    """Like those of HTTP clients: it has the response, and that its headers."""

    def __init__(self, **headers: str) -> None:
        super().__init__("429")
        self.response = type(
            "Response", (), {"headers": {name.replace("_", "-"): it for name, it in headers.items()}}
        )


@pytest.mark.parametrize(
    ("asked", "stop", "most", "wait"),
    [
        ("7", stop_after_attempt(3), 600, 7.0),
        ("1", stop_after_attempt(3), 600, 2.0),
        ("7", stop_after_attempt(3), 5, 2.0),
        ("7", stop_after_attempt(3), 0, 2.0),
        ("7", stop_before_delay(5), 600, None),
        ("soon", stop_after_attempt(3), 600, 2.0),
        ("-3", stop_after_attempt(3), 600, 2.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", stop_after_attempt(3), 600, 2.0),
    ],
)
def test_a_policy_waits_as_long_as_a_service_asks(
    asked: str, stop: Any, most: float, wait: float | None
) -> None:
    policy = retry_policy(wait=wait_fixed(2), stop=stop, max_retry_after=most)
    assert policy.next(0.0, 1, ReplyError(retry_after=asked)) == wait


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (ValueError(), None),
        (ReplyError(), None),
        (ReplyError(retry_after="1.5"), 1.5),
        (ReplyError(Retry_After="2"), 2.0),
    ],
)
def test_what_a_service_asks_for_is_read_off_any_client_s_error(
    error: Exception, seconds: float | None
) -> None:
    assert asked_wait(error) == seconds


def test_the_random_part_of_a_wait_is_the_same_for_one_run_s_attempt_only(virtually: Virtually) -> None:
    from wfc.runtime.llama_index.retry_policy import wait_random

    class Flow(Workflow):
        @step(retry_policy=retry_policy(wait=wait_random(0, 100), stop=stop_after_attempt(3)))
        async def start(self, ctx: Context, ev: StartEvent) -> StopEvent:
            info = ctx.retry_info()
            if info.retry_number < 2:
                raise ValueError
            return StopEvent(result=round(info.elapsed_seconds, 6))

    async def main() -> Any:
        return [await Flow(timeout=None).run(run_id=name) for name in ("a", "a", "b")]

    first, again, other = virtually(main)
    assert first == again != other


LOST = """
import asyncio
from {package} import Context, Workflow, step
from {package}.events import Event, StartEvent, StopEvent

class Lost(Event):
    pass

class Sends(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        ctx.send_event(Lost())
        return StopEvent(result="done")

async def main():
    try:
        print(await Sends().run())
    except Exception as error:
        print(type(error).__name__, error)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("package", "printed"),
    [
        (
            "wfc.runtime.llama_index",
            "UndeclaredResultError no step accepts Lost, which step `only` sent, and nothing has waited for it",
        ),
        ("workflows", "done"),
    ],
)
def test_an_event_that_nothing_takes_is_told_of_where_theirs_drops_it(package: str, printed: str) -> None:
    if package == "workflows" and importlib.util.find_spec("llama_index_instrumentation") is None:
        pytest.skip("llama-index-workflows is not installed")
    done = subprocess.run(
        [sys.executable, "-c", LOST.format(package=package)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == printed
