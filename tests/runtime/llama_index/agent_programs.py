"""Programs with llama_index.core's agents and a scripted model, run by either runtime in a process of their own.

``python agent_programs.py ours`` prints, as JSON, what each program's stream showed and what it came to;
``theirs`` does the same on llama-index-workflows.
"""

# no postponed annotations: llama-index-core finds the context of a tool by the class itself

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any

if sys.argv[1] == "ours":
    from wfc.runtime.integrations import llama_index

    llama_index.install()

from llama_index.core.agent.workflow import (
    AgentInput,
    AgentOutput,
    AgentStream,
    AgentWorkflow,
    CodeActAgent,
    FunctionAgent,
    ReActAgent,
    ToolCall,
    ToolCallResult,
)
from llama_index.core.agent.workflow.workflow_events import AgentSetup, AgentStreamStructuredOutput
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent, WorkflowRuntimeError
from scripted_model import Scripted, said

# --- tools


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


async def search(query: str) -> str:
    """Searches."""
    await asyncio.sleep(0.01)
    return f"found {query}"


def broken(x: int) -> int:
    """Fails."""
    raise ValueError(f"no {x}")


async def remember(ctx: Context, name: str) -> str:
    """Keeps a name in the state."""
    async with ctx.store.edit_state() as state:
        state["state"]["name"] = name
    return "kept"


async def delete(ctx: Context, file: str) -> str:
    """Deletes a file, if a person agrees."""
    answer = await ctx.wait_for_event(
        HumanResponseEvent,
        waiter_id=file,
        waiter_event=InputRequiredEvent(prefix=f"Delete {file}?", user="anna"),
        requirements={"user": "anna"},
    )
    return f"deleted {file}" if answer.response == "yes" else "kept"


# --- programs: each gives a workflow and the inputs of its runs


Program = Callable[[], tuple[Any, ...]]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


@program
def no_tools() -> tuple[Any, ...]:
    return FunctionAgent(llm=Scripted("Hello to you too"), system_prompt="Be kind."), {"user_msg": "Hello"}


@program
def one_tool() -> tuple[Any, ...]:
    model = Scripted(said("I add.", add={"a": 1, "b": 2}), "It is 3")
    return FunctionAgent(tools=[add], llm=model), {"user_msg": "1 + 2?"}


@program
def tools_side_by_side() -> tuple[Any, ...]:
    model = Scripted(
        # the same three times: llama-index-workflows collects results in an order of its own
        said("All at once", search={"query": "it"}, search_={"query": "it"}, search__={"query": "it"}),
        "Found it three times",
    )
    return FunctionAgent(tools=[search], llm=model), {"user_msg": "Find three"}


@program
def not_streamed_and_direct() -> tuple[Any, ...]:
    tool = FunctionTool.from_defaults(add, return_direct=True)
    model = Scripted(said("", add={"a": 2, "b": 2}))
    return FunctionAgent(tools=[tool], llm=model, streaming=False), {"user_msg": "2 + 2?"}


@program
def failing_and_unknown_tools() -> tuple[Any, ...]:
    model = Scripted(said("", broken={"x": 1}), said("", nothing={}), "I give up")
    return FunctionAgent(tools=[broken], llm=model), {"user_msg": "Try"}


@program
def state() -> tuple[Any, ...]:
    model = Scripted(said("", remember={"name": "Ada"}), "I know you now")
    agent = FunctionAgent(tools=[remember], llm=model)
    return AgentWorkflow(agents=[agent], initial_state={"name": "unset"}), {"user_msg": "I am Ada"}


@program
def state_of_an_agent() -> tuple[Any, ...]:
    model = Scripted(said("", remember={"name": "Ada"}), "I know you now")
    return FunctionAgent(tools=[remember], llm=model, initial_state={"name": "unset"}), {
        "user_msg": "I am Ada"
    }


@program
def handoffs() -> tuple[Any, ...]:
    first = FunctionAgent(
        name="desk",
        description="Takes questions",
        llm=Scripted(said("", handoff={"to_agent": "expert", "reason": "hard"})),
        can_handoff_to=["expert"],
    )
    second = FunctionAgent(
        name="expert",
        description="Knows",
        tools=[add],
        llm=Scripted(
            said("", add={"a": 40, "b": 2}), said("", handoff={"to_agent": "writer", "reason": "write"})
        ),
        can_handoff_to=["desk", "writer"],
    )
    third = ReActAgent(
        name="writer",
        description="Writes",
        llm=Scripted("Thought: I can answer.\nAnswer: It is 42", calls_functions=False),
    )
    return AgentWorkflow(agents=[first, second, third], root_agent="desk"), {"user_msg": "40 + 2?"}


@program
def handoff_to_nobody() -> tuple[Any, ...]:
    first = FunctionAgent(
        name="desk",
        description="Takes questions",
        llm=Scripted(said("", handoff={"to_agent": "nobody", "reason": "hard"}), "Then I say it"),
    )
    second = FunctionAgent(name="expert", description="Knows", llm=Scripted("no"))
    return AgentWorkflow(agents=[first, second], root_agent="desk"), {"user_msg": "Who?"}


@program
def a_person() -> tuple[Any, ...]:
    model = Scripted(said("", delete={"file": "a.txt"}), "It is gone")
    return FunctionAgent(tools=[delete], llm=model), {"user_msg": "Delete a.txt"}


