"""No declared name may hide what generated code, pydantic or the runtime calls by it."""

from __future__ import annotations

import builtins
import keyword

import pytest
from pydantic import BaseModel

from wfc.compiler.codegen.imports import IMPORTABLE
from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.python.literals import (
    class_name,
    field_name,
    is_name,
    local_name,
    method_name,
    normal_form,
    pascal_case,
    snake_case,
)
from wfc.compiler.python.reserved_names import CLASSES, FIELDS, LOCALS, METHODS, WORKFLOW_ATTRIBUTES
from wfc.runtime import Event, Record, RunConfig, RunState, StartEvent, StopEvent, Workflow


def public(owner: type) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


@pytest.mark.parametrize("base", [BaseModel, Event, StartEvent, Record, RunState, RunConfig])
def test_fields_hide_nothing_of_their_base(base: type) -> None:
    assert public(base) <= FIELDS


def test_an_end_event_may_have_a_field_result() -> None:
    # the runtime's own StopEvent has one too, as the run's result, and makes room for one that is declared
    assert public(StopEvent) <= {*FIELDS, "result"}

    class Done(StopEvent, closed=True):
        result: str

    assert Done(result="x").model_dump() == {"result": "x"}


def test_methods_hide_nothing_of_a_workflow_and_may_have_all_other_names() -> None:
    assert public(Workflow) == WORKFLOW_ATTRIBUTES
    assert WORKFLOW_ATTRIBUTES <= METHODS


def test_classes_hide_no_import() -> None:
    of_kinds = {name for each in STEP_KINDS.values() for name in each.reserved_names}
    assert {name for name in IMPORTABLE if name[0].isupper()} <= CLASSES | of_kinds


def test_locals_hide_no_import() -> None:
    assert {name for name in IMPORTABLE if name.islower()} <= {*LOCALS, "require_output_format"}


@pytest.mark.parametrize("word", keyword.kwlist)
def test_keywords_get_a_trailing_underscore(word: str) -> None:
    for spelled in (field_name, class_name, method_name, local_name):
        assert spelled(word) == f"{word}_"


def test_names_that_differ_in_data_differ_in_python() -> None:
    names = ["class", "class_", "class__", "items", "items_"]
    assert len({field_name(name) for name in names}) == len(names)


def test_builtins_that_annotations_mention_stay_themselves() -> None:
    for name in ("str", "int", "float", "bool", "list", "dict"):
        assert hasattr(builtins, name)
        assert field_name(name) == f"{name}_"


@pytest.mark.parametrize(
    ("name", "snake", "pascal"),
    [
        ("OrderFound", "order_found", "OrderFound"),
        ("HTTPDone", "http_done", "HTTPDone"),
        ("order_found", "order_found", "OrderFound"),
        ("工单", "工单", "工单"),
        ("Straße", "straße", "Straße"),
        ("ÄrgerNote", "ärger_note", "ÄrgerNote"),
    ],
)
def test_cases(name: str, snake: str, pascal: str) -> None:
    assert snake_case(name) == snake
    assert pascal_case(name) == pascal


@pytest.mark.parametrize(
    ("name", "fine"),
    [
        ("a", True),
        ("工单", True),
        ("_a", False),
        ("1a", False),
        ("a-b", False),
        ("a b", False),
        ("", False),
        ("x⃣", False),
    ],
)
def test_names(name: str, fine: bool) -> None:
    assert is_name(normal_form(name)) is fine


def test_names_are_normalised_as_python_does() -> None:
    assert normal_form("ﬁx") == "fix"
    assert field_name("ﬁx") == "fix"
