"""Workflows as tools, and as what a `map` does with each item: several specs, run as `wfc test` and `wfc run` do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.programs import load_program
from wfc.runtime import Engine
from wfc.runtime.testing import run_virtually

DIG = """\
wfc: 1
workflow: dig
start: DigAsked
end: [Found, FoundNothing]
tools:
  shovel: {python: "shovel:dig", args: {topic: string, seconds: number}, output: string}
events:
  DigAsked: {topic: string, seconds: {type: number, default: 0}}
  Found: {summary: string}
  FoundNothing: {}
steps:
  dig:
    kind: tool
    accepts: DigAsked
    tool: shovel
    stream: {before: digging}
    with: {topic: "${{ event.topic }}", seconds: "${{ event.seconds }}"}
    emit:
      - {event: FoundNothing, when: result == ""}
      - {event: Found, with: {summary: "${{ result }}"}}
"""
SHOVEL = """\
import asyncio

begun = []

async def dig(topic: str, seconds: float) -> str:
    begun.append(topic)
    await asyncio.sleep(seconds)
    if topic == "rock" or (topic == "shaky" and begun.count(topic) == 1):
        raise ValueError("too hard")
    return f"about {topic}" if topic else ""
"""
HEAD = """\
wfc: 1
workflow: report
start: Asked
end: Told
events:
  Asked: {topics: list of string, seconds: {type: list of number, default: []}}
  Told: {text: string}
"""
STEP = """\
steps:
  look:
    kind: tool
    accepts: Asked
    tool: TOOL
    with: {topic: "${{ event.topics | first | default('') }}"}
    on_error: [{errors: [workflow.failed], event: Told, with: {text: "${{ error.name }}"}}]
    emit:
      - {event: Told, when: result is Found, with: {text: "${{ result.summary }}"}}
      - {event: Told, with: {text: nothing}}
tests:
  - {name: it is found, start: {topics: [owls]}, real: [look], expect: {with: {text: about owls}}}
  - {name: it is not, start: {topics: [""]}, real: [look], expect: {with: {text: nothing}}}
  - {name: it fails, start: {topics: [rock]}, real: [look], expect: {with: {text: workflow.failed}}}
  - name: it is mocked
    start: {topics: [owls]}
    mock: {look: {event: Found, with: {summary: so they say}}}
    expect: {with: {text: so they say}}
"""
MAP = """\
steps:
  look:
    kind: map
    accepts: Asked
    in: event.topics
    as: topic
    max: 20
    do: DO
    on_item_error: skip
    emit: {event: Told, with: {text: "${{ [one.summary for one in result if one is Found] | join(', ') }}"}}
    MORE
tests:
"""
AS_TOOL = '{kind: tool, tool: research, with: {topic: "${{ topic }}", seconds: SECONDS}}'
AS_WORKFLOW = '{kind: workflow, workflow: dig, with: {topic: "${{ topic }}", seconds: SECONDS}}'
SECONDS = '"${{ topic | length / 1 }}"'


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Writes the workflow that is called, and the one that calls, of which it gives the path."""
    before = set(sys.modules)
    (tmp_path / "wfc.toml").touch()
    (tmp_path / "dig.yaml").write_text(DIG)
    (tmp_path / "shovel.py").write_text(SHOVEL)

    def write(text: str) -> Path:
        tools = "tools: {research: {workflow: dig}}\n" if "tool: research" in text else ""
        (tmp_path / "report.yaml").write_text(HEAD + tools + text)
        return tmp_path / "report.yaml"

    yield write
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("tool", ["research", "{workflow: dig}"])
def test_a_tool_that_is_a_workflow_is_run(folder: Any, tool: str) -> None:
    path = folder(STEP.replace("TOOL", tool))
    assert main(["check", str(path.parent)]) == 0
    assert main(["test", str(path)]) == 0


@pytest.mark.parametrize("do", [AS_TOOL, AS_WORKFLOW], ids=["tool", "workflow"])
@pytest.mark.parametrize(
    ("topics", "more", "expected"),
    [
        ("[owls, bee, '', cat]", "", "about owls, about bee, about cat"),
        ("[elephants, ox]", "concurrency: 2", "about elephants, about ox"),
        ("[shaky, ox]", "retry: {max_attempts: 2, delay: 1s}", "about shaky, about ox"),
        ("[rock, ox]", "retry: {max_attempts: 2, delay: 1s}", "about ox"),
        ("[elephants, ox]", "timeout: 5s", "about ox"),
        ("[]", "", ""),
    ],
    ids=["in order", "at once", "tried again", "left out", "too slow", "none"],
)
def test_each_item_of_a_map_may_be_a_run_of_a_workflow(
    folder: Any, do: str, topics: str, more: str, expected: str
) -> None:
    made = MAP.replace("DO", do.replace("SECONDS", SECONDS)).replace("MORE", more)
    case = f"{{name: it runs, start: {{topics: {topics}}}, real: [look], expect: {{with: {{text: {expected!r}}}}}}}"
    path = folder(f"{made}  - {case}\n")
    assert main(["check", str(path.parent)]) == 0
    assert main(["test", str(path)]) == 0


def test_runs_of_items_are_named_by_the_run_and_their_place(folder: Any) -> None:
    path = folder(
        MAP.replace("DO", AS_TOOL.replace("SECONDS", "0")).replace("MORE", "").removesuffix("tests:\n")
    )
    program = load_program(str(path))
    assert program is not None

    async def ids() -> list[str]:
        engine = Engine()
        for other in program.others:
            engine.add(other())
        handler = program.workflow(engine=engine).run(run_id="r", topics=["a", "b", "c"])
        seen = {run_id: None async for run_id, _ in handler.stream_with_run_ids()}
        await handler
        return [each for each in seen if each != "r"]

    first, again = run_virtually(ids), run_virtually(ids)
    assert first == again
    assert len(first) == 3 and all(each.startswith("r/look/") for each in first)
