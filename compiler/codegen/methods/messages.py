"""The key by which the runs of a workflow are found, and the events that they receive from outside."""

from __future__ import annotations

from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.methods.pauses import key_text
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.model import RunKey, Workflow
from wfc.compiler.python.literals import Code, field_name, literal

__all__ = ["receives_keyword", "run_key_method"]


def receives_keyword(workflow: Workflow, names: ModuleNames) -> Code:
    """Return the class keyword that lists the events from outside."""
    found = []
    for each in workflow.receives:
        named = {"key": literal(str(field_name(each.key.name)))} if each.key is not None else {}
        if each.topic is not None:
            named["topic"] = literal(each.topic)
        found.append(call(Code("Receives"), names.of(each.event.record), **named))
    return Code(f"({', '.join(found)}{',' if len(found) == 1 else ''})")


def run_key_method(workflow: Workflow, key: RunKey, names: ModuleNames) -> PythonFunction:
    """Return the method for the value that identifies a run."""
    inputs = FunctionParameter("inputs", Code("inputs"), names.of(workflow.start.record))
    function = FunctionBuilder(names.scope, (inputs,))
    function.use_all("inputs")
    spelled = key_text(key.value, function)
    name = names.class_scope.give("key")
    body = fit(f"return {spelled}", 2 * INDENT)
    parameters = (SELF, *function.parameters)
    return PythonFunction(name, parameters, Code("str"), body, decorator=Code("run_key"))
