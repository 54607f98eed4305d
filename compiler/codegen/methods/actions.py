"""The action of a step → the expression that performs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wfc.compiler.codegen.bindings import Bindings
from wfc.compiler.codegen.literals.constants import call, constant
from wfc.compiler.codegen.literals.functions import FunctionBuilder, Path
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.pauses import key_text, pause_value, send_call
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.expressions import Template
from wfc.compiler.model import (
    Action,
    AskPerson,
    CommandCall,
    ForgetCall,
    HttpCall,
    Knowledge,
    Model,
    Pause,
    RememberCall,
    RetrieveCall,
    SendEvent,
    Step,
    ToolCall,
    Value,
    WaitEvent,
    WaitFor,
    WaitUntil,
)
from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.slotted import MISSING, fields

__all__ = ["ActionWriter"]


class ActionWriter:
    """A writer of the actions of a workflow's steps, and of the bindings that they call."""

    def __init__(self, bindings: Bindings, names: ModuleNames) -> None:
        self.bindings = bindings
        self.names = names

    def action(self, action: Action, step: Step, function: FunctionBuilder) -> Code:
        """Return the expression that is awaited; for a pause, what it waits for."""
        return WRITERS.get(type(action), ActionWriter.call)(self, action, step, function)

    def http(self, action: HttpCall, step: Step, function: FunctionBuilder) -> Code:
        return self.bindings.request(action.request, function, action.output, step.name)

    def command(self, action: CommandCall, step: Step, function: FunctionBuilder) -> Code:
        return self.bindings.command(action.command, function, action.output, step.name)

    def retrieve(self, action: RetrieveCall, step: Step, function: FunctionBuilder) -> Code:
        collections = [self.collection(each, function) for each in action.knowledge]
        searched = collections[0] if len(collections) == 1 else Code(f"[{', '.join(collections)}]")
        named = {"top": literal(action.top)}
        if action.that is not None:
            known: dict[Path, Code] = {("passage",): Code("passage"), ("about",): Code("passage.typed")}
            named["that"] = Code(f"lambda passage: {function.expression(action.that, known)}")
        for name in ("fetch", "min_score", "unlike"):
            if (value := getattr(action, name)) is not None:
                named[name] = literal(value)
        if isinstance(action.rerank, str):
            named["rerank"] = self.bindings.judge(action.rerank, action.file, step.name)
        elif action.rerank is not None:
            named["rerank"] = self.bindings.model(action.rerank, function)
        if action.neighbours:
            named["neighbours"] = literal(action.neighbours)
        if action.parent:
            named["parent"] = literal(True)
        return call(Code("ctx.retrieve"), searched, function.template(action.query), **named)

    def collection(self, knowledge: Knowledge, function: FunctionBuilder) -> Code:
        """Return a collection; of one that runs write, the part that belongs to a key."""
        whole = self.bindings.collection(knowledge, function)
        if knowledge.per is None:
            return whole
        function.note(knowledge.per.uses)
        return call(Code(f"{whole}.of"), key_text(knowledge.per, function))

    def remember(self, action: RememberCall, _step: Step, function: FunctionBuilder) -> Code:
        named = {}
        if action.about:
            named["about"] = ValueWriter(function, self.names).pairs(action.about)
        whose = self.collection(action.knowledge, function)
        return call(Code("ctx.remember"), whose, function.template(action.text), **named)

    def forget(self, action: ForgetCall, _step: Step, function: FunctionBuilder) -> Code:
        one = [] if action.passage is None else [function.template(action.passage)]
        return call(Code("ctx.forget"), self.collection(action.knowledge, function), *one)

    def send(self, action: SendEvent, _step: Step, function: FunctionBuilder) -> Code:
        return send_call(action, function, self.names)

    def pause(self, action: Pause, step: Step, function: FunctionBuilder) -> Code:
        return pause_value(action, step, function, self.bindings, self.names)

    def call(self, action: Any, step: Step, function: FunctionBuilder) -> Code:
        """Return the call of the context's method that has the name of the action's kind.

        The fields of the action are its arguments: those without a default by their position, the others by their
        names, and not at all where they have their default.
        """
        positional: list[Code] = []
        named: dict[str, Code] = {}
        for each in fields(action):
            value = getattr(action, each.name)
            if each.default is MISSING:
                positional.append(self.argument(each.name, value, step, function))
            elif each.name == "output":
                named |= {} if value == each.default else self.bindings.output(value, step.name)
            elif value != each.default:
                named[each.name] = self.argument(each.name, value, step, function)
        return call(_method_of(type(action)), *positional, **named)

    def argument(self, name: str, value: object, step: Step, function: FunctionBuilder) -> Code:
        """Return an argument of the context's method."""
        match value:
            case Model():
                return self.bindings.model(value, function)
            case Template():
                return self.bindings.text(value, f"{step.name}_{name}", function)
            case Value():
                return ValueWriter(function, self.names).value(value)
        return literal(value)

    def tool(self, action: ToolCall, step: Step, function: FunctionBuilder) -> Code:
        values = ValueWriter(function, self.names)
        args = {name: values.value(value) for name, value in action.args}
        if action.tool.python is not None:
            tool = self.bindings.python_tool(action.tool, action.output, step)
            for name, field in action.tool.args.fields.items():
                if name not in args and field.has_default:
                    args[name] = constant(field.default, field.type, self.names)
            declared = action.tool.args.fields
            outside = {name: field.name_outside for name, field in declared.items()}
            pairs = ", ".join(f"{literal(outside.get(name, name))}: {value}" for name, value in args.items())
            return call(Code("ctx.tool"), tool, Code(f"{{{pairs}}}"))
        tool = self.bindings.http_tool(action.tool, action.output, function)
        positional = [Code("ctx")]
        if tool in self.bindings.configured:
            function.note([("config",)])
            positional.append(Code("config"))
        words = self.bindings.words[tool]
        return call(tool, *positional, **{words[name]: value for name, value in args.items()})


_METHODS: Final[dict[type, Code]] = {}


def _method_of(node: type) -> Code:
    if node not in _METHODS:
        kind = next(name for name, each in STEP_KINDS.items() if node in each.nodes)
        _METHODS[node] = Code(f"ctx.{kind}")
    return _METHODS[node]


WRITERS: Final[dict[type, Callable[[ActionWriter, Any, Step, FunctionBuilder], Code]]] = {
    ToolCall: ActionWriter.tool,
    HttpCall: ActionWriter.http,
    CommandCall: ActionWriter.command,
    RetrieveCall: ActionWriter.retrieve,
    RememberCall: ActionWriter.remember,
    ForgetCall: ActionWriter.forget,
    SendEvent: ActionWriter.send,
    AskPerson: ActionWriter.pause,
    WaitFor: ActionWriter.pause,
    WaitUntil: ActionWriter.pause,
    WaitEvent: ActionWriter.pause,
}
"""How the one expression of an action is generated that is more than a call of the context's method of its name.

A `map` and a workflow call are methods of their own (`steps`).
"""
