"""Every part of the compiler knows every kind of step, and one that is added in memory."""

from __future__ import annotations

import copy
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest

from wfc import schemas
from wfc.compiler.codegen.methods.actions import WRITERS
from wfc.compiler.draw import flow_graph
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Action, AgentCall, MapItems, Model, Tool, Value, WorkflowCall
from wfc.compiler.model.kinds import STEP_KINDS, StepKind
from wfc.compiler.passes import check_text, compile_text
from wfc.compiler.resolve.steps.actions import CALLS, ActionResolver, KindOfCall
from wfc.compiler.resolve.steps.steps import RESOLVERS
from wfc.compiler.schema import expansion
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import STRING, Type
from wfc.compiler.workspace.compiled import Compiled
from wfc.runtime.drawing.graph import graph_from_data
from wfc.runtime.drawing.rendering import render
from wfc.runtime.drawing.shapes import SHAPES

DOCS = Path(__file__).parents[2] / "docs"

SPEC = """\
wfc: 1
workflow: greet
start: Asked
end: Heard
events:
  Asked: {name: string}
  Heard: {text: string}
steps:
  say:
    kind: echo
    accepts: Asked
    words: Hello ${{ event.name }}
    emit: {event: Heard, with: {text: "${{ result }}"}}
"""


ARGUMENTS = {Model, Template, Value, bool, int, str, NoneType}
"""What `ActionWriter.argument` can write."""


@dataclass(frozen=True, slots=True)
class EchoCall:
    """What a step of the added kind does."""

    words: Template
    function: str = "aloud"


