"""Keys and limits on runs at once hold over all processes of a store: real processes, some of which are killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shared_flows
from waiting import until

from wfc.runtime import (
    Engine,
    Event,
    InvalidMessageError,
    Limits,
    Outside,
    Receives,
    RunExistsError,
    StartEvent,
    StopEvent,
    Workflow,
    pause,
)
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.errors import RunEndedError

Processes = list[subprocess.Popen[bytes]]


class Site:
    """A store, a log, and the processes that share them."""

    def __init__(self, folder: Path, store: str | Path) -> None:
        self.store, self.log, self.said = str(store), folder / "log", folder / "said"
        self.log.touch()
        self.processes: Processes = []

    def start(self, kind: str, *command: object) -> subprocess.Popen[bytes]:
        with self.said.open("a") as said:
            process = subprocess.Popen(
                [sys.executable, shared_flows.__file__, self.store, kind, *map(str, command)],
                env={**os.environ, "LOG": str(self.log)},
                stdout=said,
                stderr=said,
            )
        self.processes.append(process)
        return process

    def told(self, what: str) -> list[dict[str, Any]]:
        found = map(json.loads, self.log.read_text().splitlines())
        return [one for one in found if one["what"] == what]

    def outcomes(self) -> dict[str, str]:
        return {one["run"]: one["said"] for one in self.told("outcome")}

    def until(self, holds: Callable[[], object]) -> None:
        end = time.monotonic() + 240
        while not holds():
            assert time.monotonic() < end, self.log.read_text() + self.said.read_text()
            time.sleep(0.01)

    def finish(self) -> None:
        for process in self.processes:
            if process.returncode is None:
                assert process.wait(240) == 0, self.said.read_text()

    def most_at_once(self) -> int:
        """How many were at work at once; who was killed is not counted as of then."""
        most, now = 0, set[int]()
        for line in self.log.read_text().splitlines():
            told = json.loads(line)
            if told["what"] == "begin":
                now.add(told["at"])
                most = max(most, len(now))
            elif told["what"] == "end":
                now.remove(min(now))
            elif told["what"] == "killed":
                now.clear()
        return most

    def waiting(self) -> int:
        """How many runs wait for a place."""
        return self.number("SELECT count(*) FROM places WHERE inside = 0")

    def following(self) -> int:
        """How many processes wait for the end of a run of another one."""
        return self.number("SELECT count(*) FROM followed")

    def number(self, query: str) -> int:
        engine = Engine(store=self.store)
        try:
            return int(engine.store.select(lambda connection: connection.execute(query).fetchone()[0]))
        finally:
            engine.close()

    def left_over(self) -> list[Any]:
        """What is still there of places and of those who follow runs, when all is over."""
        engine = Engine(store=self.store)
        try:
            assert engine.store.problems() == []
            assert {row.ended is None for row in engine.list_runs()} <= {False}
            return engine.store.select(
                lambda connection: (
                    connection.execute("SELECT workflow, gate, inside, until FROM places").fetchall()
                    + connection.execute("SELECT owner, run FROM followed").fetchall()
                )
            )
        finally:
            engine.close()


async def work_until_all_is_over(engine: Engine, at_once: int = 10) -> None:
    worker = Worker(engine, lambda due: None, lambda _: None, at_once=at_once)
    working = asyncio.create_task(worker.run())
    await until(lambda: all(row.ended for row in engine.list_runs()))
    worker.drain()
    await working


@pytest.fixture
def site(tmp_path: Path, store: str | Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    made = Site(tmp_path, store)
    monkeypatch.setenv("LOG", str(made.log))
    try:
        yield made
    finally:
        for process in made.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait(240)


CASES = {  # the outcomes of the first and the second start, how many were at work at once, and how many began
    "reject": ("by {first}", "refused: one", 1, 1),
    "queue": ("by {first}", "by {second}", 1, 2),
    "replace": ("cancelled: another run with the key 'A' was started in its place", "by {second}", 1, 2),
    "join": ("by {first}", "by {first}", 1, 1),
    "parallel": ("by {first}", "by {second}", 2, 2),
}


@pytest.mark.parametrize("way", CASES)
def test_a_second_start_in_another_process_does_what_is_declared(site: Site, way: str) -> None:
    first = site.start(f"keyed:{way}", "run", "one", "A", 60)
    site.until(lambda: site.told("begin"))
    second = site.start(f"keyed:{way}", "run", "two", "A", 0.1)
    other = site.start(f"keyed:{way}", "run", "other", "B", 0)
    other.wait(240)
    has_begun: dict[str, Callable[[], object]] = {  # what the second has come to while the first is at work
        "reject": lambda: "two" in site.outcomes(),
        "queue": lambda: site.waiting() == 1,
        "replace": lambda: "one" in site.outcomes(),
        "join": lambda: site.following() == 1,
        "parallel": lambda: second.poll() is not None,
    }
    site.until(has_begun[way])
    site.log.with_suffix(".A").touch()  # by which the first ends, if it goes on
    site.finish()
    one, two, most, begun = CASES[way]
    pids = {"first": first.pid, "second": second.pid}
    assert site.outcomes() == {
        "one": one.format(**pids),
        "two": two.format(**pids),
        "other": f"by {other.pid}",
    }
    of_key = [told for told in site.told("begin") if told["key"] == "A"]
    assert len(of_key) == begun
    end = next(told["at"] for told in site.told("end") if told["pid"] == first.pid)
    if begun == 2:
        assert (of_key[1]["at"] < end) is (most == 2), "the second began while the first was at work"
    assert site.left_over() == []


@pytest.mark.parametrize("way", ["reject", "join", "queue"])
def test_of_many_starts_at_one_moment_one_is_the_first(site: Site, way: str) -> None:
    go = site.log.with_suffix(".go")
    for number in range(4):
        site.start(f"keyed:{way}", "at", go, f"q{number}", "A", 1 if way == "queue" else 60)
    site.until(lambda: len(site.told("ready")) == 4)
    go.touch()
    if way == "join":  # those who have lost are told so by the commit of their own runs
        site.until(lambda: site.following() == 3)
    elif way == "reject":
        site.until(lambda: len(site.outcomes()) == 3)
    site.log.with_suffix(".A").touch()  # by which the first ends
    site.finish()
    said = sorted(site.outcomes().values())
    begun = [told["pid"] for told in site.told("begin")]
    if way == "queue":
        assert site.most_at_once() == 1
        assert said == sorted(f"by {pid}" for pid in begun)
        assert len(begun) == 4
    else:
        assert len(begun) == 1
        refused = [one for one in said if one.startswith("refused")]
        assert len(refused) == (3 if way == "reject" else 0)
        assert {one for one in said if one not in refused} == {f"by {begun[0]}"}
    assert site.left_over() == []


def test_runs_at_once_are_counted_over_all_processes(site: Site) -> None:
    for number in range(4):
        site.start("counted:2", "many", f"p{number}", 3, 0.2)
    site.finish()
    assert len(site.outcomes()) == 12
    assert site.most_at_once() == 2
    assert site.left_over() == []


def test_a_killed_process_has_its_places_until_its_runs_have_been_taken_over(site: Site) -> None:
    victim = site.start("counted:1", "run", "one", "A", 30)
    site.until(lambda: site.told("begin"))
    site.start("counted:1", "run", "two", "B", 0.2)
    site.until(lambda: site.waiting() == 1)
    victim.kill()
    victim.wait(240)
    shared_flows.note(what="killed")

    async def cancel() -> None:
        engine = shared_flows.opened(site.store, "counted:1")
        await until(lambda: not engine.store.is_worked_on("one"))
        await asyncio.sleep(1.0)
        assert [told["key"] for told in site.told("begin")] == ["A"], "the run is not over"
        await engine.cancel("one", "of no use any more")  # which takes it over
        engine.close()

    asyncio.run(cancel())
    site.processes.remove(victim)
    site.finish()
    assert [told["key"] for told in site.told("begin")][-1] == "B"
    assert "by" in site.outcomes()["two"]
    assert site.left_over() == []


def test_a_worker_takes_over_what_a_killed_process_had_and_its_places_pass_on(site: Site) -> None:
    victim = site.start("counted:2", "many", "p0", 2, 60)
    site.until(lambda: len(site.told("begin")) == 2)
    site.start("counted:2", "many", "p1", 2, 0.1)
    site.until(lambda: site.waiting() == 2)
    victim.kill()
    victim.wait(240)
    site.processes.remove(victim)
    shared_flows.note(what="killed")
    worker = site.start("counted:2", "work", 10)
    site.until(lambda: len(site.told("begin")) == 4)
    assert {told["pid"] for told in site.told("begin")[2:]} == {worker.pid}
    site.log.with_suffix(".p0").touch()
    worker_is_alone = [process for process in site.processes if process is not worker]
    assert [process.wait(240) for process in worker_is_alone] == [0]
    worker.kill()
    worker.wait(240)
    assert [told["key"] for told in site.told("begin")] == ["p0"] * 4 + ["p1"] * 2
    assert site.most_at_once() == 2
    assert site.left_over() == []


def test_who_is_killed_while_it_waits_holds_nobody_up(site: Site) -> None:
    site.start("counted:1", "run", "one", "A", 60)
    site.until(lambda: site.told("begin"))
    victim = site.start("counted:1", "run", "two", "B", 0.1)
    site.until(lambda: site.waiting() == 1)
    site.start("counted:1", "run", "three", "C", 0.1)
    site.until(lambda: site.waiting() == 2)
    victim.kill()
    victim.wait(240)
    site.processes.remove(victim)
    site.log.with_suffix(".A").touch()
    site.finish()
    assert [told["key"] for told in site.told("begin")] == ["A", "C"]

    async def take_up() -> None:
        engine = shared_flows.opened(site.store, "counted:1")
        await until(lambda: not engine.store.is_worked_on("two"))
        await (await engine.resume("two"))
        engine.close()

    asyncio.run(take_up())
    assert [told["key"] for told in site.told("begin")] == ["A", "C", "B"]
    assert site.left_over() == []


def test_a_run_at_rest_has_its_key_and_its_place(site: Site) -> None:
    site.start("asked", "rest", "one", "A")
    site.finish()
    assert site.outcomes() == {"one": "rests"}
    site.start("asked", "run", "two", "A", 0)
    site.start("asked", "rest", "three", "B")
    site.finish()
    assert site.outcomes() == {"one": "rests", "two": "refused: one", "three": "rests"}
    assert [told["key"] for told in site.told("begin")] == ["A"], "the third has not begun"

    async def answer() -> None:
        engine = shared_flows.opened(site.store, "asked")
        assert engine.note_on(engine.show("three")) == "waits for its turn"
        for run in ("one", "three"):
            await engine.answer(f"{run}/ask/1", {"ok": True}, by="user:ann", leave=True)
            await asyncio.wait_for(Worker(engine, lambda due: None, lambda _: None).run(until_idle=True), 240)
        assert {row.status for row in engine.list_runs()} == {"done"}
        engine.close()

    asyncio.run(answer())
    assert site.left_over() == []


def test_those_that_wait_take_no_room_of_a_worker(site: Site) -> None:
    """Else the one that has the place could not go on when it is answered, and nobody ever would."""

    async def main() -> None:
        engine = shared_flows.opened(site.store, "asked")
        for number in range(4):
            start = shared_flows.Order(key=str(number))
            await engine.enqueue(engine.workflow("asked"), start, str(number))
        working = asyncio.create_task(work_until_all_is_over(engine, at_once=2))
        for number in range(4):
            await until(lambda: engine.tasks(run_id=str(number)))  # noqa: B023
            await engine.answer(f"{number}/ask/1", {"ok": True}, by="user:ann", leave=True)
        await working
        engine.close()

    asyncio.run(asyncio.wait_for(main(), 240))
    assert [told["key"] for told in site.told("begin")] == list("0123")
    assert site.most_at_once() == 1
    assert site.left_over() == []


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("reject", "refused"),
        ("join", "first"),
        ("replace", "second"),
        ("queue", "second"),
        ("parallel", "second"),
    ],
)
def test_what_is_put_aside_for_workers_follows_the_key_too(site: Site, way: str, said: str) -> None:
    async def main() -> None:
        engine = shared_flows.opened(site.store, f"keyed:{way}")
        workflow = engine.workflow("keyed")
        assert await engine.enqueue(workflow, shared_flows.Order(), "first") == "first"
        second = engine.enqueue(workflow, shared_flows.Order(), "second")
        if said == "refused":
            with pytest.raises(RunExistsError, match="is not over: first"):
                await second
        else:
            assert await second == said
        await work_until_all_is_over(engine)
        ended = {row.run_id: row.status for row in engine.list_runs()}
        first = "cancelled" if way == "replace" else "done"
        assert ended == {"first": first} | ({"second": "done"} if said == "second" else {})
        engine.close()

    asyncio.run(main())
    assert site.left_over() == []


def test_who_follows_a_run_elsewhere_may_cancel_it(site: Site) -> None:
    async def main() -> None:
        with contextlib.ExitStack() as opened:
            one, two = (shared_flows.opened(site.store, "keyed:join") for _ in range(2))
            opened.callback(one.close)
            opened.callback(two.close)
            first = one.workflow("keyed").run(run_id="first", seconds=60.0)  # type: ignore[attr-defined]
            await until(lambda: site.told("begin"))
            second = two.workflow("keyed").run(run_id="second", seconds=60.0)  # type: ignore[attr-defined]
            assert second.run_id == "first"
            await second.cancel_run()
            assert await shared_flows.outcome(first) == "cancelled: the run was cancelled"
            assert await shared_flows.outcome(second) == await shared_flows.outcome(first)
            await until(lambda: site.told("end"))  # it has cleaned up
            await asyncio.sleep(0.1)

    asyncio.run(asyncio.wait_for(main(), 240))
    assert site.left_over() == []


class Told(Event):
    word: str


class Hearing(Workflow, name="hearing", limits=Limits(concurrent_runs=1), receives=(Receives(Told),)):
    @pause
    def hear(self, ev: StartEvent) -> Outside[Told]:
        return Outside(Told)

    @hear.then
    def heard(self, ev: StartEvent, result: Told) -> StopEvent:
        return StopEvent(result=result.word)


@pytest.mark.parametrize("by", ["post", "deliver"])
def test_what_is_posted_to_a_run_that_may_not_begin_yet_is_kept(site: Site, by: str) -> None:
    def opened() -> Engine:
        engine = Engine(store=site.store)
        engine.add(Hearing)
        return engine

    async def first() -> None:
        engine = opened()
        for run in ("one", "two"):
            engine.workflow("hearing").run(run_id=run)  # type: ignore[attr-defined]
        await until(lambda: len(engine.list_runs()) == 2)
        if by == "post":
            await engine.post("two", Told(word="to two"))
        else:
            assert await engine.deliver(Told(word="to two"), run_id="two")
            with pytest.raises(InvalidMessageError, match="takes no Event"):
                await engine.deliver(Event(), run_id="two")
        engine.close()  # what was acknowledged is there, whatever becomes of the process

    async def second() -> None:
        engine = opened()
        one = await engine.resume("one")
        two = await engine.resume("two")
        await asyncio.sleep(0.1)
        assert not two.is_done(), "it is not its turn"
        await engine.post("one", Told(word="to one"))
        assert [await one, await two] == ["to one", "to two"]
        engine.close()

    asyncio.run(first())
    asyncio.run(asyncio.wait_for(second(), 240))
    assert site.left_over() == []


@pytest.mark.parametrize("by", ["post", "deliver"])
def test_what_is_posted_before_a_run_may_begin_comes_before_what_is_posted_later(site: Site, by: str) -> None:
    async def main() -> None:
        engine = Engine(store=site.store)
        engine.add(Hearing)
        for attempt in range(20):
            handler = engine.workflow("hearing").run(run_id=f"run{attempt}")  # type: ignore[attr-defined]
            for word in ("first", "second"):
                with contextlib.suppress(RunEndedError):
                    if by == "post":
                        await engine.post(f"run{attempt}", Told(word=word))
                    else:
                        await engine.deliver(Told(word=word), run_id=f"run{attempt}")
            assert await handler == "first"
        engine.close()

    asyncio.run(asyncio.wait_for(main(), 240))
    assert site.left_over() == []
