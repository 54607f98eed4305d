"""How many replies of models agents may come to at most, where those that are tools multiply them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Agent, AgentCall, MapItems, Step, Whole
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import agents as problems

__all__ = ["report_many_replies"]

MANY: Final = 10_000
"""From how many replies on something has to bound them."""

TURNS: Final = 20
AT_ONCE: Final = 8
"""The bounds of agents that give themselves none."""


def report_many_replies(steps: Iterable[Step], run: Whole, declared: Declarations) -> None:
    """Report agents that may come to very many replies, where neither the run nor the step nor they have limits."""
    if run.limits is not None:
        return
    for step in steps:
        call = step.action.do if isinstance(step.action, MapItems) else step.action
        if not isinstance(call, AgentCall) or call.limits or _is_limited(call.agent):
            continue
        most = _most_replies(call.agent, (), {})
        if most >= MANY:
            declared.report(problems.many_replies(Place(step.address).key, call.agent.name, most))


def _is_limited(agent: Agent) -> bool:
    return "tokens" in agent.bounds or "cost_usd" in agent.bounds


def _most_replies(agent: Agent, above: tuple[int, ...], known: dict[int, int]) -> int:
    """Return how many replies an agent may come to, with those of the agents that are its tools.

    Its turns go on over its hand-overs. In each of them as many agents may work as the one at work may let work at
    once; those with limits of their own are left out, and so are those that wait for it, which is told elsewhere.
    """
    if id(agent) in known:
        return known[id(agent)]
    above = (*above, id(agent))
    most = max(_most_in_a_turn(each, above, known) for each in _going_on(agent))
    known[id(agent)] = found = _number(agent, "max_turns", TURNS) * (1 + most)
    return found


def _most_in_a_turn(agent: Agent, above: tuple[int, ...], known: dict[int, int]) -> int:
    used = [use.agent for use in agent.tools if use.agent is not None and not _is_limited(use.agent)]
    replies = [_most_replies(each, above, known) for each in used if id(each) not in above]
    at_once = 1 if agent.bounds.get("style") == "react" else _number(agent, "parallel_calls", AT_ONCE)
    return at_once * max(replies, default=0)


def _going_on(agent: Agent) -> list[Agent]:
    """Return an agent and those that may come to go on in its place."""
    found = [agent]
    for one in found:
        found += [each.agent for each in one.handoffs if all(each.agent is not other for other in found)]
    return found


def _number(agent: Agent, key: str, default: int) -> int:
    found = agent.bounds.get(key, default)
    return found if isinstance(found, int) else default
