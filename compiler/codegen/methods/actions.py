"""The action of a step → the expression that performs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wfc.compiler.codegen.bindings import Bindings
from wfc.compiler.codegen.literals.constants import call, constant
from wfc.compiler.codegen.literals.functions import FunctionBuilder
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.pauses import pause_value, send_call
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.model import (
    Action,
    AskPerson,
    CommandCall,
    HttpCall,
    LlmCall,
    Pause,
    SendEvent,
    Step,
    ToolCall,
    WaitEvent,
    WaitFor,
    WaitUntil,
)
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import STRING

__all__ = ["ActionWriter"]

ARGUMENTS: Final = {"tokens": "stream"}
"""What keys of `stream` are called in `ctx.llm`, where that is not the same."""


class ActionWriter:
    """A writer of the actions of a workflow's steps, and of the bindings that they call."""

    def __init__(self, bindings: Bindings, names: ModuleNames) -> None:
        self.bindings = bindings
        self.names = names

    def action(self, action: Action, step: Step, function: FunctionBuilder) -> Code:
        """Return the expression that is awaited; for a pause, what it waits for."""
        return WRITERS[type(action)](self, action, step, function)

    def http(self, action: HttpCall, step: Step, function: FunctionBuilder) -> Code:
        return self.bindings.request(action.request, function, action.output, step.name)

    def command(self, action: CommandCall, step: Step, function: FunctionBuilder) -> Code:
        return self.bindings.command(action.command, function, action.output, step.name)

    def send(self, action: SendEvent, _step: Step, function: FunctionBuilder) -> Code:
        return send_call(action, function, self.names)

    def pause(self, action: Pause, step: Step, function: FunctionBuilder) -> Code:
        return pause_value(action, step, function, self.bindings, self.names)

    def llm(self, action: LlmCall, step: Step, function: FunctionBuilder) -> Code:
        model = self.bindings.model(action.model, function)
        prompt = self.bindings.text(action.prompt, f"{step.name}_prompt", function)
        named: dict[str, Code] = {}
        if action.system is not None:
            named["system"] = self.bindings.text(action.system, f"{step.name}_system", function)
        if action.history is not None:
            named["history"] = ValueWriter(function, self.names).value(action.history)
        if action.files is not None:
            named["files"] = ValueWriter(function, self.names).value(action.files)
        if action.output != STRING:
            named |= self.bindings.output(action.output, step.name)
        named |= {ARGUMENTS.get(key, key): literal(True) for key in action.shown}
        return call(Code("ctx.llm"), model, prompt, **named)

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


WRITERS: Final[dict[type, Callable[[ActionWriter, Any, Step, FunctionBuilder], Code]]] = {
    LlmCall: ActionWriter.llm,
    ToolCall: ActionWriter.tool,
    HttpCall: ActionWriter.http,
    CommandCall: ActionWriter.command,
    SendEvent: ActionWriter.send,
    AskPerson: ActionWriter.pause,
    WaitFor: ActionWriter.pause,
    WaitUntil: ActionWriter.pause,
    WaitEvent: ActionWriter.pause,
}
"""How the one expression of each action is generated. A `map` and a workflow call are methods of their own (`steps`).

This is the last place for a new kind; what it looks like is named in `model/kinds.py`.
"""
