"""What an agent under `agents` works out of its arguments → functions of these and of the config."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.codegen.bindings import Bindings, fit_nested
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.literals.negation import negated
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import PythonFunction
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.expressions.generation import generate_body
from wfc.compiler.model import Agent, Approval, ToolUse, Workflow
from wfc.compiler.python.literals import Code, literal, local_name

__all__ = ["AgentTexts"]

NOTHING = Code("None")


class AgentTexts:
    """A writer of the functions of agents under `agents`; each is written once."""

    def __init__(self, workflow: Workflow, names: ModuleNames, bindings: Bindings) -> None:
        self.workflow, self.names, self.bindings = workflow, names, bindings
        self.known: dict[int, dict[str, Code]] = {}
        self.approvals: dict[int, Code] = {}
        self.offers: dict[int, Code] = {}

    def has_any(self, agent: Agent) -> bool:
        """Return whether an agent has such functions."""
        texts = [each for each in (agent.system, agent.prompt) if each is not None]
        return any(each.constant is None for each in texts) or any(use.bound for use in agent.tools)

    def of(self, agent: Agent) -> dict[str, Code]:
        """Return the arguments of an agent that are such functions, or texts; none for one that stands in a step."""
        if agent.args is None:
            return {}
        if id(agent) not in self.known:
            self.known[id(agent)] = self.written(agent)
        return self.known[id(agent)]

    def written(self, agent: Agent) -> dict[str, Code]:
        named: dict[str, Code] = {}
        if self.args_of(agent) != NOTHING:
            named["args"] = self.args_of(agent)
        if agent.prompt is not None:
            named["prompt"] = self.text(agent, agent.prompt, "prompt")
        if agent.system is not None and agent.system.constant is not None:
            nothing = FunctionBuilder(self.names.scope, ())
            named["system"] = self.bindings.text(agent.system, f"{agent.name}_system", nothing)
        elif agent.system is not None:
            named["system"] = self.text(agent, agent.system, "system")
        if any(use.bound for use in agent.tools):
            named["bind"] = self.bind(agent)
        if agent.sees != "said":
            named["sees"] = literal(agent.sees)
        return named

    def args_of(self, agent: Agent) -> Code:
        """Return the class of what an agent takes; ``None`` where nobody gives it that."""
        return self.names.classes.get(id(agent.args), NOTHING)

    def begun(self, agent: Agent, more: Sequence[FunctionParameter] = ()) -> FunctionBuilder:
        """Begin a function of an agent's arguments and the config."""
        config = self.names.config if self.workflow.config.fields else NOTHING
        at_hand = (
            FunctionParameter("args", Code("args"), self.args_of(agent)),
            FunctionParameter("config", Code("config"), config),
            *more,
        )
        return FunctionBuilder(self.names.scope, at_hand)

    def write(self, name: str, function: FunctionBuilder, returns: str, body: Sequence[str]) -> Code:
        given = self.names.scope.give(local_name(name))
        parameters = [each.code for each in function.at_hand]
        self.bindings.functions.append(PythonFunction(given, parameters, Code(returns), body))
        return given

    def text(self, agent: Agent, template: Template, what: str) -> Code:
        """Return the function that gives a text."""
        function = self.begun(agent)
        if template.statements or "\n" in template.text:
            body = [line for each in generate_body(template, function.known) for line in fit_nested(each)]
        else:
            body = fit(f"return {function.template(template)}", INDENT)
        return self.write(f"{agent.name}_{what}", function, "str", body)

    def bind(self, agent: Agent) -> Code:
        """Return the function that gives what the model does not choose, by tool."""
        function = self.begun(agent)
        values = ValueWriter(function, self.names)
        pairs = []
        for use in agent.tools:
            fields = use.tool.args.fields
            bound = tuple((fields[name].name_outside, value) for name, value in use.bound)
            if bound:
                pairs.append(f"{literal(use.tool.name)}: {values.pairs(bound)}")
        body = fit(f"return {{{', '.join(pairs)}}}", INDENT)
        return self.write(f"bind_{agent.name}", function, "dict[str, dict[str, Any]]", body)

    def offer(self, agent: Agent, use: ToolUse, when: Expression) -> Code:
        """Return the function that tells whether a tool is offered."""
        if id(use) not in self.offers:
            function = self.begun(agent)
            body = fit(f"return {function.expression(when)}", INDENT)
            name = f"offer_{agent.name}_{use.tool.identifier}"
            self.offers[id(use)] = self.write(name, function, "bool", body)
        return self.offers[id(use)]

    def approval(self, agent: Agent, use: ToolUse, approval: Approval) -> Code:
        """Return the function that tells whether, and how, a person has to allow a call."""
        if id(use) not in self.approvals:
            self.approvals[id(use)] = self.written_approval(agent, use, approval)
        return self.approvals[id(use)]

    def written_approval(self, agent: Agent, use: ToolUse, approval: Approval) -> Code:
        given = FunctionParameter("call", Code("call"), self.names.of(use.tool.args))
        function = self.begun(agent, [given])
        function.known["call", "args"] = Code("call")
        named: dict[str, Code] = {}
        if approval.title is not None:
            named["title"] = function.template(approval.title)
        if approval.show is not None:
            named["show"] = self.bindings.text(
                approval.show, f"{agent.name}_{use.tool.identifier}_show", function
            )
        if approval.assign:
            named["assign"] = Code(f"[{', '.join(function.template(each) for each in approval.assign)}]")
        named["within"] = literal(approval.within)
        asked = fit(f"return {call(Code('Approval'), **named)}", INDENT)
        returns, body = "Approval", asked
        if approval.when is not None:
            condition = function.expression(approval.when)
            returns = "Approval | None"
            body = [*fit(f"if {negated(condition)}:", INDENT), f"{' ' * INDENT}return None", *asked]
        return self.write(f"approve_{agent.name}_{use.tool.identifier}", function, returns, body)
