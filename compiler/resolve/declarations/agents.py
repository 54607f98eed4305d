"""Declarations of agents under `agents`, and agents that stand in a step: their models, tools and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Agent, HandOver
from wfc.compiler.model.agents import writes_code
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.declarations.agent_teams import check_teams
from wfc.compiler.resolve.declarations.agent_tools import SaveReader, ToolReader
from wfc.compiler.resolve.declarations.defaults import step_model
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.declarations.workflow_styles import check_own_style, own_style
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import binding_scope
from wfc.compiler.resolve.values.texts import read_prompt
from wfc.compiler.rules import agents as problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import STRING, UNKNOWN, Field, Record, Type, assignable, parse_type
from wfc.compiler.types.long_form import check_plain

__all__ = ["declare_agents", "look_up", "resolve_agent"]

BOUNDS: Final = ("max_turns", "last_turn", "parallel_calls", "on_tool_error", "style", "offer")

TASK: Final = "task"
"""What an agent takes that declares no `args`: what it is asked, as a text."""


def declare_agents(declared: Declarations) -> None:
    """Declare the agents under `agents`; what they have of each other is looked up when all are there."""
    declared.prepare("agents", declared.agents)
    begun: list[tuple[Agent, Data, Place, Scope, ValueReader]] = []
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
            args = read_args(name, content, place, declared)
            reader = ValueReader(declared.report)
            if declared.is_broken(args.address):  # nobody knows what it takes, which is told there
                declared.agents.broken.add(name)
                continue
            scope = binding_scope(declared).with_name("args", args)
            agent = declared_agent(name, content, place, args, scope, reader, declared)
            declared.agents.nodes[name] = agent
            begun.append((agent, content, place, scope, reader))
    for agent, data, place, scope, reader in begun:
        agent.tools.extend(ToolReader(declared, reader, scope, agent.output).uses(data, place))
        set_first_tool(agent, data, place, declared)
        check_own_style(agent, data, place, declared)
        agent.handoffs.extend(hand_overs(agent, data, place, declared))
    check_teams([agent for agent, *_ in begun], declared)


def read_args(name: str, data: Data, place: Place, declared: Declarations) -> Record:
    """Return what an agent takes: its `args`, or a task."""
    args = Record(f"{pascal_case(name)}Args", role="namespace", address=(*place.address, "args"))
    if "args" in data:
        read_fields(data.get("args"), args.address, args, declared)
    else:
        args.fields[TASK] = Field(TASK, STRING)
    return args


def declared_agent(
    name: str,
    data: Data,
    place: Place,
    args: Record,
    scope: Scope,
    reader: ValueReader,
    declared: Declarations,
) -> Agent:
    """Return an agent under `agents`, whose texts see what it takes and the config, still without its tools."""
    system = prompt = None
    if "system" in data:
        system = read_prompt(data["system"], place / "system", scope, declared, reader)
    if "prompt" in data:
        inside = ValueReader(declared.report)
        prompt = read_prompt(data["prompt"], place / "prompt", scope, declared, inside)
    if "description" in data:
        check_plain(data["description"], place / "description", "description", declared.report)
    output: Type = UNKNOWN if declared.is_broken((*place.address, "output")) else STRING
    if "output" in data:
        class_name = f"{pascal_case(name)}Result"
        output = parse_type(data["output"], place / "output", declared.types, declared.report, class_name)
    begun = begin_agent(name, data, place, declared, system=system, output=output)
    return replace(
        begun,
        args=args,
        declares_args="args" in data,
        prompt=prompt,
        description=str(data.get("description", "")),
        sees=str(data.get("sees", "said")),
        mentioned=reader.uses,
    )


def begin_agent(
    name: str,
    data: Data,
    place: Place,
    declared: Declarations,
    *,
    system: Template | None,
    output: Type,
) -> Agent:
    """Return an agent from what an entry of `agents`, or a step, says of it, without tools and hand-overs."""
    bounds: dict[str, object] = {key: data[key] for key in BOUNDS if key in data}
    limits = data.get("limits")
    if isinstance(limits, Mapping):
        bounds |= limits
    style = own_style(data, place, declared)
    model = None
    if style is None:
        model = step_model(data, place, name, declared)
    elif isinstance(data.get("model"), str):
        declared.models.find(str(data["model"]), place / "model", declared.report)
    return Agent(
        name=name,
        model=model,
        system=system,
        output=output,
        tools=[],
        bounds=bounds,
        address=place.address,
        own_style=style,
    )


def resolve_agent(
    name: str,
    data: Data,
    place: Place,
    declared: Declarations,
    *,
    output: Type,
    scope: Scope,
    reader: ValueReader,
    saves: SaveReader,
) -> Agent:
    """Return an agent that stands in a step.

    Args:
        scope: What its tools may mention beside their calls.
        saves: Reads what is saved when a call is done.
    """
    agent = begin_agent(name, data, place, declared, system=None, output=output)
    agent.tools.extend(ToolReader(declared, reader, scope, output, saves).uses(data, place))
    set_first_tool(agent, data, place, declared)
    check_own_style(agent, data, place, declared)
    agent.handoffs.extend(hand_overs(agent, data, place, declared))
    check_teams([agent], declared)
    return agent


def set_first_tool(agent: Agent, data: Data, place: Place, declared: Declarations) -> None:
    """Set which tool an agent has to call first."""
    name, at = data.get("first_tool"), place / "first_tool"
    if not isinstance(name, str):
        return
    if writes_code(agent):
        declared.report(
            problems.not_in_code(at.key, agent.name, "it calls functions in the order of its code")
        )
        return
    own = normal_form(name)
    known = [use.tool.name for use in agent.tools]
    if own in known:
        agent.bounds["first_tool"] = own
    elif not declared.is_broken((*place.address, "tools")) and is_whole(agent, data):
        declared.report(problems.not_its_tool(at, own, agent.name, known))


def is_whole(agent: Agent, data: Data) -> bool:
    """Return whether all of the tools that an agent lists are known."""
    listed = data.get("tools")
    return len(agent.tools) >= (len(listed) if isinstance(listed, list) else 0)


def hand_overs(agent: Agent, data: Data, place: Place, declared: Declarations) -> list[HandOver]:
    """Return the agents that an agent may hand over to, each once."""
    found: dict[str, HandOver] = {}
    listed = data.get("handoffs")
    for index, name in enumerate(listed if isinstance(listed, list) else ()):
        at = place / "handoffs" / index
        other = declared.agents.find(str(name), at, declared.report)
        if other is None or other.args is None:
            continue
        if other is agent:
            declared.report(problems.hands_over_to_itself(at, agent.name))
        elif other.name in found:
            declared.report(problems.tool_listed_twice(at, other.name))
        else:
            if not other.description and not declared.is_broken((*other.address, "description")):
                at_home = Place(other.address).key
                declared.report(problems.agent_without_description(at, other.name, at_home))
            kept = shared_args(agent, other)
            rest = {each: field for each, field in other.args.fields.items() if each not in kept}
            free = Record(other.args.name, rest, role="namespace", address=other.args.address)
            found[other.name] = HandOver(other, kept, free, at.address)
    return list(found.values())


def shared_args(agent: Agent, other: Agent) -> tuple[str, ...]:
    """Return the declared `args` that two agents both have, so that they go on with a hand-over as they are."""
    if agent.args is None or other.args is None or not (agent.declares_args and other.declares_args):
        return ()
    mine = agent.args.fields
    return tuple(
        name
        for name, field in other.args.fields.items()
        if name in mine and mine[name].required and assignable(mine[name].type, field.type)
    )


def look_up(data: Data, place: Place, declared: Declarations) -> None:
    """Look up the names that an agent mentions where they have no effect, so that nobody calls them unused."""
    if isinstance(data.get("model"), str):
        declared.models.find(str(data["model"]), place / "model", declared.report)
    reader = ValueReader(declared.report)
    ToolReader(declared, reader, binding_scope(declared), UNKNOWN).uses(data, place)
