"""Declarations of agents under `agents`, and agents that stand in a step: their models, tools and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Template
from wfc.compiler.model import Agent, Tool
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.declarations.defaults import step_model
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import binding_scope
from wfc.compiler.resolve.values.texts import read_prompt
from wfc.compiler.rules import agents as problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.types import STRING, UNKNOWN, Type, parse_type

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
    system = None
    if "system" in data:
        reader = ValueReader(declared.report)
        system = read_prompt(data["system"], place / "system", binding_scope(declared), declared, reader)
    output: Type = UNKNOWN if declared.is_broken((*place.address, "output")) else STRING
    if "output" in data:
        class_name = f"{pascal_case(name)}Result"
        output = parse_type(data["output"], place / "output", declared.types, declared.report, class_name)
    return resolve_agent(name, data, place, declared, system=system, output=output)


def resolve_agent(
    name: str, data: Data, place: Place, declared: Declarations, *, system: Template | None, output: Type
) -> Agent:
    """Return an agent from what an entry of `agents`, or a step, says of it."""
    bounds = {key: data[key] for key in BOUNDS if key in data}
    limits = data.get("limits")
    if isinstance(limits, Mapping):
        bounds |= limits
    return Agent(
        name=name,
        model=step_model(data, place, name, declared),
        system=system,
        output=output,
        tools=usable_tools(data, place, declared),
        bounds=bounds,
        address=place.address,
    )


def look_up(data: Data, place: Place, declared: Declarations) -> None:
    """Look up the names that an agent mentions where they have no effect, so that nobody calls them unused."""
    if isinstance(data.get("model"), str):
        declared.models.find(str(data["model"]), place / "model", declared.report)
    usable_tools(data, place, declared)


def usable_tools(data: Data, place: Place, declared: Declarations) -> tuple[Tool, ...]:
    """Return the tools that a model may use, each once."""
    found: dict[str, Tool] = {}
    listed = data.get("tools")
    for index, written in enumerate(listed if isinstance(listed, list) else ()):
        at = place / "tools" / index
        tool = declared.tools.find(written, at, declared.report) if isinstance(written, str) else None
        if tool is None:
            continue
        if normal_form(str(written)) in found:
            declared.report(problems.tool_listed_twice(at, tool.name))
        elif tool.workflow is not None:
            declared.report(problems.not_for_agents(at, tool.name))
        elif not tool.declares_args and (tool.python is not None or tool.mcp is not None):
            declared.report(problems.tool_without_args(at, tool.name, Place(tool.address).key))
        found.setdefault(tool.name, tool)
    return tuple(found.values())
