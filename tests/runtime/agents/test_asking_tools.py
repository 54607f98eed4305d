"""Tools of MCP servers that ask a person while an agent calls them: a question of the run, that lasts."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from desk_flow import TurnModel, assert_valid, call, calls, desk, in_turn, says

from wfc.runtime import Engine, InvalidAnswerError, McpServer, Record
from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.calls.asking import AskingTool
from wfc.runtime.calls.mcp import connections
from wfc.runtime.plan.pauses import QuestionAsked

SERVICE = str(Path(__file__).parents[1] / "calls/asking_mcp_service.py")
BOOK = call("book_table", '{"day": "Monday"}', "one")


class DayArgs(Record):
    day: str = ""


@pytest.fixture
def old_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server asks while it waits, as it did before calls were asked for again with the answers."""
    monkeypatch.setattr(connections, "Client", partial(connections.Client, mode="legacy"))


@pytest.fixture
def server(tmp_path: Path) -> McpServer:
    (tmp_path / "wfc.toml").write_text(f'commands = ["{sys.executable}"]')
    return McpServer(command=[sys.executable, SERVICE, str(tmp_path / "log")], beside=tmp_path)


def a_desk(server: McpServer, tool: str, within: float | None, model: TurnModel) -> Any:
    async def book(ctx: Any, args: DayArgs) -> Any:
        given = {"day": args.day} if tool == "book_table" else {}
        result = await ctx.mcp(server, tool, given)
        return next(iter(result.values()))

    ask = None if within is None else AskingTool(within, ["user:ada"])
    return desk(Agent("desk", model, tools=[AgentTool(tool, book, DayArgs, ask=ask)]))


def answered(
    kind: Any, answers: Callable[[QuestionAsked], Any], store: str | None = None
) -> tuple[str, list[str]]:
    """What the desk says, and what was asked; a question that is not answered is left to its time."""
    asked: list[str] = []

    async def main() -> str:
        engine = Engine(store=store)
        engine.add(kind)
        handler = kind(engine=engine).run(question="where?")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                asked.append(event.title)
                if (given := answers(event)) is not None:
                    await handler.answer(event.id, given, by="user:ada")
        found = (await handler).text
        engine.close()
        return found

    return asyncio.run(main()), asked


def told(model: TurnModel) -> list[str]:
    for request in model.asked:
        assert_valid(request.said)
    return [each.text for one in model.asked[-1].said for each in one.answers]


def seats_or_sure(event: QuestionAsked) -> dict[str, Any]:
    assert event.form is not None
    assert event.assign == ["user:ada"]
    (field,) = event.form["properties"]
    return {"seats": 2} if field == "seats" else {"sure": True}


def test_what_a_server_asks_is_asked_of_a_person_and_the_call_goes_on(
    server: McpServer, tmp_path: Path
) -> None:
    model = TurnModel(in_turn(calls(BOOK), says("done")))
    text, asked = answered(a_desk(server, "book_table", 60.0, model), seats_or_sure)
    assert asked == ["How many seats on Monday?", "Is a table for 2 wanted for sure?"]
    assert told(model) == ["table for 2 on Monday, sure: True"]
    assert text == "done"
    done = "done table for 2 on Monday, sure: True"
    assert [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("done")] == [done]


@pytest.mark.full
def test_so_does_one_with_the_protocol_of_before(server: McpServer, old_protocol: None) -> None:
    model = TurnModel(in_turn(calls(BOOK), says("done")))
    _, asked = answered(a_desk(server, "book_table", 60.0, model), seats_or_sure)
    assert len(asked) == 2
    assert told(model) == ["table for 2 on Monday, sure: True"]


@pytest.mark.full
def test_nobody_answers_in_time(server: McpServer) -> None:
    model = TurnModel(in_turn(calls(BOOK), says("done")))
    _, asked = answered(a_desk(server, "book_table", 0.2, model), lambda _: None)
    assert asked == ["How many seats on Monday?"]
    assert told(model) == ["nothing is booked: cancel"]


@pytest.mark.full
def test_an_answer_that_does_not_fit_is_refused(server: McpServer) -> None:
    model = TurnModel(in_turn(calls(BOOK), says("done")))
    refused: list[str] = []

    async def main() -> None:
        handler = a_desk(server, "book_table", 60.0, model)().run(question="where?")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                for wrong in ({"seats": "many"}, {}, {"seats": 1, "sure": True, "more": 1}):
                    with pytest.raises(InvalidAnswerError) as found:
                        await handler.answer(event.id, wrong, by="user:ada")
                    refused.append(str(found.value))
                await handler.answer(event.id, seats_or_sure(event), by="user:ada")
        await handler

    asyncio.run(main())
    assert len(refused) == 6
    assert "seats: 'many' is not of type 'integer'" in refused[0]


@pytest.mark.full
def test_a_tool_that_may_not_ask_is_told_so(server: McpServer) -> None:
    model = TurnModel(in_turn(calls(BOOK), says("done")))
    _, asked = answered(a_desk(server, "book_table", None, model), seats_or_sure)
    assert asked == []
    (text,) = told(model)
    assert text.startswith("error: ")


@pytest.mark.full
def test_a_server_that_asks_for_ever_is_stopped(server: McpServer, old_protocol: None) -> None:
    model = TurnModel(in_turn(calls(call("ask_for_ever", "{}", "one")), says("done")))
    _, asked = answered(a_desk(server, "ask_for_ever", 60.0, model), seats_or_sure)
    assert len(asked) == 8
    assert told(model) == ["asked 8 times"]


def desk_in(folder: Path) -> tuple[Any, TurnModel]:
    model = TurnModel(lambda request: says("done") if request.said[-1].answers else calls(BOOK))
    server = McpServer(command=[sys.executable, SERVICE, str(folder / "log")], beside=folder)
    return a_desk(server, "book_table", 600.0, model), model


async def until_it_is_killed(folder: Path) -> None:
    """Answers the first question of a stored run, and dies at the second."""
    kind, _ = desk_in(folder)
    engine = Engine(store=f"sqlite:///{folder / 'runs.db'}")
    engine.add(kind)
    handler = kind(engine=engine).run(run_id="r1", question="where?")
    async for event in handler.stream_events():
        if isinstance(event, QuestionAsked):
            if "sure" in event.title:
                os.kill(os.getpid(), signal.SIGKILL)
            await handler.answer(event.id, {"seats": 2}, by="user:ada")


@pytest.mark.full
def test_the_question_outlives_its_process_and_nothing_is_asked_twice(
    server: McpServer, tmp_path: Path
) -> None:
    died = subprocess.run(
        [sys.executable, __file__, str(tmp_path)], check=False, capture_output=True, timeout=120
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    kind, model = desk_in(tmp_path)

    async def main() -> str:
        engine = Engine(store=f"sqlite:///{tmp_path / 'runs.db'}")
        engine.add(kind)
        handler = await engine.resume("r1")
        open_now = [each for each in engine.tasks() if each.title]
        assert [each.title for each in open_now] == ["Is a table for 2 wanted for sure?"]
        await engine.answer(open_now[0].task_id, {"sure": True}, by="user:ada")
        text = (await handler).text
        engine.close()
        return text

    assert asyncio.run(main()) == "done"
    assert told(model) == ["table for 2 on Monday, sure: True"]


if __name__ == "__main__":
    asyncio.run(until_it_is_killed(Path(sys.argv[1])))
