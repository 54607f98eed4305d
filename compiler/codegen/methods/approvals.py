"""Calls of an agent's tools that a person has to allow → the methods that tell which, and how."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionParameter
from wfc.compiler.codegen.literals.negation import negated
from wfc.compiler.codegen.methods.writer import BODY, MethodWriter
from wfc.compiler.codegen.shapes import PythonFunction
from wfc.compiler.model import AgentCall, Approval, Step, ToolUse
from wfc.compiler.python.literals import Code, literal

__all__ = ["approval_methods"]


def approval_methods(methods: MethodWriter, step: Step) -> Iterator[PythonFunction]:
    """Yield the methods that tell whether, and how, a person has to allow a call of a tool."""
    agent = step.action.agent if isinstance(step.action, AgentCall) else None
    if agent is None or agent.args is not None:
        return  # one under `agents` says it of itself
    for use in agent.tools:
        if use.approval is not None:
            yield approval_method(methods, step, use, use.approval)


def approval_method(methods: MethodWriter, step: Step, use: ToolUse, approval: Approval) -> PythonFunction:
    names = methods.names
    args = FunctionParameter("call", Code("result"), names.of(use.tool.args))
    function = methods.function(step, [args])
    function.known["call", "args"] = Code("result")
    named: dict[str, Code] = {}
    if approval.title is not None:
        named["title"] = function.template(approval.title)
    if approval.show is not None:
        named["show"] = methods.bindings.text(
            approval.show, f"{step.name}_{use.tool.identifier}_show", function
        )
    if approval.assign:
        named["assign"] = Code(f"[{', '.join(function.template(each) for each in approval.assign)}]")
    named["within"] = literal(approval.within)
    asked = f"return {call(Code('Approval'), **named)}"
    body = list(methods.lines(function, asked))
    returns = Code("Approval")
    if approval.when is not None:
        condition = function.expression(approval.when)
        body = [
            *methods.lines(function, f"if {negated(condition)}:"),
            f"{' ' * INDENT}return None",
            *fit(asked, BODY),
        ]
        returns = Code("Approval | None")
    function.use_all("call")
    hook = f"approve({literal(use.tool.name)})"
    return methods.hooked(step, hook, f"approve_{{}}_{use.tool.identifier}", function, returns, body)
