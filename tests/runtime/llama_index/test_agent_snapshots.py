"""Snapshots of agents and of open waits: one process writes them, another goes on from them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import StartEvent, StopEvent, Workflow, WorkflowConfigurationError, step

pytestmark = pytest.mark.full  # each turn of an agent is a process that imports the library

PROGRAMS = Path(__file__).with_name("agent_snapshots.py")

needs_core = pytest.mark.skipif(
    importlib.util.find_spec("llama_index") is None,
    reason="llama-index-core is not installed: pip install '.[test]'",
)


def process(whose: str, what: str, *names: str, text: str = "") -> str:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS), whose, what, *names],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def gone_on(whose: str, *names: str) -> dict[str, Any]:
    """What came of snapshots that one process wrote, by name, when another went on from them."""
    found: dict[str, Any] = json.loads(process(whose, "resume", text=process(whose, "write", *names)))
    return found


@pytest.fixture(scope="module")
def ours(agents_on_ours: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(agents_on_ours["snapshots"])
    return found


@needs_core
@pytest.mark.parametrize("name", ["function_agent", "agent_workflow"])
def test_an_agent_remembers_an_earlier_turn_in_another_process(ours: dict[str, Any], name: str) -> None:
    # llama-index-workflows leaves the memory out of its snapshot, with a warning
    (last,) = ours[f"turn:{name}"]
    assert last == ["user: 1 + 1?", "assistant: ", "tool: 2", "assistant: It is 2", "user: Once more?"]


@needs_core
@pytest.mark.parametrize("name", ["function_agent", "agent_workflow"])
def test_an_agent_that_waits_for_a_person_goes_on_in_another_process(ours: dict[str, Any], name: str) -> None:
    said, asked = ours[f"wait:{name}"]
    assert said == "It is gone"
    assert asked == [["user: Delete a.txt", "assistant: ", "tool: deleted a.txt, says anna"]]


@needs_core
def test_a_wait_for_a_class_in_no_signature_goes_on_in_another_process(ours: dict[str, Any]) -> None:
    assert ours["wait:workflow"] == ["so", True]


@needs_core
def test_and_on_theirs_in_the_same_way() -> None:
    assert gone_on("theirs", "wait:workflow") == {"wait:workflow": ["so", True]}


def test_another_runtime_is_refused_with_what_to_do() -> None:
    class Plain(Workflow):
        @step
        async def only(self, event: StartEvent) -> StopEvent:
            return StopEvent()

    assert isinstance(Plain(runtime=None), Plain)
    with pytest.raises(WorkflowConfigurationError, match="leave it out"):
        Plain(runtime=object())  # type: ignore[arg-type]
