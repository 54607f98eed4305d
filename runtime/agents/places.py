"""The places within an agent: its turns, and the calls of tools in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.authoring.definition import definition_of

__all__ = ["LoopPlaces"]

_TURN: Final = re.compile(r"turn(?: ([1-9][0-9]{0,8}))?")

_LONGEST: Final = 64
"""How many characters of a name count that a model has made up."""


class LoopPlaces:
    """The places within the loop of an agent: ``turn 3`` is where its model is asked, ``turn 3/refund`` a call.

    Args:
        agent: The agent that begins.
        team: It, and those that it may hand over to, by their names.
    """

    def __init__(self, agent: Agent, team: Mapping[str, Agent]) -> None:
        self._agent = agent
        self._team = team

    def of(self, step: str, event: Any, state: Any) -> str:
        """Return the place of a step run; see ``Places``."""
        if step == "think":
            return f"turn {state.turns + 1}"
        if step not in ("call", "delegate"):
            return ""
        at_work = self._agent if state.at_work is None else self._team[state.at_work.agent]
        told: str = event.call.tool
        known = at_work.by_name.get(told)
        name = re.sub(r"[^\w.-]+", "_", told)[:_LONGEST] if known is None else known.name
        return f"turn {state.turns}/{name}"

    def problem(self, place: str) -> str:
        """Return why there is no such place; empty, if there may be."""
        turn, _, beneath = place.partition("/")
        found = _TURN.fullmatch(turn)
        if found is None:
            return f"`{turn}` is no turn: write `turn 3`, or `turn` for each of them"
        if found[1] is not None and int(found[1]) > self._agent.max_turns:
            return f"the agent `{self._agent.name}` has {self._agent.max_turns} turns at most"
        if not beneath:
            return "" if "/" not in place else "a place does not end with `/`"
        name, _, rest = beneath.partition("/")
        tools = self._tools()
        tool = tools.get(name)
        if tool is None:
            known = ", ".join(f"`{each}`" for each in list(tools)[:20]) or "none"
            return f"the agent `{self._agent.name}` has no tool `{name}`; there are {known}"
        if not rest and "/" not in beneath:
            return ""
        if tool.agent is None:
            return f"the tool `{name}` is no agent, so there is nothing to halt at beneath it"
        places = definition_of(tool.agent).places
        assert places is not None
        return places.problem(rest)

    def _tools(self) -> dict[str, AgentTool]:
        return {tool.name: tool for agent in self._team.values() for tool in agent.all_tools}
