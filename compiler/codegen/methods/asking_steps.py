"""What a step works out while its agent works → methods: tools that are offered, what is saved, the system text."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.functions import FunctionParameter
from wfc.compiler.codegen.methods.approvals import approval_methods
from wfc.compiler.codegen.methods.tails import TailWriter
from wfc.compiler.codegen.methods.writer import BODY, MethodWriter
from wfc.compiler.codegen.shapes import PythonFunction
from wfc.compiler.expressions import Expression
from wfc.compiler.expressions.python.annotations import annotation
from wfc.compiler.model import AgentCall, Step, ToolUse
from wfc.compiler.model.agents import system_in_each_turn
from wfc.compiler.python.literals import Code, literal

__all__ = ["agent_methods"]


def agent_methods(methods: MethodWriter, step: Step) -> Iterator[PythonFunction]:
    """Yield the methods by which a step takes part in the work of an agent that stands in it."""
    yield from approval_methods(methods, step)
    agent = step.action.agent if isinstance(step.action, AgentCall) else None
    if agent is None or agent.args is not None:
        return  # one under `agents` says it of itself
    for use in agent.tools:
        if use.when is not None:
            yield offer_method(methods, step, use, use.when)
        if use.save:
            yield save_method(methods, step, use)
    assert isinstance(step.action, AgentCall)
    if (system := system_in_each_turn(agent, step.action.system)) is not None:
        function = methods.function(step)
        text = methods.bindings.text(system, f"{step.name}_system", function)
        body = methods.lines(function, f"return {text}")
        yield methods.hooked(step, "system", "{}_system", function, Code("str"), body)


def offer_method(methods: MethodWriter, step: Step, use: ToolUse, when: Expression) -> PythonFunction:
    function = methods.function(step)
    body = methods.lines(function, f"return {function.expression(when)}")
    hook = f"offer({literal(use.tool.name)})"
    return methods.hooked(step, hook, f"offer_{{}}_{use.tool.identifier}", function, Code("bool"), body)


def save_method(methods: MethodWriter, step: Step, use: ToolUse) -> PythonFunction:
    given = annotation(use.tool.output, methods.names)
    kind = Code(f"DoneCall[{methods.names.of(use.tool.args)}, {given}]")
    done = FunctionParameter("result", Code("result"), kind, value=Code("result.result"))
    called = FunctionParameter("call", Code("result"), kind)
    function = methods.function(step, [done, called])
    function.known["call", "args"] = Code("result.args")
    function.note([("state",)])
    body = list(TailWriter(function, methods.names, methods.workflow.state).saves(use.save))
    body[:0] = [line for each in function.lead for line in fit(each, BODY)]
    hook = f"after_call({literal(use.tool.name)})"
    name = f"{{}}_after_{use.tool.identifier}"
    return methods.hooked(step, hook, name, function, Code("None"), body)
