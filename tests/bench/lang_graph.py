"""The work of the benchmark on ``langgraph``."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import AsyncIterator
from typing import Annotated, Any

from gate import Gate
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, StreamWriter
from pydantic import BaseModel

NAME = "langgraph"


class Left(BaseModel):
    left: int


class Items(BaseModel):
    count: int = 0
    done: Annotated[list[int], operator.add] = []


class Number(BaseModel):
    number: int


def _hand_over(state: Left) -> dict[str, int]:
    return {"left": state.left - 1}


def ping_pong_graph() -> Any:
    graph = StateGraph(Left)
    graph.add_node("ping", _hand_over)
    graph.add_node("pong", _hand_over)
    graph.add_edge(START, "ping")
    graph.add_conditional_edges("ping", lambda state: "pong" if state.left > 0 else END, ["pong", END])
    graph.add_conditional_edges("pong", lambda state: "ping" if state.left > 0 else END, ["ping", END])
    return graph.compile()


async def ping_pong(hops: int) -> None:
    """Two nodes and the edges between them."""
    end = await ping_pong_graph().ainvoke(Left(left=hops), {"recursion_limit": hops + 10})
    assert end["left"] == 0


def fan_out_graph(work: Any) -> Any:
    graph = StateGraph(Items)
    graph.add_node("start", lambda state: {})
    graph.add_node("work", work)
    graph.add_node("end", lambda state: {"count": len(state.done)})
    graph.add_edge(START, "start")
    graph.add_conditional_edges(
        "start",
        lambda state: [Send("work", Number(number=number)) for number in range(state.count)],
        ["work"],
    )
    graph.add_edge("work", "end")
    graph.add_edge("end", END)
    return graph.compile()


async def fan_out_list(count: int) -> None:
    """``Send`` for each item, and a reducer."""

    async def work(state: Number) -> dict[str, list[int]]:
        return {"done": [state.number]}

    end = await fan_out_graph(work).ainvoke(Items(count=count))
    assert len(end["done"]) == count


fan_out_send = fan_out_list


async def backlog(count: int) -> None:
    """The same with at most four at once, each of which gives way once."""

    async def work(state: Number) -> dict[str, list[int]]:
        await asyncio.sleep(0)
        return {"done": [state.number]}

    end = await fan_out_graph(work).ainvoke(Items(count=count), {"max_concurrency": 4})
    assert len(end["done"]) == count


async def runs(count: int) -> AsyncIterator[None]:
    """Invocations of one graph of three nodes."""
    gate = Gate(count)

    async def first(state: Number) -> dict[str, int]:
        return {"number": 1}

    async def second(state: Number) -> dict[str, int]:
        await gate.wait()
        return {"number": state.number + 1}

    async def third(state: Number) -> dict[str, int]:
        return {"number": state.number}

    graph = StateGraph(Number)
    for node in (first, second, third):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    graph.add_edge("second", "third")
    graph.add_edge("third", END)
    compiled = graph.compile()
    tasks = [asyncio.create_task(compiled.ainvoke(Number(number=0))) for _ in range(count)]
    await gate.all_here.wait()
    yield
    gate.opened.set()
    for task in tasks:
        assert (await task)["number"] == 2


async def stream(count: int) -> None:
    """A node that writes to the stream, and its one reader."""

    async def tell(state: Left, writer: StreamWriter) -> dict[str, int]:
        for number in range(state.left):
            writer(Number(number=number))
        return {}

    graph = StateGraph(Left)
    graph.add_node("tell", tell)
    graph.add_edge(START, "tell")
    graph.add_edge("tell", END)
    compiled = graph.compile()
    assert len([one async for one in compiled.astream(Left(left=count), stream_mode="custom")]) == count


stream_three = stream  # it has one reader
