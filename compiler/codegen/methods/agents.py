"""Agents → the functions that call their tools, the data of each agent, and the class of its loop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.codegen.bindings import Bindings, context_type
from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import PartClass, PythonFunction
from wfc.compiler.expressions import Expression
from wfc.compiler.expressions.python.annotations import annotation
from wfc.compiler.model import AgentCall, Step, Tool, ToolUse, Value, Workflow
from wfc.compiler.python.literals import Code, class_name, constant_name, field_name, literal, pascal_case
from wfc.compiler.types import STRING

__all__ = ["AgentWriter"]

SHOWN: Final = {"tokens": "text", "thinking": "thinking"}
"""What keys of `stream` are called in ``Agent``."""


class AgentWriter:
    """A writer of the agents of a workflow's steps."""

    def __init__(self, workflow: Workflow, names: ModuleNames, bindings: Bindings) -> None:
        self.workflow = workflow
        self.names = names
        self.bindings = bindings
        self.calls: dict[int, Code] = {}
        self.configured: set[Code] = set()

    def pause(self, action: AgentCall, step: Step, function: FunctionBuilder) -> Code:
        """Return the pause in which an agent works."""
        loop = self.loop(action, step)
        given = {"prompt": self.bindings.text(action.prompt, f"{step.name}_prompt", function)}
        system = action.system or action.agent.system
        if system is not None:
            given["system"] = self.bindings.text(system, f"{step.name}_system", function)
        values = ValueWriter(function, self.names)
        bound = [(use.tool, use.bound) for use in action.agent.tools if use.bound]
        if bound:
            listed = ", ".join(
                f"{literal(tool.name)}: {values.pairs(named_outside(tool, args))}" for tool, args in bound
            )
            given["bound"] = Code(f"{{{listed}}}")
        if isinstance(step.timeout, Expression):
            given["timeout"] = function.expression(step.timeout)
        pairs = ", ".join(f"{literal(name)}: {value}" for name, value in given.items())
        return call(Code("Child"), loop, Code(f"{{{pairs}}}"))

    def loop(self, action: AgentCall, step: Step) -> Code:
        """Return the class of an agent's loop, which is printed after the functions that it mentions."""
        name = self.names.scope.give(class_name(f"{pascal_case(step.name)}Agent"))
        named = {"agent": self.agent(action, step), "name": literal(f"{self.workflow.name}.{step.name}")}
        if self.workflow.config.fields:
            named["config"] = Code("Config")
        bases = call(Code("AgentLoop"), Code("AgentLoop"), **named)
        head = Code(bases.removeprefix("AgentLoop(").removesuffix(")"))
        said = docstring(f"The work of the agent `{action.agent.name}`.", INDENT)
        self.bindings.parts.append(PartClass(name, head, said))
        return name

    def agent(self, action: AgentCall, step: Step) -> Code:
        """Return the constant that says what an agent is."""
        agent = action.agent
        assert agent.model is not None, agent.name
        named: dict[str, Code] = {}
        if agent.tools:
            listed = [self.tool(use, step) for use in agent.tools]
            named["tools"] = Code(f"[{', '.join(listed)}]")
        if action.output != STRING:
            named |= self.bindings.output(action.output, step.name)
        named |= {key: literal(value) for key, value in agent.bounds.items()}
        if step.retry is not None:
            named["retry_policy"] = self.bindings.retry(step.retry)
        if isinstance(step.timeout, float):
            named["timeout"] = literal(step.timeout)
        if shown := [SHOWN[key] for key in action.shown if key in SHOWN]:
            named["shown"] = literal(shown)
        name = self.names.scope.give(constant_name(f"{step.name}_agent"))
        made = call(Code("Agent"), literal(agent.name), self.bindings.declared(agent.model), **named)
        self.bindings.agents.append(fit(f"{name} = {made}"))
        return name

    def tool(self, use: ToolUse, step: Step) -> Code:
        """Return a tool as an agent has it."""
        tool = use.tool
        called = self.call(tool, step)
        named: dict[str, Code] = {}
        if tool.description:
            named["description"] = literal(tool.description)
        if tool.timeout is not None:
            named["timeout"] = literal(tool.timeout)
        if use.bound:
            fields = tool.args.fields
            named["bound"] = literal([fields[name].name_outside for name, _ in use.bound])
        if use.final:
            named["final"] = literal(True)
        if called in self.configured:
            named["takes_config"] = literal(True)
        return call(Code("AgentTool"), literal(tool.name), called, self.names.of(tool.args), **named)

    def call(self, tool: Tool, step: Step) -> Code:
        """Return the function that calls a tool with a record of its arguments."""
        if id(tool) not in self.calls:
            name = self.names.scope.give(f"call_{tool.name}")
            self.calls[id(tool)] = name
            self.bindings.functions.append(self.call_function(name, tool, step))
        return self.calls[id(tool)]

    def call_function(self, name: Code, tool: Tool, step: Step) -> PythonFunction:
        at_hand = (FunctionParameter("config", Code("config"), self.names.config),)
        function = FunctionBuilder(self.names.scope.inner(["ctx", "args"]), at_hand)
        values = {each.name: Code(f"args.{field_name(each.name)}") for each in tool.args.fields.values()}
        if tool.python is not None:
            outside = {each.name: each.name_outside for each in tool.args.fields.values()}
            pairs = ", ".join(f"{literal(outside[each])}: {value}" for each, value in values.items())
            constant = self.bindings.python_tool(tool, tool.output, step)
            done = call(Code("ctx.tool"), constant, Code(f"{{{pairs}}}"))
        else:
            called = self.bindings.http_tool(tool, tool.output, function)
            positional = [Code("ctx")]
            if called in self.bindings.configured:
                function.note([("config",)])
                positional.append(Code("config"))
            words = self.bindings.words[called]
            done = call(called, *positional, **{words[each]: value for each, value in values.items()})
        if function.used:
            self.configured.add(name)
        head = [Code(f"ctx: {context_type(self.workflow)}"), *function.parameters]
        head.append(Code(f"args: {self.names.of(tool.args)}"))
        body = fit(f"return await {done}", INDENT)
        return PythonFunction(name, head, annotation(tool.output, self.names), body, is_async=True)


def named_outside(tool: Tool, args: Iterable[tuple[str, Value]]) -> tuple[tuple[str, Value], ...]:
    """Return arguments by the names that they have outside."""
    return tuple((tool.args.fields[name].name_outside, value) for name, value in args)
