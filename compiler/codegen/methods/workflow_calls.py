"""A call of another workflow → a method that declares the call."""

from __future__ import annotations

from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.writer import BODY, MethodWriter
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.expressions.python.annotations import annotation
from wfc.compiler.model import AgentCall, RunsInside, Step, WorkflowCall
from wfc.compiler.model.kinds import tells_of_agent
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import Type

__all__ = ["call_method", "child_annotation", "child_pause"]


def call_method(methods: MethodWriter, step: Step, action: RunsInside, comment: Code) -> PythonFunction:
    """Return the method that bears the name of a step of kind `workflow` or `agent`."""
    assert step.result is not None, step.name
    function = methods.main_function(step)
    value = child_pause(methods, action, step, function)
    returns = child_annotation(step.result, methods.names)
    if tells_of_agent(action):
        returns = Code(f"Child[Worked[{annotation(step.result, methods.names)}]]")
    body = methods.lines(function, f"return {value}")
    doc = docstring(step.description, BODY)
    decorator = methods.decorator(step, "pause")
    parameters = (SELF, *function.parameters)
    return PythonFunction(methods.names.method(step), parameters, returns, body, doc, comment, decorator)


def child_pause(methods: MethodWriter, action: RunsInside, step: Step, function: FunctionBuilder) -> Code:
    """Return the pause that runs another workflow, or an agent."""
    if isinstance(action, AgentCall):
        return methods.agents.pause(action, step, function)
    return workflow_pause(action, function, methods.names)


def workflow_pause(action: WorkflowCall, function: FunctionBuilder, names: ModuleNames) -> Code:
    """Return the pause that runs another workflow."""
    values = ValueWriter(function, names)
    pairs = ", ".join(f"{literal(name)}: {values.value(value)}" for name, value in action.inputs)
    named: dict[str, Code] = {}
    if action.detach:
        named["detach"] = literal(True)
    else:
        classes = [names.of(record) for _, record in action.ends]
        named["ends"] = Code(f"({', '.join(classes)}{',' if len(classes) == 1 else ''})")
    name = literal(action.workflows[0])
    if action.chosen_by is not None:
        name = function.expression(action.chosen_by)
        named["only"] = literal(action.workflows)
    return call(Code("Child"), name, Code(f"{{{pairs}}}"), **named)


def child_annotation(result: Type, names: ModuleNames) -> Code:
    """Return the annotation of a method that returns such a pause."""
    return Code(f"Child[{annotation(result, names)}]")
