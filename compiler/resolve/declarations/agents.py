"""Declarations of agents under `agents`, and agents that stand in a step: their models, tools and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Agent, Approval, Tool, ToolUse, Value
from wfc.compiler.python.literals import pascal_case
from wfc.compiler.resolve.declarations.defaults import step_model
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.assignees import assigned
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import binding_scope, namespace
from wfc.compiler.resolve.values.texts import read_prompt
from wfc.compiler.rules import agents as problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types import STRING, UNKNOWN, Record, Type, assignable, parse_type, show

__all__ = ["declare_agents", "look_up", "resolve_agent"]

BOUNDS: Final = ("max_turns", "last_turn", "parallel_calls", "on_tool_error")


def declare_agents(declared: Declarations) -> None:
    """Declare the agents under `agents`."""
    declared.prepare("agents", declared.agents)
    for name, content, address in declared.entries("agents"):
        place = Place(address)
        first = declared.agents.nodes.get(name) or declared.tools.nodes.get(name)
        if first is not None:
            what = "an agent" if isinstance(first, Agent) else "a tool"
            declared.report(
                name_problems.name_declared_twice(place.key, name, Place(first.address).key, what)
            )
        elif not check_style(name, place.key, "agent", declared.report) or not isinstance(content, Mapping):
            declared.agents.broken.add(name)
        else:
            declared.agents.nodes[name] = declared_agent(name, content, place, declared)


def declared_agent(name: str, data: Data, place: Place, declared: Declarations) -> Agent:
    """Return an agent under `agents`, whose texts see the config."""
    system, reader, scope = None, ValueReader(declared.report), binding_scope(declared)
    if "system" in data:
        system = read_prompt(data["system"], place / "system", scope, declared, reader)
    output: Type = UNKNOWN if declared.is_broken((*place.address, "output")) else STRING
    if "output" in data:
        class_name = f"{pascal_case(name)}Result"
        output = parse_type(data["output"], place / "output", declared.types, declared.report, class_name)
    return resolve_agent(
        name, data, place, declared, system=system, output=output, scope=scope, reader=reader
    )


def resolve_agent(
    name: str,
    data: Data,
    place: Place,
    declared: Declarations,
    *,
    system: Template | None,
    output: Type,
    scope: Scope,
    reader: ValueReader,
) -> Agent:
    """Return an agent from what an entry of `agents`, or a step, says of it.

    Args:
        scope: What its tools may mention beside their calls.
    """
    bounds = {key: data[key] for key in BOUNDS if key in data}
    limits = data.get("limits")
    if isinstance(limits, Mapping):
        bounds |= limits
    return Agent(
        name=name,
        model=step_model(data, place, name, declared),
        system=system,
        output=output,
        tools=ToolReader(declared, reader, scope, output).uses(data, place),
        bounds=bounds,
        address=place.address,
    )


def look_up(data: Data, place: Place, declared: Declarations) -> None:
    """Look up the names that an agent mentions where they have no effect, so that nobody calls them unused."""
    if isinstance(data.get("model"), str):
        declared.models.find(str(data["model"]), place / "model", declared.report)
    reader = ValueReader(declared.report)
    ToolReader(declared, reader, binding_scope(declared), UNKNOWN).uses(data, place)


@dataclass(frozen=True, slots=True)
class ToolReader:
    """Reads the tools of an agent.

    Args:
        scope: What they may mention.
        output: The type of the agent's answer.
    """

    declared: Declarations
    reader: ValueReader
    scope: Scope
    output: Type

    def uses(self, data: Data, place: Place) -> tuple[ToolUse, ...]:
        """Return the tools that a model may use, each once."""
        found: dict[str, ToolUse] = {}
        listed = data.get("tools")
        for index, written in enumerate(listed if isinstance(listed, list) else ()):
            at = place / "tools" / index
            entry: Data = written if isinstance(written, Mapping) else {"tool": written}
            named = at / "tool" if isinstance(written, Mapping) else at
            name = entry.get("tool")
            tool = (
                self.declared.tools.find(name, named, self.declared.report) if isinstance(name, str) else None
            )
            if tool is None:
                continue
            if tool.name in found:
                self.declared.report(problems.tool_listed_twice(named, tool.name))
            elif tool.workflow is not None:
                self.declared.report(problems.not_for_agents(named, tool.name))
            elif self.declared.is_broken((*tool.address, "args")):
                pass  # what it takes could not be read, which is told there
            elif not tool.declares_args and (tool.python is not None or tool.mcp is not None):
                declared = Place(tool.address).key
                self.declared.report(problems.tool_without_args(named, tool.name, declared))
            found.setdefault(tool.name, self.use(tool, entry, at))
        return tuple(found.values())

    def use(self, tool: Tool, data: Data, place: Place) -> ToolUse:
        """Return a tool as the agent has it."""
        given = data.get("with")
        bound: dict[str, Value] = {}
        if isinstance(given, dict):
            bound = self.reader.given(given, place / "with", tool.args.fields, f"`{tool.name}`", self.scope)
        strange = isinstance(given, dict) and len(bound) < len(given)
        rest = {name: field for name, field in tool.args.fields.items() if name not in bound}
        if strange or self.declared.is_broken((*place.address, "with")):
            # what is wrong there, and told there, may be any of them
            rest = {name: replace(field, has_default=True) for name, field in rest.items()}
        free = Record(tool.args.name, rest, role="namespace", address=tool.args.address)
        final = data.get("final") is True
        if final and not assignable(tool.output, self.output):
            why = f"`{tool.name}` gives {show(tool.output)}, and the agent's answer is {show(self.output)}"
            self.declared.report(value_problems.wrong_value(place / "final", why))
        approve = data.get("approve")
        approval = self.approval(approve, place / "approve", tool) if isinstance(approve, Mapping) else None
        ordered = tuple((name, bound[name]) for name in tool.args.fields if name in bound)
        return ToolUse(tool, ordered, free, final, approval)

    def approval(self, data: Data, place: Place, tool: Tool) -> Approval:
        """Return how a person allows the calls of a tool."""
        scope = self.scope.with_name("call", namespace("call", args=tool.args))
        when = self.reader.condition(data["when"], place / "when", scope) if "when" in data else None
        if when is not None:
            scope = scope.assuming(when, True)
        assign = data.get("assign")
        return Approval(
            when=when,
            title=self.reader.text(data["title"], place / "title", scope) if "title" in data else None,
            show=read_prompt(data["show"], place / "show", scope, self.declared, self.reader)
            if "show" in data
            else None,
            assign=tuple(
                assigned(each, place / "assign" / index, scope, self.reader)
                for index, each in enumerate(assign if isinstance(assign, list) else ())
            ),
            within=duration(data["within"], place / "within", self.declared.report) or 1.0
            if "within" in data
            else 1.0,
        )
