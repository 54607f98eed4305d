"""Programs with each agent of llama-index-core, unchanged, print the same on both libraries.

They stream, call tools, hand over, keep a state, ask a person, and go on in another process: between two turns, and
while they wait for the person.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest

# some of the lines that each session prints, in their order
LINES: dict[str, list[str]] = {
    "function_agent talk": [
        "set_name {'name': 'Bea'} -> Name set to Bea",
        "result: Hello Bea",
        "state: {'name': 'Bea'}",
        "multiply {'a': 6, 'b': 7} -> 42",
        "asks: Really delete bea?",
        "result: It is gone",
    ],
    "function_agent ask person": ["asks: Really delete bea?"],
    "function_agent answer person yes": ["result: As you wish", "  tool: deleted"],
    "function_agent ask refusal": ["asks: Really delete bea?"],
    "function_agent answer refusal no": ["result: As you wish", "  tool: not deleted"],
    "function_agent first turns": ["result: Hello Bea"],
    "function_agent second turns": [
        "result: You are Bea",
        "state: {'name': 'Bea'}",
        "  assistant: Hello Bea",
    ],
    "react_agent talk": [
        "multiply {'a': 6, 'b': 7} -> 42",
        "result: It is 42",
        "result: I cannot",
        "asks: Really delete bea?",
        "delete_account {'account': 'bea'} -> deleted",
        "result: It is gone",
    ],
    "react_agent ask person": ["asks: Really delete bea?"],
    "react_agent answer person yes": ["result: As you wish"],
    "react_agent ask refusal": ["asks: Really delete bea?"],
    "react_agent answer refusal no": ["result: As you wish"],
    "react_agent first turns": ["result: It is 42"],
    "react_agent second turns": ["result: As I said, 42", "  user: 6 * 7?"],
    "code_act_agent talk": ["result: It is 42", "result: It is 21", "ZeroDivisionError: division by zero"],
    "code_act_agent first turns": ["result: It is 42"],
    "code_act_agent second turns": ["result: As I said, 42"],
    "agent_workflow talk": [
        "take_note {'note': 'the sea is deep'} -> kept",
        "asks: Publish The sea?",
        "result: It is good",
        "state: {'notes': ['the sea is deep'], 'published': 'The sea'}",
        "result: Nothing",
    ],
    "agent_workflow ask person": ["asks: Publish The sea?"],
    "agent_workflow answer person yes": ["result: It is good"],
    "agent_workflow ask refusal": ["asks: Publish The sea?"],
    "agent_workflow answer refusal no": ["result: It is good"],
    "agent_workflow first turns": ["result: It is deep"],
    "agent_workflow second turns": ["result: It was me"],
}

pytestmark = [
    pytest.mark.full,  # each agent is a process that imports the library
    pytest.mark.skipif(
        importlib.util.find_spec("llama_index") is None,
        reason="llama-index-core is not installed: pip install '.[test]'",
    ),
]


@pytest.fixture(scope="module")
def ours(agents_on_ours: dict[str, str]) -> dict[str, str]:
    return {session: printed for session, printed in agents_on_ours.items() if session != "snapshots"}


@pytest.fixture(scope="module")
def theirs(agents_of: Callable[[str], dict[str, str]]) -> dict[str, str]:
    return agents_of("theirs")


@pytest.mark.parametrize("session", LINES)
def test_an_agent_does_what_its_script_says(session: str, ours: dict[str, str]) -> None:
    rest = iter(ours[session].splitlines())
    assert [line for line in LINES[session] if line not in rest] == [], ours[session]


@pytest.mark.parametrize("session", LINES)
def test_and_prints_the_same_on_theirs(session: str, ours: dict[str, str], theirs: dict[str, str]) -> None:
    assert theirs[session] == ours[session]


def test_each_session_is_looked_at(ours: dict[str, str]) -> None:
    assert set(ours) == set(LINES)
