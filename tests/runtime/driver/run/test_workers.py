"""How many step runs are at work at once, and in which order they begin."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from waiting import SECONDS, until

from wfc.runtime import (
    Context,
    Engine,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowHandler,
    step,
)
from wfc.runtime.core.moments import SECOND
from wfc.runtime.driver.run import state as run_state
from wfc.runtime.driver.run.future import RunFuture
from wfc.runtime.driver.run.workers import TURN
from wfc.runtime.events.internal import StepState, StepStateChanged
from wfc.runtime.store.journal import AuditEntry

Play = Callable[..., Any]


Watch = Callable[..., list[Event]]


Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Done(Event):
    value: int = 0


def busy(workers: int, waits: bool) -> type[Workflow]:
    """Forty events at a step with so many workers, which waits a second or not at all."""

    class Busy(Workflow):
        most = 0
        now = 0
        order: list[int] = []  # noqa: RUF012

        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item(value=value) for value in range(40)]

        @step(num_workers=workers)
        async def work(self, ev: Item) -> Done:
            type(self).order = [*self.order, ev.value]
            type(self).now += 1
            type(self).most = max(self.most, self.now)
            if waits:
                await asyncio.sleep(1)
            type(self).now -= 1
            return Done(value=ev.value)

        @step
        async def end(self, events: list[Done]) -> StopEvent:
            return StopEvent(result=asyncio.get_running_loop().time())

    return Busy


@pytest.mark.parametrize(("workers", "seconds"), [(1, 40), (4, 10), (40, 1), (100, 1), (100_000, 1)])
def test_as_many_at_once_as_there_are_workers_first_come_first_served(
    virtually: Virtually, workers: int, seconds: float
) -> None:
    flow = busy(workers, waits=True)

    async def main() -> float:
        start = asyncio.get_running_loop().time()
        return await flow().run() - start  # type: ignore[no-any-return]

    assert virtually(main) == pytest.approx(seconds)
    assert (flow.most, flow.order) == (min(workers, 40), list(range(40)))  # type: ignore[attr-defined]


@pytest.mark.parametrize("workers", [4, 100_000])
def test_steps_that_do_not_wait_are_served_in_order_too(play: Play, workers: int) -> None:
    flow = busy(workers, waits=False)
    play(flow)
    assert (flow.most, flow.order) == (1, list(range(40)))  # type: ignore[attr-defined]


def test_a_run_that_never_waits_lets_others_live() -> None:
    class Spin(Workflow):
        @step
        async def spin(self, ev: StartEvent | Item) -> Item | StopEvent:
            spins.append(None)
            return StopEvent(result=bool(flag)) if flag or len(spins) > 500_000 else Item()

    flag: list[bool] = []
    spins: list[None] = []

    async def main() -> Any:
        handler = Spin().run()
        for _ in range(20):
            await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.01, flag.append, True)
        return await handler

    assert asyncio.run(main())


@pytest.mark.parametrize("workers", [1, 4])
def test_a_run_of_which_one_step_waits_lets_others_live(workers: int) -> None:
    done: list[int] = []

    class Heavy(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item(value=value) for value in range(40)]

        @step(num_workers=workers)
        async def work(self, ev: Item) -> Done:
            if ev.value == 0:
                await asyncio.sleep(0)
            time.sleep(0.6 * TURN / SECOND)  # noqa: ASYNC251 - as if it computed
            done.append(ev.value)
            return Done()

        @step
        async def end(self, events: list[Done]) -> StopEvent:
            return StopEvent()

    async def main() -> int:
        handler, most = Heavy().run(), 0
        while not handler.is_done():
            before = len(done)
            await asyncio.sleep(0)
            most = max(most, len(done) - before)
        return most

    assert asyncio.run(main()) <= 3 * workers  # each has two at most in a turn
    assert len(done) == 40


@pytest.mark.parametrize("count", [2, 20])
def test_a_run_that_has_waited_ends_without_a_further_turn(count: int) -> None:
    """However long it has waited, for others had their turn meanwhile."""
    arrived, opened = [], asyncio.Event()

    class Passing(Workflow):
        @step
        async def first(self, ev: StartEvent) -> Item:
            arrived.append(None)
            await opened.wait()
            return Item()

        @step
        async def second(self, ev: Item) -> StopEvent:
            return StopEvent()

    async def main() -> list[bool]:
        handlers = [Passing().run() for _ in range(count)]
        await asyncio.sleep(0)
        assert len(arrived) == count
        time.sleep(2 * TURN / SECOND)  # noqa: ASYNC251 - the loop itself stands still
        opened.set()
        await asyncio.sleep(0)
        return [handler.is_done() for handler in handlers]

    assert asyncio.run(main()) == [True] * count


@pytest.mark.parametrize("fails", [False, True])
def test_the_end_may_be_asked_for_by_other_threads(fails: bool) -> None:
    class Ending(Workflow):
        @step
        async def only(self, ev: StartEvent) -> StopEvent:
            if fails:
                raise ValueError("no")
            return StopEvent(result=7)

    seen: list[asyncio.Future[StopEvent]] = []

    def ask(handlers: list[WorkflowHandler]) -> None:
        seen.extend(handler._run.future for handler in handlers)

    async def main() -> None:
        handlers = [Ending().run() for _ in range(300)]
        threads = [threading.Thread(target=ask, args=(handlers,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        await asyncio.gather(*handlers, return_exceptions=True)
        for thread in threads:
            thread.join()
        assert len(set(map(id, seen))) == len(handlers)
        for future in seen:
            assert isinstance(future.exception(), StepFailedError) if fails else future.result().result == 7

    asyncio.run(main())


def test_the_end_of_a_run_that_is_over_is_there_whoever_asks_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread, which is slow, must not make it later: nobody would wake the loop then."""
    begun = threading.Event()

    class Slow(RunFuture):
        def settle(self, outcome: StopEvent | Exception | None) -> None:
            begun.set()
            time.sleep(0.05)
            super().settle(outcome)

    monkeypatch.setattr(run_state, "RunFuture", Slow)

    async def main() -> None:
        handler = Plain().run(number=1)
        async for _ in handler.stream_events():
            pass
        assert handler.is_done()
        thread = threading.Thread(target=lambda: handler._run.future)
        thread.start()
        begun.wait()
        assert handler._run.future.done()
        thread.join()

    asyncio.run(main())


