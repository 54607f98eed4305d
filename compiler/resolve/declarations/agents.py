"""Declarations of agents under `agents`: their models, tools and handoffs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Agent, Tool
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.declarations.defaults import step_model
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import binding_scope
from wfc.compiler.resolve.values.texts import read_prompt
from wfc.compiler.rules import agents as agent_problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.types import STRING, UNKNOWN, Type, parse_type

__all__ = ["approved", "declare_agents", "handoffs", "tools"]


def declare_agents(declared: Declarations) -> None:
    """Declare the agents under `agents`; all names come first, because agents may refer to each other in
    cycles.
    """
    declared.prepare("agents", declared.agents)
    written: list[tuple[Agent, Data, Place]] = []
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
            found = agent(name, content, place, declared)
            declared.agents.nodes[name] = found
            written.append((found, content, place))
    for found, content, place in written:
        found.tools = tools(content, place, declared)
        found.handoffs = handoffs(content, place, declared)
        found.approve = approved(content, place, found.tools, declared)


def agent(name: str, data: Data, place: Place, declared: Declarations) -> Agent:
    """Return an agent without its tools and the agents that it refers to."""
    reader = ValueReader(declared.report)
    system = None
    if "system" in data:
        system = read_prompt(data["system"], place / "system", binding_scope(declared), declared, reader)
    style = data.get("style")
    turns = data.get("max_turns")
    return Agent(
        name=name,
        model=step_model(data, place, name, declared),
        system=system,
        output=output(data, place, name, declared) or STRING,
        style=style_of(style),
        max_turns=turns if isinstance(turns, int) else None,
        address=place.address,
    )


def style_of(style: object) -> Literal["function", "react", "code"]:
    return "react" if style == "react" else "code" if style == "code" else "function"


def output(data: Data, place: Place, name: str, declared: Declarations) -> Type | None:
    if declared.is_broken((*place.address, "output")):
        return UNKNOWN
    if "output" not in data:
        return None
    return parse_type(
        data["output"], place / "output", declared.types, declared.report, f"{pascal_case(name)}Result"
    )


def tools(data: Data, place: Place, declared: Declarations) -> tuple[Tool | Agent, ...]:
    """Return what a model may use, by name: tools, and agents that serve as tools."""
    found: list[Tool | Agent] = []
    for name, at in named(data, "tools", place):
        node: Tool | Agent | None = None
        if name in declared.agents.nodes or name in declared.agents.broken:
            node = declared.agents.find(name, at, declared.report)
        elif name in declared.tools.nodes or name in declared.tools.broken or declared.tools.unread:
            node = declared.tools.find(name, at, declared.report)
        elif not declared.agents.unread:
            declared.report(
                name_problems.unknown_tool(at, name, (*declared.tools.nodes, *declared.agents.nodes))
            )
        if node is not None:
            found.append(node)
    return tuple(found)


def handoffs(data: Data, place: Place, declared: Declarations) -> tuple[Agent, ...]:
    found = (declared.agents.find(name, at, declared.report) for name, at in named(data, "handoffs", place))
    return tuple(each for each in found if each is not None)


def approved(
    data: Data, place: Place, known: tuple[Tool | Agent, ...], declared: Declarations
) -> tuple[str, ...]:
    """Return those of the agent's tools whose use a person must approve."""
    names = {name for name, _ in named(data, "tools", place)}
    found: list[str] = []
    for name, at in named(data, "approve", place):
        if name in names:
            found.append(name)
        elif not declared.is_broken((*place.address, "tools")):
            declared.report(agent_problems.approves_no_tool(at, name, [each.name for each in known]))
    return tuple(found)


def named(data: Data, key: str, place: Place) -> list[tuple[str, Place]]:
    """Return the names in a list, each with its place."""
    listed = data.get(key)
    return [
        (normal_form(each), place / key / index)
        for index, each in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(each, str)
    ]