def resolve_echo(one: ActionResolver, _tool: Tool | None, _result: Type | None, scope: Scope) -> Any:
    return EchoCall(one.reader.text(one.data["words"], one.place / "words", scope), "softly")


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add a kind of step as a person would: to the schema, the registry and the resolution."""
    published = schemas.load()
    definitions = published["$defs"]
    definitions["echo_keys"] = {
        "description": "Says something again.",
        "required": ["words"],
        "properties": {"words": {"description": "What is said.", "$ref": "#/$defs/template"}},
    }
    chosen = copy.deepcopy(definitions["step"]["allOf"][0])
    chosen["if"]["properties"]["kind"]["const"] = "echo"
    chosen["then"] = {"$ref": "#/$defs/echo_keys"}
    definitions["step"]["allOf"].append(chosen)
    definitions["step"]["properties"]["kind"]["enum"].append("echo")
    monkeypatch.setattr(expansion, "load", lambda: published)
    monkeypatch.setitem(
        STEP_KINDS,
        "echo",
        StepKind(
            shape="signal",
            nodes=(EchoCall,),
            words="shout repeat_after_me",
            takes_defaults=True,
            never_cached="nobody hears an echo twice",
            reserved_names=frozenset({"Echo"}),
        ),
    )
    monkeypatch.setitem(
        CALLS, "echo", KindOfCall(resolve_echo, lambda _one, _tool, _output: STRING, has_output=False)
    )
    caches = (expansion.schema, expansion.validator)
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def check(text: str) -> Compiled:
    return check_text(text.encode(), "greet.yaml")


def told(text: str) -> list[tuple[str, str]]:
    return [(each.code, each.hint) for each in check(text).diagnostics]


@pytest.mark.usefixtures("echo")
def test_an_added_kind_is_checked_and_proved() -> None:
    checked = check(SPEC)
    assert not checked.diagnostics
    assert checked.workflow is not None
    (step,) = checked.workflow.steps
    assert isinstance(step.action, EchoCall)
    assert (step.kind, step.result, step.acts) == ("echo", STRING, True)
    assert told(SPEC.replace("Hello ${{ event.name }}", "${{ event.nmae }}"))[0][0] == "unknown-field"


@pytest.mark.usefixtures("echo")
def test_the_schema_knows_the_keys_of_an_added_kind() -> None:
    assert [code for code, _ in told(SPEC.replace("    words:", "    wrds:"))] == ["unknown-key"]
    assert told(SPEC.replace("    words: Hello ${{ event.name }}\n", ""))[0][0] == "missing-key"


@pytest.mark.usefixtures("echo")
def test_hints_know_an_added_kind() -> None:
    hint = "write `echo`: the step has all that a step of this kind needs, and nothing else"
    assert told(SPEC.replace("kind: echo", "kind: shout")) == [("unknown-kind", hint)]
    assert told(SPEC.replace("kind: echo", "kind: ecko")) == [("unknown-kind", "did you mean `echo`?")]


@pytest.mark.usefixtures("echo")
def test_results_of_an_added_kind_are_kept_only_where_it_says_so() -> None:
    (found,) = check(SPEC.replace("    words:", "    cache: true\n    words:")).diagnostics
    assert "nobody hears an echo twice" in found.message


@pytest.mark.usefixtures("echo")
def test_defaults_hold_for_an_added_kind() -> None:
    checked = check(SPEC.replace("steps:\n", "defaults: {timeout: 30s}\nsteps:\n"))
    assert checked.workflow is not None
    assert checked.workflow.steps[0].timeout == 30


@pytest.mark.usefixtures("echo")
def test_code_is_generated_for_an_added_kind() -> None:
    text = compile_text(SPEC.replace("Heard", "Echo").encode(), "greet.yaml", source="greet.yaml").python
    assert 'return await ctx.echo(f"Hello {event.name}", function="softly")' in text
    assert "class Echo_(" in text


@pytest.mark.usefixtures("echo")
@pytest.mark.parametrize("form", ["mermaid", "dot", "html"])
def test_an_added_kind_is_drawn(form: Any) -> None:
    checked = check(SPEC)
    assert checked.workflow is not None
    drawn = render(graph_from_data(flow_graph(checked.workflow)), form)
    assert "say" in drawn
    assert {"mermaid": "[\\", "dot": "shape=cds", "html": 'class="box signal"'}[form] in drawn


@pytest.mark.usefixtures("echo")
def test_the_tables_of_the_pages_have_an_added_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    before = set(sys.modules)
    try:
        tables = runpy.run_path(str(DOCS / "tables.py"))
        assert "| [`echo`](#echo) | Says something again. | `words` |" in tables["kinds"]()
        assert "| `words` |" in tables["own"]("echo")
    finally:
        for name in set(sys.modules) - before:
            del sys.modules[name]


def test_the_registry_has_the_kinds_of_the_schema() -> None:
    assert STEP_KINDS.keys() == set(schemas.load()["$defs"]["step"]["properties"]["kind"]["enum"])


def test_every_kind_is_resolved_in_one_place() -> None:
    assert not RESOLVERS.keys() & CALLS.keys()
    assert RESOLVERS.keys() | CALLS.keys() == {name for name, each in STEP_KINDS.items() if each.acts}


def test_code_is_generated_for_all_that_a_step_may_do() -> None:
    nodes = {node for each in STEP_KINDS.values() for node in each.nodes}
    assert nodes == set(get_args(Action))
    assert nodes >= WRITERS.keys() | {MapItems, WorkflowCall, AgentCall}
    for node in (
        nodes - WRITERS.keys() - {MapItems, WorkflowCall, AgentCall}
    ):  # the fields of such a call are its arguments
        kinds = get_type_hints(node)
        assert {
            each for name, kind in kinds.items() if name != "output" for each in one_of(kind)
        } <= ARGUMENTS


def one_of(kind: object) -> tuple[object, ...]:
    return get_args(kind) or (kind,)


def test_what_can_be_run_has_a_node() -> None:
    for name, kind in STEP_KINDS.items():
        assert bool(kind.nodes) == kind.acts, name


@pytest.mark.parametrize("kind", [*STEP_KINDS])
def test_every_kind_has_a_shape_of_its_own_or_is_a_plain_box(kind: str) -> None:
    shape = STEP_KINDS[kind].shape
    assert shape in SHAPES
    assert shape == "box" or [name for name, each in STEP_KINDS.items() if each.shape == shape] == [kind]
