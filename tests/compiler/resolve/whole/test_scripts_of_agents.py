"""What tests say of agents, where the agent or the test is wrong: one mistake is one finding."""

from __future__ import annotations

import pytest

SPEC = """
wfc: 1
workflow: desk
start: Asked
end: Done
models:
  fast: {use: "openai:gpt-4o-mini"}
types:
  Line: {item: string}
tools:
  refund: {python: "shop:refund", description: Gives back., args: {customer: string, amount: integer}, output: string}
events:
  Asked: {customer: string, text: string}
  Done: {lines: list of Line}
steps:
  settle:
    kind: agent
    accepts: Asked
    model: fast
    prompt: Settle ${{ event.text }}
    tools: [{tool: refund, with: {customer: "${{ event.customer }}"}}]
    output: {lines: list of Line}
    emit: Done
tests:
  - name: one
    start: {customer: ada, text: broken}
    script: {settle: [{calls: [{tool: refund, with: {amount: 7}}]}, {give: {lines: []}}]}
    expect: {end: Done}
"""

BOUND = '{customer: "${{ event.customer }}"}'
START = "{customer: ada, text: broken}"


@pytest.mark.parametrize(
    ("right", "wrong", "code", "at"),
    [
        (BOUND, "7", "wrong-type", "7"),
        (BOUND, "[customer]", "wrong-type", "[customer]"),
        (BOUND, "{zzqy: 1}", "unknown-entry", "zzqy"),
        ("with: {amount: 7}", "with: 7", "wrong-type", "7"),
        ("with: {amount: 7}", "with: {}", "missing-entry", "{}"),
        ("{amount: 7}", "{amount: 7, customer: ada}", "unknown-entry", "customer"),
        ("{give: {lines: []}}", "{zzqy: {lines: []}}", "unknown-key", "zzqy"),
        ("{give: {lines: []}}", "{give: {lines none}}", "text-cut-by-comma", "lines none"),
        ("{give: {lines: []}}", "{shown: nothing}", "empty-reply", "{shown: nothing}"),
        ("tool: refund, with: {amount: 7}", "tool: [], with: {amount: 7}", "wrong-type", "[]"),
        (START, "{zzqy: 1}", "unknown-entry", "zzqy"),
        (START, "{text: broken}", "missing-entry", "{text: broken}"),
        ("Line}\n    emit: Done", "Line ?? x}\n    emit: Done", "words-after-type", "?? x"),
    ],
)  # fmt: skip
def test_one_mistake_is_one_finding(resolved, right: str, wrong: str, code: str, at: str) -> None:
    assert not resolved(SPEC).found
    assert right in SPEC
    assert resolved(SPEC.replace(right, wrong)).found == [(code, at)]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [("", "missing-key"), ("    model: fats\n", "unknown-model"), ("    model: fast\n", "")],
)
def test_of_a_script_nothing_is_said_where_an_agent_cannot_be_read(resolved, wrong: str, code: str) -> None:
    text = SPEC.replace("    model: fast\n", wrong).replace("script: {settle", "script: {other")
    codes = {each for each, _ in resolved(text).found}
    assert ("not-of-an-agent" in codes) == (code == "")
    assert code in {*codes, ""}


def test_a_call_lacks_what_the_tool_needs_and_is_told_by_its_name(resolved) -> None:
    result = resolved(SPEC.replace("with: {amount: 7}", "with: {}"))
    assert result.errors == ["`refund` needs `amount`"]


TEAM = """
wfc: 1
workflow: desk
start: Asked
end: Done
models:
  fast: {use: "openai:gpt-4o-mini"}
agents:
  finder: {model: fast, description: Finds.}
events:
  Asked: {text: string}
  Done: {text: string}
steps:
  settle:
    kind: agent
    accepts: Asked
    model: fast
    prompt: Settle ${{ event.text }}
    tools: [finder]
    emit: {event: Done, with: {text: "${{ result }}"}}
tests:
  - name: one
    start: {text: broken}
    script: {settle: [{calls: [{tool: finder, with: {task: tea}}]}, {say: done}]MORE}
    expect: {end: Done, calls: [{tool: finder}]}
"""


@pytest.mark.parametrize(
    ("more", "found"),
    [
        pytest.param("}\n    tools: {finder: It is old.", [], id="what is mocked as a tool is called as one"),
        pytest.param(
            "}\n    tools: {finder: 7", [("wrong-value", "7")], id="and gives what the agent answers"
        ),
        pytest.param(
            ", finder: [{say: It is old.}]",
            [("not-of-an-agent", "finder")],
            id="with a script it works itself",
        ),
    ],
)
def test_an_agent_that_is_a_tool(resolved, more: str, found: list[tuple[str, str]]) -> None:
    assert resolved(TEAM.replace("MORE", more)).found == found
