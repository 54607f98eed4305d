"""Agents of llama_index.core on this runtime, each program beside the same one on llama-index-workflows."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.full  # each starts processes that import the library

PROGRAMS = Path(__file__).with_name("agent_programs.py")

needs_core = pytest.mark.skipif(
    importlib.util.find_spec("llama_index") is None,
    reason="llama-index-core is not installed: pip install '.[test]'",
)


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A process of its own: the alias is for a whole process, and this one is not to have it."""
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def told_by(whose: str) -> dict[str, Any]:
    done = process(str(PROGRAMS), whose)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    return told_by("ours")


def in_one_order(events: list[list[Any]]) -> list[list[Any]]:
    """Events with those of tools last and sorted: in which order tools end that run side by side, nobody promises."""
    of_tools = [event for event in events if event[0] in {"ToolCall", "ToolCallResult"}]
    others = [event for event in events if event not in of_tools]
    return others + sorted(of_tools, key=json.dumps)


# What llama-index-workflows raises as it is, our error says with step, event and attempt around it.
FAILED = {
    "too_many_iterations": "step `parse_agent_output` failed on AgentOutput, attempt 1: {} (runtime)",
    "a_failing_model": "step `run_agent_step` failed on AgentSetup, attempt 1: IndexError: {} (python.IndexError)",
}


@needs_core
def test_agents_do_the_same_on_either_runtime(ours: dict[str, Any]) -> None:
    theirs = told_by("theirs")
    assert ours.keys() == theirs.keys()
    for name, expected in theirs.items():
        if name == "two_runs_in_one_context":
            continue  # see below
        if name == "a_person":  # theirs runs the step's body once more when the answer is there
            call = ["ToolCall", "delete", {"file": "a.txt"}]
            assert (expected["events"].count(call), ours[name]["events"].count(call)) == (2, 1)
            expected["events"].reverse()
            expected["events"].remove(call)
            expected["events"].reverse()
        if name in FAILED:
            expected["results"] = [[FAILED[name].format(expected["results"][0][0])]]
        both = [ours[name], expected]
        if name == "tools_side_by_side":
            both = [{**each, "events": in_one_order(each["events"])} for each in both]
        assert both[0] == both[1], name


@needs_core
@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("no_tools", "Hello to you too"),
        ("tools_side_by_side", "Found it three times"),
        ("not_streamed_and_direct", "4"),
        ("handoffs", "It is 42"),
        ("a_person", "It is gone"),
        ("react", "It is 42"),
        ("code", "It printed 3"),
        ("stopped_early", "As far as I came: 3"),
    ],
)
def test_what_the_agents_come_to(ours: dict[str, Any], name: str, last: str) -> None:
    found = ours[name]
    (result,) = found["results"]
    assert found["events"][-1] == ["StopEvent"]
    assert result[0] == "AgentOutput" and result[2] == last


@needs_core
def test_a_second_run_in_a_context_remembers_the_first(ours: dict[str, Any]) -> None:
    # llama-index-workflows stores the context in between, and leaves out the memory with a warning
    *_, last = ours["two_runs_in_one_context"]["asked"][""]
    assert last == ["user: 1 + 1?", "assistant: ", "tool: 2", "assistant: It is 2", "user: Once more?"]


@needs_core
def test_a_question_to_a_person_is_asked_once_and_only_her_answer_counts(
    ours: dict[str, Any],
) -> None:
    events = ours["a_person"]["events"]
    names = [event[0] for event in events]
    assert names.count("InputRequiredEvent") == 1
    assert ["ToolCallResult", "delete", "deleted a.txt", False, False] in events


@needs_core
def test_state_reaches_tools_and_prompts(ours: dict[str, Any]) -> None:
    told_of_state = ours["state"]
    assert told_of_state["state"] == {"name": "Ada"}
    assert "unset" in told_of_state["asked"]["Agent"][0][-1]


# --- the alias itself

UNDER_THE_ALIAS = """
import contextlib, io, json, sys, traceback
from wfc.runtime.integrations import llama_index
llama_index.install()
told = {}
for name, program in json.load(sys.stdin).items():
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(program, {})
        told[name] = [printed.getvalue(), ""]
    except Exception:
        told[name] = [printed.getvalue(), traceback.format_exc()]
print(json.dumps(told))
"""
"""Runs programs one after the other in one process that has the alias: what each has printed, and its error."""

