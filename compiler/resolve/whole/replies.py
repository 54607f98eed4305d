"""How many replies of models agents may come to at most, where those that are tools multiply them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Agent, AgentCall, MapItems, Step, Whole
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import agents as problems

__all__ = ["report_many_replies"]

MANY: Final = 10_000
"""From how many replies on something has to bound them."""

COUNTED: Final = 1_000_000
"""How far they are counted: along a chain of agents the number has more digits with each of them."""

TURNS: Final = 20
AT_ONCE: Final = 8
"""The bounds of agents that give themselves none."""


def report_many_replies(steps: Iterable[Step], run: Whole, declared: Declarations) -> None:
    """Report agents that may come to very many replies, where neither the run nor the step nor they have limits."""
    if run.limits is not None:
        return
    unbounded: list[tuple[Step, Agent]] = []
    for step in steps:
        call = step.action.do if isinstance(step.action, MapItems) else step.action
        if not isinstance(call, AgentCall) or call.limits or _is_limited(call.agent):
            continue
        if not _is_unread(call.agent, step, declared):
            unbounded.append((step, call.agent))
    most = _most_replies(agent for _, agent in unbounded)
    for step, agent in unbounded:
        found = most[id(agent)]
        if found >= MANY:
            declared.report(
                problems.many_replies(Place(step.address).key, agent.name, found, or_more=found == COUNTED)
            )


def _is_unread(agent: Agent, step: Step, declared: Declarations) -> bool:
    """Return whether a bound is written that could not be read."""
    places = (step.address, (*step.address, "do"), agent.address, ())
    return any(declared.is_broken((*place, "limits")) for place in places)


def _is_limited(agent: Agent) -> bool:
    return "tokens" in agent.bounds or "cost_usd" in agent.bounds


def _most_replies(agents: Iterable[Agent]) -> dict[int, int]:
    """Return how many replies agents, and those that work for them, may come to, by their `id`; at most `COUNTED`.

    The turns of an agent go on over its hand-overs. In each of them as many agents may work as the one at work may let
    work at once; those with limits of their own are left out, and so are those that wait for it, which is told
    elsewhere.
    """
    team = _team(agents)
    in_a_turn: dict[int, int] = {}
    most: dict[int, int] = {}
    leads = {each: [id(one) for one in (*_used(agent), *_next(agent))] for each, agent in team.items()}
    for group in _groups(leads):
        # all that the agents of a group lead to is known, but for themselves
        found = max(_most_in_a_turn(team[each], in_a_turn, most) for each in group)
        for each in group:
            in_a_turn[each] = found
            most[each] = min(COUNTED, _number(team[each], "max_turns", TURNS) * (1 + found))
    return most


def _most_in_a_turn(agent: Agent, in_a_turn: Mapping[int, int], most: Mapping[int, int]) -> int:
    """Return how many replies others may come to in one turn of an agent, or of those that go on in its place."""
    at_once = 1 if agent.bounds.get("style") == "react" else _number(agent, "parallel_calls", AT_ONCE)
    own = at_once * max((most.get(id(each), 0) for each in _used(agent)), default=0)
    return max(own, *(in_a_turn.get(id(each), 0) for each in _next(agent)), 0)


def _used(agent: Agent) -> list[Agent]:
    return [use.agent for use in agent.tools if use.agent is not None and not _is_limited(use.agent)]


def _next(agent: Agent) -> list[Agent]:
    return [each.agent for each in agent.handoffs]


def _team(agents: Iterable[Agent]) -> dict[int, Agent]:
    """Return agents and all that they lead to, by their `id`."""
    found: dict[int, Agent] = {}
    waiting = list(agents)
    while waiting:
        agent = waiting.pop()
        if id(agent) not in found:
            found[id(agent)] = agent
            waiting += [*_used(agent), *_next(agent)]
    return found


def _groups(leads: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Return the groups of what leads to each other, each behind all that it leads to, by Kosaraju's algorithm."""
    back: dict[int, list[int]] = {each: [] for each in leads}
    for each, others in leads.items():
        for other in others:
            back[other].append(each)
    seen: set[int] = set()
    latest = [one for each in leads for one in _postorder(each, leads, seen)]
    seen.clear()
    groups = [_postorder(each, back, seen) for each in reversed(latest)]
    return [each for each in reversed(groups) if each]


def _postorder(start: int, leads: Mapping[int, Sequence[int]], seen: set[int]) -> list[int]:
    """Return what a node leads to in postorder, itself last, without what has been seen; without recursion."""
    if start in seen:
        return []
    order: list[int] = []
    seen.add(start)
    stack = [(start, iter(leads[start]))]
    while stack:
        node, rest = stack[-1]
        further = next((each for each in rest if each not in seen), None)
        if further is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(further)
            stack.append((further, iter(leads[further])))
    return order


def _number(agent: Agent, key: str, default: int) -> int:
    found = agent.bounds.get(key, default)
    return found if isinstance(found, int) else default
