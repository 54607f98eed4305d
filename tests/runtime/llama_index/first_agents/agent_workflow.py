"""Agents that hand over to each other, write into one state, and of which the last asks a person."""

from typing import Any

from agent_sessions import confirm, play
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.workflow import Context
from scripted_model import Scripted, said


async def take_note(ctx: Context, note: str) -> str:
    """Keep a note for the others."""
    async with ctx.store.edit_state() as state:
        state["state"]["notes"] = [*state["state"]["notes"], note]
    return "kept"


async def publish(ctx: Context, title: str) -> str:
    """Publish what has been written, if a person agrees."""
    if not await confirm(ctx, f"Publish {title}?"):
        return "not published"
    async with ctx.store.edit_state() as state:
        state["state"]["published"] = title
    return "published"


def agents(replies: dict[str, list[Any]]) -> AgentWorkflow:
    research = FunctionAgent(
        name="research",
        description="Finds out.",
        tools=[take_note],
        llm=Scripted(*replies.get("research", ())),
        can_handoff_to=["write"],
    )
    write = FunctionAgent(
        name="write",
        description="Writes and publishes.",
        tools=[publish],
        llm=Scripted(*replies.get("write", ())),
        can_handoff_to=["review"],
    )
    review = ReActAgent(
        name="review",
        description="Judges.",
        llm=Scripted(*replies.get("review", ()), calls_functions=False),
        can_handoff_to=["write"],
    )
    return AgentWorkflow(
        agents=[research, write, review],
        root_agent="research",
        initial_state={"notes": [], "published": None},
    )


def hands_over(to: str) -> Any:
    return said("", handoff={"to_agent": to, "reason": "your turn"})


FINDING = [said("I look.", take_note={"note": "the sea is deep"}), hands_over("write")]
PUBLISHING = said("", publish={"title": "The sea"})
JUDGING = ["Thought: I can answer without using any more tools.\nAnswer: It is good"]

if __name__ == "__main__":
    play(
        agents,
        talking=(
            ["Write of the sea", "And what now?"],
            {
                "research": [*FINDING],
                "write": [PUBLISHING, hands_over("review")],
                "review": [*JUDGING, "Thought: I can answer without using any more tools.\nAnswer: Nothing"],
            },
        ),
        asking=(
            "Write of the sea",
            {"research": FINDING, "write": [PUBLISHING]},
            {"write": [hands_over("review")], "review": JUDGING},
        ),
        turns=(
            "Find out about the sea",
            {"research": [FINDING[0], "It is deep"]},
            "Who was it?",
            {"research": ["It was me"]},
        ),
    )
