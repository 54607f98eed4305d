"""Agents: what `agents` declares, and steps that let one work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Agent, Tool
from wfc.compiler.resolve.declared import Declared
from wfc.compiler.resolve.defaults import step_model
from wfc.compiler.resolve.names import check_style, normal, pascal_case
from wfc.compiler.resolve.prompts import prompted
from wfc.compiler.resolve.scopes import binding_scope
from wfc.compiler.resolve.values import Texts
from wfc.compiler.rules.agents import approves_no_tool
from wfc.compiler.rules.names import name_declared_twice, unknown_tool
from wfc.compiler.rules.shape import missing_key
from wfc.compiler.types import MESSAGE, STRING, UNKNOWN, ListOf, Type, parse_type

__all__ = ["agent_result", "declare_agents", "resolve_agent_call"]

Data = Mapping[str, object]


def declare_agents(declared: Declared) -> None:
    """Enter the agents under `agents`: all names first, for they may mention each other in circles."""
    declared.prepare("agents", declared.agents)
    written: list[tuple[Agent, Data, Place]] = []
    for name, content, address in declared.entries("agents"):
        place = Place(address)
        first = declared.agents.nodes.get(name) or declared.tools.nodes.get(name)
        if first is not None:
            what = "an agent" if isinstance(first, Agent) else "a tool"
            declared.report(name_declared_twice(place.key, name, Place(first.address).key, what))
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


def agent(name: str, data: Data, place: Place, declared: Declared) -> Agent:
    """An agent without the tools and agents that it knows."""
    texts = Texts(declared.report)
    system = None
    if "system" in data:
        system = prompted(data["system"], place / "system", binding_scope(declared), declared, texts)
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


def output(data: Data, place: Place, name: str, declared: Declared) -> Type | None:
    if declared.is_broken((*place.address, "output")):
        return UNKNOWN
    if "output" not in data:
        return None
    return parse_type(
        data["output"], place / "output", declared.types, declared.report, f"{pascal_case(name)}Result"
    )


def tools(data: Data, place: Place, declared: Declared) -> tuple[Tool | Agent, ...]:
    """What a model may use, by name: tools, and agents as tools."""
    found: list[Tool | Agent] = []
    for name, at in named(data, "tools", place):
        node: Tool | Agent | None = None
        if name in declared.agents.nodes or name in declared.agents.broken:
            node = declared.agents.find(name, at, declared.report)
        elif name in declared.tools.nodes or name in declared.tools.broken or declared.tools.unread:
            node = declared.tools.find(name, at, declared.report)
        elif not declared.agents.unread:
            declared.report(unknown_tool(at, name, (*declared.tools.nodes, *declared.agents.nodes)))
        if node is not None:
            found.append(node)
    return tuple(found)


def handoffs(data: Data, place: Place, declared: Declared) -> tuple[Agent, ...]:
    found = (declared.agents.find(name, at, declared.report) for name, at in named(data, "handoffs", place))
    return tuple(each for each in found if each is not None)


def approved(
    data: Data, place: Place, known: tuple[Tool | Agent, ...], declared: Declared
) -> tuple[str, ...]:
    """Those of its tools whose use a person must approve."""
    names = {name for name, _ in named(data, "tools", place)}
    found: list[str] = []
    for name, at in named(data, "approve", place):
        if name in names:
            found.append(name)
        elif not declared.is_broken((*place.address, "tools")):
            declared.report(approves_no_tool(at, name, [each.name for each in known]))
    return tuple(found)


def named(data: Data, key: str, place: Place) -> list[tuple[str, Place]]:
    """The names of a list, each with its place."""
    listed = data.get(key)
    return [
        (normal(each), place / key / index)
        for index, each in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(each, str)
    ]


# --- steps


def agent_result(data: Data, own: Type | None, declared: Declared) -> Type:
    """What an agent answers: what the step wants, or what the agent says; else a text."""
    if own is not None:
        return own
    name = data.get("agent")
    if not isinstance(name, str):
        return STRING
    found = declared.agents.nodes.get(normal(name))
    return found.output if found is not None else UNKNOWN


def resolve_agent_call(
    name: str, data: Data, place: Place, scope: Scope, declared: Declared, texts: Texts
) -> Template | None:
    """The prompt of a step that lets an agent work; all else of it is looked up and reported."""
    if isinstance(data.get("agent"), str):
        declared.agents.find(str(data["agent"]), place / "agent", declared.report)
    elif not declared.is_broken((*place.address, "agent")):
        step_model(data, place, name, declared)
    if "system" in data:
        prompted(data["system"], place / "system", scope, declared, texts)
    known = tools(data, place, declared)
    handoffs(data, place, declared)
    if "tools" in data or "agent" not in data:
        approved(data, place, known, declared)
    for key, wanted in (("history", ListOf(MESSAGE)), ("memory", UNKNOWN)):
        if key in data:
            texts.value(data[key], place / key, wanted, scope)
    if "prompt" in data:
        return prompted(data["prompt"], place / "prompt", scope, declared, texts)
    if not declared.is_broken((*place.address, "prompt")):
        declared.report(missing_key(place.key, f"`{name}`", ["prompt"], "write what the agent is asked"))
    return None
