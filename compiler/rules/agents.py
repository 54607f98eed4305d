"""Problems with agents."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import remove_entry

__all__ = ["agent_said_twice", "not_for_agents", "tool_listed_twice", "tool_without_args"]


@problem
def agent_said_twice(place: Place, key: str, agent: str) -> Finding:
    """A step names an agent, and says itself what an agent is.

    With `agent: NAME` a step calls an agent that `agents` declares, with its model, its tools and its bounds. Which of
    two `model` or `tools` should hold, nobody could see. Say it in the agent's declaration; or leave `agent` out,
    and all that the agent is stands in the step.
    """
    return Finding(
        "agent-said-twice",
        f"`{key}` stands beside `agent`, and belongs to the agent `{agent}`",
        place,
        f"say it under `agents`, where `{agent}` is declared",
    )


@problem
def tool_listed_twice(place: Place, name: str) -> Finding:
    """An agent's `tools` list one tool twice.

    The model is told of each tool once. Take one of the two out.
    """
    return Finding(
        "tool-listed-twice", f"`{name}` stands in this list already", place, fix=remove_entry(place, "safe")
    )


@problem
def not_for_agents(place: Place, name: str) -> Finding:
    """An agent's `tools` name a tool that is a workflow.

    An agent calls functions, requests, commands and the tools of MCP servers; it starts no runs yet. Let a step of kind
    `workflow` run it, before the agent or after it.
    """
    return Finding(
        "not-for-agents",
        f"tool `{name}` is a workflow, which an agent cannot run yet",
        place,
        "run it in a step of kind `workflow`, and give the agent what came of it",
    )


@problem
def tool_without_args(place: Place, name: str, declared: Place) -> Finding:
    """An agent may use a tool that does not say what it takes.

    The model chooses the arguments, and knows of them what `args` says: their names, their types and what they mean.
    What it gives is checked against that before the tool is called. Declare `args`; if the tool takes nothing,
    write `args: {}`.
    """
    return Finding(
        "tool-without-args",
        f"tool `{name}` does not say what it takes, so no model can call it",
        place,
        "declare its `args`, such as `args: {order_id: string}`",
        related=((declared, "it is declared here"),),
    )
