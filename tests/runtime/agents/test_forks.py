"""A run is forked from within an agent: it goes on from that turn or call, and makes nothing again that was done."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from desk_flow import FLOWS, FindArgs, TurnModel, call, calls, desk, in_turn, says

from wfc.runtime import Engine, Workflow
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.driver.engine import forking
from wfc.runtime.driver.engine.checkpoints import Rewinding
from wfc.runtime.errors import RunParkedError, StoreError


def lines(log: Path) -> list[str]:
    return log.read_text().split("\n")[:-1] if log.exists() else []


def within(store: str | Path, kind: Any, work: Callable[[Engine], Awaitable[Any]]) -> Any:
    """Works on a store as a process of its own does."""

    async def main() -> Any:
        engine = Engine(store)
        engine.add(kind)
        try:
            return await work(engine)
        finally:
            engine.close()

    return asyncio.run(main())


def answer_of(store: str | Path, kind: Any, run_id: str | None = None) -> str:
    """Returns what a run answers: a new one, or one that goes on in a process of its own."""

    async def work(engine: Engine) -> str:
        handler = (
            kind(engine=engine).run(run_id="r", question="?")
            if run_id is None
            else await engine.resume(run_id)
        )
        return str((await handler).text)

    return str(within(store, kind, work))


def fork(store: str | Path, kind: Any, place: str, **more: Any) -> Rewinding:
    async def work(engine: Engine) -> Rewinding:
        return await engine.fork("r", engine.point_of("r", place), new_id="f", **more)

    found: Rewinding = within(store, kind, work)
    return found


@pytest.mark.parametrize(
    ("flow", "place", "again"),
    [
        ("desk", "answer", ["think 1", "find A", "find B", "think 2", "find C", "think 3"]),
        ("desk", "answer/turn 1", ["think 1", "find A", "find B", "think 2", "find C", "think 3"]),
        ("desk", "answer/turn 1/find", ["find B", "think 2", "find C", "think 3"]),
        ("desk", "answer/turn 2", ["think 2", "find C", "think 3"]),
        ("desk", "answer/turn 2/find", ["find C", "think 3"]),
        ("desk", "answer/turn 3", ["think 3"]),
    ],
)
def test_a_fork_goes_on_from_a_turn(
    flow: str, place: str, again: list[str], tmp_path: Path, store: str | Path
) -> None:
    kind = FLOWS[flow](tmp_path / "log")
    said = answer_of(store, kind)
    before = lines(tmp_path / "log")
    fork(store, kind, place)
    assert lines(tmp_path / "log") == before, "a fork by itself does nothing"
    assert answer_of(store, kind, "f") == said
    assert sorted(lines(tmp_path / "log")[len(before) :]) == sorted(again)


@pytest.mark.parametrize("flow", ["team", "hand-over", "code", "saving", "functions"])
def test_every_place_of_an_agent_is_one_to_fork_from(flow: str, tmp_path: Path, store: str | Path) -> None:
    kind = FLOWS[flow](tmp_path / "log")
    said = answer_of(store, kind)
    everything = lines(tmp_path / "log")
    counts = []

    async def places(engine: Engine) -> list[str]:
        found = [line.place for line in engine.told("r/answer/1").lines() if line.place]
        return [f"answer/{each}" for each in dict.fromkeys(found)]

    for number, place in enumerate(within(store, kind, places)):
        before = len(lines(tmp_path / "log"))

        async def work(engine: Engine, place: str = place, new_id: str = f"f{number}") -> None:
            await engine.fork("r", engine.point_of("r", place), new_id=new_id)

        within(store, kind, work)
        assert answer_of(store, kind, f"f{number}") == said
        made = lines(tmp_path / "log")[before:]
        assert sorted(made) == sorted(everything[len(everything) - len(made) :]), place
        counts.append(len(made))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == len(everything)
    assert counts[-1] == 1


def test_of_agents_beneath_each_other_all_go_on_from_that_moment(tmp_path: Path, store: str | Path) -> None:
    kind = FLOWS["team"](tmp_path / "log")
    said = answer_of(store, kind)
    before = lines(tmp_path / "log")
    told = fork(store, kind, "answer/turn 2/finder/turn 2")
    (agent,) = told.parts
    assert agent.run_id == "f/answer/1"
    assert [part.run_id.rpartition("/")[0] for part in agent.parts] == ["f/answer/1/delegate"]
    assert told.again == (), "the step of the agent is not done again"
    assert answer_of(store, kind, "f") == said
    made = lines(tmp_path / "log")[len(before) :]
    assert made == before[-len(made) :]
    assert len(made) == 2


def paying(made: list[str]) -> tuple[type[Workflow], TurnModel]:
    """The desk whose agent asks before it pays, twice; ``made`` takes what it has paid."""

    async def pay(_context: Any, args: FindArgs) -> str:
        made.append(args.order_id)
        return f"{args.order_id} is paid"

    tool = AgentTool("pay", pay, FindArgs, approve=lambda *_: Approval(title="Pay?"))
    replies = in_turn(
        calls(call("pay", '{"order_id": "A"}', "a")),
        calls(call("pay", '{"order_id": "B"}', "b")),
        says("done"),
    )
    model = TurnModel(replies)
    return desk(Agent("desk", model, tools=[tool])), model


def test_who_is_asked_in_a_fork_gets_the_question_of_that_moment(store: str | Path) -> None:
    """A fork of a run at rest has its agent as it is, with its open question; both are answered by themselves."""
    made: list[str] = []
    kind, model = paying(made)

    async def first(engine: Engine) -> None:
        handler = kind(engine=engine).run(run_id="r", question="?")
        await engine.park("r")
        (task,) = engine.tasks()
        going_on = await engine.answer(task.task_id, {"decision": "continue"}, by="user:ann")
        assert going_on is not None
        await engine.park("r")
        for each in (handler, going_on):
            with pytest.raises(RunParkedError):
                await each

    async def second(engine: Engine) -> tuple[list[str], str]:
        await engine.fork("r", new_id="f")
        tasks = [task.task_id for task in engine.tasks()]
        (own,) = [each for each in tasks if each.startswith("f/")]
        handler = await engine.answer(own, {"decision": "continue"}, by="user:ann")
        handler = handler or await engine.resume("f")
        return tasks, str((await handler).text)

    within(store, kind, first)
    tasks, said = within(store, kind, second)
    assert len(tasks) == 2
    assert said == "done"
    assert made == ["A", "B"]
    assert len(model.asked) == 3


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("nothing/turn 1", "the workflow has no step `nothing`"),
        (
            "answer/turn 9",
            "was at no place `answer/turn 9`; it was at `answer/turn 1`, `answer/turn 1/find`, ",
        ),
        ("answer/turn 1/pay", "was at no place `answer/turn 1/pay`"),
    ],
)
def test_a_place_where_the_run_was_not_is_refused(
    place: str, told: str, tmp_path: Path, store: str | Path
) -> None:
    kind = FLOWS["desk"](tmp_path / "log")
    answer_of(store, kind)
    with pytest.raises(StoreError) as raised:
        fork(store, kind, place)
    assert told in str(raised.value)


def test_a_fork_as_it_is_now_does_not_begin_anew_an_agent_that_is_over(tmp_path: Path) -> None:
    """The agent is over, and the run above has not taken that yet: what it did would be done again."""
    kind = FLOWS["desk"](tmp_path / "log")
    answer_of(tmp_path / "runs.db", kind)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as store, store:
        (number,) = store.execute("SELECT run FROM runs WHERE run_id = 'r'").fetchone()
        (waits,) = store.execute("SELECT max(seq) - 2 FROM ticks WHERE run = ?", (number,)).fetchone()
        store.execute("DELETE FROM ticks WHERE run = ? AND seq > ?", (number, waits))
        store.execute("UPDATE runs SET status = 'parked', ended = NULL, outcome = NULL WHERE run_id = 'r'")

    async def as_it_is(engine: Engine) -> None:
        await engine.fork("r", new_id="f")

    with pytest.raises(StoreError, match="the run r went on while it was read"):
        within(tmp_path / "runs.db", kind, as_it_is)


@pytest.mark.parametrize("moved", ["r", "r/answer/1"])
def test_a_fork_as_it_is_now_is_of_one_moment(
    moved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, _ = paying([])

    async def to_rest(engine: Engine) -> None:
        handler = kind(engine=engine).run(run_id="r", question="?")
        await engine.park("r")
        with pytest.raises(RunParkedError):
            await handler

    async def as_it_is(engine: Engine) -> None:
        read = engine.past_of

        def moving(run_id: str) -> Any:
            found = read(run_id)
            if run_id == moved:  # goes on as soon as it is read
                with closing(sqlite3.connect(tmp_path / "runs.db")) as store, store:
                    store.execute(
                        "INSERT INTO ticks (run, seq, body) SELECT run, ?, '' FROM runs WHERE run_id = ?",
                        (found[0].seq + 1, moved),
                    )
            return found

        monkeypatch.setattr(engine, "past_of", moving)
        await engine.fork("r", new_id="f")

    within(tmp_path / "runs.db", kind, to_rest)
    with pytest.raises(StoreError, match=f"the run {moved} went on while it was read"):
        within(tmp_path / "runs.db", kind, as_it_is)


def test_a_place_is_looked_for_in_the_last_agents_and_few_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forking, "MOST_PLACES", 2)
    kind = FLOWS["desk"](tmp_path / "log")
    answer_of(tmp_path / "runs.db", kind)
    read: list[str] = []

    async def work(engine: Engine, most: int) -> None:
        past_of = engine.past_of
        monkeypatch.setattr(forking, "LOOKED_AT", most)
        monkeypatch.setattr(engine, "past_of", lambda run_id: (read.append(run_id), past_of(run_id))[1])
        engine.point_of("r", "answer/turn 9")

    with pytest.raises(StoreError, match=r"`answer/turn 1`, `answer/turn 1/find` and 3 more$"):
        within(tmp_path / "runs.db", kind, lambda engine: work(engine, 10))
    assert read == ["r", "r/answer/1"]  # each once
    with pytest.raises(StoreError, match="only the last 0 agents of `answer` were looked at"):
        within(tmp_path / "runs.db", kind, lambda engine: work(engine, 0))
    assert read == ["r", "r/answer/1", "r"]
