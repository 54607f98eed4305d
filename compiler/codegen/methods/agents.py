"""Agents → the functions that call their tools, the data of each agent, and the class of its loop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.codegen.bindings import Bindings, context_type
from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call, tuple_of
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.agent_collections import collection_function, keys_of
from wfc.compiler.codegen.methods.agent_texts import AgentTexts
from wfc.compiler.codegen.methods.pauses import key_text
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import PartClass, PythonFunction
from wfc.compiler.expressions import Expression
from wfc.compiler.expressions.python.annotations import annotation
from wfc.compiler.model import (
    Agent,
    AgentCall,
    HandOver,
    Step,
    Thread,
    ThreadUse,
    Tool,
    ToolUse,
    Value,
    Workflow,
)
from wfc.compiler.model.agents import system_in_each_turn, writes_code
from wfc.compiler.python.literals import Code, class_name, constant_name, field_name, literal, pascal_case
from wfc.compiler.types import STRING

__all__ = ["AgentWriter"]

SHOWN: Final = {"tokens": "text", "thinking": "thinking", "calls": "calls"}
"""What keys of `stream` are called in ``Agent``."""


class AgentWriter:
    """A writer of the agents of a workflow's steps."""

    def __init__(self, workflow: Workflow, names: ModuleNames, bindings: Bindings) -> None:
        self.workflow = workflow
        self.names = names
        self.bindings = bindings
        self.texts = AgentTexts(workflow, names, bindings)
        self.calls: dict[int, Code] = {}
        self.threads: dict[int, Code] = {}
        self.configured: set[Code] = set()

    def pause(self, action: AgentCall, step: Step, function: FunctionBuilder) -> Code:
        """Return the pause in which an agent works."""
        team = TeamWriter(self, action, step)
        loop = team.loop(action.agent)
        values = ValueWriter(function, self.names)
        given: dict[str, Code] = {}
        if action.prompt is not None:
            given["prompt"] = self.bindings.text(action.prompt, f"{step.name}_prompt", function)
        if isinstance(step.timeout, Expression):
            given["timeout"] = function.expression(step.timeout)
        if action.history is not None:
            given["history"] = values.value(action.history)
        if action.files is not None:
            given["files"] = values.value(action.files)
        if action.thread is not None:
            given |= thread_of(action.thread, function)
        agent = action.agent
        given |= keys_of(agent, function)
        if agent.args is not None:
            positional = self.positional(action, values, function)
            asked = call(Code(f"{team.constants[id(agent)]}.asked"), *positional, **given)
            return call(Code("Child"), loop, asked)
        if action.system is not None and system_in_each_turn(agent, action.system) is None:
            given["system"] = self.bindings.text(action.system, f"{step.name}_system", function)
        bound = [(use.tool, use.bound) for use in agent.tools if use.bound]
        if bound:
            listed = ", ".join(
                f"{literal(tool.name)}: {values.pairs(named_outside(tool, args))}" for tool, args in bound
            )
            given["bound"] = Code(f"{{{listed}}}")
        pairs = ", ".join(f"{literal(name)}: {value}" for name, value in given.items())
        return call(Code("Child"), loop, Code(f"{{{pairs}}}"))

    def positional(self, action: AgentCall, values: ValueWriter, function: FunctionBuilder) -> list[Code]:
        """Return what an agent under `agents` is given, and the config, as far as it mentions them."""
        agent, found = action.agent, [Code("None")]
        if action.args is not None and agent.args is not None:
            named = {field_name(name): values.value(value) for name, value in action.args}
            found = [call(self.names.of(agent.args), **named)]
        if self.workflow.config.fields and self.texts.has_any(agent):
            function.note([("config",)])
            return [*found, Code("config")]
        return [] if found == [Code("None")] else found

    def tool(self, use: ToolUse, step: Step, owner: Agent) -> tuple[list[Code], dict[str, Code]]:
        """Return the arguments of a tool that is no agent."""
        named: dict[str, Code] = {}
        if use.tool.workflow is not None:
            named["workflow"] = literal(use.tool.workflow)
            return [literal(use.tool.name), Code("None"), self.names.of(use.tool.args)], named
        called = self.call(use, step)
        if use.collection is not None and use.collection.knowledge.per is not None:
            named["takes_key"] = literal(use.collection.knowledge.name)
        if use.tool.timeout is not None:
            named["timeout"] = literal(use.tool.timeout)
        if called in self.configured:
            named["takes_config"] = literal(True)
        if use.tool.schema is not None:
            named["foreign"] = self.bindings.schema(use.tool)
        if (asks := use.tool.ask) is not None:
            how = {"assign": literal(list(asks.assign))} if asks.assign else {}
            named["ask"] = call(Code("AskingTool"), literal(asks.within), **how)
        return [literal(use.tool.name), called, self.names.of(use.tool.args)], named

    def call(self, use: ToolUse, step: Step) -> Code:
        """Return the function that calls a tool with a record of its arguments."""
        tool = use.tool
        if id(tool) not in self.calls:
            name = self.names.scope.give(f"call_{tool.identifier}")
            self.calls[id(tool)] = name
            if use.collection is None:
                function = self.call_function(name, tool, step)
            else:
                function, takes_config = collection_function(
                    name, tool, use.collection, self.workflow, self.names, self.bindings
                )
                self.configured |= {name} if takes_config else set()
            self.bindings.functions.append(function)
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


