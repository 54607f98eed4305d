"""Agents and workflows whose snapshots one process writes and another resumes.

``python agent_snapshots.py ours write NAME`` prints a snapshot as JSON, ``… resume NAME`` reads it from standard
input and prints what the run came to; ``theirs`` does the same on llama-index-workflows.
"""

# no postponed annotations: llama-index-core finds the context of a tool by the class itself

import asyncio
import json
import sys
from typing import Any

if sys.argv[1] == "ours":
    from wfc.runtime.integrations import llama_index

    llama_index.install()

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.workflow import (
    Context,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StopEvent,
    Workflow,
    step,
)
from scripted_model import Scripted, said


class Approval(HumanResponseEvent):
    """Is in no step's signature."""

    by: str


class Note(Event):
    """Neither is this, nor is it an answer of a person."""

    text: str


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


async def delete(ctx: Context, file: str) -> str:
    """Deletes a file if somebody approves."""
    approval = await ctx.wait_for_event(
        Approval,
        waiter_event=InputRequiredEvent(prefix=f"Delete {file}?"),
        waiter_id=file,
        requirements={"by": "anna"},
    )
    return f"deleted {file}, says {approval.by}"


class Waiting(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        await ctx.store.set("asked", True)
        note = await ctx.wait_for_event(
            Note, waiter_event=InputRequiredEvent(prefix="A note?"), waiter_id="n"
        )
        return StopEvent(result=[note.text, await ctx.store.get("asked")])


def agent(*replies: Any) -> FunctionAgent:
    return FunctionAgent(name="helper", description="Helps.", tools=[add, delete], llm=Scripted(*replies))


# what waits, what is said to it, and what its model still has to say when it goes on
WAITING: dict[str, tuple[Any, Any, Event]] = {
    "function_agent": (
        lambda: agent(said("", delete={"file": "a.txt"})),
        lambda: agent("It is gone"),
        Approval(by="anna"),
    ),
    "agent_workflow": (
        lambda: AgentWorkflow(agents=[agent(said("", delete={"file": "a.txt"}))]),
        lambda: AgentWorkflow(agents=[agent("It is gone")]),
        Approval(by="anna"),
    ),
    "workflow": (Waiting, Waiting, Note(text="so")),
}

TURNS = {
    "function_agent": agent,
    "agent_workflow": lambda *replies: AgentWorkflow(agents=[agent(*replies)]),
}


def asked(made: Any) -> list[list[str]]:
    agents = getattr(made, "agents", {"": made})
    return [texts for one in agents.values() for texts in one.llm._asked]


async def write_turn(name: str) -> Any:
    made = TURNS[name](said("", add={"a": 1, "b": 1}), "It is 2")
    ctx = Context(made)
    await made.run(ctx=ctx, user_msg="1 + 1?")
    return ctx.to_dict()


async def resume_turn(name: str, data: Any) -> Any:
    made = TURNS[name]("As I said, 2")
    await made.run(ctx=Context.from_dict(made, data), user_msg="Once more?")
    return asked(made)


async def write_wait(name: str) -> Any:
    made = WAITING[name][0]()
    inputs = {} if name == "workflow" else {"user_msg": "Delete a.txt"}
    handler = made.run(**inputs)
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            break
    data = handler.ctx.to_dict()
    await handler.cancel_run()
    return data


async def resume_wait(name: str, data: Any) -> Any:
    _, make, answer = WAITING[name]
    made = make()
    handler = made.run(ctx=Context.from_dict(made, data))
    await asyncio.sleep(
        0.1 if sys.argv[1] == "theirs" else 0
    )  # theirs runs the body again first, and only then knows what it waits for
    handler.ctx.send_event(answer)
    result = await asyncio.wait_for(handler, 240)
    return result if name == "workflow" else [str(result), asked(made)]


async def write(name: str) -> Any:
    what, about = name.split(":")
    return await (write_turn if what == "turn" else write_wait)(about)


async def resume(name: str, data: Any) -> Any:
    what, about = name.split(":")
    return await (resume_turn if what == "turn" else resume_wait)(about, data)


if sys.argv[2] == "write":
    found = {name: asyncio.run(write(name)) for name in sys.argv[3:]}
else:
    found = {name: asyncio.run(resume(name, data)) for name, data in json.load(sys.stdin).items()}
print(json.dumps(found))