@pytest.mark.parametrize("ends", ["by itself", "cancelled", "cancelled before it began"])
def test_a_run_that_is_over_keeps_nothing_of_its_callers_variables(ends: str) -> None:
    variable: ContextVar[Item] = ContextVar("variable")

    class Branching(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item(value=value) for value in range(3)]

        @step
        async def work(self, ev: Item) -> StopEvent:
            await asyncio.sleep(0 if ev.value == 0 and ends == "by itself" else 60)
            return StopEvent()

    async def call() -> tuple[WorkflowHandler, weakref.ref[Item]]:
        variable.set(item := Item())
        handler = Branching().run()
        if ends == "cancelled":
            await asyncio.sleep(0.01)
        await (handler if ends == "by itself" else handler.cancel_run())
        return handler, weakref.ref(item)

    async def main() -> None:
        handler, item = await asyncio.create_task(call())
        await asyncio.sleep(0.01)  # its other tasks end
        gc.collect()
        assert handler.is_done()
        assert item() is None

    asyncio.run(main())


def test_runs_of_one_object_may_be_bounded(virtually: Virtually) -> None:
    class Count(Workflow):
        now = most = 0

        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            type(self).now += 1
            type(self).most = max(self.now, self.most)
            await asyncio.sleep(1)
            type(self).now -= 1
            if ev.number == 3:
                raise ValueError
            return StopEvent(result=ev.number)

    async def main() -> list[Any]:
        workflow = Count(num_concurrent_runs=2)
        handlers = [workflow.run(number=number) for number in range(6)]
        await handlers[5].cancel_run()
        return await asyncio.gather(*handlers, return_exceptions=True)

    results = virtually(main)
    assert results[:3] + results[4:5] == [0, 1, 2, 4]
    assert isinstance(results[3], StepFailedError)
    assert Count.most == 2


def test_a_step_run_that_waits_for_a_worker_is_shown(watch: Watch) -> None:
    states = [event for event in watch(busy(1, waits=False)) if isinstance(event, StepStateChanged)]
    assert sum(event.step_state is StepState.PREPARING for event in states) == 39


class Plain(Workflow):
    @step
    async def work(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=ev.number)


class Passing(Workflow):
    @step
    async def first(self, ev: StartEvent) -> Item:
        await asyncio.sleep(0)
        return Item(value=ev.number)

    @step
    async def second(self, ev: Item) -> StopEvent:
        return StopEvent(result=ev.value)


class Telling(Workflow):
    @step
    async def work(self, context: Context, ev: StartEvent) -> StopEvent:
        context.write_event_to_stream(Item(value=ev.number))
        return StopEvent(result=ev.number)