class TeamWriter:
    """A writer of the agents that come to work in one step, each with the step's retry policy and its time-out.

    Args:
        writer: The writer of all agents.
    """

    def __init__(self, writer: AgentWriter, action: AgentCall, step: Step) -> None:
        self.writer = writer
        self.names, self.bindings = writer.names, writer.bindings
        self.action, self.step = action, step
        self.constants: dict[int, Code] = {}
        self.loops: dict[int, Code] = {}
        self.pending: list[list[str]] = []

    def is_first(self, agent: Agent) -> bool:
        return agent is self.action.agent

    def loop(self, agent: Agent) -> Code:
        """Return the class of an agent's loop, which is printed after what it mentions."""
        if id(agent) in self.loops:
            return self.loops[id(agent)]
        team = handed_over_to(agent)
        for one in team:
            for use in one.tools:
                if use.agent is not None:
                    self.loop(use.agent)
        constants = [self.constant(one) for one in reversed(team)]
        own = "" if self.is_first(agent) else pascal_case(agent.name)
        name = self.names.scope.give(class_name(f"{pascal_case(self.step.name)}{own}Agent"))
        known_as = f"{self.writer.workflow.name}.{self.step.name}"
        named = {"agent": constants[-1]}
        thread = self.action.thread if self.is_first(agent) else None
        if thread is not None:
            named["thread"] = self.thread(thread.thread)
        if len(team) > 1:
            named["team"] = tuple_of(constants[:-1])
        named["name"] = literal(known_as if self.is_first(agent) else f"{known_as}.{agent.name}")
        if self.writer.workflow.config.fields:
            named["config"] = Code("Config")
        loop = Code("AgentLoop" if thread is None else "ThreadedLoop")
        if writes_code(agent):
            loop = Code("CodeLoop")
        elif agent.own_style is not None:
            loop = Code("WorkflowLoop")
        bases = call(Code("AgentLoop"), loop, **named)
        head = Code(bases.removeprefix("AgentLoop(").removesuffix(")"))
        said = docstring(f"The work of the agent `{agent.name}`.", INDENT)
        self.bindings.parts.append(PartClass(self.pending, name, head, said))
        self.pending = []
        self.loops[id(agent)] = name
        return name

    def thread(self, thread: Thread) -> Code:
        """Return the constant that says what a thread is."""
        known = self.writer.threads
        if id(thread) not in known:
            name = self.names.scope.give(constant_name(f"{thread.name}_thread"))
            named: dict[str, Code] = {}
            for key in ("messages", "tokens", "seconds"):
                if (value := getattr(thread, key)) is not None:
                    named[key] = literal(value)
            if thread.summarize is not None:
                named["summarize"] = self.bindings.declared(thread.summarize)
            made = call(Code("KeptThread"), literal(f"{self.writer.workflow.name}.{thread.name}"), **named)
            self.pending.append(fit(f"{name} = {made}"))
            known[id(thread)] = name
        return known[id(thread)]

    def constant(self, agent: Agent) -> Code:
        """Return the constant that says what an agent is."""
        if id(agent) in self.constants:
            return self.constants[id(agent)]
        step, named = self.step, dict[str, Code]()
        tools = [*(self.tool(use, agent) for use in agent.tools), *map(self.hand_over, agent.handoffs)]
        if tools:
            named["tools"] = Code(f"[{', '.join(tools)}]")
        output = self.action.output if self.is_first(agent) else agent.output
        if output != STRING:
            named |= self.bindings.output(output, step.name if self.is_first(agent) else agent.name)
        limits = self.action.limits if self.is_first(agent) else {}
        named |= {key: literal(value) for key, value in {**agent.bounds, **limits}.items()}
        if (style := agent.own_style) is not None:
            named["style"] = call(Code("WorkflowStyle"), literal(style.workflow), literal(list(style.takes)))
        if step.retry is not None and agent.model is not None:
            named["retry_policy"] = self.bindings.retry(step.retry)
        if isinstance(step.timeout, float) and agent.model is not None:
            named["timeout"] = literal(step.timeout)
        if shown := [SHOWN[key] for key in self.action.shown if key in SHOWN]:
            named["shown"] = literal(shown)
        named |= self.writer.texts.of(agent)
        own = "" if self.is_first(agent) else f"{agent.name}_"
        name = self.names.scope.give(constant_name(f"{step.name}_{own}agent"))
        model = Code("None") if agent.model is None else self.bindings.declared(agent.model)
        made = call(Code("Agent"), literal(agent.name), model, **named)
        self.pending.append(fit(f"{name} = {made}"))
        self.constants[id(agent)] = name
        return name

    def tool(self, use: ToolUse, owner: Agent) -> Code:
        """Return a tool as an agent has it."""
        named: dict[str, Code] = {}
        if use.agent is None:
            positional, more = self.writer.tool(use, self.step, owner)
        else:
            positional = [literal(use.tool.name), Code("None"), self.names.of(use.tool.args)]
            more = {"agent": self.loops[id(use.agent)]}
        if use.tool.description:
            named["description"] = literal(use.tool.description)
        named |= more
        if use.bound:
            fields = use.tool.args.fields
            named["bound"] = literal([fields[name].name_outside for name, _ in use.bound])
        if use.final:
            named["final"] = literal(True)
        if use.save:
            named["saves"] = literal(True)
            named |= self.bindings.output(use.tool.output, use.tool.name) or {"output": Code("Any")}
        if owner.args is not None and use.when is not None:
            named["when"] = self.writer.texts.offer(owner, use, use.when)
        if owner.args is not None and use.approval is not None:
            named["approve"] = self.writer.texts.approval(owner, use, use.approval)
        return call(Code("AgentTool"), *positional, **named)

    def hand_over(self, wanted: HandOver) -> Code:
        """Return the tool by which an agent hands over."""
        args = wanted.agent.args
        assert args is not None, wanted.agent.name
        named = {"description": literal(f"Hands over to {wanted.agent.name}: {wanted.agent.description}")}
        if wanted.kept:
            named["bound"] = literal([args.fields[name].name_outside for name in wanted.kept])
        named["hand_over"] = literal(wanted.agent.name)
        name = literal(f"hand_over_to_{wanted.agent.name}")
        return call(Code("AgentTool"), name, Code("None"), self.names.of(args), **named)


def thread_of(use: ThreadUse, function: FunctionBuilder) -> dict[str, Code]:
    """Return what tells a loop the talk that it goes on with, and what it keeps of it."""
    if use.thread.key is not None:
        function.note(use.thread.key.uses)
        given = {"thread": key_text(use.thread.key, function)}
    else:
        function.note([("run",)])
        given = {"thread": Code("run.id")}
    if use.say is not None:
        given["kept_as"] = function.template(use.say)
    if use.read_only:
        given["read_only"] = literal(True)
    return given


def handed_over_to(agent: Agent) -> list[Agent]:
    """Return an agent and those that may go on in its place, by one hand-over or several."""
    found = [agent]
    for one in found:
        found += [each.agent for each in one.handoffs if all(each.agent is not other for other in found)]
    return found


def named_outside(tool: Tool, args: Iterable[tuple[str, Value]]) -> tuple[tuple[str, Value], ...]:
    """Return arguments by the names that they have outside."""
    return tuple((tool.args.fields[name].name_outside, value) for name, value in args)
