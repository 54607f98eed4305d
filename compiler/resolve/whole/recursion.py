"""Calls that lead back to the workflow itself, and tools that name workflows which do not exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wfc.compiler.diagnostics import Address, Origin, Place
from wfc.compiler.model.agents import STYLES
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.called_workflows import report_unknown
from wfc.compiler.resolve.symbols.declarations import Declarations, ProjectView
from wfc.compiler.resolve.symbols.tables import Data, entries
from wfc.compiler.rules import files as problems

__all__ = ["report_recursion", "report_unknown_tools"]


def report_unknown_tools(declared: Declarations) -> None:
    """Report workflows that do not exist, named by tools that no step calls."""
    for name, tool in declared.tools.nodes.items():
        if tool.workflow is None or tool.workflow in declared.called or ("tools", name) in declared.imported:
            continue
        if declared.project.workflow(tool.workflow) is None:
            report_unknown(tool.workflow, Place(tool.address) / "workflow", declared)


def report_recursion(declared: Declarations) -> None:
    """Report each call that leads back to the workflow itself, unless the caller does not wait for the run."""
    if not declared.called and not declared.agents.nodes:
        return
    name = str(declared.data.get("workflow"))
    for place, callee in awaited_calls(declared):
        way = call_path(callee, name, declared.project)
        if way is not None:
            declared.report(problems.workflow_calls_itself(place, (name, *way)))


def awaited_calls(declared: Declarations) -> Iterator[tuple[Place, str]]:
    """Yield the workflows that the steps of a spec wait for, each with the place that names it."""
    for _, content, address in written_steps(declared):
        call, place = content, Place(address)
        if isinstance(content, Mapping) and content.get("kind") == "map":
            call, place = content.get("do"), place / "do"
        if not isinstance(call, Mapping):
            continue
        if call.get("kind") == "workflow" and call.get("detach") is not True:
            yield from named_workflows(call.get("workflow"), place / "workflow")
        elif call.get("kind") == "tool":
            binding = call.get("tool")
            if isinstance(binding, Mapping) and isinstance(binding.get("workflow"), str):
                yield place / "tool" / "workflow", normal_form(str(binding["workflow"]))
            tool = declared.tools.nodes.get(normal_form(binding)) if isinstance(binding, str) else None
            if tool is not None and tool.workflow is not None:
                yield place / "tool", tool.workflow
        elif call.get("kind") == "agent":
            yield from workflows_of_agents(call, place, declared)


def workflows_of_agents(data: Data, place: Place, declared: Declarations) -> Iterator[tuple[Place, str]]:
    """Yield the workflows that are tools of a step's agent, and of the agents that come to work for it.

    What other files say of it is told at the name by which this file leads there.
    """
    waiting: list[tuple[Data, Place, Declarations]] = [(data, place, declared)]
    met: set[str] = set()
    while waiting:
        agent, at, owner = waiting.pop()
        style = agent.get("style")
        if isinstance(style, str) and style not in STYLES:
            yield (at / "style" if owner is declared else at), normal_form(style)
        for named, name in named_by(agent, at):
            own, told = normal_form(name), named if owner is declared else at
            tool = owner.tools.nodes.get(own)
            if tool is not None and tool.workflow is not None:
                yield told, tool.workflow
            elif own not in met:
                met.add(own)
                waiting += (
                    (content, where if home is declared else told, home)
                    for content, where, home in written_agents(own, owner)
                )


def named_by(data: Data, place: Place) -> Iterator[tuple[Place, str]]:
    """Yield the tools and the agents that an agent, or a step that lets one work, names."""
    if isinstance(data.get("agent"), str):
        yield place / "agent", str(data["agent"])
    for key in ("tools", "handoffs"):
        listed = data.get(key)
        for index, each in enumerate(listed if isinstance(listed, list) else ()):
            name = each.get("tool") if isinstance(each, Mapping) else each
            if isinstance(name, str):
                yield place / key / index, name


def written_agents(name: str, declared: Declarations) -> Iterator[tuple[Data, Place, Declarations]]:
    """Yield an agent as it is written, here or in a file that is imported, with its place there."""
    for owner in (declared, *(each.declared for each in declared.imports.values())):
        for known_as, content, address in entries(owner.data.get("agents"), ("agents",)):
            if isinstance(content, Mapping) and normal_form(known_as) == name:
                yield content, Place(address), owner


def named_workflows(data: object, place: Place) -> Iterator[tuple[Place, str]]:
    """Yield the workflows that a step names: one, or those of which data chooses one."""
    if isinstance(data, str):
        yield place, normal_form(data)
    only = data.get("only") if isinstance(data, Mapping) else None
    for index, name in enumerate(only if isinstance(only, list) else ()):
        yield from named_workflows(name, place / "only" / index)


def written_steps(declared: Declarations) -> Iterator[tuple[str, object, Address]]:
    """Yield the steps of a spec and of its parts, as they are written."""
    yield from entries(declared.data.get("steps"), ("steps",))
    listed = declared.data.get("parts")
    for path in listed if isinstance(listed, list) else ():
        found = declared.project.part(path) if isinstance(path, str) else None
        if isinstance(found, tuple):
            shown, spec = found
            yield from entries(spec.data.get("steps"), (Origin(shown), "steps"))


def call_path(start: str, goal: str, project: ProjectView) -> list[str] | None:
    """Return the calls by which a workflow leads to another, both included; ``None`` if it does not."""
    came_from: dict[str, str] = {start: ""}
    waiting = [start]
    while waiting:
        current = waiting.pop(0)
        if current == goal:
            way = [current]
            while came_from[way[0]]:
                way.insert(0, came_from[way[0]])
            return way
        other = project.workflow(current)
        for _, callee in awaited_calls(other.declared) if other is not None else ():
            if callee not in came_from:
                came_from[callee] = current
                waiting.append(callee)
    return None
