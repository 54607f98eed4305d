"""Agents that work for each other: no circles of those that are tools, and one kind of answer where they hand over."""

from __future__ import annotations

from collections.abc import Iterable

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Agent, HandOver
from wfc.compiler.model.agents import writes_code
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import agents as problems
from wfc.compiler.types import UNKNOWN, show

__all__ = ["check_teams"]


def check_teams(agents: Iterable[Agent], declared: Declarations) -> None:
    """Report what does not go together in the teams of these agents."""
    circles: set[frozenset[str]] = set()
    for agent in agents:
        for each in agent.handoffs:
            other = each.agent
            check_styles(agent, each, declared)
            if other.output != agent.output and UNKNOWN not in (other.output, agent.output):
                shown = show(other.output), show(agent.output)
                place = Place(each.address)
                declared.report(problems.handoff_output_differs(place, other.name, agent.name, *shown))
        for use in agent.tools:
            way = None if use.agent is None else _way(use.agent, agent)
            names = frozenset(one.name for one in way or ())
            if way is not None and names not in circles:
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


def _way(start: Agent, goal: Agent) -> list[Agent] | None:
    """Return how one agent comes to let another work; ``None`` if it never does."""
    came_from: dict[int, Agent | None] = {id(start): None}
    waiting = [start]
    for one in waiting:
        if one is goal:
            way: list[Agent] = []
            at: Agent | None = one
            while at is not None:
                way.insert(0, at)
                at = came_from[id(at)]
            return way
        nearby = [use.agent for use in one.tools if use.agent is not None]
        nearby += [each.agent for each in one.handoffs]
        for each in nearby:
            if id(each) not in came_from:
                came_from[id(each)] = one
                waiting.append(each)
    return None
