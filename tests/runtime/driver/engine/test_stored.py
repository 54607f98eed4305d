"""Runs of an engine with a store: what is recorded before it has effects, and how they go on in another engine."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pydantic import Field
from waiting import until

from wfc.runtime import (
    Child,
    Delay,
    Engine,
    Event,
    InvalidAnswerError,
    Item,
    Items,
    Outside,
    Question,
    Receives,
    Record,
    RetryPolicy,
    RunState,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    pause,
    step,
    transform,
)
from wfc.runtime.core.ticks import AttemptFailed
from wfc.runtime.driver.messages import EventData
from wfc.runtime.driver.run import attempts
from wfc.runtime.errors import (
    RunEndedError,
    RunExistsError,
    RunLostError,
    RunParkedError,
    RunUnknownError,
    SnapshotError,
    StepFailedError,
    StoreError,
    WorkflowCancelledByUser,
)

T = TypeVar("T")

LOG: list[str] = []


@pytest.fixture(autouse=True)
def _fresh_log() -> None:
    LOG.clear()


class Counted(RunState):
    done: list[int] = Field(default_factory=list)


class Go(StartEvent):
    most: int = 3


class Turn(Event):
    n: int


class End(StopEvent):
    n: int


class Looping(Workflow):
    """Acts a number of times, and stops at ``HOLD`` until it is let go."""

    HOLD = -1

    @step
    async def act(self, ev: Go | Turn) -> Turn | End:
        n, most = (0, ev.most) if isinstance(ev, Go) else (ev.n, 5)
        LOG.append(f"act {n}")
        if n == self.HOLD:
            await asyncio.sleep(60)
        return End(n=n) if n >= most else Turn(n=n + 1)


def within(store: str | Path, main: Callable[[Engine], Awaitable[T]], *workflows: type[Workflow]) -> T:
    """Runs a coroutine with an engine of its own, as a process would; what is under way is cut off at its end."""

    async def inside() -> T:
        engine = Engine(store=store)
        for one in workflows:
            engine.add(one)
        try:
            return await main(engine)
        finally:
            await asyncio.sleep(0)
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()
            await asyncio.sleep(0.01)
            engine.close()

    return asyncio.run(inside())


def ticks(engine: Engine) -> int:
    """The number of ticks of the run that are recorded by now."""
    return len(engine.history("one")) if engine.list_runs() else 0


def test_a_finished_step_never_runs_again(store: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Looping, "HOLD", 2)

    async def first(engine: Engine) -> None:
        Looping(engine=engine).run(run_id="one")
        await until(lambda: "act 2" in LOG)
        with pytest.raises(RunExistsError):
            Looping(engine=engine).run(run_id="one")

    async def second(engine: Engine) -> Any:
        assert engine.show("one").status == "live"
        found = await engine.resume("one")
        assert (await engine.resume("one")).run_id == "one"  # it does so already
        return await found

    within(store, first)
    assert LOG == ["act 0", "act 1", "act 2"]
    LOG.clear()
    monkeypatch.setattr(Looping, "HOLD", -1)
    assert within(store, second, Looping) == End(n=5)
    assert LOG == ["act 2", "act 3", "act 4", "act 5"]

    async def third(engine: Engine) -> None:
        row = engine.show("one")
        assert (row.status, row.recoveries) == ("done", 1)
        assert engine.outcome("one") == End(n=5)
        kinds = [tick.kind for tick in engine.history("one")]
        assert kinds == ["started", "completed", "completed", "recovered"] + ["completed"] * 4
        with pytest.raises(RunEndedError):
            await engine.resume("one")
        with pytest.raises(RunUnknownError):
            await engine.resume("two")
        # its id is taken for ever
        with pytest.raises(RunLostError, match="already"):
            await Looping(engine=engine).run(run_id="one")
        assert engine.store.problems() == []

    within(store, third, Looping)


class Answer(Record):
    ok: bool
    note: str = ""


class Asking(Workflow):
    @pause
    async def ask(self, ev: Go) -> Question[Answer]:
        return Question(Answer, title="May it?", show="this", assign=["user:ann"])

    @ask.then
    def asked(self, ev: Go, result: Answer) -> End:
        return End(n=int(result.ok))


def test_a_question_is_parked_and_answered_by_another_process(store: str | Path) -> None:
    async def ask(engine: Engine) -> None:
        handler = Asking(engine=engine).run(run_id="one")
        await until(engine.tasks)
        await engine.park("one")
        with pytest.raises(RunParkedError) as raised:
            await handler
        assert raised.value.run_id == "one"
        assert engine.run("one") is None
        row = engine.show("one")
        assert (row.status, row.owner, row.open_tasks) == ("parked", None, 1)
        assert row.wake_at is not None, "its deadline"

    async def answer(engine: Engine) -> Any:
        (task,) = engine.tasks()
        assert task.task_id == "one/ask/1"
        assert (task.title, task.assign) == ("May it?", ["user:ann"])
        assert engine.task(task.task_id).about["show"] == "this"
        with pytest.raises(InvalidAnswerError):
            await engine.answer(task.task_id, {"ok": "perhaps"}, by="user:ann")
        handler = await engine.answer(task.task_id, {"ok": True}, by="user:ann")
        assert handler is not None
        found = await handler
        assert engine.tasks() == []
        assert engine.task(task.task_id).answered_by == "user:ann"
        assert await engine.answer(task.task_id, {"ok": True}, by="user:ann") is None, "a second time"
        with pytest.raises(InvalidAnswerError, match="closed: answered"):
            await engine.answer(task.task_id, {"ok": True}, by="user:bob")
        return found

    within(store, ask)
    assert within(store, answer, Asking) == End(n=1)


def test_a_run_in_memory_is_parked_when_it_rests(store: str | Path) -> None:
    async def ask() -> None:
        engine = Engine()
        handler = Asking(engine=engine).run(run_id="one")
        async for _ in handler.stream_events():
            break
        engine.open(store)
        await engine.park("one")
        with pytest.raises(RunParkedError):
            await handler
        engine.close()

    async def answer(engine: Engine) -> Any:
        handler = await engine.answer("one/ask/1", {"ok": True, "note": "late"}, by="user:ann")
        assert handler is not None
        return await handler

    asyncio.run(ask())
    assert within(store, answer, Asking) == End(n=1)


def test_an_answer_reaches_the_process_that_has_the_run(store: str | Path) -> None:
    async def main() -> None:
        ours, theirs = Engine(store=store), Engine(store=store)
        theirs.add(Asking)
        handler = Asking(engine=ours).run(run_id="one")
        await until(theirs.tasks)
        with pytest.raises(InvalidAnswerError):
            await theirs.answer("one/ask/1", {"ok": []}, by="user:ann")
        with pytest.raises(RunLostError, match="another process"):
            await theirs.resume("one")
        assert await theirs.answer("one/ask/1", {"ok": True}, by="user:ann") is None
        assert await asyncio.wait_for(handler, 240) == End(n=1)
        assert theirs.show("one").status == "done"
        other = Asking(engine=ours).run(run_id="two")
        await until(theirs.tasks)
        await theirs.cancel("two")
        with pytest.raises(WorkflowCancelledByUser):
            await asyncio.wait_for(other, 240)
        await until(lambda: theirs.show("two").status == "cancelled")
        with pytest.raises(RunEndedError):
            await theirs.cancel("two")
        ours.close()
        theirs.close()

    asyncio.run(main())


def test_what_was_posted_without_ringing_is_seen_at_the_next_beat(
    store: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever posted it has died in between."""
    monkeypatch.setattr("wfc.runtime.store.sqlite.LEASE", 0.6)
    monkeypatch.setattr("wfc.runtime.store.sqlite.ring", lambda port: None)

    async def main() -> None:
        ours, theirs = Engine(store=store), Engine(store=store)
        theirs.add(Asking)
        handler = Asking(engine=ours).run(run_id="one")
        await until(theirs.tasks)
        assert await theirs.answer("one/ask/1", {"ok": True}, by="user:ann") is None
        assert await asyncio.wait_for(handler, 240) == End(n=1)
        ours.close()
        theirs.close()

    asyncio.run(main())


