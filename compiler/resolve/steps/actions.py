"""The one action of a step, and what its result is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import (
    Action,
    AgentCall,
    Call,
    CommandCall,
    ForgetCall,
    HttpCall,
    LlmCall,
    RememberCall,
    RetrieveCall,
    Tool,
    ToolCall,
    Value,
    WorkflowCall,
)
from wfc.compiler.python.literals import pascal_case
from wfc.compiler.resolve.declarations import (
    called_workflows,
    commands,
    defaults,
    operations,
    requests,
    tools,
)
from wfc.compiler.resolve.steps import agent_calls, searches, workflow_calls
from wfc.compiler.resolve.symbols.contracts import CalledWorkflow
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import texts
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import values as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import (
    ANY,
    FILE,
    INTEGER,
    MESSAGE,
    STRING,
    UNKNOWN,
    ListOf,
    Type,
    assignable,
    parse_type,
    show,
)

__all__ = ["HIDING_USES", "ActionResolver", "ResolvedAction", "shown_of_answer"]

HIDING_USES: Final = frozenset({"braces-without-dollar", "expression-as-text", "unknown-type"})
"""Findings of what may be meant as a use of the result, or hides one."""


IN_PLACE: Final = "the output of `"
"""How a record is shown that is written out where something says what it gives."""


@dataclass(frozen=True, slots=True)
class ResolvedAction:
    """The resolved action of a step.

    Args:
        result: The type of what it gives; ``None`` without an action.
        wanted: Where the step asks for a structured result that its tail has to use, if it does.
        call: What goes into a call may mention, where that is more than what the step's run begins with.
        outcome: What `require` may mention, where that is not what the tail may.
    """

    action: Action | None
    result: Type | None
    wanted: Place | None = None
    call: Scope | None = None
    outcome: Scope | None = None


@dataclass(slots=True)
class ActionResolver:
    """Resolves the one call of a step, or of the items of a `map`.

    Args:
        name: The step's.
        data: What the step says, or its `do`.
        place: Where that stands.
        reader: Reads expressions, and keeps their uses.
        shown: What of a model's answer is to be shown while it comes; see ``shown_of_answer``.
    """

    name: str
    data: Data
    place: Place
    declared: Declarations
    reader: ValueReader
    shown: tuple[str, ...] = ()

    def result(self, tool: Tool | None) -> Type | None:
        """Return the type of the action's result; ``None`` for a step without an action."""
        call = self.kind_of_call()
        if call is None:
            return None if self.data.get("kind") == "transform" else UNKNOWN
        if not call.has_output:
            return call.result(self, tool, None)
        if self.declared.is_broken((*self.place.address, "output")):
            return UNKNOWN
        return call.result(self, tool, self.declared_output())

    def kind_of_call(self) -> KindOfCall | None:
        return CALLS.get(str(self.data.get("kind")))

    def declared_output(self) -> Type | None:
        """Return the type that the step declares under `output`; ``None`` if it declares none."""
        if "output" not in self.data:
            return None
        return parse_type(
            self.data["output"],
            self.place / "output",
            self.declared.types,
            self.declared.report,
            f"{pascal_case(self.name)}Result",
        )

    def tool_result(self, tool: Tool | None, own: Type | None) -> Type:
        """Return the type that the step expects of the tool, or else the tool's own output type."""
        if tool is None:
            return UNKNOWN if own is None else own
        given = tool.output
        if tool.workflow is not None:
            found = called_workflows.workflow_of_tool(tool, self.declared)
            given = workflow_calls.call_result(found, self.data)
        if own is None:
            return given
        if given != ANY and not assignable(given, own):
            why = f"tool `{tool.name}` gives {show(given)}, and the step wants {show(own)}"
            if show(given).startswith(IN_PLACE) and show(own).startswith(IN_PLACE):
                why = f"what tool `{tool.name}` gives is declared where the tool is, and this would be another record"
            hint = "leave out the step's `output`: the tool says itself what it gives"
            self.declared.report(problems.wrong_value(self.place / "output", why, hint))
            return UNKNOWN
        return own if tool.workflow is None else given

    def tool(self) -> Tool | None:
        """Return the tool of a `tool` step, by name or written in place."""
        binding = self.data.get("tool")
        found: Tool | None = None
        if isinstance(binding, str):
            found = operations.find_tool(binding, self.place / "tool", self.declared)
        elif isinstance(binding, dict):
            found = tools.resolve_tool(self.name, binding, self.place / "tool", self.declared)
        if found is None or not (found.operations is not None or found.group):
            return found
        self.declared.tools.used.add(found.group)
        one = operations.one_operation(found, self.place / "tool", self.declared)
        self.declared.tools.used.update(() if one is None else (one.name,))
        return one

    def sends_request(self, tool: Tool | None) -> bool:
        """Return whether the action sends a request; so it may be if its tool is not known."""
        kind = self.data.get("kind")
        return kind == "http" or (kind == "tool" and (tool is None or tool.sends_request))

    def action(self, tool: Tool | None, result: Type | None, scope: Scope) -> Call | None:
        """Return the step's action; ``None`` if it is not known, or if there is none."""
        call = self.kind_of_call()
        return None if call is None else call.action(self, tool, result, scope)

    def http(self, _tool: Tool | None, result: Type | None, scope: Scope) -> HttpCall:
        request = requests.resolve_request(self.data, self.place, scope, self.declared, self.reader)
        return HttpCall(request, result or ANY)

    def command(self, _tool: Tool | None, result: Type | None, scope: Scope) -> CommandCall:
        command = commands.resolve_command(self.data, self.place, scope, self.declared, self.reader)
        return CommandCall(command, result or STRING)

    def workflow(self, _tool: Tool | None, _result: Type | None, scope: Scope) -> WorkflowCall | None:
        return workflow_calls.resolve_call(self.called(), self.data, self.place, scope, self.reader)

    def agent(self, _tool: Tool | None, result: Type | None, scope: Scope) -> AgentCall | None:
        return agent_calls.resolve_agent_call(
            self.name, self.data, self.place, result, scope, self.declared, self.reader, self.shown
        )

    def retrieve(self, _tool: Tool | None, _result: Type | None, scope: Scope) -> RetrieveCall | None:
        return searches.resolve_search(self.data, self.place, scope, self.declared, self.reader)

    def remember(self, _tool: Tool | None, _result: Type | None, scope: Scope) -> RememberCall | None:
        return searches.resolve_remembering(self.data, self.place, scope, self.declared, self.reader)

    def forget(self, _tool: Tool | None, _result: Type | None, scope: Scope) -> ForgetCall | None:
        return searches.resolve_forgetting(self.data, self.place, scope, self.declared, self.reader)

    def tool_call(self, tool: Tool | None, result: Type | None, scope: Scope) -> Call | None:
        if tool is not None and tool.workflow is not None:
            found = called_workflows.workflow_of_tool(tool, self.declared)
            return workflow_calls.resolve_call(found, self.data, self.place, scope, self.reader)
        args = self.args(tool, scope)
        return ToolCall(tool, args, result or ANY) if tool is not None else None

    def called(self) -> tuple[CalledWorkflow, ...] | None:
        """Return the workflows of which a step of kind `workflow` runs one."""
        found = workflow_calls.find_callees(self.data.get("workflow"), self.place / "workflow", self.declared)
        return (
            found if self.data.get("detach") is True else called_workflows.unless_itself(found, self.declared)
        )

    def args(self, tool: Tool | None, scope: Scope) -> tuple[tuple[str, Value], ...]:
        given = self.data.get("with", {})
        place = self.place / "with"
        if not isinstance(given, dict) or self.declared.is_broken(place.address):
            return ()
        is_unknown = tool is not None and tool.python is not None and not tool.declares_args
        if tool is None or is_unknown or self.declared.is_broken((*tool.address, "args")):
            # nothing is known of what it takes
            found = self.reader.value(dict(given), place, UNKNOWN, scope)
            return found.entries or ()
        at = place if "with" in self.data else self.place / "tool"
        return self.reader.fields(given, at, tool.args, tool.name, scope)

    def llm(self, _tool: Tool | None, result: Type | None, scope: Scope) -> LlmCall | AgentCall | None:
        if "thread" in self.data:
            return agent_calls.resolve_talk(
                self.name, self.data, self.place, result, scope, self.declared, self.reader, self.shown
            )
        model = defaults.step_model(self.data, self.place, self.name, self.declared)
        prompt = self.prompted("prompt", scope)
        system: Template | None = None
        if "system" in self.data:
            system = self.prompted("system", scope)
        history = self.listed("history", MESSAGE, scope)
        files = self.listed("files", FILE, scope)
        if model is None:
            return None
        return LlmCall(
            model,
            prompt,
            system,
            history,
            files,
            result or STRING,
            stream="tokens" in self.shown,
            partial="partial" in self.shown,
            thinking="thinking" in self.shown,
        )

    def listed(self, key: str, item: Type, scope: Scope) -> Value | None:
        """Return the list of a key, if the step has it."""
        if key not in self.data:
            return None
        return self.reader.value(self.data[key], self.place / key, ListOf(item), scope)

    def prompted(self, key: str, scope: Scope) -> Template:
        return texts.read_prompt(self.data.get(key, ""), self.place / key, scope, self.declared, self.reader)


