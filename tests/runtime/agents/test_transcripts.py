"""Random agents: the transcript is whole at every turn, whatever models, tools and people do; no secret gets out."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from desk_flow import Asked, FindArgs, TurnModel, assert_valid, call, desk

from wfc.compiler.passes import check_text
from wfc.runtime import Engine, PythonTool, Secret, StepError
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.agents.loop import AgentLoop
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.transcripts import ANSWER_TOOL, TurnReply, TurnRequest
from wfc.runtime.plan.pauses import QuestionAsked
from wfc.runtime.testing import run_virtually

SEED = os.environ.get("WFC_SEED", "")
ARGS = ['{"order_id": "A"}', '{"order_id": "B"}', "{}", "[", "null", '{"order_id": 1}', '{"more": []}', ""]
TOOLS = ["find", "ask", "fail", "hang", "nope", ANSWER_TOOL]


def chance_of(*what: object) -> random.Random:
    return random.Random(f"{SEED} {what}")  # noqa: S311 - it decides what a test does


def random_desk(chance: random.Random) -> tuple[Any, TurnModel]:
    """A desk whose model, tools and people do what chance says."""
    ids = itertools.count()

    def reply(request: TurnRequest) -> TurnReply | Exception:
        assert_valid(request.said)
        if chance.random() < 0.1:
            return StepError("http.503", "busy", also=("model",))
        if chance.random() < 0.2:
            return TurnReply(text=chance.choice(["", "done", "x" * 200_000]))
        wanted = [
            call(chance.choice(TOOLS), chance.choice(ARGS), f"c{next(ids)}")
            for _ in range(chance.randint(0, 40))
        ]
        return TurnReply(text=chance.choice(["", "I look."]), calls=wanted)

    async def find(_context: Any, args: FindArgs) -> str:
        await asyncio.sleep(chance.random())
        return chance.choice(["", "there", "y" * 150_000])

    async def fail(_context: Any, _args: FindArgs) -> str:
        raise StepError("python.ValueError", "no")

    async def hang(_context: Any, _args: FindArgs) -> str:
        await asyncio.sleep(10_000)
        return ""

    functions = {"find": find, "ask": find, "fail": fail, "hang": hang}
    tools = [AgentTool(name, function, FindArgs) for name, function in functions.items()]
    model = TurnModel(reply)
    kind = desk(
        Agent("desk", model, tools=tools, max_turns=6, parallel_calls=chance.randint(1, 8),
              on_tool_error=chance.choice(["tell", "tell", "fail"]), last_turn=chance.choice(["fail", "answer"]))
    )  # fmt: skip

    @definition_of(kind).steps()["answer"].approve("ask")
    def approve_ask(self: Any, event: Asked, result: FindArgs) -> Approval | None:
        return Approval(within=60.0) if chance.random() < 0.8 else None

    return kind, model


def answer_by_chance(run: Any, event: Any, chance: random.Random) -> None:
    if isinstance(event, QuestionAsked) and chance.random() < 0.8:
        decision = chance.choice(["continue", "change", "refuse"])
        args = {"order_id": "C"} if decision == "change" else None
        answer = {"decision": decision, "args": args, "note": chance.choice([None, "no"])}
        asker = run.asker_of(event.id)
        run.loop.call_later(
            chance.random() * 70, lambda: asker.is_done or asker.answer(event.id, answer, "user:ann")
        )


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 1_000), marks=pytest.mark.full)])
def test_the_transcript_of_a_random_agent_is_whole_at_every_turn(seeds: range) -> None:
    turns = 0
    for seed in seeds:
        chance = chance_of("transcript", seed)
        kind, model = random_desk(chance)

        async def main(kind: Any = kind, chance: random.Random = chance) -> str:
            handler = kind().run(question="where?")
            handler._run.watchers.observe(lambda event: answer_by_chance(handler._run, event, chance))
            try:
                return str((await handler).text)
            except Exception as error:
                return f"{type(error).__name__}: {error}"

        text = run_virtually(main)
        turns += len(model.asked)
        assert "Expression" not in text, f"{seed}: {text}"
        assert len(model.asked) <= 6, seed
    assert turns > len(seeds)


CANARY = "canary-4f1d0c9b7a"
LEAKS = """\
def leak(order_id, token):
    if order_id == "A":
        return f"the token is {token}"
    raise ValueError(f"refused for {token}")
"""


def test_a_secret_of_a_tool_gets_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", CANARY)
    (tmp_path / "leaky.py").write_text(LEAKS)
    tool = PythonTool("leaky:leak", output=str, beside=tmp_path, secrets={"token": Secret("SHOP_TOKEN")})

    async def leak(ctx: Any, args: FindArgs) -> str:
        return str(await ctx.tool(tool, {"order_id": args.order_id}))

    replies = [
        TurnReply(calls=[call("leak", '{"order_id": "A"}', "a"), call("leak", '{"order_id": "B"}', "b")]),
        TurnReply(text="done"),
    ]
    model = TurnModel(lambda request: replies[len(request.said) // 2])
    kind = desk(Agent("desk", model, tools=[AgentTool("leak", leak, FindArgs)]))
    seen: list[str] = []
    snapshots: list[str] = []

    async def main() -> None:
        engine = Engine(store=f"sqlite:///{tmp_path / 'runs.db'}")
        engine.add(kind)
        handler = kind(engine=engine).run(run_id="r1", question="where?")
        handler.break_at("answer/turn 2")  # with the results of the calls in it
        await handler.halted()
        snapshots.append(json.dumps(handler.ctx.to_dict()))
        handler.go_on()
        async for event in handler.stream_events(expose_internal=True):
            seen.append(repr(event))
        await handler
        engine.close()

    asyncio.run(main())
    told = [each.text for one in model.asked[-1].said for each in one.answers]
    assert ["[secret SHOP_TOKEN]" in each for each in told] == [True, True]
    assert "[secret SHOP_TOKEN]" in snapshots[0]
    assert CANARY not in repr(model.asked) + "".join(seen) + snapshots[0]
    for file in tmp_path.glob("runs.db*"):
        assert file.is_dir() or CANARY.encode() not in file.read_bytes(), file


def test_the_edges_of_the_loop_are_those_that_were_proved() -> None:
    """The loop written in the language itself is proved, and has the same steps, events and ways."""
    text = Path(__file__).with_name("agent_loop.yaml").read_bytes()
    checked = check_text(text, "agent_loop.yaml")
    assert [each.message for each in checked.diagnostics] == []
    workflow = checked.workflow
    assert workflow is not None
    told = {
        step.name: ({event.name for event in step.accepts.events}, set(emitted(step)))
        for step in workflow.steps
    }
    found = {
        step.name: ({one.__name__ for one in step.accepts}, {one.__name__ for one in step.emits})
        for step in definition_of(AgentLoop).plan.steps
    }
    assert found == told


def emitted(step: Any) -> list[str]:
    from wfc.compiler.model.flow import emits_of

    return [emit.event.name for emit, _ in emits_of(step)]
