"""The loop of an agent: every call is answered once, bad input is told, and its bounds are kept."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from desk_flow import (
    WANTED_IN_FLOWS,
    Asked,
    FindArgs,
    TurnModel,
    assert_valid,
    call,
    calls,
    desk,
    in_turn,
    says,
)

from wfc.runtime import Engine, LimitError, Record, StepError, StepFailedError
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.agents.turns import LONGEST_TOLD, MOST_CALLS
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.transcripts import ANSWER_TOOL, TurnReply
from wfc.runtime.plan.pauses import QuestionAsked
from wfc.runtime.testing import run_virtually

GOOD = call("find", '{"order_id": "A"}', "good")


class NoArgs(Record):
    pass


class Found(Record):
    item: str
    count: int


async def find(_context: Any, args: FindArgs) -> str:
    return f"{args.order_id} is here"


def run(
    *replies: TurnReply | Exception, kind: Any = str, tools: Any = None, **options: Any
) -> tuple[str, TurnModel]:
    """What a desk with such a model answers, and the model."""
    model = TurnModel(in_turn(*replies))
    given = [AgentTool("find", find, FindArgs), *(tools or ())]
    workflow = desk(Agent("desk", model, tools=given, **options), kind)

    async def main() -> Any:
        return await workflow().run(question="where?")

    answered = run_virtually(main)
    for request in model.asked:
        assert_valid(request.said)
    return answered.text, model


def told(model: TurnModel) -> list[str]:
    """What the model was told of its calls."""
    return [each.text for one in model.asked[-1].said for each in one.answers]


def test_calls_are_made_and_told_until_there_is_an_answer() -> None:
    other = call("find", '{"order_id": "B"}', "other")
    text, model = run(calls(GOOD, other), calls(call("find", '{"order_id": "C"}', "c")), says("done"))
    assert text == "done"
    assert told(model) == ["A is here", "B is here", "C is here"]
    assert [request.system for request in model.asked] == ["Be kind."] * 3
    assert [len(request.said) for request in model.asked] == [1, 3, 5]


BAD_CALLS = {
    "unknown": (call("nope"), "there is no tool `nope`; those that there are: `find`"),
    "no JSON": (call("find", "{order_id:", "x"), "no JSON record"),
    "no record": (call("find", "[1]", "x"), "no JSON record"),
    "null": (call("find", "null", "x"), "no JSON record"),
    "missing": (call("find", "", "x"), "`order_id`: field required"),
    "wrong type": (call("find", '{"order_id": 3}', "x"), "do not fit"),
    "beyond": (call("find", '{"order_id": "A", "more": 1}', "x"), "do not fit"),
    "deep": (call("find", '{"order_id": ' + "[" * 90_000 + "]" * 9, "x"), "no JSON record"),
    "long": (call("find", json.dumps({"order_id": "A" * 10_000_000}), "x"), "no JSON record"),
    "surrogates": (call("find", '{"order_id": "\\ud800"}', "x"), "do not fit"),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_call_that_cannot_be_made_is_told(name: str) -> None:
    bad, said = BAD_CALLS[name]
    text, model = run(calls(GOOD, bad, call("find", '{"order_id": "Z"}', "z")), says("done"))
    first, about, last = told(model)
    assert (text, first, last) == ("done", "A is here", "Z is here")
    assert said in about


async def hang(_context: Any, _args: Any) -> str:
    await asyncio.sleep(10_000)
    return "never"


async def fail(_context: Any, _args: Any) -> str:
    raise StepError("python.ValueError", "x" * 10_000)


async def nothing(_context: Any, _args: Any) -> None:
    return None


async def no_json(_context: Any, _args: Any) -> Any:
    return {"lock": object()}


async def long(_context: Any, _args: Any) -> str:
    return "y" * 1_000_000


async def huge(_context: Any, _args: Any) -> str:
    return "y" * 17_000_000


BAD_TOOLS = {
    "hangs": (hang, "error: `other` took longer than 5 min (timeout)"),
    "fails": (fail, f"error: {'x' * 300}… (python.ValueError)"),
    "gives nothing": (nothing, "null"),
    "gives no JSON": (no_json, "`other` gave what is no JSON"),
    "gives much": (long, f"these are {LONGEST_TOLD:,} of 1,000,000 characters"),
    "gives too much": (huge, "gave 17,000,002 bytes"),
}


@pytest.mark.parametrize("name", BAD_TOOLS)
def test_what_a_tool_does_wrong_is_told(name: str) -> None:
    function, said = BAD_TOOLS[name]
    other = AgentTool("other", function, NoArgs)
    text, model = run(calls(GOOD, call("other")), says("done"), tools=[other])
    first, about = told(model)
    assert (text, first) == ("done", "A is here")
    assert said in about
    assert len(about) < LONGEST_TOLD + 100


def test_a_thousand_calls_in_one_reply_are_answered_and_few_are_made() -> None:
    made = []

    async def note(_context: Any, _args: Any) -> str:
        made.append(1)
        return "noted"

    wanted = [call("note", "{}", f"c{number}") for number in range(1_000)]
    text, model = run(calls(*wanted), says("done"), tools=[AgentTool("note", note, NoArgs)])
    assert text == "done"
    assert len(made) == MOST_CALLS
    assert Counter(said[:8] for said in told(model)) == {"noted": MOST_CALLS, "Not made": 1_000 - MOST_CALLS}


def test_calls_go_on_side_by_side_as_far_as_they_may() -> None:
    now = most = 0

    async def note(_context: Any, _args: Any) -> str:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(1)
        now -= 1
        return "noted"

    wanted = [call("note", "{}", f"c{number}") for number in range(9)]
    for parallel in (1, 3):
        most = 0
        run(calls(*wanted), says("done"), tools=[AgentTool("note", note, NoArgs)], parallel_calls=parallel)
        assert most == parallel


def test_a_model_that_calls_for_ever_is_stopped() -> None:
    model = TurnModel(lambda request: calls(call("find", '{"order_id": "A"}', f"c{len(request.said)}")))
    workflow = desk(Agent("desk", model, tools=[AgentTool("find", find, FindArgs)], max_turns=5))

    async def main() -> Any:
        return await workflow().run(question="where?")

    assert run_virtually(main).text == (
        "agent.turns: the agent `desk` has taken its 5 turns, and has given no answer"
    )
    assert len(model.asked) == 5


def test_the_last_turn_may_be_for_the_answer() -> None:
    text, model = run(calls(GOOD), says("done"), max_turns=2, last_turn="answer")
    assert text == "done"
    assert [request.is_last for request in model.asked] == [False, True]


def test_nothing_said_is_no_answer() -> None:
    text, model = run(says(""), says(" \n"), says("done"))
    assert text == "done"
    assert [one.role for one in model.asked[-1].said] == ["user", "model", "user", "model", "user"]


@pytest.mark.parametrize("first", ["no JSON", '{"item": "pen"}', '{"item": 3, "count": 1}', "[]", ""])
def test_an_answer_that_does_not_fit_goes_back(first: str) -> None:
    good = '{"item": "pen", "count": 2}'
    text, model = run(calls(call(ANSWER_TOOL, first, "a")), says(first), says(good), kind=Found, output=Found)
    assert text == "item='pen' count=2"
    assert len(model.asked) == 3
    assert "cannot be used" in told(model)[0]


def test_an_answer_beside_calls_waits_for_them() -> None:
    early = call(ANSWER_TOOL, '{"item": "pen", "count": 2}', "early")
    late = call(ANSWER_TOOL, '{"item": "ink", "count": 3}', "late")
    text, model = run(calls(early, GOOD), calls(late), kind=Found, output=Found)
    assert text == "item='ink' count=3"
    assert told(model)[0].startswith("Not taken")
    assert told(model)[1] == "A is here"


def test_the_result_of_a_final_tool_is_the_answer() -> None:
    async def give(_context: Any, _args: Any) -> Found:
        return Found(item="pen", count=2)

    final = AgentTool("give", give, NoArgs, final=True)
    assert run(calls(call("give")), kind=Found, output=Found, tools=[final])[0] == "item='pen' count=2"
    beside = run(
        calls(GOOD, call("give")),
        says('{"item": "ink", "count": 3}'),
        kind=Found,
        output=Found,
        tools=[final],
    )
    assert beside[0] == "item='ink' count=3"


def test_a_tool_s_error_fails_the_agent_if_that_is_wanted_and_a_bad_call_does_not() -> None:
    other = AgentTool("other", fail, NoArgs)
    text, model = run(calls(call("nope")), calls(call("other")), tools=[other], on_tool_error="fail")
    assert text.startswith("python.ValueError: ")
    assert len(model.asked) == 2


def test_an_error_of_the_model_is_that_of_the_step() -> None:
    assert run(StepError("http.503", "busy", also=("model",)))[0] == "http.503: busy"


def test_tokens_stop_the_agent_before_the_call_that_would_pass_them() -> None:
    text, model = run(calls(GOOD), says("done"), tokens=15)
    assert text.startswith("agent.tokens: ")
    assert len(model.asked) == 1


def test_what_nobody_may_catch_fails_the_run() -> None:
    with pytest.raises(StepFailedError, match=r"limit\.tokens"):
        run(LimitError("no more", "limit.tokens"))


def test_names_that_providers_do_not_take_are_replaced() -> None:
    tools = [AgentTool(name, find, FindArgs) for name in ("工单", "a" * 70, "find", ANSWER_TOOL, "tool_1")]
    agent = Agent("desk", TurnModel(in_turn(says("x"))), tools=tools)
    assert list(agent.by_name) == ["tool_1_", "tool_2", "find", "tool_4", "tool_1"]
    assert next(each.description for each in agent.offered) == "工单"


def test_what_is_bound_is_neither_shown_nor_taken() -> None:
    tool = AgentTool("find", find, FindArgs, bound=["order_id"])
    assert tool.schema() == {
        "additionalProperties": False,
        "properties": {},
        "required": [],
        "type": "object",
    }


def approving(model: TurnModel, approval: Any) -> Any:
    """A desk whose calls a person has to allow, as this function of their arguments says."""
    kind = desk(Agent("desk", model, tools=[AgentTool("find", find, FindArgs)]))

    @definition_of(kind).steps()["answer"].approve("find")
    def approve_find(self: Any, event: Asked, result: FindArgs) -> Approval | None:
        return approval(event, result)  # type: ignore[no-any-return]

    return kind


def test_a_question_survives_in_the_store_while_the_process_is_gone(tmp_path: Path) -> None:
    model = TurnModel(in_turn(calls(GOOD, call("find", '{"order_id": "B"}', "b")), says("done")))
    kind = approving(model, lambda event, args: Approval(within=60.0) if args.order_id == "A" else None)
    store = f"sqlite:///{tmp_path / 'runs.db'}"

    async def ask() -> str:
        engine = Engine(store=store)
        engine.add(kind)
        handler = kind(engine=engine).run(run_id="r1", question="where?")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                break
        tasks = engine.tasks()
        await engine.park("r1")
        engine.close()
        return str(tasks[0].task_id)

    async def answer(task: str) -> Any:
        engine = Engine(store=store)
        engine.add(kind)
        handler = await engine.answer(task, {"decision": "change", "args": {"order_id": "C"}}, by="user:ann")
        found = await handler
        engine.close()
        return found

    task = asyncio.run(ask())
    assert task.startswith("r1/answer/")
    assert asyncio.run(answer(task)).text == "done"
    assert len(model.asked) == 2
    assert_valid(model.asked[-1].said)
    assert told(model) == ['made with {"order_id": "C"}: C is here', "B is here"]


def kill_after(flow: str, commits: int, store: Path, log: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WFC_CRASH_AT": f"commit:{commits}" if commits else ""}
    program = [
        sys.executable,
        str(Path(__file__).with_name("desk_flow.py")),
        flow,
        f"sqlite:///{store}",
        str(log),
        "r1",
    ]
    return subprocess.run(program, capture_output=True, text=True, env=environment, timeout=120, check=False)


KILLS: list[tuple[str, list[int]]] = [
    *(("desk", [each]) for each in (1, 2, 3, 4, 6, 7, 8, 9, 10)),
    *(("saving", [each]) for each in range(2, 16)),
    *(("knowing", [each]) for each in range(2, 14)),
    *(("code", [each]) for each in (2, 3, 4, 6, 7, 8, 9, 11, 13)),
    *((flow, [each]) for flow in ("team", "workflows", "hand-over") for each in (2, 3, 4, 5, 6, 8, 10)),
    *((flow, [3] * 9) for flow in WANTED_IN_FLOWS),
]


@pytest.mark.parametrize(
    ("flow", "commits"),
    [("desk", [5]), *(pytest.param(*each, marks=pytest.mark.full) for each in KILLS)],
)
def test_a_process_that_is_killed_repeats_no_call_that_was_recorded(
    flow: str, commits: list[int], tmp_path: Path
) -> None:
    store, log = tmp_path / "runs.db", tmp_path / "log"
    died = sum(kill_after(flow, each, store, log).returncode == -signal.SIGKILL for each in commits)
    last = kill_after(flow, 0, store, log)
    assert died or commits[0] > 9, "the point was reached"
    wanted = Counter(WANTED_IN_FLOWS[flow].split(","))
    if "is over" not in last.stderr:
        assert last.stdout == "A is here, B is here, C is here\n", last.stderr
    made = Counter(log.read_text().split("\n")[:-1])
    assert made.keys() == wanted.keys()
    at_once = 2 if flow in {"team", "workflows"} else 1  # what is cut off at a time
    assert sum((made - wanted).values()) <= died * at_once