SHOWN: Final = ("tokens", "partial", "thinking", "calls")


def shown_of_answer(data: Data) -> tuple[str, ...]:
    """Return what of a model's answer a step shows while it comes: keys of `stream`, in one order."""
    said = data.get("stream")
    return tuple(key for key in SHOWN if said.get(key) is True) if isinstance(said, Mapping) else ()


@dataclass(frozen=True, slots=True)
class KindOfCall:
    """How one kind of call is resolved.

    Args:
        action: What it does; ``None`` if that is not known, or if nothing can run it yet.
        result: What it gives, from the tool that it names and the `output` that it declares.
        has_output: Whether it may declare an `output`.
    """

    action: Callable[[ActionResolver, Tool | None, Type | None, Scope], Call | None]
    result: Callable[[ActionResolver, Tool | None, Type | None], Type | None]
    has_output: bool = True


CALLS: Final[dict[str, KindOfCall]] = {
    "llm": KindOfCall(ActionResolver.llm, lambda _one, _tool, output: output or STRING),
    "http": KindOfCall(ActionResolver.http, lambda _one, _tool, output: output or ANY),
    "command": KindOfCall(ActionResolver.command, lambda _one, _tool, output: output or STRING),
    "tool": KindOfCall(ActionResolver.tool_call, ActionResolver.tool_result),
    "agent": KindOfCall(
        ActionResolver.agent,
        lambda one, _tool, output: agent_calls.agent_result(one.data, output, one.declared),
    ),
    "workflow": KindOfCall(
        ActionResolver.workflow,
        lambda one, _tool, _output: workflow_calls.call_result(one.called(), one.data),
        has_output=False,
    ),
    "retrieve": KindOfCall(
        ActionResolver.retrieve, lambda _one, _tool, _output: searches.PASSAGES, has_output=False
    ),
    "remember": KindOfCall(ActionResolver.remember, lambda _one, _tool, _output: STRING, has_output=False),
    "forget": KindOfCall(ActionResolver.forget, lambda _one, _tool, _output: INTEGER, has_output=False),
}
"""How each kind of step is resolved that is one call; more than that is in `RESOLVERS` of `steps`.

Next for a new kind: the method of its name in `runtime/driver/context/`; or how it is generated, if that is more than a
call of such a method: `WRITERS` in `codegen/methods/actions.py`.
"""
