"""Edits of stored runs by people: of the state and of pending events, at rest, under way, and with an answer."""

from __future__ import annotations

import asyncio
import contextlib
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from checkpoint_flows import (
    FLOWS,
    LOG,
    Asking,
    Editing,
    End,
    Line,
    Noting,
    check,
    within,
)
from waiting import until

from wfc.runtime import Engine
from wfc.runtime.driver.messages import EventData
from wfc.runtime.driver.run.edits import Edits
from wfc.runtime.errors import (
    InvalidAnswerError,
    InvalidMessageError,
    InvalidValueError,
    RunEndedError,
    RunParkedError,
    RunUnknownError,
    StoreError,
)


@pytest.fixture(autouse=True)
def _fresh() -> None:
    LOG.clear()


async def rest(engine: Engine, flow: Any, run_id: str = "one") -> None:
    """Starts a run and puts it to rest at its question."""
    handler = flow(engine=engine).run(run_id=run_id, n=5)
    await until(engine.tasks)
    await engine.park(run_id)
    with pytest.raises(RunParkedError):
        await handler


async def checked(engine: Engine) -> None:
    for row in engine.list_runs():
        await asyncio.to_thread(check, engine, row.run_id)


def state(engine: Engine, run_id: str = "one") -> Any:
    return engine.told(run_id).execution.state


