"""Events by key reach the runs of a store whoever has them, and wait there for those that are still to come."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from order_flows import Orders, Paid

from wfc.runtime import (
    Context,
    Engine,
    EventData,
    InvalidMessageError,
    Keep,
    Outside,
    Receives,
    RunUnknownError,
    StartEvent,
    StopEvent,
    Workflow,
    pause,
    run_key,
    step,
)
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.errors import RunEndedError, RunParkedError, WorkflowRuntimeError

Site = Callable[[], Engine]


class Order2(StartEvent, closed=True):
    order_id: str


class Waiting(Workflow, name="waiting", deadline=None, receives=(Receives(Paid, key="order_id"),)):
    """Rests until it is paid."""

    @run_key
    def key(self, inputs: Order2) -> str:
        return inputs.order_id

    @pause
    def wait(self, ev: Order2) -> Outside[Paid]:
        return Outside(Paid)

    @wait.then
    def paid(self, ev: Order2, result: Paid) -> StopEvent:
        return StopEvent(result=str(result.amount))


class Queued(
    Waiting, name="queued", deadline=None, when_running="queue", receives=(Receives(Paid, key="order_id"),)
):
    """The same, one after the other."""


class Replacing(
    Waiting,
    name="replacing",
    deadline=None,
    when_running="replace",
    receives=(Receives(Paid, key="order_id"),),
):
    """The same; a new run takes the place of one that waits."""


class Sender(Workflow, name="sender"):
    @step
    async def send(self, ctx: Context[Any], ev: StartEvent) -> StopEvent:
        await ctx.send(
            Paid(order_id="A", amount=Decimal(7)),
            to="waiting",
            if_absent=Keep(ev.seconds) if ev.seconds else None,
        )
        return StopEvent(result="sent")


@pytest.fixture
def opened(store: str | Path) -> Any:
    """Opens engines over one store, as several processes do."""

    @contextlib.asynccontextmanager
    async def opening(count: int = 2) -> AsyncIterator[list[Engine]]:
        engines = [Engine(store=store) for _ in range(count)]
        for engine in engines:
            for kind in (Waiting, Queued, Replacing, Orders, Sender):
                engine.add(kind)
        try:
            yield engines
        finally:
            for engine in engines:
                engine.close()

    return opening


def start(engine: Engine, name: str, run_id: str, key: str = "A") -> Any:
    return engine.workflow(name).run(order_id=key, run_id=run_id)  # type: ignore[attr-defined]


async def until_stored(engine: Engine, count: int) -> None:
    while len(engine.list_runs()) < count:  # noqa: ASYNC110 - another thread writes it
        await asyncio.sleep(0.01)


async def until_over(engine: Engine) -> None:
    while not all(row.ended for row in engine.list_runs()):  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.01)


async def work(engine: Engine) -> None:
    worker = Worker(engine, lambda due: None, lambda _: None)
    working = asyncio.create_task(worker.run())
    await until_over(engine)
    worker.drain()
    await working


def played(main: Any) -> None:
    asyncio.run(asyncio.wait_for(main, 240))


def test_an_event_reaches_the_run_of_another_process(opened: Any) -> None:
    async def main() -> None:
        async with opened() as (one, two):
            handler = start(one, "waiting", "run")
            await until_stored(one, 1)
            assert await two.deliver(Paid(order_id="A", amount=Decimal(3)), workflow="waiting")
            assert await handler == "3"
            with pytest.raises(RunEndedError, match="has ended"):
                await two.deliver(Paid(order_id="A"), workflow="waiting")
            with pytest.raises(RunUnknownError, match="there is no run"):
                await two.deliver(Paid(order_id="B"), workflow="waiting")

    played(main())


def test_an_event_reaches_a_run_that_rests(opened: Any) -> None:
    async def main() -> None:
        async with opened() as (one, two):
            handler = start(one, "waiting", "run")
            await one.park("run")
            with pytest.raises(RunParkedError):
                await handler
            assert await two.deliver(Paid(order_id="A", amount=Decimal(4)), workflow="waiting", key="A")
            assert two.show("run").ended is None
            await work(one)
            assert two.outcome("run").result == "4"

    played(main())


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (EventData("Paid", {"order_id": "A", "amount": "much"}), "amount"),
        (EventData("Lost", {}), "take no Lost from outside"),
        (EventData("Paid", {"order_id": "B"}), "another key than 'A'"),
    ],
)
def test_what_does_not_fit_a_run_of_another_process_is_refused(
    opened: Any, event: EventData, said: str
) -> None:
    async def main() -> None:
        async with opened() as (one, two):
            handler = start(one, "waiting", "run")
            await until_stored(one, 1)
            with pytest.raises(InvalidMessageError, match=said):
                await two.deliver(event, workflow="waiting", key="A")
            assert not two.posted_to("run")
            await two.deliver(Paid(order_id="A", amount=Decimal(1)), workflow="waiting")
            assert await handler == "1"

    played(main())


def test_of_runs_that_queue_the_first_gets_it_wherever_it_is(opened: Any) -> None:
    async def main() -> None:
        async with opened() as (one, two):
            first = start(one, "queued", "first")
            await until_stored(one, 1)
            second = start(two, "queued", "second")
            await until_stored(one, 2)
            assert await two.deliver(Paid(order_id="A", amount=Decimal(1)), workflow="queued")
            assert await first == "1"
            assert await one.deliver(Paid(order_id="A", amount=Decimal(2)), workflow="queued")
            assert await second == "2"

    played(main())


def test_all_runs_of_a_key_get_it_here_and_elsewhere(opened: Any) -> None:
    async def main() -> None:
        async with opened() as (one, two):
            handlers = [start(one, "orders", "here"), start(two, "orders", "there")]
            await until_stored(one, 2)
            assert await one.deliver(Paid(order_id="A", amount=Decimal(5)), workflow="orders", message_id="m")
            assert [await handler for handler in handlers] == [["5"], ["5"]]

    played(main())


@pytest.mark.parametrize("is_queued", [False, True], ids=["begun at once", "taken up by a worker"])
def test_what_is_kept_outlives_its_process_and_reaches_a_run_of_another(opened: Any, is_queued: bool) -> None:
    async def main() -> None:
        keep = {"workflow": "waiting", "if_absent": Keep(60), "message_id": "m"}
        async with opened(1) as (one,):
            assert await one.deliver(Paid(order_id="A", amount=Decimal(1)), **keep)
            assert not await one.deliver(Paid(order_id="A", amount=Decimal(2)), **keep)
            assert await one.deliver(Paid(order_id="B", amount=Decimal(9)), **keep)
            late = {**keep, "message_id": "late", "if_absent": Keep(0.01)}
            assert await one.deliver(Paid(order_id="C", amount=Decimal(8)), **late)
        await asyncio.sleep(0.02)
        async with opened() as (two, three):
            if is_queued:
                workflow: Any = two.workflow("waiting")
                made = workflow._wfc.prepare(
                    workflow, start_event=Order2(order_id="A"), engine=two, run_id="run"
                )
                made.key = "A"
                await two.kept.enqueue(made)
                await work(three)
                assert three.outcome("run").result == "1"
            else:
                assert await start(two, "waiting", "run") == "1"
            late_one = start(two, "waiting", "late", "C")
            await until_stored(two, 2)
            await three.deliver(Paid(order_id="C", amount=Decimal(6)), workflow="waiting")
            assert await late_one == "6"
            assert await start(three, "waiting", "b", "B") == "9"
            left = two.store.select(lambda c: c.execute("SELECT key FROM mailbox").fetchall())
            assert left in ([], [("C",)])

    played(main())


def test_an_event_that_is_to_wait_goes_to_a_run_that_is_there(opened: Any) -> None:
    async def main() -> None:
        async with opened() as (one, two):
            handler = start(one, "waiting", "run")
            await until_stored(one, 1)
            keep = {"workflow": "waiting", "if_absent": Keep(60)}
            assert await two.deliver(Paid(order_id="A", amount=Decimal(2)), **keep)
            assert await handler == "2"

    played(main())


def test_how_many_events_wait_in_a_store_is_bounded(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wfc.runtime.store.sql.mailbox.MOST", 2)

    async def main() -> None:
        async with opened(1) as (one,):
            for key, seconds in (("A", 60), ("B", 3)):
                await one.deliver(Paid(order_id=key), workflow="waiting", if_absent=Keep(seconds))
            with pytest.raises(WorkflowRuntimeError, match="2 messages already wait"):
                await one.deliver(Paid(order_id="C"), workflow="waiting", if_absent=Keep(60))
            await asyncio.sleep(3.1)  # one of them is out of date
            await one.deliver(Paid(order_id="C"), workflow="waiting", if_absent=Keep(60))

    played(main())


@pytest.mark.parametrize("at_once", [1, 6])
def test_of_those_that_would_start_a_run_one_does_and_the_others_reach_it(opened: Any, at_once: int) -> None:
    async def main() -> None:
        async with opened() as engines:
            sent = [
                engines[n % 2].deliver(
                    Paid(order_id="A", amount=Decimal(n)),
                    workflow="waiting",
                    if_absent="start",
                    message_id=f"{n}",
                )
                for n in range(at_once)
            ]
            for found in await asyncio.gather(*sent, return_exceptions=True):
                # one that comes after the end of the run starts the next or is told
                assert found is True or isinstance(found, RunEndedError), found
            await until_over(engines[0])
            amounts = [engines[0].outcome(row.run_id).result for row in engines[0].list_runs()]
            assert len(amounts) == len(set(amounts)) >= 1

    played(main())


@pytest.mark.parametrize("seconds", [0, 60])
def test_a_step_sends_to_a_run_of_another_process(opened: Any, seconds: int) -> None:
    async def main() -> None:
        async with opened() as (one, two):
            receiver = start(two, "waiting", "run")
            await until_stored(two, 1)
            sender: Any = one.workflow("sender")
            assert await sender.run(seconds=seconds) == "sent"
            assert await receiver == "7"

    played(main())


def test_of_two_runs_only_the_newer_one_gets_an_event_where_it_replaces_the_other(opened: Any) -> None:
    async def main() -> None:
        async with opened() as (one, other):
            start(one, "replacing", "x")
            await until_stored(other, 1)
            posted = noting_posts(other)
            start(other, "replacing", "y")  # nobody has recorded it yet
            paid = Paid(order_id="A", amount=Decimal(1))
            assert await other.deliver(paid, workflow="replacing", key="A") is True
            assert posted == ["y"]

    played(main())


def test_a_run_that_gives_way_to_another_leaves_the_event_to_it(opened: Any, store: str | Path) -> None:
    recorded, ends = threading.Event(), threading.Event()

    async def elsewhere() -> None:
        engine = Engine(store=store)
        engine.add(Waiting)
        start(engine, "waiting", "x")
        await until_stored(engine, 1)
        recorded.set()
        await asyncio.to_thread(ends.wait)
        engine.close()

    async def main() -> None:
        async with opened(1) as (engine,):
            assert engine.list_runs() == []
            start(engine, "waiting", "y")
            process = threading.Thread(target=lambda: asyncio.run(elsewhere()))
            process.start()
            recorded.wait()  # which holds up this loop, so that `y` is still to be recorded
            posted = noting_posts(engine)
            paid = Paid(order_id="A", amount=Decimal(1))
            try:
                assert await engine.deliver(paid, workflow="waiting", key="A") is True
            finally:
                ends.set()
                process.join()
            assert posted == ["x"]

    played(main())


def noting_posts(engine: Any) -> list[str]:
    """Note to which runs an engine brings events by its store."""
    posted, post = [], engine.post_to_stored

    async def noted(run_id: str, event: Any, message_id: str | None) -> bool:
        posted.append(run_id)
        return bool(await post(run_id, event, message_id))

    engine.post_to_stored = noted
    return posted


@pytest.mark.parametrize("if_absent", [Keep(60), None])
def test_an_event_is_kept_where_the_run_has_ended_by_the_time_it_comes_there(
    opened: Any, if_absent: Keep | None
) -> None:
    async def main() -> None:
        async with opened() as (one, other):
            start(one, "waiting", "x")
            await until_stored(other, 1)
            post = other.post_to_stored

            async def late(run_id: str, event: Any, message_id: str | None) -> bool:
                await one.cancel("x")
                await until_over(one)
                return bool(await post(run_id, event, message_id))

            other.post_to_stored = late
            sent = other.deliver(
                Paid(order_id="A", amount=Decimal(3)), workflow="waiting", key="A", if_absent=if_absent
            )
            if if_absent is None:
                with pytest.raises(RunEndedError):
                    await sent
                return
            assert await sent is True
            handler = start(other, "waiting", "y")
            assert await handler == "3"

    played(main())


def test_an_event_for_another_key_is_refused_wherever_the_run_is(opened: Any) -> None:
    async def main() -> None:
        async with opened() as engines:
            start(engines[0], "waiting", "x")
            await until_stored(engines[1], 1)
            wrong = Paid(order_id="B", amount=Decimal(3))
            for engine, key, absent in [
                (engines[0], "A", None),
                (engines[1], "A", None),
                (engines[0], "C", Keep(9)),
            ]:
                with pytest.raises(InvalidMessageError, match="another key"):
                    await engine.deliver(wrong, workflow="waiting", key=key, if_absent=absent)

    played(main())


def test_a_key_that_no_index_has_is_refused(opened: Any) -> None:
    async def main() -> None:
        async with opened(1) as (engine,):
            for key, message_id in [("k" * 2000, None), ("A", "m" * 2000), ("A", "a\0b")]:
                paid = EventData("Paid", {"order_id": key, "amount": 1})
                with pytest.raises(InvalidMessageError, match="NUL"):
                    await engine.deliver(
                        paid, workflow="waiting", key=key, message_id=message_id, if_absent=Keep(9)
                    )

    played(main())


def test_commits_that_stand_in_each_others_way_are_made_one_after_the_other(
    opened: Any, store: str | Path
) -> None:
    if not isinstance(store, str):
        pytest.skip("a file has one writer")
    met = threading.Barrier(2)

    def crossing(first: str, second: str) -> Callable[[Any], str]:
        def write(connection: Any) -> str:
            connection.lock(first)
            with contextlib.suppress(threading.BrokenBarrierError):
                met.wait(5)  # only at the first try
            met.abort()
            connection.lock(second)
            return first

        return write

    async def main() -> None:
        async with opened() as (one, other):
            found = await asyncio.gather(
                one.store.write(crossing("a", "b")), other.store.write(crossing("b", "a"))
            )
            assert found == ["a", "b"]

    played(main())
