"""What the watchers of a run are told of its agents (`stream: {calls: true}` in a spec)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from wfc.runtime.events import Event

__all__ = ["CallAnswered", "CallAsked", "HandedOver"]


class CallAsked(Event, closed=True):
    """A call that an agent's model asks for, before it is made or a person is asked; told to the run's watchers.

    Args:
        step: The step that lets the agent work, be it by other agents.
        agent: The agent whose model asks.
        turn: The number of the model's reply, from 1.
        call: What tells the call from all others of the agent.
        tool: The tool's name; an unknown one as the model wrote it.
        args: What the model chose; never what the spec has bound.
    """

    step: str
    agent: str
    turn: int
    call: str
    tool: str
    args: dict[str, Any] = Field(default_factory=dict)


class CallAnswered(Event, closed=True):
    """What became of a call of an agent's model; told to the run's watchers. See ``CallAsked``.

    Args:
        outcome: ``done``; ``changed``: done with arguments that a person has chosen; ``refused`` by a person;
            ``failed``, or not made.
        text: What the model is told.
    """

    step: str
    agent: str
    turn: int
    call: str
    tool: str
    outcome: Literal["done", "changed", "refused", "failed"]
    text: str


class HandedOver(Event, closed=True):
    """An agent goes on in place of another one; told to the run's watchers. See ``CallAsked``.

    Args:
        to: The one that goes on.
    """

    step: str
    agent: str
    turn: int
    to: str