class Outer(Workflow):
    @pause
    def begin(self, ev: Go) -> Child[Any]:
        return Child("inner", {"most": ev.most})

    @begin.then
    def began(self, ev: Go, result: End) -> End:
        LOG.append("outer")
        return End(n=result.n + 100)


class Inner(Looping):
    pass


def test_a_part_goes_on_with_the_run_above_it(store: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inner, "HOLD", 2)

    async def first(engine: Engine) -> None:
        engine.add(Inner, "inner")
        Outer(engine=engine).run(run_id="one")
        await until(lambda: "act 2" in LOG)

    async def second(engine: Engine) -> Any:
        engine.add(Inner, "inner")
        engine.add(Outer)
        assert [row.run_id for row in engine.list_runs()] == ["one/begin/1", "one"]
        return await (await engine.resume("one/begin/1"))  # which is a part: the whole goes on

    within(store, first)
    monkeypatch.setattr(Inner, "HOLD", -1)
    LOG.clear()
    assert within(store, second) == End(n=105)
    assert LOG == ["act 2", "act 3", "act 4", "act 5", "outer"]


class Trying(Workflow):
    @step(retry_policy=RetryPolicy(max_attempts=3, delay=0.2, backoff=1))
    async def act(self, ev: Go) -> End:
        LOG.append("act")
        if len(LOG) == 1:
            raise StepError("http.503", "not now")
        if len(LOG) == 2:
            await asyncio.sleep(60)
        raise StepError("http.503", "not now")


