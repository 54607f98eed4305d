"""Agents that write code: their tools are functions in a sandbox, of which each call is a step, and in bounds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from desk_flow import FindArgs, TurnModel, as_tool, assert_valid, call, calls, coding, in_turn, says

from wfc.runtime import Engine, Record, StepError
from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.calls import sandbox
from wfc.runtime.calls.transcripts import ANSWER_TOOL, TurnReply
from wfc.runtime.plan.pauses import QuestionAsked


def code(text: str, known_as: str = "c1") -> TurnReply:
    return calls(call("run_python", json.dumps({"code": text}), known_as))


async def find(_context: Any, args: FindArgs) -> list[str]:
    if args.order_id == "bad":
        raise StepError("tool", "it is gone")
    return ["x" * 2_000_000 if args.order_id == "large" else args.order_id, "Oslo"]


FIND = AgentTool("find", find, FindArgs, "Where an order is.")


def run(
    *replies: TurnReply, kind: Any = str, tools: Any = (FIND,), parts: Any = (), **more: Any
) -> tuple[str, TurnModel]:
    model = TurnModel(in_turn(*replies))
    agent = Agent("desk", model, tools=list(tools), style="code", **more)

    async def main() -> str:
        return str((await coding(agent, kind, parts)().run(question="where?")).text)

    found = asyncio.run(main())
    for request in model.asked:
        assert_valid(request.said)
    return found, model


def told(model: TurnModel) -> list[str]:
    return [each.text for one in model.asked[-1].said for each in one.answers]


def test_code_runs_calls_functions_and_keeps_its_variables() -> None:
    first = code("a = await find(order_id='A')\nprint(a[1])\nlen(a)")
    found, model = run(first, code("a[0] + '!'", "c2"), says("done"))
    assert found == "done"
    assert told(model) == ["Oslo\n2", "A!"]
    assert [each.name for each in model.asked[0].tools] == ["run_python"]
    assert "async def find(order_id: str):" in str(model.asked[0].system)
    assert "Where an order is." in str(model.asked[0].system)


BAD_CODE = {
    "no Python": ("def (", "SyntaxError"),
    "an exception": ("x = 1\nx.y", "AttributeError"),
    "what there is not": ("nothing()", "NameError"),
    "a file": ("open('/etc/passwd').read()", "PermissionError"),
    "a package": ("import socket", "ModuleNotFoundError"),
    "a tool that fails": ("await find(order_id='bad')", "it is gone"),
    "arguments that do not fit": ("await find(nope=1)", "do not fit"),
    "too many arguments": ("await find('A', 2)", "do not fit"),
    "memory": ("x = 'a' * 10**9", "MemoryError"),
    "a large number": ("10 ** (10 ** 8)", "MemoryError"),
    "depth": ("def f(n):\n    return f(n + 1)\nf(0)", "RecursionError"),
    "printing": ("for n in range(300):\n    print('x' * 1000)", "MemoryError"),
    "bytes": ("b'\\xff'", "_w=="),
    "bytes for a tool": ("await find(b'\\xff')", "_w=="),
    "a list in itself": ("a = []\na.append(a)\nawait find(a)", "do not fit"),
    "a class": ("class A:\n    pass\nA()", "A"),
    "its process is ended": ("x = 'y' * 2_000_000\nlen(str([x] * 50))", "variables are as they were"),
    "it exits": ("raise SystemExit", "SystemExit"),
    "ways out": ("().__class__.__bases__[0].__subclasses__()", "AttributeError"),
    "nothing": ("x = 1", "(nothing was printed)"),
}


@pytest.mark.parametrize("name", BAD_CODE)
def test_what_is_wrong_with_code_is_told_and_later_code_goes_on(name: str) -> None:
    text, said = BAD_CODE[name]
    _, model = run(code("kept = 7"), code(text, "c2"), code("kept", "c3"), says("done"))
    assert said in told(model)[1]
    assert len(told(model)[1]) < 50_000
    assert told(model)[2] == "7"


def test_what_is_printed_before_and_after_calls_is_told_once_and_bounded() -> None:
    text = "for n in range(5):\n    print('x' * 100_000)\n    await find('A')"
    _, model = run(code(text), says("done"))
    assert len(told(model)[0]) < 21_000
    assert told(model)[0].endswith("200,000 characters")


def test_code_that_is_ended_between_calls_has_no_variables_any_more() -> None:
    text = "x = [await find(order_id='large')] * 50\nlen(str(x))"
    _, model = run(code("kept = 7"), code(text, "c2"), code("kept", "c3"), says("done"))
    assert "all variables are lost" in told(model)[1]
    assert "NameError" in told(model)[2]


def test_what_was_kept_by_another_sandbox_is_told_as_an_error() -> None:
    found = sandbox.start("1", [], "AAAA")
    assert "failed to load" in found.error
    assert sandbox.start("1", [], found.state).printed == "1"


@pytest.mark.full
def test_code_that_never_ends_is_stopped() -> None:
    _, model = run(code("while True: pass"), says("done"))
    assert "TimeoutError" in told(model)[0]


def test_a_call_beside_code_is_not_made_and_only_one_piece_runs() -> None:
    both = calls(
        call("run_python", '{"code": "1"}', "a"),
        call("find", '{"order_id": "A"}', "b"),
        call("run_python", '{"code": "2"}', "c"),
        call("run_python", '{"nope": 1}', "d"),
    )
    _, model = run(both, says("done"))
    assert told(model)[0] == "1"
    assert ["Not made" in each or "Not run" in each for each in told(model)] == [False, True, True, True]


def test_code_without_code_costs_a_turn() -> None:
    found, model = run(calls(call("find", '{"order_id": "A"}')), max_turns=2)
    assert found.startswith("agent.turns")
    assert told(model) == ["Not made: there is only `run_python`; call functions in its code."]


def test_an_answer_of_another_type_is_given_beside_the_code() -> None:
    class Found(Record):
        where: str

    answer = calls(call(ANSWER_TOOL, '{"where": "Oslo"}', "answer"))
    assert run(code("1"), answer, kind=Found, output=Found)[0] == "where='Oslo'"


def test_thousand_calls_at_once_are_few_and_the_others_fail() -> None:
    text = (
        "import asyncio\nasync def one(n):\n    try:\n        return await find(str(n))\n    except RuntimeError:\n"
        "        return None\nfound = await asyncio.gather(*[one(n) for n in range(100)])\n"
        "print(len([each for each in found if each]), len(found))"
    )
    _, model = run(code(text), says("done"))
    assert told(model) == ["32 100\n"]


def test_a_person_allows_a_call_in_code() -> None:
    model = TurnModel(in_turn(code("print(await find(order_id='A'))"), says("done")))
    tool = AgentTool("find", find, FindArgs, approve=lambda *_: Approval(within=60.0))
    agent = Agent("desk", model, tools=[tool], style="code", args=FindArgs)

    async def main() -> None:
        engine = Engine()
        handler = coding(agent)(engine=engine).run(question="where?")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                await handler.answer(event.id, {"decision": "change", "args": {"order_id": "B"}})
        await handler

    asyncio.run(main())
    assert told(model) == ["['B', 'Oslo']\n"]


def test_an_agent_is_a_function_of_another_one_s_code() -> None:
    parts: list[Any] = []
    helper = Agent("helper", TurnModel(in_turn(says("Oslo"))), args=FindArgs)
    _, model = run(
        code("print(await helper(task='where?') + '!')"),
        says("done"),
        tools=[as_tool(helper, parts)],
        parts=parts,
    )
    assert "Oslo!" in told(model)[0]


def test_a_tool_whose_name_is_none_of_python_has_another_one_there() -> None:
    tools = [AgentTool(name, find, FindArgs) for name in ("find-it", "class", "find_it")]
    text = "print(await find_it('A'), await _class('B'), await find_it_('C'))"
    _, model = run(code(text), says("done"), tools=tools)
    assert told(model) == ["['A', 'Oslo'] ['B', 'Oslo'] ['C', 'Oslo']\n"]
