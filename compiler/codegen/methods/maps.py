"""A `map` → a method that returns its items, and methods for each of them."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.codegen.bindings import context_type
from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.annotations import annotation
from wfc.compiler.codegen.literals.brackets import after_in
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.workflow_calls import child_annotation, child_pause
from wfc.compiler.codegen.methods.writer import BODY, MethodWriter
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.model import MapItems, Step, Value, WorkflowCall
from wfc.compiler.python.literals import Code, literal, local_name

__all__ = ["MapWriter"]


class MapWriter:
    """A writer of the methods of steps of kind `map`.

    Args:
        methods: Makes those of all steps.
    """

    def __init__(self, methods: MethodWriter) -> None:
        self.methods = methods
        self.names = methods.names

    def of(self, step: Step, action: MapItems, comment: Code) -> Iterator[PythonFunction]:
        """Yield the method for the items, the one that is called for each, and the one for the value of its
        result.
        """
        yield self.items(step, action, comment)
        yield self.item(step, action)
        if action.give is not None:
            yield self.give(step, action, action.give)

    def items(self, step: Step, action: MapItems, comment: Code) -> PythonFunction:
        function = self.methods.main_function(step)
        kept = kept_items(action, function)
        most = {"most": literal(action.max)} if isinstance(action.max, int) else {}
        value = call(Code("Items"), kept, **most)
        returns = Code(f"Items[{annotation(action.item, self.names)}]")
        body = self.methods.lines(function, f"return {value}")
        doc = docstring(step.description, BODY)
        decorator = self.methods.decorator(step, "pause")
        parameters = (SELF, *function.parameters)
        return PythonFunction(self.names.method(step), parameters, returns, body, doc, comment, decorator)

    def item(self, step: Step, action: MapItems) -> PythonFunction:
        function = self.function(step, action)
        function.use_all("event")
        function.use_all("events")
        name = self.names.class_scope.give(f"{step.name}_item")
        if isinstance(action.do, WorkflowCall):
            done = child_pause(action.do, function, self.names)
            returns = child_annotation(action.result, self.names)
            parameters = [SELF, *function.parameters]
        else:
            done = Code(f"await {self.methods.actions.action(action.do, step, function)}")
            returns = annotation(action.result, self.names)
            parameters = [SELF, Code(f"ctx: {context_type(self.methods.workflow)}"), *function.parameters]
        body = self.methods.lines(function, f"return {done}")
        named = self.methods.attempts(step)
        if action.on_item_error != "fail":
            named["on_error"] = literal(action.on_item_error)
        decorated = call(Code(f"{self.names.method(step)}.item"), **named)
        is_async = not isinstance(action.do, WorkflowCall)
        return PythonFunction(name, parameters, returns, body, decorator=decorated, is_async=is_async)

    def give(self, step: Step, action: MapItems, value: Value) -> PythonFunction:
        function = self.function(step, action, with_result=True)
        function.note([("result",)])
        given = ValueWriter(function, self.names).value(value)
        lines = [*self.methods.lines(function), *fit(f"return {given}", BODY)]
        returns = Code(annotation(value.type, self.names))
        return self.methods.hooked(step, "give", "{}_given", function, returns, lines)

    def function(self, step: Step, action: MapItems, *, with_result: bool = False) -> FunctionBuilder:
        """Begin a function that is about one item."""
        function = self.methods.function(step, self.parameters(action, with_result=with_result))
        function.use_all(action.name)
        return function

    def parameters(self, action: MapItems, *, with_result: bool) -> list[FunctionParameter]:
        """Return the additional parameters of a function about an item: the item, and the result of its
        action.
        """
        name = self.names.scope.inner().give(local_name(action.name))
        found = [FunctionParameter(action.name, name, Code(f"Item[{annotation(action.item, self.names)}]"))]
        if with_result:
            found.append(FunctionParameter("result", Code("result"), annotation(action.result, self.names)))
        return found


def kept_items(action: MapItems, function: FunctionBuilder) -> Code:
    """Return the list, without the items that are not wanted."""
    items = function.expression(action.items)
    if action.keep is None:
        return items
    item = item_name(action, function)
    condition = function.expression(action.keep, {(action.name,): item})
    return Code(f"[{item} for {item} in {after_in(items)} if {after_in(condition)}]")


def item_name(action: MapItems, function: FunctionBuilder) -> Code:
    return function.names.inner().give(local_name(action.name))
