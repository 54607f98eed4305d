"""An agent that calls tools by what its model chooses, keeps a state, and asks a person before it deletes."""

from typing import Any

from agent_sessions import confirm, play
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.workflow import Context
from scripted_model import Scripted, said


async def set_name(ctx: Context, name: str) -> str:
    """Keep the user's name."""
    async with ctx.store.edit_state() as state:
        state["state"]["name"] = name
    return f"Name set to {name}"


def multiply(a: float, b: float) -> float:
    """Multiply two numbers."""
    return a * b


async def delete_account(ctx: Context, account: str) -> str:
    """Delete an account, if a person says yes."""
    return "deleted" if await confirm(ctx, f"Really delete {account}?") else "not deleted"


def agent(replies: list[Any]) -> FunctionAgent:
    return FunctionAgent(
        tools=[set_name, multiply, delete_account],
        llm=Scripted(*replies),
        system_prompt="You help.",
        initial_state={"name": "unset"},
    )


NAMING = [said("Noted.", set_name={"name": "Bea"}), "Hello Bea"]
DELETING = said("", delete_account={"account": "bea"})

if __name__ == "__main__":
    play(
        agent,
        talking=(
            ["I am Bea", "6 * 7?", "Delete my account"],
            [*NAMING, said("", multiply={"a": 6, "b": 7}), "It is 42", DELETING, "It is gone"],
        ),
        asking=("Delete my account", [DELETING], ["As you wish"]),
        turns=("I am Bea", NAMING, "Who am I?", ["You are Bea"]),
    )
