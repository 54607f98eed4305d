"""A call of another workflow → a method that says what is called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wfc.compiler.codegen.annotations import annotation
from wfc.compiler.codegen.bindings import PythonFunction
from wfc.compiler.codegen.constants import call
from wfc.compiler.codegen.layout import docstring, fit
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.scope import Function
from wfc.compiler.codegen.tails import BODY
from wfc.compiler.codegen.values import Values
from wfc.compiler.model import MapItems, Step, Workflow, WorkflowCall
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import Type

if TYPE_CHECKING:
    from wfc.compiler.codegen.steps import Methods

__all__ = ["child", "child_ends", "child_method", "child_type"]


def child_method(methods: Methods, step: Step, action: WorkflowCall, comment: Code) -> PythonFunction:
    """The method that bears the name of a step of kind `workflow`."""
    assert step.result is not None, step.name
    function = methods.function(step)
    function.use_all("event")
    function.use_all("events")
    value = child(action, function, methods.names)
    head = methods.head(
        "def",
        methods.names.method(step),
        function.parameters,
        child_type(step.result, methods.names),
    )
    body = [line for each in (*function.lead, f"return {value}") for line in fit(each, BODY)]
    doc = docstring(step.description, BODY)
    return PythonFunction(head, tuple(body), doc, comment, methods.decorator(step, "pause"))


def child(action: WorkflowCall, function: Function, names: ModuleNames) -> Code:
    """The pause that runs another workflow."""
    values = Values(function, names)
    pairs = ", ".join(f"{literal(name)}: {values.value(value)}" for name, value in action.inputs)
    named: dict[str, Code] = {}
    if action.detach:
        named["detach"] = literal(True)
    else:
        classes = [names.of(record) for _, record in action.ends]
        named["ends"] = Code(f"({', '.join(classes)}{',' if len(classes) == 1 else ''})")
    return call(Code("Child"), literal(action.workflow), Code(f"{{{pairs}}}"), **named)


def child_type(result: Type, names: ModuleNames) -> Code:
    """The annotation of a method that gives such a pause."""
    return Code(f"Child[{annotation(result, names)}]")


def child_ends(workflow: Workflow) -> dict[int, str]:
    """The records that are end events of other workflows, each with the event's name."""
    return {id(record): name for call in calls(workflow.steps) for name, record in call.ends}


def calls(steps: Iterable[Step]) -> Iterable[WorkflowCall]:
    for step in steps:
        action = step.action.do if isinstance(step.action, MapItems) else step.action
        if isinstance(action, WorkflowCall):
            yield action
