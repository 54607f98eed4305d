"""What the watchers of a run are told of an agent's calls and hand-overs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from wfc.runtime.agents.events import LoopState, ToolCall, ToolCallResult, TurnDue
from wfc.runtime.driver.run import Run
from wfc.runtime.events import Event
from wfc.runtime.events.of_agents import CallAnswered, CallAsked, HandedOver

if TYPE_CHECKING:
    from wfc.runtime.agents.agent_turns import AgentTurns

__all__ = ["shown_calls"]


def shown_calls(run: Run, state: LoopState, emitted: Iterable[Event]) -> Iterator[Event]:
    """Yield what the watchers are told of what a step of an agent's loop has emitted."""
    loop: AgentTurns = run.workflow  # type: ignore[assignment]
    agent = loop.at_work(state)
    place: dict[str, Any] = {"step": _step_of(run), "agent": agent.name, "turn": state.turns}
    for event in emitted:
        if isinstance(event, ToolCall):
            call = event.call
            args = json.loads(call.args or "{}")
            yield CallAsked(**place, call=call.id, tool=_name_of(loop, state, call.tool), args=args)
        elif isinstance(event, ToolCallResult):
            tool = _name_of(loop, state, event.tool)
            yield CallAnswered(**place, call=event.id, tool=tool, outcome=event.outcome, text=event.text)
        elif isinstance(event, TurnDue) and state.came_from:
            yield HandedOver(**{**place, "agent": state.came_from}, to=agent.name)


def _name_of(loop: AgentTurns, state: LoopState, told: str) -> str:
    """Return the name that a spec has for a tool of the agent at work."""
    known = loop.at_work(state).by_name.get(told)
    return told if known is None else known.name


def _step_of(run: Run) -> str:
    """Return the step that lets the agent work: of the nearest run above that is no agent's."""
    while run.above is not None and run.above.workflow._wfc.is_part:
        run = run.above
    return "" if run.parent is None else run.parent.step
