"""Common parts of the methods of all steps: decorators, heads, and the available parameters."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.codegen.bindings import Bindings
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter, step_parameters
from wfc.compiler.codegen.methods.actions import ActionWriter
from wfc.compiler.codegen.methods.agents import AgentWriter
from wfc.compiler.codegen.methods.caching import cache_argument
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.model import USUAL_CONCURRENCY, Join, RunsInside, Step, Workflow
from wfc.compiler.model.kinds import calls_agent
from wfc.compiler.python.literals import Code, literal

__all__ = ["BODY", "MethodWriter"]

BODY = 2 * INDENT
"""The margin of statements in a method."""


class MethodWriter:
    """A writer of the parts that the methods of all kinds of steps have."""

    def __init__(self, workflow: Workflow, names: ModuleNames, bindings: Bindings) -> None:
        self.workflow = workflow
        self.names = names
        self.bindings = bindings
        self.actions = ActionWriter(bindings, names)
        self.agents = AgentWriter(workflow, names, bindings)

    def function(
        self, step: Step, more: Sequence[FunctionParameter] = (), *, timed_out: bool = False
    ) -> FunctionBuilder:
        """Begin a function of a step; it takes the parameters that it turns out to use."""
        at_hand = step_parameters(self.workflow, step, self.names, more=more, timed_out=timed_out)
        return FunctionBuilder(self.names.scope, at_hand)

    def main_function(self, step: Step, more: Sequence[FunctionParameter] = ()) -> FunctionBuilder:
        """Begin a function from whose parameters the runtime infers which events a step accepts."""
        function = self.function(step, more)
        function.use_all("event")
        function.use_all("events")
        return function

    def lines(self, function: FunctionBuilder, *statements: str) -> tuple[str, ...]:
        """Lay out the body of a method: the values that the function has to fetch first, then these
        statements.
        """
        return tuple(line for each in (*function.lead, *statements) for line in fit(each, BODY))

    def hooked(
        self, step: Step, hook: str, name: str, function: FunctionBuilder, returns: Code, body: Sequence[str]
    ) -> PythonFunction:
        """Write a method that belongs to a step's own: ``@classify.on_error``."""
        given_ = self.names.class_scope.give(name.format(step.name))
        decorator = Code(f"{self.names.method(step)}.{hook}")
        return PythonFunction(given_, (SELF, *function.parameters), returns, body, decorator=decorator)

    def decorator(self, step: Step, kind: str) -> Code:
        """Write the decorator of the method that bears a step's name."""
        named: dict[str, Code] = {}
        name = self.names.method(step)
        if name != step.name:
            named["name"] = literal(step.name)
        if isinstance(step.accepts, Join):
            named["join"] = self.join(step.accepts)
        if isinstance(step.within, float):
            named["within"] = literal(step.within)
        if kind == "step" or isinstance(step.action, RunsInside):
            named |= self.attempts(step)
        if isinstance(step.max_runs, int):
            named["max_runs"] = literal(step.max_runs)
        return call(Code(kind), **named) if named else Code(kind)

    def attempts(self, step: Step) -> dict[str, Code]:
        """Return the decorator's arguments for the attempts at a step's action, or at that of an item."""
        named: dict[str, Code] = {}
        of_model = calls_agent(step.action)  # then they are about each call of its model
        if step.retry is not None and not of_model:
            named["retry_policy"] = self.bindings.retry(step.retry)
        if isinstance(step.timeout, float) and not of_model:
            named["timeout"] = literal(step.timeout)
        if isinstance(step.concurrency, int) and step.concurrency != USUAL_CONCURRENCY:
            named["num_workers"] = literal(step.concurrency)
        if step.cached is not None:
            named["cache"] = cache_argument(step.cached)
        return named

    def join(self, join: Join) -> Code:
        """Return the decorator's arguments for what a join waits for."""
        named = {"fork": literal(join.fork)}
        if isinstance(join.within, float):
            named["within"] = literal(join.within)
        if join.proceed:
            named["proceed"] = literal(True)
        if join.form == "each" and isinstance(join.count, int):
            named["count"] = literal(join.count)
        if join.rest == "cancel" or (join.form == "each" and join.rest is not None):
            named["rest"] = literal(join.rest)
        if join.form == "any" and join.count is not None:
            return call(Code("AtLeast"), literal(join.count), **named)
        return call(Code({"all": "AllOf", "any": "FirstOf", "each": "EachOf"}[join.form]), **named)