def test_retries_count_over_a_crash(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        Trying(engine=engine).run(run_id="one")
        await until(lambda: len(LOG) == 2)

    async def second(engine: Engine) -> None:
        handler = await engine.resume("one")
        with pytest.raises(StepFailedError, match="attempt 4"):
            await handler
        assert engine.show("one").status == "failed"

    within(store, first)
    within(store, second, Trying)
    assert len(LOG) == 4, "a failure, the one that was cut off and its repetition, and a last attempt"


class Waiting(Workflow):
    @pause
    def wait(self, ev: Go) -> Delay:
        return Delay(2)

    @wait.then
    def waited(self, ev: Go, result: None) -> End:
        return End(n=1)


def test_a_wait_goes_on_by_the_calendar(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        Waiting(engine=engine).run(run_id="one")
        await until(lambda: ticks(engine) == 2)

    async def second(engine: Engine) -> float:
        began = engine.history("one")[1].at
        handler = await engine.resume("one")
        assert await handler == End(n=1)
        return (engine.history("one")[-1].at - began) / 1e9

    within(store, first)
    assert 1.99 < within(store, second, Waiting) < 4.4


class Found(Event):
    value: Any


class Unfit(Workflow):
    @step
    async def act(self, ev: Go) -> Found:
        return Found(value=(math.nan, "\ud800", "x" * 17_000_000, object())[ev.most])

    @transform
    def then(self, ev: Found) -> End:
        return End(n=1)


class Named(StartEvent):
    name: str


class Naming(Workflow):
    @transform
    def then(self, ev: Named) -> End:
        return End(n=1)


@pytest.mark.parametrize("kind", range(4))
def test_a_result_that_cannot_be_kept_is_the_steps_failure(store: str | Path, kind: int) -> None:
    async def main(engine: Engine) -> None:
        with pytest.raises(StepFailedError) as raised:
            await Unfit(engine=engine).run(run_id="one", most=kind)
        assert raised.value.step == "act"
        assert engine.show("one").status == "failed"
        assert engine.store.problems() == []

    within(store, main)


def test_what_a_run_begins_with_must_fit_too(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        with pytest.raises(SnapshotError):
            Naming(engine=engine).run(run_id="one", name="\ud800")
        assert engine.list_runs() == []
        assert engine.run("one") is None

    within(store, main)


class Other(Looping):
    @transform
    def further(self, ev: Go) -> None:
        return None


def test_a_run_goes_on_with_its_own_version_only(store: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Looping, "HOLD", 1)

    async def first(engine: Engine) -> None:
        engine.add(Looping, "flow", version="aaa")
        Looping(engine=engine, workflow_name="flow").run(run_id="one")
        await until(lambda: "act 1" in LOG)

    async def with_other_steps(engine: Engine) -> None:
        engine.add(Other, "flow")
        with pytest.raises(StoreError, match="cut off in the midst of its work"):
            await engine.resume("one")

    async def with_other_code(engine: Engine) -> None:
        engine.add(Looping, "flow", version="bbb")
        with pytest.raises(StoreError, match="version aaa"):
            await engine.resume("one")

    async def with_its_own(engine: Engine) -> Any:
        engine.add(Looping, "flow", version="aaa")
        return await (await engine.resume("one"))

    within(store, first)
    monkeypatch.setattr(Looping, "HOLD", -1)
    within(store, with_other_steps)
    within(store, with_other_code)
    assert within(store, with_its_own) == End(n=5)


class Paid(Event):
    amount: int


class Selling(Workflow, receives=(Receives(Paid),)):
    @pause
    def sell(self, ev: Go) -> Outside[Paid]:
        return Outside(Paid)

    @sell.then
    def sold(self, ev: Go, result: Paid) -> End:
        return End(n=result.amount)


def test_an_event_is_taken_once_by_a_run_that_nobody_has(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        Selling(engine=engine).run(run_id="one")
        await until(lambda: ticks(engine) == 2)
        await engine.park("one")

    async def second(engine: Engine) -> None:
        with pytest.raises(RunUnknownError):
            await engine.post("two", EventData("Paid", {"amount": 1}))
        await engine.post("one", EventData("Paid", {"amount": 7}), message_id="m")
        await engine.post("one", EventData("Paid", {"amount": 8}), message_id="m")
        assert await engine.deliver(EventData("Paid", {"amount": 9}), run_id="one")
        with pytest.raises(RunUnknownError):
            await engine.deliver(EventData("Paid", {"amount": 9}), run_id="two")
        assert engine.store.has_due()

    async def third(engine: Engine) -> Any:
        found = await (await engine.resume("one"))
        with pytest.raises(RunEndedError):
            await engine.post("one", EventData("Paid", {"amount": 1}))
        return found

    within(store, first)
    within(store, second)
    assert within(store, third, Selling) == End(n=7)


def test_what_is_acknowledged_is_recorded(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        handler = Asking(engine=engine).run(run_id="one")
        await until(engine.tasks)
        await handler.answer("one/ask/1", {"ok": True}, by="user:ann")
        assert "answered" in [tick.kind for tick in engine.history("one")]
        assert await handler == End(n=1)
        other = Selling(engine=engine).run(run_id="two")
        await until(lambda: len(engine.list_runs()) == 2 and len(engine.history("two")) == 2)
        await other.send_event(Paid(amount=3))
        assert "arrived" in [tick.kind for tick in engine.history("two")]
        assert await other == End(n=3)

    within(store, main)


class Mapping(Workflow):
    @pause(num_workers=1)
    def work(self, ev: Go) -> Items[int]:
        return Items(list(range(ev.most)))

    @work.item(num_workers=4)
    async def item(self, ev: Go, item: Item[int]) -> int:
        LOG.append(f"item {item}")
        if item == 5 and LOG.count("item 5") == 1:
            await asyncio.sleep(60)
        return item

    @work.then
    def worked(self, ev: Go, result: list[int]) -> End:
        return End(n=sum(result))


def test_the_items_of_a_map_go_on_where_they_were(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        Mapping(engine=engine).run(run_id="one", most=12)
        await until(lambda: len(LOG) == 12 and ticks(engine) >= 13)

    async def second(engine: Engine) -> Any:
        return await (await engine.resume("one"))

    within(store, first)
    assert within(store, second, Mapping) == End(n=66)
    assert sorted(LOG) == sorted([f"item {n}" for n in range(12)] + ["item 5"])


class InARow(Workflow):
    """Of three items one after the other, the first is tried twice, and the second is cut off once."""

    @pause
    def work(self, ev: Go) -> Items[int]:
        return Items(list(range(ev.most)))

    @work.item(num_workers=1, retry_policy=RetryPolicy(max_attempts=2, delay=2, backoff=1))
    async def item(self, ev: Go, item: Item[int]) -> int:
        LOG.append(f"item {item}")
        if LOG.count("item 0") == 1 and item == 0:
            raise StepError("http.503", "not now")
        if item == 1 and LOG.count("item 1") == 1:
            await asyncio.sleep(60)
        return item

    @work.then
    def worked(self, ev: Go, result: list[int]) -> End:
        return End(n=sum(result))


def test_an_item_keeps_its_place_over_crashes(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        InARow(engine=engine).run(run_id="one")
        await until(lambda: ticks(engine) >= 3)  # it begins, it goes through its items, and an attempt fails

    async def second(engine: Engine) -> None:
        await engine.resume("one")
        await until(lambda: LOG.count("item 1") == 1)

    async def third(engine: Engine) -> Any:
        return await (await engine.resume("one"))

    within(store, first)
    assert LOG == ["item 0"]
    within(store, second, InARow)
    assert LOG == ["item 0", "item 0", "item 1"]
    assert within(store, third, InARow) == End(n=3)
    assert LOG == ["item 0", "item 0", "item 1", "item 1", "item 2"]


def test_what_was_recorded_before_items_kept_their_places_is_what_it_was(
    store: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its attempts that have failed say nothing of a place: the next item has begun, and both go on."""

    def of_before(number: int, delay: float, error: Exception, **how: Any) -> AttemptFailed:
        return AttemptFailed(number, delay, error, falls_back=how["falls_back"])

    monkeypatch.setattr(attempts, "AttemptFailed", of_before)

    async def first(engine: Engine) -> None:
        InARow(engine=engine).run(run_id="one")
        await until(lambda: ticks(engine) >= 4)  # its time has come, and it waits for the item at work

    async def second(engine: Engine) -> Any:
        (failed,) = [one for one in engine.history("one") if one.kind == "attempt-failed"]
        return len(failed.data), await (await engine.resume("one"))

    within(store, first)
    monkeypatch.undo()
    assert LOG == ["item 0", "item 1"]
    assert within(store, second, InARow) == (4, End(n=3))
    assert LOG == ["item 0", "item 1", "item 1", "item 0", "item 2"]


turns = ContextVar("turns", default=0)
"""How many turns ``Growing`` takes."""


class Growing(Workflow):
    @step
    async def act(self, ev: Go | Turn, state: Counted) -> Turn | End:
        n = 0 if isinstance(ev, Go) else ev.n
        return End(n=n) if n >= turns.get() else Turn(n=n + 1)

    @act.then
    def acted(self, state: Counted, ev: Go | Turn, result: Turn | End) -> Turn | End:
        state.done = [*state.done, result.n]
        return result


@pytest.mark.parametrize("count", [800, pytest.param(3000, marks=pytest.mark.full)])
def test_snapshots_come_by_bytes(tmp_path: Path, count: int) -> None:
    async def first(engine: Engine) -> None:
        turns.set(count)
        assert (await Growing(engine=engine, timeout=None).run(run_id="one")).n == count
        assert engine.store.problems() == []
        assert json.dumps([tick.seq for tick in engine.history("one")]) == json.dumps(
            list(range(1, count + 3))
        )

    Engine(store=tmp_path / "empty.db").close()
    within(tmp_path / "runs.db", first)
    size, tables = ((tmp_path / name).stat().st_size for name in ("runs.db", "empty.db"))
    assert (size - tables) / count < 250, "with a list that grows, snapshots included"
