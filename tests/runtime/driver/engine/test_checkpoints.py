"""Stored runs that are retried, rewound and forked: what is done again, and what the journal says of it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from checkpoint_flows import (
    BROKEN,
    LOG,
    Above,
    Asking,
    End,
    Many,
    Order,
    Waiting,
    check,
    finish,
    within,
)
from waiting import until

from wfc.runtime import Engine, Workflow
from wfc.runtime.errors import (
    RunExistsError,
    RunUnknownError,
    StoreError,
    WorkflowCancelledByUser,
    WorkflowTimeoutError,
)
from wfc.runtime.store.journal import Entry


@pytest.fixture(autouse=True)
def _fresh() -> None:
    LOG.clear()
    BROKEN.clear()


def fail(path: str | Path, flow: type[Workflow], *broken: str, run_id: str = "one") -> None:
    """Starts a run that fails."""

    async def main(engine: Engine) -> None:
        with pytest.raises(Exception, match="broken"):
            await flow(engine=engine).run(run_id=run_id, n=1)

    BROKEN.update(broken)
    within(path, main)
    BROKEN.clear()


def test_a_run_that_failed_goes_on_with_what_failed_alone(store: str | Path) -> None:
    fail(store, Order, "ship")
    assert sorted(LOG) == ["charge", "pack", "ship"]
    LOG.clear()

    async def main(engine: Engine) -> None:
        before = engine.store.history("one")
        told = await engine.retry("one", dry_run=True)
        assert engine.store.history("one") == before, "a dry run changes nothing"
        assert [(one.step, one.acts) for one in told.again] == [("ship", True)]
        assert "ship is broken" in told.failed_by
        assert (told.to, told.last) == (len(before) - 1, len(before))
        assert await engine.retry("one") == told
        assert engine.show("one").status == "parked"
        assert engine.store.has_due()
        assert engine.store.history("one")[: len(before)] == before, "what has happened stays"
        assert await finish(engine, "one") == End(n=3)
        assert LOG == ["ship", "tail"]
        lines = {line.step: (line.status, line.attempts) for line in engine.told("one").lines()}
        assert lines == {"charge": ("done", 1), "pack": ("done", 1), "ship": ("done", 2)}
        assert engine.told("one", told.last).execution.outcome is not None, "it had failed then"

    within(store, main)
    within(store, checked)


async def checked(engine: Engine) -> None:
    for row in engine.list_runs():
        await asyncio.to_thread(check, engine, row.run_id)


def test_where_only_the_tail_has_failed_the_action_is_not_done_again(store: str | Path) -> None:
    fail(store, Order, "tail")
    LOG.clear()

    async def main(engine: Engine) -> None:
        await engine.retry("one")
        assert await finish(engine, "one") == End(n=3)

    within(store, main)
    assert LOG == ["tail"]
    within(store, checked)


def test_a_retry_has_all_its_attempts_and_may_fail_and_be_retried_again(store: str | Path) -> None:
    fail(store, Order, "pack")
    assert LOG.count("pack") == 2
    for _ in range(2):
        LOG.clear()
        BROKEN.add("pack")

        async def again(engine: Engine) -> None:
            await engine.retry("one")
            assert "pack is broken" in str(await finish(engine, "one"))

        within(store, again)
        assert LOG == ["pack", "pack"], (
            "what was done is not done again, and there is one more attempt after a failure"
        )
    BROKEN.clear()

    async def last(engine: Engine) -> None:
        await engine.retry("one")
        assert await finish(engine, "one") == End(n=3)

    within(store, last)
    within(store, checked)


def test_a_part_goes_on_where_it_failed_with_the_run_above(store: str | Path) -> None:
    fail(store, Above, "two")
    LOG.clear()

    async def main(engine: Engine) -> None:
        told = await engine.retry("one")
        assert [one.step for one in told.again] == ["part"]
        (part,) = told.parts
        assert (part.run_id, [one.step for one in part.again]) == ("one/part/2", ["two"])
        with pytest.raises(StoreError, match="is a part of one"):
            await engine.retry("one/part/2")
        assert await finish(engine, "one") == End(n=2)

    within(store, main)
    assert LOG == ["two"]
    within(store, checked)


def test_items_that_are_done_are_not_done_again(store: str | Path) -> None:
    fail(store, Many, "item2")
    assert LOG == ["item1", "item2"]
    LOG.clear()

    async def main(engine: Engine) -> None:
        await engine.retry("one")
        assert await finish(engine, "one") == End(n=6)

    within(store, main)
    assert LOG == ["item2", "item3"]
    within(store, checked)


def test_a_cancelled_run_goes_on_and_its_question_is_open_again(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        handler = Asking(engine=engine).run(run_id="one", n=1)
        await until(engine.tasks)
        await engine.cancel("one")
        with pytest.raises(WorkflowCancelledByUser):
            await handler
        assert engine.tasks() == []

    async def second(engine: Engine) -> None:
        await engine.retry("one")
        (task,) = engine.tasks()
        assert (task.task_id, task.closed, task.because) == ("one/ask/2", None, None)
        handler = await engine.answer("one/ask/2", {"ok": True}, by="user:ann")
        assert handler is not None
        assert await handler == End(n=2)

    within(store, first)
    within(store, second)
    assert LOG == ["first", "last"]
    within(store, checked)


def test_what_cannot_be_retried_is_refused_and_changes_nothing(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        await Order(engine=engine).run(run_id="one", n=1)
        before = engine.store.history("one")
        with pytest.raises(StoreError, match="has not failed: it is done"):
            await engine.retry("one")
        with pytest.raises(RunUnknownError):
            await engine.retry("two")
        with pytest.raises(StoreError, match="has no tick 99"):
            await engine.rewind("one", 99)
        with pytest.raises(StoreError, match="was over: name an earlier one"):
            await engine.rewind("one", len(before))
        with pytest.raises(StoreError, match="has no step `nope`"):
            engine.beginning_of_step("one", "nope")
        with pytest.raises(RunExistsError):
            await engine.fork("one", 1, new_id="one")
        handler = Asking(engine=engine).run(run_id="live", n=1)
        await until(engine.tasks)
        with pytest.raises(StoreError, match="works on the run live"):
            await engine.rewind("live", 1)
        assert engine.store.history("one") == before
        await handler.cancel_run()

    within(store, main)
    within(store, checked)


def test_a_rewound_run_does_again_what_came_after_under_new_numbers(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        handler = Asking(engine=engine).run(run_id="one", n=1)
        await until(engine.tasks)
        await handler.answer("one/ask/2", {"ok": True}, by="user:ann")
        assert await handler == End(n=2)

    async def second(engine: Engine) -> None:
        to = engine.beginning_of_step("one", "ask")
        told = await engine.rewind("one", to)
        assert [(one.step, one.status) for one in told.again] == [("ask", "done"), ("last", "done")]
        assert told.came == ("the answer of user:ann to `ask`",)
        handler = await engine.resume("one")
        await until(engine.tasks)
        (task,) = engine.tasks()
        assert task.task_id == "one/ask/2"
        await handler.answer(task.task_id, {"ok": False}, by="user:ann")
        assert await handler == End(n=1)
        lines = engine.told("one").lines()
        assert [(line.step, line.number, line.is_undone) for line in lines] == [
            ("first", 1, False),
            ("ask", 2, False),
            ("last", 3, True),
            ("last", 4, False),
        ]

    within(store, first)
    within(store, second)
    assert LOG == ["first", "last", "last"]
    within(store, checked)


def test_a_run_may_go_back_to_what_it_had_left(store: str | Path) -> None:
    """Back to the first tick, and from there back to how it was before that."""

    async def main(engine: Engine) -> Any:
        await Order(engine=engine).run(run_id="one", n=1)
        last = engine.told("one").seq
        await engine.rewind("one", 1)
        await engine.rewind("one", last - 1)
        told = engine.told("one")
        assert {line.step: line.status for line in told.lines() if not line.is_undone} == {
            "charge": "done",
            "pack": "done",
            "ship": "running",
        }
        return await finish(engine, "one")

    assert within(store, main) == End(n=3)
    assert LOG.count("charge") == LOG.count("pack") == 1
    within(store, checked)


def test_a_fork_goes_on_beside_its_run(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        handler = Asking(engine=engine).run(run_id="one", n=1)
        await until(engine.tasks)
        await handler.answer("one/ask/2", {"ok": True}, by="user:ann")
        await handler

    async def second(engine: Engine) -> None:
        asked = next(tick.seq for tick in engine.history("one") if tick.kind == "paused")
        before = engine.store.history("one")
        told = await engine.fork("one", asked, new_id="two")
        assert (told.run_id, told.to, [one.step for one in told.again]) == ("two", asked, ["ask", "last"])
        (task,) = engine.tasks()
        assert task.task_id == "two/ask/2"
        handler = await engine.answer(task.task_id, {"ok": False}, by="user:bob")
        assert handler is not None
        assert await handler == End(n=1)
        assert engine.store.history("one") == before
        assert next(tick.kind for tick in engine.history("two")) == "rewound"
        lines = [(line.step, line.status) for line in engine.told("two").lines()]
        assert lines == [("ask", "done"), ("last", "done")]

    within(store, first)
    within(store, second)
    assert LOG == ["first", "last", "last"]
    within(store, checked)


def test_a_run_may_begin_again_from_nothing(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        await Order(engine=engine).run(run_id="one", n=2)
        await engine.rewind("one", 0)
        assert await finish(engine, "one") == End(n=6)
        await engine.fork("one", 0, new_id="two")
        assert await finish(engine, "two") == End(n=6)

    within(store, main)
    assert LOG.count("charge") == 3
    within(store, checked)


def test_clocks_stand_still_between_the_tick_and_the_return(
    store: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wait of an hour that had just begun has an hour left, a day later."""

    async def first(engine: Engine) -> None:
        handler = Waiting(engine=engine, timeout=None).run(run_id="one", n=1)
        await until(lambda: engine.list_runs() and len(engine.history("one")) == 2)
        await engine.cancel("one")
        with pytest.raises(WorkflowCancelledByUser):
            await handler

    async def second(engine: Engine) -> None:
        await engine.retry("one")
        row = engine.show("one")
        assert 3500 < ((row.wake_at or 0) - time.time_ns()) / 1e9 <= 3600

    within(store, first)
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 86_400_000_000_000)
    within(store, second)
    monkeypatch.undo()
    within(store, checked)


