"""What the programs with agents do, by the arguments of their process; imported once the runtime has been chosen.

``talk`` has turns in one process. ``ask FILE`` stops where a person is asked, and ``answer FILE TEXT`` goes on in
another process; ``first FILE`` and ``second FILE`` are turns of one talk in two processes.
"""

# no postponed annotations: llama-index-core looks at the classes themselves

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llama_index.core.agent.workflow import AgentOutput, AgentStream, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent, JsonSerializer


async def confirm(ctx: Context, question: str) -> bool:
    """Ask a person."""
    answer = await ctx.wait_for_event(
        HumanResponseEvent,
        waiter_id=question,
        waiter_event=InputRequiredEvent(prefix=question, user_name="Ann"),
        requirements={"user_name": "Ann"},
    )
    return answer.response.strip().lower() == "yes"


def tell_what_was_asked(made: Any) -> None:
    """Print what each agent's model was last given to read."""
    for name, agent in getattr(made, "agents", {made.__class__.__name__: made}).items():
        if agent.llm._asked:
            print(f"{name}'s model saw:", *agent.llm._asked[-1], sep="\n  ")


async def follow(handler: Any) -> None:
    """Print the stream of a run and its result, and say yes to what it asks."""
    text = ""
    async for event in handler.stream_events():
        if isinstance(event, AgentStream):
            text += event.delta
        elif isinstance(event, AgentOutput):
            print(f"{event.current_agent_name} said: {text}")
            text = ""
        elif isinstance(event, ToolCallResult):
            print(event.tool_name, event.tool_kwargs, "->", event.tool_output.content)
        elif isinstance(event, InputRequiredEvent):
            print("asks:", event.prefix)
            handler.ctx.send_event(HumanResponseEvent(response="yes", user_name=event.user_name))
    print("result:", await handler)


async def in_memory(ctx: Context) -> ChatMemoryBuffer:
    """The agent's memory, from which that of the beginning may differ, since a state may be copied."""
    found: ChatMemoryBuffer = await ctx.store.get("memory")
    return found


async def kept(ctx: Context) -> dict[str, Any]:
    """What a later process needs; the memory apart, as llama-index-workflows leaves it out of the snapshot."""
    messages = [[one.role.value, one.content] for one in (await in_memory(ctx)).get_all()]
    return {"ctx": ctx.to_dict(serializer=JsonSerializer()), "memory": messages}


def go_on(kept: dict[str, Any], made: Any) -> tuple[Context, ChatMemoryBuffer]:
    messages = [ChatMessage(role=role, content=text) for role, text in kept["memory"]]
    memory = ChatMemoryBuffer.from_defaults(messages)
    ctx = Context.from_dict(made, kept["ctx"], serializer=JsonSerializer())
    return ctx, memory


async def talk(make: Callable[..., Any], turns: list[str], replies: Any) -> None:
    made, memory = make(replies), ChatMemoryBuffer.from_defaults()
    ctx = Context(made)
    for text in turns:
        await follow(made.run(user_msg=text, ctx=ctx, memory=memory))
        memory = await in_memory(ctx)
        print("state:", await ctx.store.get("state", default=None))
    tell_what_was_asked(made)


async def ask(make: Callable[..., Any], text: str, replies: Any) -> dict[str, Any]:
    made = make(replies)
    handler = made.run(user_msg=text, memory=ChatMemoryBuffer.from_defaults())
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            print("asks:", event.prefix)
            found = await kept(handler.ctx)
            await handler.cancel_run()
            return found
    raise AssertionError("nobody was asked")


async def answer(make: Callable[..., Any], found: dict[str, Any], text: str, replies: Any) -> None:
    made = make(replies)
    ctx, memory = go_on(found, made)
    handler = made.run(ctx=ctx)
    await handler.ctx.store.set("memory", memory)  # llama-index-workflows wants this once the run has begun
    handler.ctx.send_event(HumanResponseEvent(response=text, user_name="Ann"))
    await follow(handler)
    tell_what_was_asked(made)


async def first(make: Callable[..., Any], text: str, replies: Any) -> dict[str, Any]:
    made = make(replies)
    ctx = Context(made)
    await follow(made.run(user_msg=text, ctx=ctx, memory=ChatMemoryBuffer.from_defaults()))
    return await kept(ctx)


async def second(make: Callable[..., Any], found: dict[str, Any], text: str, replies: Any) -> None:
    made = make(replies)
    ctx, memory = go_on(found, made)
    await follow(made.run(user_msg=text, ctx=ctx, memory=memory))
    print("state:", await ctx.store.get("state", default=None))
    tell_what_was_asked(made)


def play(
    make: Callable[..., Any],
    *,
    talking: tuple[list[str], Any],
    turns: tuple[str, Any, str, Any],
    asking: tuple[str, Any, Any] | None = None,
) -> None:
    """Play what the arguments of the process say.

    Args:
        make: Makes the agent, given the replies of its model.
        talking: What is said, turn by turn, and the replies.
        turns: What is said in the first process, the replies there, and the same of the second.
        asking: What is said so that it asks a person, the replies before, and those after the answer.
    """
    match sys.argv[1:]:
        case ["ask", file] if asking is not None:
            Path(file).write_text(json.dumps(asyncio.run(ask(make, asking[0], asking[1]))))
        case ["answer", file, text] if asking is not None:
            asyncio.run(answer(make, json.loads(Path(file).read_text()), text, asking[2]))
        case ["first", file]:
            Path(file).write_text(json.dumps(asyncio.run(first(make, turns[0], turns[1]))))
        case ["second", file]:
            asyncio.run(second(make, json.loads(Path(file).read_text()), turns[2], turns[3]))
        case ["talk"]:
            asyncio.run(talk(make, *talking))
        case _:
            sys.exit(f"unknown: {sys.argv[1:]}")
