"""The plan of a workflow without its module is the one that the runtime reads in the module's class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli.programs import load_modules, modules_of
from wfc.compiler.cli.reviewing.comparison import version_of
from wfc.compiler.cli.reviewing.sides import GivenSide
from wfc.compiler.codegen.plan_data import plan_data
from wfc.compiler.passes import compile_checked
from wfc.compiler.workspace.paths import folders_seen_from
from wfc.compiler.workspace.project import Project
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.store.judgement.types import classes_in
from wfc.runtime.store.versions.describing import describe

ROOT = Path(__file__).parents[3]
SPECS = [
    *sorted((ROOT / "specs").glob("*.yaml")),
    *sorted((ROOT / "docs/language").glob("*.yaml")),
    *sorted((ROOT / "compiler/rules/examples").glob("*-mended.yaml")),
    *sorted((ROOT / "tests/compiler/codegen/golden").glob("*.yaml")),
    ROOT / "tests/compiler/schema/supported.yaml",
]


def both(path: Path) -> tuple[dict[str, Any] | None, dict[str, Any]] | None:
    """Return the plan as it is told of a spec, and as the runtime describes it; ``None`` for what is no workflow."""
    side = GivenSide("now", str(path), path.read_bytes())
    project = Project(side.files)
    version = version_of(project, side, next(iter(side.specs())))
    if version is None or version.workflow is None or version.workflow.broken_calls:
        return None
    assert version.checked is not None
    folder, _, name = version.path.rpartition("/")
    compiled = compile_checked(version.checked, project, name, folders_seen_from(folder), in_package=True)
    kind = load_modules(modules_of(compiled, project))
    definition, run = definition_of(kind), version.workflow.run
    assert (dict(definition.moved), tuple(definition.removed)) == (dict(run.moved), tuple(run.removed))
    told = plan_data(version.workflow)
    return None if told is None else json.loads(json.dumps(told)), describe(kind()._wfc.plan).data


def without_what_no_run_has(plan: dict[str, Any]) -> dict[str, Any]:
    """Return a plan with only those classes of which a run may have values."""
    found: dict[str, Any] = {}
    todo = [*held(plan)]
    while todo:
        name = todo.pop()
        if name in plan["classes"] and name not in found:
            found[name] = plan["classes"][name]
            for field in found[name].get("fields", {}).values():
                todo += classes_in(field["type"])
    return {**plan, "classes": found}


def held(plan: dict[str, Any]) -> Iterator[str]:
    yield from (plan["state"], *plan["starts"], *plan["receives"], *plan["ways"])
    for step in plan["steps"].values():
        yield from (*step["accepts"], *step["emits"], *step["awaits"])
        for type_ in (*step["forms"], step["result"], *step["takes"]):
            yield from classes_in(type_)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_a_plan_that_is_told_is_the_one_that_is_read(path: Path) -> None:
    found = both(path)
    if found is None:
        return
    told, read = found
    assert told is not None, "it would have to be loaded, which takes many times as long"
    assert without_what_no_run_has(told) == without_what_no_run_has(read)


HEAD = """\
wfc: 1
workflow: made
start: Begun
end: Done
models: {fast: {use: "openai:gpt-4o-mini"}}
tools:
  look: {python: "shop:look", args: {what: string}, output: {text: string}, read_only: true}
  pay: {python: "shop:pay", args: {what: string}, output: {text: string}}
types: {Found: {text: string}}
state: {asked: {type: string, default: ""}, kept: {type: any, default: ""}}
events:
  Begun: {items: list of string}
  Done: {text: string}
steps:
  work:
    accepts: Begun
"""

AGENT = "    kind: agent\n    model: fast\n    prompt: Work.\n    emit: {event: Done, with: {text: done}}\n"
TELLS = (
    "    kind: agent\n    model: fast\n    prompt: Work.\n"
    "    save: {kept: '${{ result }}', asked: '${{ agent.name }}'}\n"
    "    emit: {event: Done, with: {text: done}}\n"
)
MAP = "    kind: map\n    in: event.items\n    as: one\n    max: 9\n    emit: {event: Done, with: {text: done}}\n"
CALL = "    do: {kind: tool, tool: look, with: {what: '${{ one }}'}}\n"
PAY = "    do: {kind: tool, tool: pay, with: {what: '${{ one }}'}}\n"

MADE = {
    "a model": AGENT.replace("agent", "llm"),
    "a question": "    kind: human\n    title: Go on?\n    within: 1 h\n"
    "    on_timeout: {event: Done, with: {text: late}}\n    emit: {event: Done, with: {text: done}}\n",
    "an agent": AGENT,
    "retry and time-out of an agent are its model's": AGENT
    + "    retry: {max_attempts: 2}\n    timeout: 9 s\n    concurrency: 2\n",
    "an agent is given the state": AGENT.replace("Work.", "'Go on: ${{ state.asked }}'"),
    "an agent asks for the state in each turn": AGENT
    + "    system: 'Known: ${{ state.asked }}'\n"
    + "    tools: [{tool: look, save: {asked: '${{ call.args.what }}'}}]\n",
    "a tool is offered at its time": AGENT
    + "    tools: [{tool: look, when: state.asked == ''}, {tool: pay, approve: {within: 1 h}}]\n",
    "an argument is bound to the state": AGENT
    + "    tools: [{tool: look, with: {what: '${{ state.asked }}'}}]\n",
    "how a text came about": TELLS,
    "how a record came about": TELLS + "    output: Found\n",
    "how a record of the step came about": TELLS + "    output: {text: string, paid: decimal}\n",
    "how a list of records came about": TELLS + "    output: list of Found\n",
    "how a whole number came about": TELLS + "    output: integer\n",
    "a map": MAP + CALL,
    "a map with all that is about its attempts": MAP
    + CALL
    + "    retry: {max_attempts: 2}\n    timeout: 9 s\n    concurrency: 2\n    max_runs: 3\n"
    + "    on_limit: {event: Done, with: {text: no}}\n",
    "keys of items": MAP + PAY + "    idempotency_key: '${{ one }}-${{ run.id }}'\n",
    "one that leaves items out": MAP + CALL + "    on_item_error: skip\n",
    "one that gives something instead": MAP + CALL + "    on_item_error: {give: null}\n",
    "a map whose result is taken": MAP.replace("done", "'${{ result | length | string }}'") + CALL,
    "agents in a map": MAP
    + "    do: {kind: agent, model: fast, prompt: 'Work on ${{ one }}.', tools: [look]}\n"
    + "    retry: {max_attempts: 2}\n    timeout: 9 s\n    concurrency: 2\n",
    "what is required of items": MAP + CALL + "    require: [{that: result.text != '', say: nothing}]\n",
}


@pytest.mark.parametrize("name", MADE)
def test_what_no_spec_here_says_is_told_too(name: str, tmp_path: Path) -> None:
    path = tmp_path / "made.yaml"
    path.write_text(HEAD + MADE[name], encoding="utf-8")
    found = both(path)
    assert found is not None, "it has errors"
    told, read = found
    assert told is not None
    assert without_what_no_run_has(told) == without_what_no_run_has(read)


def test_a_class_whose_name_libraries_spell_is_read(tmp_path: Path) -> None:
    """How an answer came about that is one of some words: the runtime's class is called as its library writes that."""
    path = tmp_path / "made.yaml"
    path.write_text(HEAD + TELLS + "    output: {enum: [yes, no]}\n", encoding="utf-8")
    found = both(path)
    assert found is not None
    told, read = found
    assert told is None
    assert "Worked" in str(read["steps"]["work"]["result"])