@program
def react() -> tuple[Any, ...]:
    model = Scripted(
        'Thought: I need a tool.\nAction: add\nAction Input: {"a": 20, "b": 22}',
        "Thought: I can answer.\nAnswer: It is 42",
        calls_functions=False,
    )
    return ReActAgent(tools=[add], llm=model), {"user_msg": "20 + 22?"}


@program
def react_that_must_try_again() -> tuple[Any, ...]:
    model = Scripted(
        "Thought: hm.\nAction: add\nAction Input: {nonsense",
        "Thought: I can answer.\nAnswer: It is 42",
        calls_functions=False,
    )
    return ReActAgent(tools=[add], llm=model), {"user_msg": "20 + 22?"}


@program
def code() -> tuple[Any, ...]:
    def run(code: str) -> dict[str, Any]:
        return {"stdout": f"ran {code}"}

    model = Scripted("I run <execute>print(add(1, 2))</execute>", "It printed 3")
    return CodeActAgent(code_execute_fn=run, tools=[add], llm=model), {"user_msg": "Print 1 + 2"}


@program
def too_many_iterations() -> tuple[Any, ...]:
    model = Scripted(*(said("", add={"a": at, "b": 1}) for at in range(9)))
    return FunctionAgent(tools=[add], llm=model), {"user_msg": "Count", "max_iterations": 3}


@program
def stopped_early() -> tuple[Any, ...]:
    model = Scripted(said("", add={"a": 1, "b": 1}), said("", add={"a": 2, "b": 1}), "As far as I came: 3")
    agent = FunctionAgent(tools=[add], llm=model)
    return agent, {"user_msg": "Count", "max_iterations": 2, "early_stopping_method": "generate"}


@program
def stopped_early_together() -> tuple[Any, ...]:
    model = Scripted(said("", add={"a": 1, "b": 1}), said("", add={"a": 2, "b": 1}), "As far as I came: 3")
    made = AgentWorkflow(agents=[FunctionAgent(tools=[add], llm=model)], early_stopping_method="generate")
    return made, {"user_msg": "Count", "max_iterations": 2}


@program
def structured() -> tuple[Any, ...]:
    def summed(messages: list[ChatMessage]) -> dict[str, Any]:
        return {"messages": len(messages)}

    model = Scripted(said("", add={"a": 1, "b": 1}), "It is 2")
    return FunctionAgent(tools=[add], llm=model, structured_output_fn=summed), {"user_msg": "1 + 1?"}


@program
def from_functions() -> tuple[Any, ...]:
    model = Scripted(
        'Thought: so.\nAction: add\nAction Input: {"a": 1, "b": 1}',
        "Thought: ok.\nAnswer: 2",
        calls_functions=False,
    )
    made = AgentWorkflow.from_tools_or_functions([add], llm=model, system_prompt="Add.", timeout=20)
    return made, {"user_msg": "1 + 1?", "chat_history": [ChatMessage(role="user", content="Hi")]}


@program
def two_runs_in_one_context() -> tuple[Any, ...]:
    model = Scripted(said("", add={"a": 1, "b": 1}), "It is 2", "As I said, 2")
    return FunctionAgent(tools=[add], llm=model), {"user_msg": "1 + 1?"}, {"user_msg": "Once more?"}


@program
def a_failing_model() -> tuple[Any, ...]:
    return FunctionAgent(llm=Scripted()), {"user_msg": "Hello"}


# --- what is compared


def shown(event: Any) -> list[Any]:
    """An event as data."""
    match event:
        case AgentStream():
            told = [event.delta, event.response, [one.tool_name for one in event.tool_calls], event.raw]
        case AgentOutput():
            chosen = [one.tool_name for one in event.tool_calls]
            told = [event.current_agent_name, event.response.content, chosen, event.structured_response]
            told.append(len(event.retry_messages))
        case AgentInput() | AgentSetup():
            told = [event.current_agent_name, [f"{one.role.value}: {one.content}" for one in event.input]]
        case ToolCallResult():
            told = [
                event.tool_name,
                event.tool_output.content,
                event.tool_output.is_error,
                event.return_direct,
            ]
        case ToolCall():
            told = [event.tool_name, event.tool_kwargs]
        case AgentStreamStructuredOutput():
            told = [event.output]
        case InputRequiredEvent():
            told = [event.prefix, event.user]
        case _:
            told = []
    return [type(event).__name__, *told]


async def played(made: Any, *runs: dict[str, Any]) -> dict[str, Any]:
    """Runs a program, its runs one after the other in one context, with a person who says yes."""
    context = Context(made)
    events, results = [], []
    for inputs in runs:
        handler = made.run(ctx=context, **inputs)
        async for event in handler.stream_events():
            events.append(shown(event))
            if isinstance(event, InputRequiredEvent):
                with contextlib.suppress(WorkflowRuntimeError):  # ours refuses an answer to nobody's question
                    handler.ctx.send_event(HumanResponseEvent(response="no", user="bert"))
                handler.ctx.send_event(HumanResponseEvent(response="yes", user="anna"))
        try:
            results.append(shown(await handler))
        except Exception as error:
            results.append([str(error)])
    agents = getattr(made, "agents", {"": made})
    return {
        "events": events,
        "results": results,
        "state": await handler.ctx.store.get("state", default=None),
        "asked": {name: agent.llm._asked for name, agent in agents.items()},
    }


async def main() -> dict[str, Any]:
    told = {}
    for name, made in PROGRAMS.items():
        told[name] = await asyncio.wait_for(played(*made()), 240)
    return told


print(json.dumps(asyncio.run(main())))