def test_a_run_whose_time_was_up_has_all_of_it_again(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        with pytest.raises(WorkflowTimeoutError):
            await Waiting(engine=engine, timeout=0.3).run(run_id="one", n=1)

    async def second(engine: Engine) -> None:
        before = time.time_ns()
        await engine.retry("one")
        wakes = engine.show("one").wake_at or 0
        assert before + 290_000_000 <= wakes <= time.time_ns() + 310_000_000
        assert isinstance(await finish(engine, "one"), WorkflowTimeoutError)

    within(store, first)
    within(store, second)
    within(store, checked)


def test_two_who_change_a_run_at_once_do_not_mix(store: str | Path) -> None:
    fail(store, Order, "ship")

    async def main(engine: Engine) -> None:
        both, alter = asyncio.Barrier(2), engine.alter

        async def when_both_have_read(entries: list[Entry]) -> None:
            await both.wait()  # one that reads what the other has written changes the run after it, as it may
            await alter(entries)

        engine.alter = when_both_have_read  # type: ignore[method-assign]
        done = await asyncio.gather(engine.retry("one"), engine.rewind("one", 1), return_exceptions=True)
        assert sum(isinstance(one, StoreError) for one in done) == 1
        assert await finish(engine, "one") == End(n=3)

    within(store, main)
    within(store, checked)
