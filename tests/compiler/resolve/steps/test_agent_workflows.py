"""Workflows as tools of agents, as the check sees them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from wfc.compiler.passes import check_text
from wfc.compiler.resolve import Refused
from wfc.compiler.workspace.project import Project

CHILD = """\
wfc: 1
workflow: research
start: Asked
end: [Found, Nothing]
events:
  Asked: {topic: string, depth: {type: integer, default: 1}}
  Found: {summary: string}
  Nothing: {}
steps:
  look:
    kind: transform
    accepts: Asked
    emit: [{event: Nothing, when: inputs.depth == 0}, {event: Found, with: {summary: x}}]
"""

LIBRARY = """\
wfc: 1
models: {fast: {use: "openai:gpt-4o"}}
tools: {ask: {workflow: report}}
agents:
  leader: {description: Leads., model: fast, tools: [asker]}
  asker: {description: Asks., model: fast, tools: [ask]}
  writer: {description: Writes., model: fast}
"""

PARENT = """\
wfc: 1
workflow: report
start: Wanted
end: Reported
models: {{fast: {{use: "openai:gpt-4o"}}}}
tools:
  research: {{workflow: {workflow}}}
state: {{got: {{type: string, default: ""}}}}
events:
  Wanted: {{}}
  Reported: {{text: string}}
{more}
steps:
  write:
    kind: agent
    accepts: Wanted
    {agent}
    emit: {{event: Reported, with: {{text: "${{{{ result }}}} ${{{{ state.got }}}}"}}}}
tests:
  - name: one
    start: {{}}
    script: {{write: [{{calls: [{{tool: research, with: {args}}}]}}, {{say: x}}]}}
    tools: {{research: {given}}}
    expect: {{end: Reported}}
"""

USES = {
    "workflow": "research",
    "more": "",
    "agent": "model: fast\n    prompt: x\n    tools: [research]",
    "args": "{topic: x}",
    "given": "{event: Found, with: {summary: x}}",
}


class Files:
    """A project of a few files."""

    def __init__(self, **files: str) -> None:
        self.files = {f"{name}.yaml": text.encode() for name, text in files.items()}

    def read(self, path: str) -> bytes | Refused:
        return self.files.get(path) or Refused("missing", "there is none")

    def given(self) -> Iterator[tuple[str, bytes]]:
        yield from self.files.items()

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        return iter(())


def findings(parent: str, **others: str) -> list[str]:
    files = Files(report=parent, **{"research": CHILD, "library": LIBRARY, **others})
    checked = check_text(parent.encode(), "report.yaml", Project(files))
    return [
        f"{each.code} {checked.text[each.start.offset : each.end.offset]}" for each in checked.diagnostics
    ]


def uses(**changed: str) -> str:
    return PARENT.format(**{**USES, **changed})


FINAL = "model: fast\n    prompt: x\n    tools: [{tool: research, final: true}]"
SAVING = 'model: fast\n    prompt: x\n    tools: [{tool: research, save: {got: "${{ result.summary }}"}}]'
WRONG = {
    "there is no such workflow": ({"workflow": "reserch"}, ["unknown-workflow reserch"]),
    "it is given what it does not take": ({"args": "{topics: x}"}, ["unknown-entry topics"]),
    "it is given another type": ({"args": "{topic: [x]}"}, ["wrong-value [x]"]),
    "nobody says by which event it ends": ({"given": "{summary: x}"}, ["which-end-of-the-workflow"]),
    "it ends by no such event": ({"given": "{event: Fund, with: {summary: x}}"}, ["unknown-event Fund"]),
    "the end event has other fields": (
        {"given": "{event: Found, with: {sumary: x}}"},
        ["unknown-entry sumary"],
    ),
    "it has several ends, so that nothing is worked out of its result": (
        {"agent": SAVING},
        ["wrong-value save"],
    ),
    "it has several ends, so that its result is no answer": ({"agent": FINAL}, ["wrong-value true"]),
}


def test_a_workflow_is_a_tool() -> None:
    assert findings(uses()) == []
    assert (
        findings(
            uses(given="[{event: Nothing}, {give: {event: Nothing}, after: 1 min}, {error: workflow.failed}]")
        )
        == []
    )


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_once(name: str) -> None:
    changed, wanted = WRONG[name]
    found = findings(uses(**changed))
    assert len(found) == len(wanted)
    assert all(each.startswith(said) for each, said in zip(sorted(found), wanted, strict=True))


ITSELF = "tools: {report: {workflow: report}}\nmodels: {fast: {use: 'openai:gpt-4o'}}\n"
MORE = "steps:\n  more: {kind: agent, accepts: Found, model: fast, prompt: x, tools: [report], emit: nothing}"
BACK = CHILD.replace("steps:", ITSELF + MORE).replace("end: [Found, Nothing]", "end: Nothing")
IMPORTED = "agent: {}\n    with: {{task: x}}"
CALLS = [
    ("itself", uses(workflow="report"), {}, True),
    ("a workflow that calls it back", uses(given="{}"), {"research": BACK}, True),
    ("one of another file's agents", IMPORTED.format("asker"), {}, True),
    ("one whose tool is such an agent", IMPORTED.format("leader"), {}, True),
    ("one that has nothing to do with it", IMPORTED.format("writer"), {}, False),
]


@pytest.mark.parametrize(
    ("spec", "others", "is_circle"), [each[1:] for each in CALLS], ids=[each[0] for each in CALLS]
)
def test_calls_that_lead_back_are_told(spec: str, others: dict[str, str], is_circle: bool) -> None:
    if spec.startswith("agent:"):
        whole = uses(agent=spec, more="imports: [./library.yaml]")
        spec = whole[: whole.index("tests:")].replace('models: {fast: {use: "openai:gpt-4o"}}\n', "")
    found = findings(spec, **others)
    assert any(each.startswith("workflow-calls-itself") for each in found) == is_circle
    assert not any(each.startswith("unknown") for each in found)
