"""The one action of a step, and what its result is."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Call, HttpCall, LlmCall, Tool, ToolCall, Value
from wfc.compiler.python.literals import pascal_case
from wfc.compiler.resolve.declarations.defaults import step_model
from wfc.compiler.resolve.declarations.requests import resolve_request
from wfc.compiler.resolve.declarations.tools import resolve_tool
from wfc.compiler.resolve.steps.agent_calls import agent_result, resolve_agent_call
from wfc.compiler.resolve.steps.searches import PASSAGES, resolve_search
from wfc.compiler.resolve.steps.workflow_calls import (
    call_result,
    find_callee,
    resolve_call,
    unless_itself,
    workflow_of_tool,
)
from wfc.compiler.resolve.symbols.contracts import CalledWorkflow
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.prompts import read_prompt
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import values as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import ANY, MESSAGE, STRING, UNKNOWN, ListOf, Type, assignable, parse_type, show

__all__ = ["ActionResolver"]


@dataclass(slots=True)
class ActionResolver:
    """Resolves the one call of a step, or of the items of a `map`.

    Args:
        name: The step's.
        data: What the step says, or its `do`.
        place: Where that stands.
        texts: Reads expressions, and keeps their uses.
        tokens: Whether a model's answer is to be shown while it comes.
    """

    name: str
    data: Data
    place: Place
    declared: Declarations
    texts: ValueReader
    tokens: bool = False

    def result(self, tool: Tool | None) -> Type | None:
        """The type of the action's result; ``None`` for a step without an action."""
        kind = self.data.get("kind")
        if kind == "workflow":
            return call_result(self.called(), self.data)
        if kind == "retrieve":
            return PASSAGES
        if kind not in {"llm", "agent", "tool", "http"}:
            return None if kind == "transform" else UNKNOWN
        if self.declared.is_broken((*self.place.address, "output")):
            return UNKNOWN
        own = None
        if "output" in self.data:
            own = parse_type(
                self.data["output"],
                self.place / "output",
                self.declared.types,
                self.declared.report,
                f"{pascal_case(self.name)}Result",
            )
        if kind == "tool":
            return self.tool_result(tool, own)
        if kind == "agent":
            return agent_result(self.data, own, self.declared)
        if own is not None:
            return own
        return STRING if kind == "llm" else ANY

    def tool_result(self, tool: Tool | None, own: Type | None) -> Type:
        """What the step expects of the tool, or what the tool says that it gives."""
        if tool is None:
            return UNKNOWN if own is None else own
        given = tool.output
        if tool.workflow is not None:
            found = workflow_of_tool(tool, self.declared)
            given = UNKNOWN if found is None else found.result
        if own is None:
            return given
        if given != ANY and not assignable(given, own):
            why = f"tool `{tool.name}` gives {show(given)}, and the step wants {show(own)}"
            self.declared.report(problems.wrong_value(self.place / "output", why))
            return UNKNOWN
        return own if tool.workflow is None else given

    def tool(self) -> Tool | None:
        """The tool of a `tool` step, by name or written in place."""
        binding = self.data.get("tool")
        if isinstance(binding, str):
            return self.declared.tools.find(binding, self.place / "tool", self.declared.report)
        if isinstance(binding, dict):
            return resolve_tool(self.name, binding, self.place / "tool", self.declared)
        return None

    def action(self, tool: Tool | None, result: Type | None, scope: Scope) -> Call | None:
        """What the step does; ``None`` if that is not known, or nothing."""
        kind = self.data.get("kind")
        if kind == "llm":
            return self.llm(result, scope)
        if kind == "http":
            request = resolve_request(self.data, self.place, scope, self.declared, self.texts)
            return HttpCall(request, result or ANY)
        if kind == "workflow":
            return resolve_call(self.called(), self.data, "with", self.place, scope, self.texts)
        if kind == "agent":
            resolve_agent_call(self.name, self.data, self.place, scope, self.declared, self.texts)
        if kind == "retrieve":
            resolve_search(self.data, self.place, scope, self.declared, self.texts)
        if kind == "tool" and tool is not None and tool.workflow is not None:
            found = workflow_of_tool(tool, self.declared)
            return resolve_call(found, self.data, "args", self.place, scope, self.texts)
        if kind == "tool":
            args = self.args(tool, scope)
            return ToolCall(tool, args, result or ANY) if tool is not None else None
        return None

    def called(self) -> CalledWorkflow | None:
        """The workflow that a step of kind `workflow` runs."""
        found = find_callee(self.data.get("workflow"), self.place / "workflow", self.declared)
        return found if self.data.get("detach") is True else unless_itself(found, self.declared)

    def args(self, tool: Tool | None, scope: Scope) -> tuple[tuple[str, Value], ...]:
        given = self.data.get("args", {})
        place = self.place / "args"
        if not isinstance(given, dict) or self.declared.is_broken(place.address):
            return ()
        if tool is None or not tool.declares_args or self.declared.is_broken((*tool.address, "args")):
            # nothing is known of what it takes
            found = self.texts.value(dict(given), place, UNKNOWN, scope)
            return found.entries or ()
        at = place if "args" in self.data else self.place / "tool"
        return self.texts.fields(given, at, tool.args, tool.name, scope)

    def llm(self, result: Type | None, scope: Scope) -> LlmCall | None:
        model = step_model(self.data, self.place, self.name, self.declared)
        prompt = self.prompted("prompt", scope)
        system: Template | None = None
        if "system" in self.data:
            system = self.prompted("system", scope)
        history: Value | None = None
        if "history" in self.data:
            history = self.texts.value(self.data["history"], self.place / "history", ListOf(MESSAGE), scope)
        if model is None:
            return None
        return LlmCall(model, prompt, system, result or STRING, history, self.tokens)

    def prompted(self, key: str, scope: Scope) -> Template:
        return read_prompt(self.data.get(key, ""), self.place / key, scope, self.declared, self.texts)