PROGRAMS_OF_OTHERS = {
    # first, for it looks at what has not been imported
    "found under the other name": """
import sys
from wfc.runtime.integrations import llama_index
llama_index.install()  # nothing new
import wfc.runtime, workflows.events
from workflows import Context, Workflow, step
from workflows.context.state_store import InMemoryStateStore
from workflows.testing import WorkflowTestRunner
assert Workflow is wfc.runtime.Workflow and workflows.events.Event is wfc.runtime.Event
from workflows.context.serializers import JsonSerializer
from workflows.errors import ContextSerdeError
assert JsonSerializer().deserialize(JsonSerializer().serialize([1])) == [1]
assert ContextSerdeError is wfc.runtime.SnapshotError
assert not any(name.startswith('llama_index_') for name in sys.modules)
assert 'pydantic_ai' not in sys.modules
""",
    "what programs import": """
from workflows import Context, Workflow, catch_error, step
from workflows.collect import Collect, Take
from workflows.events import Event, StartEvent, StepFailedEvent, WorkflowFailedEvent
from workflows.handler import WorkflowHandler
from workflows.representation import WorkflowGraph, get_workflow_representation
from workflows.resource import Resource, ResourceConfig, ResourceManager
from workflows.retry_policy import retry_policy, stop_after_attempt, wait_fixed
from workflows.testing import WorkflowTestRunner
""",
}
LACKING = {
    "from workflows import Flow": "cannot import name 'Flow' from 'workflows'",
    "import workflows.runtime": "No module named 'workflows.runtime'",
    "import workflows; workflows.Flow": "wfc has nothing that is called `Flow`",
    "from workflows.context import PickleSerializer; PickleSerializer()": "never pickled",
}
PROGRAMS_OF_THE_CORE = {
    "what the core imports": "\n".join(
        f"import llama_index.core.workflow.{module}"
        for module in (
            *("context", "context_serializers", "decorators", "errors", "events"),
            *("handler", "resource", "retry_policy", "types", "workflow"),
        )
    ),
    "what looks into theirs": """
from workflows.events import *
from workflows.testing.runner import WorkflowTestRunner
from llama_index.core.workflow.drawing import draw_all_possible_flows
from llama_index.core.workflow.utils import get_steps_from_class, get_steps_from_instance, is_free_function
from llama_index.utils.workflow import draw_all_possible_flows_mermaid
from llama_index.core.agent.workflow import FunctionAgent
steps = get_steps_from_class(FunctionAgent)
print(Event.__module__, StopEvent.__module__, draw_all_possible_flows.__module__, 'run_agent_step' in steps)
print(is_free_function('f'), is_free_function('f.<locals>.g'), is_free_function('C.m'))
""",
}


@pytest.fixture(scope="module")
def aliased() -> dict[str, tuple[str, str]]:
    """What each of the programs above has printed under the alias, and its error."""
    lacking = {program: program for program in LACKING}
    programs = {**PROGRAMS_OF_OTHERS, **lacking, **PROGRAMS_OF_THE_CORE}
    done = subprocess.run(
        [sys.executable, "-c", UNDER_THE_ALIAS],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told.keys() == programs.keys()
    return {name: (printed, error) for name, (printed, error) in told.items()}


@pytest.mark.parametrize("name", PROGRAMS_OF_OTHERS)
def test_programs_of_others_find_ours(aliased: dict[str, tuple[str, str]], name: str) -> None:
    assert aliased[name] == ("", "")


@pytest.mark.parametrize("program", LACKING)
def test_what_the_alias_lacks_is_an_error(aliased: dict[str, tuple[str, str]], program: str) -> None:
    printed, error = aliased[program]
    assert not printed
    assert LACKING[program] in error


@needs_core
def test_every_name_that_the_core_imports_is_there(aliased: dict[str, tuple[str, str]]) -> None:
    assert aliased["what the core imports"] == ("", "")


@needs_core
def test_modules_that_look_into_theirs_are_ours_under_the_alias(aliased: dict[str, tuple[str, str]]) -> None:
    printed, error = aliased["what looks into theirs"]
    assert not error
    assert printed.splitlines() == [
        "wfc.runtime.events wfc.runtime.events wfc.runtime.llama_index.drawing True",
        "True True False",
    ]


def test_an_alias_that_comes_too_late_says_what_to_do() -> None:
    done = process(
        "-c",
        "import sys, types\n"
        "sys.modules['workflows'] = types.ModuleType('workflows')\n"
        "from wfc.runtime.integrations import llama_index\n"
        "llama_index.install()\n",
    )
    assert done.returncode == 1
    assert "`workflows` has been imported already" in done.stderr
    assert "before `llama_index.core` and `workflows` are imported" in done.stderr
