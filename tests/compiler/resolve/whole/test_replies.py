"""How many replies agents may come to at most, and what bounds them."""

from __future__ import annotations

from typing import Any

import pytest

from wfc.compiler.model import Agent
from wfc.compiler.resolve.whole import replies

HEAD = """\
wfc: 1
workflow: studying
start: Asked
end: Answered
models: {m: {use: "openai:gpt-4o"}}
events:
  Asked: {text: string, parts: list of string}
  Answered: {text: string}
"""

STEP = """\
steps:
  answer:
    kind: agent
    accepts: Asked
    agent: chief
    prompt: ${{ event.text }}
    emit: {event: Answered, with: {text: "${{ result }}"}}
"""

CHIEF = "  chief: {model: m, description: Leads., tools: [head]}\n"
HEAD_OF = "  head: {model: m, description: Heads., tools: [finder]}\n"
FINDER = "  finder: {model: m, description: Finds.}\n"
THREE = CHIEF + HEAD_OF + FINDER


def spec(agents: str, step: str = STEP, more: str = "") -> str:
    return f"{HEAD}{more}agents:\n{agents}{step}"


@pytest.mark.parametrize(
    ("text", "most"),
    [
        pytest.param(spec(THREE), 20 * (1 + 8 * 20 * (1 + 8 * 20)), id="three levels"),
        pytest.param(
            spec(CHIEF.replace("head", "finder").replace("tools", "max_turns: 63, tools") + FINDER),
            63 * (1 + 8 * 20),
            id="the first number that is too many",
        ),
        pytest.param(
            spec(CHIEF.replace("head", "finder").replace("tools", "max_turns: 62, tools") + FINDER),
            None,
            id="the last one that is not",
        ),
        pytest.param(
            spec(THREE.replace("Leads., ", "Leads., parallel_calls: 2, max_turns: 5, ")),
            5 * (1 + 2 * 20 * (1 + 8 * 20)),
            id="of turns and calls of its own",
        ),
        pytest.param(
            spec(THREE.replace("Leads., ", "Leads., style: react, ")),
            20 * (1 + 20 * (1 + 8 * 20)),
            id="one call at a time",
        ),
        pytest.param(
            spec("  chief: {model: m, description: Leads., handoffs: [head]}\n" + HEAD_OF + FINDER),
            None,
            id="turns go on over hand-overs",
        ),
        pytest.param(
            spec(
                "  chief: {model: m, description: Leads., max_turns: 70, handoffs: [head]}\n"
                + HEAD_OF
                + FINDER
            ),
            70 * (1 + 8 * 20),
            id="who is handed over to lets others work",
        ),
        pytest.param(
            spec(
                "  chief: {model: m, description: Leads., max_turns: 70, handoffs: [second]}\n"
                "  second: {model: m, description: Follows., handoffs: [chief, head]}\n" + HEAD_OF + FINDER
            ),
            70 * (1 + 8 * 20),
            id="hand-overs back and on",
        ),
        pytest.param(
            spec(THREE, STEP.replace("    prompt", "    limits: {tokens: 5000}\n    prompt")),
            None,
            id="limits of the step",
        ),
        pytest.param(
            spec(THREE.replace("Leads., ", "Leads., limits: {cost_usd: 1}, ")), None, id="limits of the agent"
        ),
        pytest.param(
            spec(THREE.replace("Heads., ", "Heads., limits: {tokens: 5000}, ")),
            None,
            id="limits of what multiplies",
        ),
        pytest.param(spec(THREE, more="limits: {tokens: 100000}\n"), None, id="limits of the run"),
        pytest.param(
            spec(
                THREE,
                STEP.replace(
                    "    kind: agent\n    accepts: Asked\n    agent: chief\n    prompt: ${{ event.text }}\n",
                    "    kind: map\n    accepts: Asked\n    in: event.parts\n    as: part\n    max: 5\n"
                    "    do: {kind: agent, agent: chief, prompt: '${{ part }}'}\n",
                ).replace('{text: "${{ result }}"}', '{text: "${{ event.text }}"}'),
            ),
            20 * (1 + 8 * 20 * (1 + 8 * 20)),
            id="in a map",
        ),
    ],
)
def test_how_many_replies_there_may_be(resolved: Any, text: str, most: int | None) -> None:
    findings = resolved(text).findings
    told = [each.message for each in findings if each.code == "many-replies"]
    wanted = f"the agent `chief`, with those that are its tools, may come to {most or 0:,} replies of models"
    assert told == ([] if most is None else [wanted])
    assert [each.code for each in findings if each.code != "many-replies"] == []


def chained(count: int) -> str:
    each = "  a{0}: {{model: m, description: Works., tools: [a{1}]}}\n"
    agents = "".join(each.format(i, i + 1) for i in range(count))
    return spec(agents + f"  a{count}: {{model: m, description: Works.}}\n", STEP.replace("chief", "a0"))


def handed_on(count: int) -> str:
    """Agents that all hand over to each other, each with a tool out of a team of such agents."""
    written = []
    for team in ("a", "b"):
        for i in range(count):
            others = ", ".join(f"{team}{j}" for j in range(count) if j != i)
            tools = f", tools: [b{i}]" if team == "a" else ""
            written.append(f"  {team}{i}: {{model: m, description: Works., handoffs: [{others}]{tools}}}\n")
    return spec("".join(written), STEP.replace("chief", "a0"))


def told_of(resolved: Any, text: str) -> list[str]:
    found = [each.message for each in resolved(text).findings if each.code == "many-replies"]
    return [each.partition("may come to ")[2] for each in found]


def test_a_chain_of_any_length_is_counted_to_a_million(resolved: Any) -> None:
    assert told_of(resolved, chained(400)) == ["1,000,000 replies of models or more"]


def test_teams_that_hand_over_to_each_other_are_looked_at_once(
    resolved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    following = replies._next

    def counting(agent: Agent) -> list[Agent]:
        found = following(agent)
        looked.append(len(found))
        return found

    monkeypatch.setattr(replies, "_next", counting)
    assert told_of(resolved, handed_on(30).replace("a0: {model: m", "a0: {model: m, max_turns: 70")) == [
        f"{70 * (1 + 8 * 20):,} replies of models"
    ]
    hand_overs = 2 * 30 * 29
    assert sum(looked) <= 4 * hand_overs