class Waiting(Workflow):
    @step
    async def work(self, context: Context, ev: StartEvent) -> StopEvent:
        await context.wait_for_event(Item, timeout=60)
        return StopEvent(result=ev.number)


async def plainly(handler: WorkflowHandler) -> None:
    pass


async def reading(handler: WorkflowHandler) -> None:
    async for _ in handler.stream_events():
        pass


async def sending(handler: WorkflowHandler) -> None:
    await asyncio.sleep(0.01)
    handler.ctx.send_event(Item())


@pytest.mark.parametrize(
    ("kind", "use"),
    [
        (Plain, plainly),
        (Passing, plainly),
        (Plain, reading),
        (Telling, plainly),
        (Telling, reading),
        (Waiting, sending),
    ],
)
def test_a_run_that_is_over_goes_without_the_garbage_collector(
    virtually: Virtually,
    tmp_path: Path,
    kind: type[Workflow],
    use: Callable[[WorkflowHandler], Awaitable[None]],
) -> None:
    async def main(engine: Engine | None = None) -> object:
        handler = kind(engine=engine).run(number=1)
        known = weakref.ref(handler._run)
        await use(handler)
        assert await handler == 1
        del handler
        for _ in range(100):  # its task ends, and whoever handed it what was recorded
            if known() is None:
                break
            await asyncio.sleep(0.01)
        return known()

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(main()) is None
        assert virtually(main) is None
        stored = Engine(store=tmp_path / "runs.db")
        assert asyncio.run(main(stored)) is None
        stored.close()
    finally:
        gc.enable()


class Behind(Workflow):
    """Ends while another of its workers waits for what that one's step has done to be recorded."""

    at_work: dict[int, asyncio.Event]  # by value: what lets the step go on

    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> Item:
        ctx.send_event(Item(value=2))
        return Item(value=1)

    @step
    async def work(self, ev: Item) -> StopEvent | None:
        self.at_work[ev.value] = may_go_on = asyncio.Event()
        await may_go_on.wait()
        return None if ev.value == 1 else StopEvent()


def test_no_worker_waits_for_what_is_recorded_after_the_end(tmp_path: Path) -> None:
    async def main() -> None:
        workflow = Behind(engine=engine)
        workflow.at_work = {}
        handler = workflow.run()
        run, is_held, released = handler._run, threading.Event(), threading.Event()
        await until(lambda: len(workflow.at_work) == 2)

        def hold_the_writer(_: object) -> None:
            is_held.set()
            released.wait(SECONDS)

        held = asyncio.ensure_future(engine.store.write(hold_the_writer))
        await until(is_held.is_set)
        workflow.at_work[1].set()
        await until(lambda: len(run.execution.in_flight) == 1)
        workflow.at_work[2].set()
        await until(lambda: run.execution.outcome is not None)
        assert not run.is_done
        run.port.note(AuditEntry(1, "user:x", "token", "look", "run", "ok"))
        run.port.after(lambda: None)
        released.set()
        await asyncio.gather(handler, held)
        await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})

    engine = Engine(store=tmp_path / "runs.db")
    asyncio.run(main())
    engine.close()


class Big(Event):
    """What only one step needs."""


class Asking(Workflow):
    """Asks a person after a step with a large event, and waits."""

    @step
    async def first(self, ev: StartEvent) -> Big:
        ev.seen.append(weakref.ref(event := Big()))
        return event

    @step
    async def second(self, ev: Big) -> InputRequiredEvent:
        return InputRequiredEvent()

    @step
    async def third(self, ev: HumanResponseEvent) -> StopEvent:
        return StopEvent()


class Starting(Workflow):
    """Starts another run, which waits, after a step with a large event."""

    @step
    async def first(self, ev: StartEvent) -> Big:
        ev.seen.append(weakref.ref(event := Big()))
        return event

    @step
    async def second(self, ev: Big) -> StopEvent:
        return StopEvent(result=[Asking().run(seen=[])])


@pytest.mark.parametrize(("kind", "timeout"), [(Asking, None), (Asking, 60), (Starting, None)])
def test_a_run_that_waits_keeps_nothing_of_the_steps_before(
    kind: type[Workflow], timeout: float | None
) -> None:
    async def main() -> object:
        seen: list[weakref.ref[Event]] = []
        handler = kind(timeout=timeout).run(seen=seen)
        for _ in range(20):
            await asyncio.sleep(0)
        waiting = (await handler)[0] if kind is Starting else handler
        gc.collect()
        kept = seen[0]()
        await waiting.cancel_run()
        return kept

    assert asyncio.run(main()) is None
