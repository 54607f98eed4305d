"""Collections as tools of agents: whose entries they see, what a model cannot ask for, and what it is told."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from desk_flow import (
    Task,
    TurnModel,
    as_tool,
    call,
    calls,
    desk,
    hand_over_to,
    in_turn,
    note_tools,
    says,
)

from wfc.runtime import Engine
from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.loop import AgentLoop

REMEMBER = call("notes_remember", '{"text": "Tea without milk."}', "r")
SEARCH = call("notes_search", '{"query": "tea"}', "s")


def noted(_: str) -> None:
    pass


def answered(model: TurnModel, key: str, engine: Engine, **options: Any) -> list[str]:
    """What the model of a desk is told of its calls in a run for a key."""
    agent = Agent("desk", model, tools=note_tools(noted), **options)

    async def main() -> None:
        await desk(agent, collection_keys={"notes": key})(engine=engine).run(question="?")

    asyncio.run(main())
    return [each.text for one in model.asked[-1].said for each in one.answers]


def test_what_is_remembered_is_found_in_another_run_and_another_process(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    (told,) = answered(TurnModel(in_turn(calls(REMEMBER), says("done"))), "ann", Engine(store=store))
    assert told == "notes#1"
    (found,) = answered(TurnModel(in_turn(calls(SEARCH), says("done"))), "ann", Engine(store=store))
    assert [(each["text"], each["id"]) for each in json.loads(found)] == [("Tea without milk.", "notes#1")]
    (none,) = answered(TurnModel(in_turn(calls(SEARCH), says("done"))), "bob", Engine(store=store))
    assert json.loads(none) == []


def test_a_model_can_choose_no_key() -> None:
    foreign = call("notes_search", '{"query": "tea", "key": "bob"}', "s")
    (told,) = answered(TurnModel(in_turn(calls(foreign), says("done"))), "ann", Engine())
    assert "agent.arguments" in told


def test_a_run_that_was_begun_without_keys_is_told_so() -> None:
    agent = Agent("desk", model := TurnModel(in_turn(calls(SEARCH), says("done"))), tools=note_tools(noted))
    asyncio.run(_run(desk(agent)))
    assert "knowledge.key" in model.asked[-1].said[-1].answers[0].text


async def _run(kind: Any) -> str:
    return str((await kind(engine=Engine()).run(question="?")).text)


def test_an_agent_that_is_a_tool_and_one_that_goes_on_see_the_same_entries() -> None:
    parts: list[type[AgentLoop]] = []
    below = TurnModel(in_turn(calls(REMEMBER), says("noted")))
    clerk = as_tool(Agent("clerk", below, tools=note_tools(noted), args=Task), parts)
    after = Agent(
        "after", seen := TurnModel(in_turn(calls(SEARCH), says("done"))), tools=note_tools(noted), args=Task
    )
    first = in_turn(calls(call("clerk", '{"task": "a"}')), calls(call("hand_over_to_after", '{"task": "b"}')))
    lead = Agent("desk", TurnModel(first), tools=[clerk, hand_over_to("after")])
    assert (
        asyncio.run(_run(desk(lead, parts=parts, team=[after], collection_keys={"notes": "ann"}))) == "done"
    )
    assert "Tea without milk." in seen.asked[-1].said[-1].answers[0].text


def test_what_cannot_be_remembered_is_told() -> None:
    empty = call("notes_remember", '{"text": " "}', "r")
    (told,) = answered(TurnModel(in_turn(calls(empty), says("done"))), "ann", Engine())
    assert "knowledge.text" in told
