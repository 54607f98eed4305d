"""Random scripts of calls, approvals, failures, hand-overs and restarts, over the protocols of three providers.

Each request is one that its provider takes, whoever is at work and whatever the run has been through: at random places
it rests in its store, and another engine takes it up.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from desk_flow import Asked, FindArgs, Task, as_tool, assert_valid, desk, hand_over_to
from model_wire import SHAPES, Call, Reply, serving
from model_wire import Asked as Request
from provider_rules import JUDGES

from wfc.runtime import Engine, Model, Secret, StepError
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.agents.loop import AgentLoop
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.transcripts import TurnReply, TurnRequest
from wfc.runtime.errors import RunParkedError
from wfc.runtime.plan.pauses import QuestionAsked

JUDGE_OF = {"openai": "openai", "anthropic": "anthropic", "gemini": "google"}
PLACES = [
    (),
    ("answer/turn",),
    ("answer/turn/find",),
    ("answer/turn 2", "answer/turn/ask"),
    ("answer/turn/helper/turn",),
]
MOST_RESTARTS = 500  # an open question rests, and is looked at again and again until its time is over


@dataclass
class Script:
    """What models, tools and people do in one run, by chance; and what was seen of it."""

    chance: random.Random
    ids: Any = field(default_factory=itertools.count)
    wrong: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    def answer(self, asked: Request) -> Reply:
        """Hold a request against the rules of its provider, and reply by chance."""
        try:
            JUDGES[JUDGE_OF[asked.shape.name]](asked.body)
        except Exception as error:
            self.wrong.append(f"{asked.shape.name}: {error!r} in {asked.text[:2_000]}")
        self.seen[asked.shape.name] += 1
        if self.chance.random() < 0.05:
            return Reply(status=503, text="busy")
        if self.chance.random() < 0.1:
            return Reply(text=self.chance.choice(["", "done", "x" * 120_000]))
        wanted = [
            self.chance.choice([*asked.tools, "ask", "nope"]) for _ in range(self.chance.choice([1, 1, 2, 5]))
        ]
        calls = [Call(each, self.args_of(each, asked), f"c{next(self.ids)}") for each in wanted]
        return Reply(text=self.chance.choice(["", "I look."]), calls=calls)

    def args_of(self, tool: str, asked: Request) -> Any:
        """Return arguments that fit a tool, most of the time."""
        if self.chance.random() < 0.15:
            return self.chance.choice([{}, {"none": 1}, "[" if asked.shape.name == "openai" else {}])
        return {"task": "x"} if tool.startswith(("hand", "helper")) else {"order_id": "A"}

    def approve(self, handler: Any, event: Any) -> None:
        """Answer a question by chance; some nobody answers."""
        if not isinstance(event, QuestionAsked) or self.chance.random() < 0.2:
            return
        decision = self.chance.choice(["continue", "change", "refuse"])
        args = {"order_id": "C"} if decision == "change" else None
        asker = handler._run.asker_of(event.id)
        self.seen[decision] += 1
        given = {"decision": decision, "args": args, "note": None}
        asyncio.get_running_loop().call_soon(
            lambda: asker.is_done or asker.answer(event.id, given, "user:ann")
        )


def wired(script: Script, url: str) -> Model:
    """Return a model that is asked in another provider's protocol each time."""

    @dataclass(frozen=True)
    class Wired(Model):
        async def take_turn(self, host: Any, request: TurnRequest) -> TurnReply:
            assert_valid(request.said)
            shape = script.chance.choice(list(SHAPES.values()))
            return await Model(shape.use, base_url=url + shape.root, api_key=Secret("MODEL_KEY")).take_turn(
                host, request
            )

    return Wired("openai:by-chance")


def team(script: Script, url: str) -> Any:
    """Return a workflow whose agents call, ask, fail, hand over and let another one work."""
    chance, model = script.chance, wired(script, url)

    async def find(_context: Any, args: FindArgs) -> str:
        script.seen["find"] += 1
        return chance.choice(["", f"{args.order_id} is here", "y" * 120_000])

    async def fail(_context: Any, _args: FindArgs) -> str:
        script.seen["fail"] += 1
        raise StepError("python.ValueError", "no")

    own = [
        AgentTool(name, function, FindArgs)
        for name, function in (("find", find), ("fail", fail), ("ask", find))
    ]
    parts: list[type[AgentLoop]] = []
    helper = Agent("helper", model, tools=own[:2], args=Task, max_turns=3)
    more = [as_tool(helper, parts), hand_over_to("second")]
    sees: list[Any] = [chance.choice(["said", "all", "nothing"]) for _ in range(2)]
    first = Agent(
        "first", model, tools=[*own, *more], args=Task, max_turns=9, sees=sees[0], last_turn="answer"
    )
    back = [own[0], hand_over_to("first")] if chance.random() < 0.8 else []
    second = Agent("second", model, tools=back, args=Task, sees=sees[1])
    kind = desk(first, parts=parts, team=[second])

    @definition_of(kind).steps()["answer"].approve("ask")
    def approve_ask(self: Any, event: Asked, result: FindArgs) -> Approval | None:
        return Approval(within=0.2) if chance.random() < 0.8 else None

    return kind


async def live(kind: Any, script: Script, store: str, *, is_new: bool) -> str | None:
    """Let a run go on in an engine of its own, until it is over or rests; return its answer, or ``None``."""
    engine = Engine(store)
    engine.add(kind)
    try:
        if is_new:
            handler = kind(engine=engine).run(run_id="r", question="where?")
        else:
            handler = await engine.resume("r")
        handler._run.watchers.observe(lambda event: script.approve(handler, event))
        handler.break_at(*script.chance.choice(PLACES))
        if not is_new:
            handler.go_on()
        await asyncio.sleep(script.chance.choice([0, 0, 0.02]))
        parking = asyncio.ensure_future(engine.park("r"))
        try:
            return str((await handler).text)
        except RunParkedError:
            return None
        finally:
            parking.cancel()
    finally:
        engine.close()


SEEDS = [range(2), pytest.param(range(2, 20), marks=pytest.mark.full)]


@pytest.mark.parametrize("seeds", SEEDS)
def test_whatever_happens_each_provider_takes_what_it_is_sent(
    seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-none")
    seen: Counter[str] = Counter()
    for seed in seeds:
        script = Script(random.Random(f"script {seed}"))  # noqa: S311 - it decides what a test does
        store = f"sqlite:///{tmp_path / f'{seed}.db'}"
        with serving(script.answer) as service:
            kind = team(script, service.url)
            found = asyncio.run(live(kind, script, store, is_new=True))
            for _ in range(MOST_RESTARTS):
                if found is not None:
                    break
                script.seen["restart"] += 1
                found = asyncio.run(live(kind, script, store, is_new=False))
        assert found is not None, seed
        assert not script.wrong, f"{seed}: {script.wrong[0]}"
        seen += script.seen
    assert {"openai", "anthropic", "gemini", "find", "restart"} <= set(seen), seen
    assert len(seeds) < 10 or {"fail", "continue", "change", "refuse"} <= set(seen), seen
