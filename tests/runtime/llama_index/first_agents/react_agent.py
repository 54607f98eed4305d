"""An agent that thinks aloud, and names its tools in what it says."""

from typing import Any

from agent_sessions import confirm, play
from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.workflow import Context
from scripted_model import Scripted


def multiply(a: float, b: float) -> float:
    """Multiply two numbers."""
    return a * b


async def delete_account(ctx: Context, account: str) -> str:
    """Delete an account, if a person says yes."""
    return "deleted" if await confirm(ctx, f"Really delete {account}?") else "not deleted"


def agent(replies: list[Any]) -> ReActAgent:
    return ReActAgent(tools=[multiply, delete_account], llm=Scripted(*replies, calls_functions=False))


def acts(tool: str, arguments: str) -> str:
    return f"Thought: I need a tool.\nAction: {tool}\nAction Input: {arguments}"


def answers(text: str) -> str:
    return f"Thought: I can answer without using any more tools.\nAnswer: {text}"


MULTIPLYING = [acts("multiply", '{"a": 6, "b": 7}'), answers("It is 42")]
DELETING = acts("delete_account", '{"account": "bea"}')

if __name__ == "__main__":
    play(
        agent,
        talking=(
            ["6 * 7?", "Do something odd", "Delete my account"],
            [
                *MULTIPLYING,
                acts("multiply", "{nonsense"),
                answers("I cannot"),
                DELETING,
                answers("It is gone"),
            ],
        ),
        asking=("Delete my account", [DELETING], [answers("As you wish")]),
        turns=("6 * 7?", MULTIPLYING, "And again?", [answers("As I said, 42")]),
    )
