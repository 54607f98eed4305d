"""An agent that writes code, which is run with its tools, and reads what the code prints."""

import contextlib
import io
from typing import Any

from agent_sessions import play
from llama_index.core.agent.workflow import CodeActAgent
from scripted_model import Scripted


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class Executor:
    """Runs code, and keeps its variables from one piece of code to the next."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"add": add}

    def execute(self, code: str) -> str:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, self.names)  # noqa: S102 - what the script says
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return printed.getvalue()


def agent(replies: list[Any]) -> CodeActAgent:
    return CodeActAgent(code_execute_fn=Executor().execute, tools=[add], llm=Scripted(*replies))


ADDING = ["I add.\n<execute>\nx = add(40, 2)\nprint(x)\n</execute>", "It is 42"]

if __name__ == "__main__":
    play(
        agent,
        talking=(
            ["40 + 2?", "Half of it?", "Fail"],
            [
                *ADDING,
                "<execute>print(x // 2)</execute>",
                "It is 21",
                "<execute>1 / 0</execute>",
                "It failed",
            ],
        ),
        turns=("40 + 2?", ADDING, "What was it?", ["As I said, 42"]),
    )