def test_the_state_of_a_run_at_rest_is_edited_while_its_question_is_open(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        await rest(engine, Editing)
        await engine.edit("one", Edits({"sum": 3, "state.lines[0].count": 2}), by="user:ann")
        assert (state(engine).sum_, state(engine).lines) == (3, [Line(price=Decimal(5), count=2)])
        assert engine.show("one").status == "parked"
        assert not engine.store.has_due(), "there is nothing to do before somebody answers"
        assert (engine.history("one")[-1].kind, engine.history("one")[-1].data[3]) == ("edited", "user:ann")
        handler = await engine.answer("one/ask/2", {"ok": True}, by="user:ann")
        assert handler is not None
        assert await handler == End(n=13)

    within(store, main)
    within(store, checked)


def test_an_answer_and_an_edit_are_one_tick(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        await rest(engine, Editing)
        before = engine.store.history("one")
        for changes in ({"sum": "x"}, {"nope": 1}):
            with pytest.raises(InvalidValueError):
                await engine.answer("one/ask/2", {"ok": True}, by="user:ann", state=changes)
        with pytest.raises(InvalidAnswerError):
            await engine.answer("one/ask/2", {"ok": 7}, by="user:ann", state={"sum": 3})
        assert engine.store.history("one") == before
        handler = await engine.answer("one/ask/2", {"ok": True}, by="user:ann", state={"sum": 3})
        assert handler is not None
        assert await handler == End(n=8)
        kinds = [tick.kind for tick in engine.history("one")[len(before) :]]
        assert kinds == ["recovered", "answered", "completed"]

    within(store, main)
    within(store, checked)


def test_a_run_under_way_here_or_elsewhere_is_edited_too(store: str | Path) -> None:
    async def main() -> None:
        ours, theirs = Engine(store=store), Engine(store=store)
        for one in FLOWS:
            theirs.add(one)
        handler = Editing(engine=ours, timeout=None).run(run_id="one", n=5)
        await until(theirs.tasks)
        await ours.edit("one", Edits({"sum": 1}))
        await theirs.edit(
            "one", Edits({"lines[0].price": "7"}, [EventData("Extra", {"n": 30})]), by="user:bob"
        )
        await until(lambda: "add" in LOG and state(theirs).sum_ == 31)
        assert (
            await theirs.answer("one/ask/2", {"ok": True}, by="user:ann", state={"lines[0].count": 2}) is None
        )
        assert await asyncio.wait_for(handler, 240) == End(n=45)
        ours.close()
        theirs.close()

    asyncio.run(main())
    within(store, checked)


def test_an_event_is_sent_as_if_a_step_had_done_it(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        await rest(engine, Editing)
        await engine.edit("one", Edits(events=[EventData("Extra", {"n": 2})]))
        assert engine.store.has_due()
        assert LOG == [], "nobody works on it"
        handler = await engine.answer("one/ask/2", {"ok": True}, by="user:ann")
        assert handler is not None
        assert (await handler).n in {5, 7}, "the answer and the step race"
        assert LOG == ["add"]

    within(store, main)
    within(store, checked)


def test_a_pending_event_is_dropped(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        handler = Noting(engine=engine).run(run_id="one", n=5)
        await until(engine.tasks)
        await handler.send_event(_note(1))
        await handler.send_event(_note(2))
        await engine.park("one")
        with pytest.raises(RunParkedError):
            await handler
        first, second = engine.told("one").execution.inbox
        with pytest.raises(InvalidMessageError, match=f"there are: {first}, {second}"):
            await engine.edit("one", Edits(dropped=[99]))
        await engine.edit("one", Edits(dropped=[first, first]))
        assert list(engine.told("one").execution.inbox) == [second]
        goes_on = await engine.answer("one/ask/1", {"ok": True}, by="user:ann")
        assert goes_on is not None
        assert await goes_on == End(n=2)

    within(store, main)
    within(store, checked)


def _note(n: int) -> Any:
    from checkpoint_flows import Note

    return Note(n=n)


@pytest.mark.parametrize(
    ("edits", "error", "told"),
    [
        (Edits({"sum": "three"}), InvalidValueError, "`sum`: input should be a valid integer"),
        (Edits({"sum": -1}), InvalidValueError, "`sum`: at least 0 wanted"),
        (Edits({"lines[0].count": 0}), InvalidValueError, "`lines.0.count`: at least 1 wanted"),
        (Edits({"lines[1].count": 2}), InvalidValueError, "there is no `1` in a list of 1"),
        (Edits({"lines[0].name": "x"}), InvalidValueError, "`lines.0.name`: extra inputs are not permitted"),
        (
            Edits({"total": 1}),
            InvalidValueError,
            "the state has no field `total`; its fields: `sum`, `lines`",
        ),
        (Edits({"sum..x": 1}), InvalidValueError, "is no path"),
        (Edits({"sum": float("nan")}), InvalidValueError, "JSON"),
        (
            Edits({"sum": 1}, [EventData("Nope", {})]),
            InvalidMessageError,
            "no step accepts `Nope`; they accept ",
        ),
        (
            Edits({"sum": 1}, [EventData("Extra", {"n": "x"})]),
            InvalidMessageError,
            "Extra cannot be taken: `n`",
        ),
        (Edits({"sum": 1}, dropped=[3]), InvalidMessageError, "there are: none"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place_and_changes_nothing(
    store: str | Path, edits: Edits, error: type[Exception], told: str
) -> None:
    async def main(engine: Engine) -> None:
        await rest(engine, Editing)
        before = engine.store.history("one")
        with pytest.raises(error) as raised:
            await engine.edit("one", edits)
        assert told in str(raised.value)
        assert engine.store.history("one") == before

    within(store, main)
    within(store, checked)


def test_a_run_that_is_over_or_unknown_is_not_edited(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        await rest(engine, Editing)
        handler = await engine.answer("one/ask/2", {"ok": True}, by="user:ann")
        assert handler is not None
        await handler
        with pytest.raises(RunEndedError, match="is over"):
            await engine.edit("one", Edits({"sum": 1}))
        with pytest.raises(RunUnknownError):
            await engine.edit("two", Edits({"sum": 1}))
        to = engine.beginning_of_step("one", "ask")
        with pytest.raises(InvalidValueError):
            await engine.rewind("one", to, state={"sum": "x"}, dry_run=True)
        await engine.rewind("one", to, state={"sum": 100}, by="user:ann")
        await engine.fork("one", to, state={"sum": 200}, new_id="two")
        for run_id, end in (("one", 105), ("two", 205)):
            await engine.resume(run_id)
            await until(lambda run_id=run_id: engine.tasks(run_id=run_id))
            handler = await engine.answer(f"{run_id}/ask/2", {"ok": True}, by="user:ann")
            assert handler is not None
            assert await handler == End(n=end)

    within(store, main)
    within(store, checked)


@pytest.mark.parametrize("seed", range(2))
def test_whatever_people_do_in_any_order_the_journal_is_the_run(store: str | Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test's

    async def turn(engine: Engine, run_id: str) -> None:
        row = engine.show(run_id)
        last = engine.told(run_id).seq
        what = chance.choice(["edit", "rewind", "fork", "go on", "answer", "cancel", "retry"])
        if what == "edit" and row.ended is None:
            await engine.edit(run_id, Edits({"sum": chance.randrange(9)}, [EventData("Extra", {"n": 1})]))
        elif what == "rewind":
            await engine.rewind(run_id, chance.randrange(last), state={"sum": chance.randrange(9)})
        elif what == "fork" and len(engine.list_runs()) < 4:
            await engine.fork(run_id, chance.randrange(last))
        elif what == "retry" and row.status == "cancelled":
            await engine.retry(run_id)
        elif row.ended is None:
            handler = await engine.resume(run_id)
            if what == "cancel":
                await handler.cancel_run()
            await asyncio.sleep(0.05)
            tasks = engine.tasks(run_id=run_id)
            if what == "answer" and tasks:
                await handler.answer(tasks[0].task_id, {"ok": True}, by="user:ann", state={"sum": 1})
            if not handler.is_done():
                await engine.park(run_id)
            await asyncio.wait([handler._run.future])
            handler._run.future.exception()

    async def main(engine: Engine) -> None:
        await rest(engine, Editing)
        for _ in range(25):
            run_id = chance.choice(engine.list_runs()).run_id
            with contextlib.suppress(
                StoreError, InvalidMessageError
            ):  # at that tick it was over, or has not begun
                await turn(engine, run_id)
            await checked(engine)

    within(store, main)


def test_an_edit_of_a_run_that_has_not_begun_is_there_when_it_does(store: str | Path) -> None:
    async def main(engine: Engine) -> None:
        flow = Editing(engine=engine)
        await engine.enqueue(flow, _go(5), "one")
        with pytest.raises(InvalidMessageError, match="has not begun"):
            await engine.edit("one", Edits({"sum": 1}, [EventData("Extra", {"n": 1})]))
        await engine.edit("one", Edits({"sum": 4}))
        assert engine.store.has_due()
        await engine.resume("one")
        await until(engine.tasks)
        handler = await engine.answer("one/ask/2", {"ok": True}, by="user:ann")
        assert handler is not None
        assert await handler == End(n=9)

    within(store, main)
    within(store, checked)


def _go(n: int) -> Any:
    from checkpoint_flows import Go

    return Go(n=n)


def test_an_unknown_flow_says_so(store: str | Path) -> None:
    async def first(engine: Engine) -> None:
        await rest(engine, Asking)

    async def main() -> None:
        engine = Engine(store=store)
        with pytest.raises(RunUnknownError, match=r"engine\.add"):
            await engine.edit("one", Edits({"sum": 1}))
        engine.close()

    within(store, first)
    asyncio.run(main())
