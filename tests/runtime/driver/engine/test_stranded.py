"""What is brought to a run of another process that just puts it to rest, or ends, is not left in its inbox."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from waiting import until

from wfc.runtime import Engine, Question, Record, RunState, StartEvent, StopEvent, Workflow, pause
from wfc.runtime.driver.engine import bringing
from wfc.runtime.driver.run.edits import Edits
from wfc.runtime.errors import RunParkedError
from wfc.runtime.store.journal import Entry, Fate, Posted
from wfc.runtime.store.sql import inbox


class Answer(Record):
    ok: bool


class Greeting(RunState):
    word: str = "hello"


class End(StopEvent):
    ok: bool
    word: str


class Asking(Workflow, name="asking"):
    @pause
    async def ask(self, state: Greeting, ev: StartEvent) -> Question[Answer]:
        return Question(Answer, title="May it?", assign=["user:ann"])

    @ask.then
    def asked(self, state: Greeting, ev: StartEvent, result: Answer) -> End:
        return End(ok=result.ok, word=state.word)


TASK = "one/ask/1"

Post = Callable[[str, Posted], Awaitable[Fate]]


async def says(engine: Engine) -> None:
    handler = await engine.answer(TASK, {"ok": True}, by="user:ann")
    assert handler is not None, "nobody else goes on with it"
    assert await handler == End(ok=True, word="hello")


async def passes_on(engine: Engine) -> None:
    assert await engine.delegate(TASK, "user:bob", by="user:ann") is not None
    assert engine.task(TASK).assign == ["user:bob"]


async def edits(engine: Engine) -> None:
    await engine.edit("one", Edits({"word": "good morning"}))
    assert not holds(engine, "edit")
    handler = await engine.answer(TASK, {"ok": True}, by="user:ann")
    assert handler is not None
    assert await handler == End(ok=True, word="good morning")


async def cancels(engine: Engine) -> None:
    await engine.cancel("one")
    assert engine.show("one").status == "cancelled"


def holds(engine: Engine, kind: str) -> bool:
    return engine.store.select(partial(inbox.holds, run_id="one", kind=kind))


def within(store: str | Path, main: Callable[[Engine, Engine], Awaitable[None]]) -> None:
    """Let two engines work on a store, of which the first has a run at its question."""

    async def both() -> None:
        with contextlib.ExitStack() as opened:
            engines = [Engine(store=store) for _ in range(2)]
            for engine in engines:
                opened.callback(engine.close)
                engine.add(Asking)
            Asking(engine=engines[0]).run(run_id="one")
            await until(engines[1].tasks)
            async with asyncio.timeout(240):
                await main(*engines)

    asyncio.run(both())


def instead(engine: Engine, monkeypatch: pytest.MonkeyPatch, post: Callable[[Post], Post]) -> None:
    """Let the next thing that an engine posts be posted in another way."""
    real = engine.store.post

    async def once(run_id: str, item: Posted) -> Fate:
        monkeypatch.setattr(engine.store, "post", real)
        return await post(real)(run_id, item)

    monkeypatch.setattr(engine.store, "post", once)


acts = pytest.mark.parametrize("act", [says, passes_on, edits, cancels])


@acts
@pytest.mark.parametrize("way", ["rests", "is gone"])
def test_what_is_posted_when_the_run_has_been_put_to_rest_meanwhile_goes_on_here(
    store: str | Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Engine], Awaitable[None]], way: str
) -> None:
    async def main(other: Engine, engine: Engine) -> None:
        def late(post: Post) -> Post:
            async def parked_first(run_id: str, item: Posted) -> Fate:
                if way == "rests":
                    await other.park("one")
                else:
                    other.close()
                return await post(run_id, item)

            return parked_first

        instead(engine, monkeypatch, late)
        await act(engine)
        assert not any(holds(engine, kind) for kind in ("answer", "delegation", "edit", "cancel"))

    within(store, main)


@acts
def test_what_is_posted_while_the_run_is_being_put_to_rest_goes_on_here(
    store: str | Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Engine], Awaitable[None]]
) -> None:
    async def main(other: Engine, engine: Engine) -> None:
        run = other.run("one")
        assert run is not None
        posted = asyncio.Event()
        append = other.store.append_together

        async def held(entries: Sequence[Entry]) -> None:
            await posted.wait()
            await append(entries)

        def early(post: Post) -> Post:
            async def then_parked(run_id: str, item: Posted) -> Fate:
                try:
                    return await post(run_id, item)
                finally:
                    posted.set()

            return then_parked

        monkeypatch.setattr(other.store, "append_together", held)
        instead(engine, monkeypatch, early)
        parking = asyncio.create_task(other.park("one"))
        await until(lambda: run.is_parking)
        await act(engine)
        await parking
        with pytest.raises(RunParkedError):
            run.future.result()
        assert not any(holds(engine, kind) for kind in ("answer", "delegation", "edit", "cancel"))

    within(store, main)


def test_a_run_that_gives_way_is_ended_here_if_it_comes_to_rest_before_it_hears_of_it(
    store: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main(other: Engine, engine: Engine) -> None:
        monkeypatch.setattr(other.store, "addressed", list)
        await engine.bring("one", "cancel", {"reason": "another has come"}, "")
        ending = asyncio.create_task(engine.end_at_rest(["one"]))
        await asyncio.sleep(0)  # it sees that somebody has the run
        await other.park("one")
        await ending
        await until(lambda: engine.show("one").status == "cancelled")

    within(store, main)


def test_nobody_waits_for_long_for_a_process_that_stands_still(
    store: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main(other: Engine, engine: Engine) -> None:
        monkeypatch.setattr(bringing, "PATIENCE", 0.1)
        monkeypatch.setattr(other.store, "addressed", list)
        run = other.run("one")
        assert run is not None
        assert await engine.answer(TASK, {"ok": True}, by="user:ann") is None
        assert holds(engine, "answer")
        other.kept.inboxes.take_soon(run)  # as it does when it moves again
        await until(lambda: run.is_done)
        assert engine.outcome("one") == End(ok=True, word="hello")

    within(store, main)


def test_nobody_waits_who_leaves_it_to_others(store: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(other: Engine, engine: Engine) -> None:
        monkeypatch.setattr(bringing, "PATIENCE", 1000.0)
        monkeypatch.setattr(other.store, "addressed", list)
        assert await engine.answer(TASK, {"ok": True}, by="user:ann", leave=True) is None
        assert holds(engine, "answer")

    within(store, main)


def test_a_run_whose_process_is_at_work_keeps_what_was_posted(
    store: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have taken it already, and be about to write so."""

    async def main(other: Engine, engine: Engine) -> None:
        monkeypatch.setattr(other.store, "addressed", list)
        item = await engine.bring("one", "cancel", {"reason": "of no use"}, "")
        withdraw = partial(inbox.withdraw, workers=engine.store.workers, run_id="one", item=item)
        assert not await engine.store.write(withdraw)
        other.close()
        assert await engine.store.write(withdraw)
        assert not await engine.store.write(withdraw)
        assert not await engine.store.write(partial(withdraw, run_id="none"))

    within(store, main)
