"""Agents that work for each other: no circles of those that are tools, and one kind of answer where they hand over."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Agent, HandOver
from wfc.compiler.model.agents import writes_code
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import agents as problems
from wfc.compiler.types import UNKNOWN, show

__all__ = ["check_teams"]


def check_teams(agents: Sequence[Agent], declared: Declarations) -> None:
    """Report what does not go together in the teams of these agents."""
    circles: set[frozenset[str]] = set()
    callers = _callers(agents)
    for agent in agents:
        for each in agent.handoffs:
            other = each.agent
            check_styles(agent, each, declared)
            if other.output != agent.output and UNKNOWN not in (other.output, agent.output):
                shown = show(other.output), show(agent.output)
                place = Place(each.address)
                declared.report(problems.handoff_output_differs(place, other.name, agent.name, *shown))
        called = [use for use in agent.tools if use.agent is not None]
        distances = _distances(agent, callers) if called else {}
        for use in called:
            if use.agent is None or id(use.agent) not in distances:
                continue
            way = _way(use.agent, distances)
            names = frozenset(one.name for one in way)
            if names not in circles:
                circles.add(names)
                listed = [agent.name, *(one.name for one in way)]
                declared.report(problems.agents_in_a_circle(Place(use.address), listed))


def check_styles(agent: Agent, wanted: HandOver, declared: Declarations) -> None:
    """Report a hand-over from or to an agent that writes code."""
    place = Place(wanted.address)
    if writes_code(agent):
        declared.report(problems.not_in_code(place, agent.name, "it cannot hand over"))
    elif writes_code(wanted.agent):
        declared.report(problems.not_in_code(place, wanted.agent.name, "nobody can hand over to it"))
    elif wanted.agent.own_style is not None:
        why = "nobody can hand over to it"
        declared.report(problems.not_in_own_style(place, wanted.agent.name, "handoffs", why))


def _nearby(agent: Agent) -> list[Agent]:
    """Return the agents that one lets work, by calling them or by handing over."""
    called = [use.agent for use in agent.tools if use.agent is not None]
    return called + [each.agent for each in agent.handoffs]


def _callers(agents: Sequence[Agent]) -> dict[int, list[Agent]]:
    """Return who lets each agent work, of these agents and all that they come to let work."""
    found: dict[int, list[Agent]] = {id(one): [] for one in agents}
    waiting = [*agents]
    for one in waiting:
        for each in _nearby(one):
            if id(each) not in found:
                found[id(each)] = []
                waiting.append(each)
            found[id(each)].append(one)
    return found


def _distances(goal: Agent, callers: dict[int, list[Agent]]) -> dict[int, int]:
    """Return how far those agents are from one that come to let it work."""
    found = {id(goal): 0}
    waiting = [goal]
    for one in waiting:
        for each in callers[id(one)]:
            if id(each) not in found:
                found[id(each)] = found[id(one)] + 1
                waiting.append(each)
    return found


def _way(start: Agent, distances: dict[int, int]) -> list[Agent]:
    """Return the shortest way by which one agent comes to let another work, from which they all are so far."""
    way = [start]
    while left := distances[id(way[-1])]:
        way.append(next(each for each in _nearby(way[-1]) if distances.get(id(each)) == left - 1))
    return way
