"""Calls of other workflows: their inputs and ends, as the spec that calls sees them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from wfc.compiler.passes import check_text
from wfc.compiler.resolve import Refused
from wfc.compiler.workspace.project import Project

CHILD = """\
wfc: 1
workflow: research
start: ResearchAsked
end: [Found, FoundNothing]
types:
  Topic: {name: string}
events:
  ResearchAsked: {topic: Topic, depth: optional integer}
  Found: {summary: string}
  FoundNothing: {}
steps:
  look:
    kind: transform
    accepts: ResearchAsked
    emit:
      - event: FoundNothing
        when: event.topic.name == ""
      - event: Found
        with: {summary: "${{ event.topic.name }}"}
"""

PARENT = """\
wfc: 1
workflow: report
start: Asked
end: Reported
types:
  Topic: {name: string}
events:
  Asked: {topic: Topic}
  Reported: {text: string}
steps:
  research:
    kind: workflow
    accepts: Asked
    workflow: research
    with: {topic: "${{ event.topic }}"}
    emit:
      - event: Reported
        when: result is Found
        with: {text: "${{ result.summary }}"}
      - event: Reported
        with: {text: nothing}
"""


class Two:
    """Two specs that are checked together."""

    def __init__(self, parent: str, child: str) -> None:
        self.files = {"report.yaml": parent.encode(), "research.yaml": child.encode()}

    def read(self, path: str) -> bytes | Refused:
        return self.files.get(path) or Refused("missing", "no such file")

    def given(self) -> Iterator[tuple[str, bytes]]:
        yield from self.files.items()

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        return iter(())


def findings(parent: str, child: str = CHILD) -> list[tuple[str, str, tuple[str, ...]]]:
    files = Two(parent, child)
    checked = check_text(files.files["report.yaml"], "report.yaml", Project(files))
    return [
        (
            each.code,
            checked.text[each.start.offset : each.end.offset],
            tuple(f"{one.path}:{one.position.line}" for one in each.related),
        )
        for each in checked.diagnostics
    ]


def test_types_that_say_the_same_are_the_same() -> None:
    assert findings(PARENT) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            '{topic: "${{ event.topic }}"}',
            "{depth: 3}",
            ("missing-entry", "{depth: 3}", ("research.yaml:8",)),
        ),
        ('topic: "$', 'topc: "$', ("unknown-entry", "topc", ("research.yaml:8",))),
        (
            "event.topic }}",
            "event.topic.name }}",
            ("wrong-value", '"${{ event.topic.name }}"', ("research.yaml:8",)),
        ),
        ("result is Found\n", "result is Fuond\n", ("unknown-test", "Fuond", ())),
        ("result is Found\n", "result is Asked\n", ("never-true", "result is Asked", ())),
        ("result.summary", "result.sumary", ("unknown-field", "sumary", ())),
        ("workflow: research\n", "workflow: reserch\n", ("unknown-workflow", "reserch", ())),
    ],
)
def test_a_mistake_in_a_call_is_one_finding(old: str, new: str, expected: tuple[object, ...]) -> None:
    assert old in PARENT
    assert findings(PARENT.replace(old, new)) == [expected]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("research@2", "a workflow is named without a version: `research`"),
        (
            "ada@shop.example",
            "a step of kind `send` brings an event to a run; a mail is sent by a tool or a request",
        ),
    ],
)
def test_a_name_with_an_at_sign_gets_a_hint_for_what_was_meant(name: str, hint: str) -> None:
    files = Two(PARENT.replace("workflow: research\n", f"workflow: {name}\n"), CHILD)
    checked = check_text(files.files["report.yaml"], "report.yaml", Project(files))
    assert [(each.code, each.hint) for each in checked.diagnostics] == [("unknown-workflow", hint)]


def test_a_type_that_differs_does_not_fit() -> None:
    other = CHILD.replace("Topic: {name: string}", "Topic: {name: string, year: integer}")
    assert [code for code, *_ in findings(PARENT, other)] == ["wrong-value"]


def test_a_child_that_is_broken_is_reported_where_it_is() -> None:
    assert findings(PARENT, CHILD.replace("start: ResearchAsked", "start: Nobody")) == []


AS_TOOL = PARENT.replace("types:\n", "tools:\n  dig: {workflow: research}\ntypes:\n").replace(
    "    kind: workflow\n    accepts: Asked\n    workflow: research\n    with:",
    "    kind: tool\n    accepts: Asked\n    tool: dig\n    with:",
)


def test_a_tool_that_is_a_workflow_is_called_by_its_inputs() -> None:
    assert findings(AS_TOOL) == []
    assert findings(AS_TOOL.replace("tool: dig", "tool: {workflow: research}").replace(TOOLS, "")) == []


TOOLS = "tools:\n  dig: {workflow: research}\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            '{topic: "${{ event.topic }}"}',
            "{depth: 3}",
            ("missing-entry", "{depth: 3}", ("research.yaml:8",)),
        ),
        ('    with: {topic: "${{ event.topic }}"}\n', "", ("missing-entry", "dig", ("research.yaml:8",))),
        ('topic: "$', 'topc: "$', ("unknown-entry", "topc", ("research.yaml:8",))),
        (
            "event.topic }}",
            "event.topic.name }}",
            ("wrong-value", '"${{ event.topic.name }}"', ("research.yaml:8",)),
        ),
        ("result is Found\n", "result is Fuond\n", ("unknown-test", "Fuond", ())),
        ("result.summary", "result.sumary", ("unknown-field", "sumary", ())),
        ("{workflow: research}", "{workflow: reserch}", ("unknown-workflow", "reserch", ())),
        ("{workflow: research}", "{workflow: report}", ("workflow-calls-itself", "dig", ())),
        ("    tool: dig\n", "    tool: dig\n    cache: true\n", ("cannot-be-cached", "cache", ())),
        (
            "    tool: dig\n",
            "    tool: dig\n    output: {text: string}\n",
            ("wrong-value", "{text: string}", ()),
        ),
    ],
)
def test_a_mistake_in_a_call_of_such_a_tool_is_one_finding(
    old: str, new: str, expected: tuple[object, ...]
) -> None:
    assert old in AS_TOOL
    assert findings(AS_TOOL.replace(old, new)) == [expected]


BACK = """\
    kind: tool
    accepts: ResearchAsked
    tool: {workflow: report}
    with: {topic: "${{ event.topic }}"}
"""


def test_a_circle_of_tools_that_are_workflows_is_found() -> None:
    child = CHILD.replace("    kind: transform\n    accepts: ResearchAsked\n", BACK)
    assert child != CHILD
    assert [found[:2] for found in findings(AS_TOOL, child)] == [("workflow-calls-itself", "dig")]


def test_a_circle_through_a_part_is_found() -> None:
    part = "wfc: 1\npart: digging\naccepts: [ResearchAsked]\nemits: [Found]\nsteps:\n  dig:\n" + BACK
    files = Two(AS_TOOL, f"{CHILD}parts: [part.yaml]\n")
    files.files["part.yaml"] = f"{part}    emit: {{event: Found, with: {{summary: x}}}}\n".encode()
    checked = check_text(files.files["report.yaml"], "report.yaml", Project(files))
    assert [each.code for each in checked.diagnostics] == ["workflow-calls-itself"]


def test_a_tool_that_nobody_calls_is_of_a_workflow_that_there_is() -> None:
    unused = PARENT.replace("types:\n", "tools: {dig: {workflow: reserch}}\ntypes:\n")
    assert [found[:2] for found in findings(unused)] == [("unknown-workflow", "reserch")]
