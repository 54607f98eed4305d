"""A `map` → a method that returns its items, and methods for each of them."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.codegen.bindings import context_type
from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.brackets import after_in
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter, Path
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.workflow_calls import child_annotation, child_pause
from wfc.compiler.codegen.methods.writer import BODY, MethodWriter
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.expressions import Expression
from wfc.compiler.expressions.python.annotations import annotation
from wfc.compiler.model import MapItems, RunsInside, Step, Value
from wfc.compiler.model.kinds import is_request
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
        if action.instead is not None:
            yield self.give_instead(step, action, action.instead)

    def items(self, step: Step, action: MapItems, comment: Code) -> PythonFunction:
        function = self.methods.main_function(step)
        most = {"most": literal(action.max)} if isinstance(action.max, int) else {}
        if action.keep is not None and action.uses_loop:
            value = call(Code("Items.kept"), choices(action, action.keep, function), **most)
        else:
            value = call(Code("Items"), kept_items(action, function), **most)
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
        if isinstance(action.do, RunsInside):
            done = child_pause(self.methods, action.do, step, function)
            returns = child_annotation(action.result, self.names)
            parameters = [SELF, *function.parameters]
        else:
            done = Code(f"await {self.methods.actions.action(action.do, step, function)}")
            returns = annotation(action.result, self.names)
            parameters = [SELF, Code(f"ctx: {context_type(self.methods.workflow)}"), *function.parameters]
        body = self.methods.lines(function, f"return {done}")
        named = self.methods.attempts(step)
        if action.on_item_error == "skip":
            named["on_error"] = literal("skip")
        decorated = call(Code(f"{self.names.method(step)}.item"), **named)
        is_async = not isinstance(action.do, RunsInside)
        return PythonFunction(name, parameters, returns, body, decorator=decorated, is_async=is_async)

    def give(self, step: Step, action: MapItems, value: Value) -> PythonFunction:
        function = self.function(step, action, with_result=True)
        function.note([("result",)])
        given = ValueWriter(function, self.names).value(value)
        lines = [*self.methods.lines(function), *fit(f"return {given}", BODY)]
        returns = Code(annotation(value.type, self.names))
        return self.methods.hooked(step, "give", "{}_given", function, returns, lines)

    def give_instead(self, step: Step, action: MapItems, instead: Value) -> PythonFunction:
        error = FunctionParameter("error", Code("error"), Code("StepError"))
        function = self.methods.function(step, [*self.parameters(action, with_result=False), error])
        function.use_all(action.name)
        given = ValueWriter(function, self.names).value(instead)
        body = self.methods.lines(function, f"return {given}")
        returns = annotation(instead.type, self.names)
        return self.methods.hooked(step, "on_item_error", "{}_item_failed", function, returns, body)

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
            if is_request(action):
                found.append(FunctionParameter("response", Code("response"), Code("HttpResponse")))
        if action.name != "loop":
            found.append(FunctionParameter("loop", Code("loop"), Code("Loop")))
        return found


def kept_items(action: MapItems, function: FunctionBuilder) -> Code:
    """Return the list, without the items that are not wanted."""
    items = function.expression(action.items)
    if action.keep is None:
        return items
    item = item_name(action, function)
    condition = function.expression(action.keep, {(action.name,): item})
    return Code(f"[{item} for {item} in {after_in(items)} if {after_in(condition)}]")


def choices(action: MapItems, keep: Expression, function: FunctionBuilder) -> Code:
    """Return each item of the list, and whether anything is done with it."""
    item, items = item_name(action, function), function.expression(action.items)
    names = function.names.inner([item])
    number, every = names.give(Code("number")), names.give(Code("every"))
    of_loop: dict[Path, Code] = {
        ("loop", "index"): number,
        ("loop", "first"): Code(f"{number} == 1"),
        ("loop", "last"): Code(f"{number} == len({every})"),
    }
    condition = function.expression(keep, {(action.name,): item, **of_loop})
    if of_loop.keys().isdisjoint(keep.uses):
        return Code(f"[({item}, {condition}) for {item} in {after_in(items)}]")
    return Code(
        f"[({item}, {condition}) for {every} in [{items}] for {number}, {item} in enumerate({every}, 1)]"
    )


def item_name(action: MapItems, function: FunctionBuilder) -> Code:
    return function.names.inner().give(local_name(action.name))
