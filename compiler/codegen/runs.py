"""What a spec says of its runs as a whole → methods that belong to no step, and words of the class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wfc.compiler.codegen.bindings import PythonFunction
from wfc.compiler.codegen.constants import call
from wfc.compiler.codegen.layout import INDENT, fit
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.scope import Function, Parameter
from wfc.compiler.codegen.tails import BODY, Tail
from wfc.compiler.model import Workflow
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import STRING

__all__ = ["run_methods", "run_words"]

HOOKS = {
    "on_error": ("run_error", "run_failed"),
    "on_deadline": ("run_deadline", "run_out_of_time"),
    "on_cancel": ("run_cancel", "run_cancelled"),
}


def run_words(workflow: Workflow) -> dict[str, Code]:
    """What the class of a workflow is told in its head."""
    run, named = workflow.run, dict[str, Code]()
    if run.limits is not None:
        given = {key: getattr(run.limits, key) for key in ("steps", "tokens", "cost_usd", "concurrent_runs")}
        bounds = {key: literal(value) for key, value in given.items() if value is not None}
        if bounds:
            named["limits"] = call(Code("Limits"), **bounds)
    if run.moved:
        pairs = ", ".join(f"{literal(old)}: {literal(new)}" for old, new in run.moved)
        named["moved"] = Code(f"{{{pairs}}}")
    if run.removed:
        named["removed"] = literal(run.removed)
    return named


def run_methods(workflow: Workflow, names: ModuleNames) -> Iterator[PythonFunction]:
    """The exits of a run, and what tells runs apart."""
    start = Parameter("inputs", Code("inputs"), Code(f"Inputs[{names.of(workflow.start.record)}]"))
    limits = workflow.run.limits
    if limits is not None and limits.per is not None:
        plain = Parameter("inputs", Code("inputs"), names.of(workflow.start.record))
        function = Function(names.scope, (plain,))
        function.use_all("inputs")
        value = function.expression(limits.per)
        spelled = f"return {value}" if limits.per.type == STRING else f"return str({value})"
        yield method("runs_per", "runs_per_value", names, function, Code("str"), fit(spelled, BODY))
    at_hand = (
        start,
        Parameter("state", Code("state"), names.state),
        Parameter("config", Code("config"), names.config),
        Parameter("run", Code("run"), Code("RunInfo")),
        Parameter("error", Code("error"), Code("StepError")),
    )
    for key, exit_ in workflow.run.exits:
        hook, name = HOOKS[key]
        function = Function(names.scope, at_hand)
        tail = Tail(function, names, workflow.state)
        unhandled = key == "on_error" and not exit_.exhaustive
        lines = tail.lines(exit_, (), unhandled=unhandled)
        yield method(hook, name, names, function, tail.returns(exit_, unhandled=unhandled), lines)


def method(
    hook: str, name: str, names: ModuleNames, function: Function, returns: Code, lines: Sequence[str]
) -> PythonFunction:
    given = names.class_scope.give(name)
    head = f"def {given}({', '.join(['self', *function.parameters])}) -> {returns}:"
    return PythonFunction(tuple(fit(head, INDENT)), tuple(lines), decorator=(f"@{hook}",))
