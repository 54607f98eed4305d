"""A step → its methods: the action, its tail, and its other settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wfc.compiler.codegen.bindings import Bindings, context_type
from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.functions import (
    FunctionBuilder,
    FunctionParameter,
    result_parameters,
)
from wfc.compiler.codegen.literals.negation import negated
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.asking_steps import agent_methods
from wfc.compiler.codegen.methods.batches import steps_with_ambiguous_batches
from wfc.compiler.codegen.methods.maps import MapWriter
from wfc.compiler.codegen.methods.pauses import answer_parameters, pause_type
from wfc.compiler.codegen.methods.requirements import assertions, said_at_its_field
from wfc.compiler.codegen.methods.tails import TailWriter
from wfc.compiler.codegen.methods.workflow_calls import call_method
from wfc.compiler.codegen.methods.writer import BODY, MethodWriter
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.expressions.python.annotations import annotation, union
from wfc.compiler.model import (
    Emit,
    Exit,
    Join,
    MapItems,
    Pause,
    RunsInside,
    Save,
    Step,
    WaitEvent,
    Workflow,
    joined_events,
)
from wfc.compiler.python.literals import Code

__all__ = ["StepMethods"]


class StepMethods(MethodWriter):
    """A writer of the methods of a workflow class."""

    def __init__(self, workflow: Workflow, names: ModuleNames, bindings: Bindings) -> None:
        super().__init__(workflow, names, bindings)
        self.told_apart = steps_with_ambiguous_batches(workflow)

    @property
    def maps(self) -> MapWriter:
        """The writer of steps of kind `map`; kept by nobody, as a circle would keep the whole workflow in memory."""
        return MapWriter(self)

    def of(self, step: Step, comment: Code) -> Iterator[PythonFunction]:
        """Yield a step's methods, the one that bears its name first."""
        if not step.acts:
            yield self.transform(step, comment)
        else:
            yield from self.doing(step, comment)
            if step.require:
                yield self.require(step)
            yield from agent_methods(self, step)
            yield self.tail(
                step, "then", "after_{}", step.emit, step.save, result_parameters(step, self.names)
            )
        if step.on_error is not None:
            error = [FunctionParameter("error", Code("error"), Code("StepError"))]
            yield self.tail(step, "on_error", "{}_failed", step.on_error, (), error)
        if step.on_limit is not None:
            yield self.tail(step, "on_limit", "{}_over_limit", step.on_limit, (), [])
        if step.on_timeout is not None:
            yield self.tail(step, "on_timeout", "{}_timed_out", step.on_timeout, (), [], timed_out=True)
        if step.on_expired is not None:
            yield self.tail(step, "on_expired", "{}_expired", step.on_expired, (), [])
        if isinstance(step.action, WaitEvent) and step.action.that is not None:
            kinds = union(self.names.of(event.record) for event in step.action.events)
            came = [FunctionParameter("result", Code("result"), kinds)]
            yield self.computed(step, "that", "{}_that", step.action.that, "bool", came)
        yield from self.texts(step)

    # --- the method that bears the step's name
    def doing(self, step: Step, comment: Code) -> Iterator[PythonFunction]:
        """Yield the action of a step, as one method or as several."""
        if isinstance(step.action, MapItems):
            yield from self.maps.of(step, step.action, comment)
        elif isinstance(step.action, RunsInside):
            yield call_method(self, step, step.action, comment)
        else:
            yield self.action(step, comment)

    def action(self, step: Step, comment: Code) -> PythonFunction:
        assert step.action is not None, step.name
        assert not isinstance(step.action, (MapItems, RunsInside)), step.name
        function = self.main_function(step)
        action = self.actions.action(step.action, step, function)
        doc = docstring(step.description, BODY)
        name = self.names.method(step)
        if isinstance(step.action, Pause):
            body = self.lines(function, f"return {action}")
            returns = pause_type(step.action, self.names)
            decorator = self.decorator(step, "pause")
            return PythonFunction(name, (SELF, *function.parameters), returns, body, doc, comment, decorator)
        parameters = (SELF, Code(f"ctx: {context_type(self.workflow)}"), *function.parameters)
        returns = annotation(step.result, self.names) if step.result is not None else Code("None")
        returned = "await" if step.result is None else "return await"
        body = self.lines(function, f"{returned} {action}")
        decorator = self.decorator(step, "step")
        return PythonFunction(name, parameters, returns, body, doc, comment, decorator, is_async=True)

    def transform(self, step: Step, comment: Code) -> PythonFunction:
        function = self.main_function(step)
        tail = self.tail_in(function, step)
        body = tail.lines(step.emit, step.save)
        returns = tail.returns(step.emit)
        doc = docstring(step.description, BODY)
        decorator = self.decorator(step, "transform")
        parameters = (SELF, *function.parameters)
        return PythonFunction(self.names.method(step), parameters, returns, body, doc, comment, decorator)

    # --- the others
    def tail(
        self,
        step: Step,
        hook: str,
        name: str,
        exit_: Exit,
        saves: Sequence[Save],
        more: Sequence[FunctionParameter],
        *,
        timed_out: bool = False,
    ) -> PythonFunction:
        function = self.function(step, more, timed_out=timed_out)
        tail = self.tail_in(function, step, timed_out=timed_out)
        unhandled = hook == "on_error" and not exit_.exhaustive
        body = tail.lines(exit_, saves, unhandled=unhandled)
        if hook == "then":
            body[:0] = assertions(step, body, function.known, self.names)
        returns = tail.returns(exit_, unhandled=unhandled)
        return self.hooked(step, hook, name, function, returns, body)

    def tail_in(self, function: FunctionBuilder, step: Step, *, timed_out: bool = False) -> TailWriter:
        events, accepts = None, step.accepts
        if isinstance(accepts, Join) and accepts.choices and not timed_out:
            events = joined_events(accepts.events, accepts.certain, accepts.choices)
        told_apart = step.name in self.told_apart
        state = self.workflow.state
        return TailWriter(
            function, self.names, state, told_apart=told_apart, first_of=events, bindings=self.bindings
        )

    def require(self, step: Step) -> PythonFunction:
        if isinstance(step.action, MapItems):
            function = self.maps.function(step, step.action, with_result=True)
        else:
            function = self.function(step, answer_parameters(step, self.names))
        body: list[str] = []
        for requirement in step.require:
            condition = negated(function.expression(requirement.that))
            say = said_at_its_field(step, requirement, function.template(requirement.say))
            body += [*fit(f"if {condition}:", BODY)]
            body += [" " * INDENT + line for line in fit(f"yield {say}", BODY + INDENT)]
            if requirement is not step.require[-1]:
                body.append(f"{' ' * INDENT}return")  # those that follow are asked only where this one holds
        return self.hooked(step, "require", "require_{}", function, Code("Iterator[str]"), body)

    def texts(self, step: Step) -> Iterator[PythonFunction]:
        """Yield the methods for values beside the action: bounds, keys, and texts for observers."""
        if isinstance(step.max_runs, Expression):
            yield self.computed(step, "max_runs", "{}_max_runs", step.max_runs, "int")
        if step.idempotency_key is not None:
            about: list[FunctionParameter] = []
            if isinstance(step.action, MapItems):
                about = self.maps.parameters(step.action, with_result=False)
            yield self.computed(step, "idempotency_key", "{}_key", step.idempotency_key, "str", about)
        if step.stream is None:
            return
        after = result_parameters(step, self.names)
        yield from self.told(step, "stream_before", "before_{}", step.stream.before, ())
        yield from self.told(step, "stream_after", "report_{}", step.stream.after, after)

    def told(
        self,
        step: Step,
        hook: str,
        name: str,
        said: Template | Emit | None,
        more: Sequence[FunctionParameter],
    ) -> Iterator[PythonFunction]:
        """Yield the method for what observers are told before or after the action."""
        if isinstance(said, Template):
            yield self.computed(step, hook, name, said, "str", more)
        elif said is not None:
            function = self.function(step, more)
            values = ValueWriter(function, self.names)
            body = self.lines(function, f"return {values.emission(said)}")
            yield self.hooked(step, hook, name, function, values.emitted(said), body)

    def computed(
        self,
        step: Step,
        hook: str,
        name: str,
        value: Expression | Template,
        type_: str,
        more: Sequence[FunctionParameter] = (),
    ) -> PythonFunction:
        function = self.function(step, more)
        spelled = function.expression(value) if isinstance(value, Expression) else function.template(value)
        body = self.lines(function, f"return {spelled}")
        return self.hooked(step, hook, name, function, Code(type_), body)
