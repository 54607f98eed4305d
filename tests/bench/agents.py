"""Measures what an agent costs beside the bare SDK of OpenAI and the agents of other libraries. Run it by hand::

    python tests/bench/agents.py --peers ENVIRONMENT/bin/python    # about ten minutes
    python tests/bench/agents.py --quick                           # small sizes, to see that it works
    python tests/bench/agents.py --only calls first_token

``--peers`` is the Python of an environment of its own with ``llama-index-core llama-index-llms-openai-like langgraph
langchain-openai``. All ask one server on this machine, in OpenAI's protocol, for the same replies, and have the same
tool. Each measurement is made in a process of its own after a warm-up; they take turns, and medians are shown. Counted
is the time of the processor of that process, which the server and a busy machine are no part of.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])  # modules beside this one have the names of the peers

SYSTEM = "You answer customers of a shop. Look things up before you answer."
QUESTION = "Where is my order?"
FOUND = "A pen, a notebook and a lamp; sent yesterday, and now in Oslo, where it is held by the customs."


class Contestant:
    """How one library asks a model with a tool.

    Args:
        url: The address of the server.
        most: How many replies of the model it is to allow.
    """

    def __init__(self, url: str, most: int) -> None:
        self.url, self.most = url, most

    async def ask(self) -> str:
        """Ask until there is an answer, and return it."""
        raise NotImplementedError

    def watch(self) -> AsyncIterator[str]:
        """Ask, and yield the answer piece by piece."""
        raise NotImplementedError


# --- the contestants, which import what they need: no environment has all of it


class Sdk(Contestant):
    """The loop of an agent, written by hand with the SDK and nothing else."""

    def __init__(self, url: str, most: int) -> None:
        from openai import AsyncOpenAI

        super().__init__(url, most)
        self.client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        described = {
            "name": "find_order",
            "description": "What was ordered, and where it is.",
            "parameters": ARGS,
        }
        self.tools: Any = [{"type": "function", "function": described}]
        self.said: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]

    async def ask(self) -> str:
        said = list(self.said)
        while True:
            reply = await self.client.chat.completions.create(model="m", messages=said, tools=self.tools)
            message = reply.choices[0].message
            if not message.tool_calls:
                return message.content or ""
            said.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                assert call.type == "function"
                found = find_order(**json.loads(call.function.arguments))
                said.append({"role": "tool", "tool_call_id": call.id, "content": found})

    async def watch(self) -> AsyncIterator[str]:
        stream = await self.client.chat.completions.create(
            model="m", messages=self.said, tools=self.tools, stream=True
        )
        async for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk.choices[0].delta.content


ARGS = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}


CALLED: list[float] = []
"""How much this process had computed whenever the tool was called."""


def find_order(order: str) -> str:
    """What was ordered, and where it is."""
    CALLED.append(time.process_time())
    return f"{order}: {FOUND}"


SPEC = """
wfc: 1
workflow: desk
start: Asked
end: Answered
models:
  fast: {{use: "openai:m", base_url: "{url}"}}
tools:
  find_order:
    python: "bench_shop:find_order"
    description: What was ordered, and where it is.
    args: {{order: string}}
    output: string
events:
  Asked: {{text: string}}
  Answered: {{answer: string}}
steps:
  answer:
    kind: agent
    accepts: Asked
    model: fast
    system: {system}
    prompt: ${{{{ event.text }}}}
    tools: [find_order]
    max_turns: {most}
    {more}
    emit: {{event: Answered, with: {{answer: "${{{{ result }}}}"}}}}
"""


class Wfc(Contestant):
    """A spec with one step, an agent."""

    def __init__(self, url: str, most: int) -> None:
        super().__init__(url, most)
        self.engine: Any = None
        self.silent = self.program("")
        self.watched = self.program("stream: {tokens: true}")

    def program(self, more: str) -> Any:
        from wfc.compiler.cli.programs import load_program

        folder = Path(tempfile.mkdtemp())
        (folder / "bench_shop.py").write_text("from __main__ import find_order\n", encoding="utf-8")
        spec = SPEC.format(system=SYSTEM, url=self.url, most=self.most, more=more)
        (folder / "desk.yaml").write_text(spec, encoding="utf-8")
        found = load_program(str(folder / "desk.yaml"))
        assert found is not None
        return found.workflow

    def run(self, kind: Any) -> Any:
        return kind(timeout=None, engine=self.engine).run(text=QUESTION)

    async def ask(self) -> str:
        answered = await self.run(self.silent)
        return str(answered.answer)

    async def watch(self) -> AsyncIterator[str]:
        handler = self.run(self.watched)
        async for event in handler.stream_events():
            if type(event).__name__ == "TokenText":
                yield event.text
        await handler


class WfcKept(Wfc):
    """The same, kept in a file with full syncs: each reply and each call is recorded."""

    async def ask(self) -> str:
        if self.engine is None:
            from wfc.runtime import Engine

            self.engine = Engine(store=Path(tempfile.mkdtemp()) / "runs.db")
        return await super().ask()


class LlamaIndex(Contestant):
    """``FunctionAgent``."""

    def __init__(self, url: str, most: int) -> None:
        from llama_index.core.agent.workflow import FunctionAgent
        from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-not-found,unused-ignore]

        super().__init__(url, most)
        model = OpenAILike(
            model="m",
            api_base=url,
            api_key="none",
            is_chat_model=True,
            is_function_calling_model=True,
            context_window=1_000_000,
            max_retries=0,
        )
        given: dict[str, Any] = {"tools": [find_order], "llm": model, "system_prompt": SYSTEM}
        self.silent, self.watched = (FunctionAgent(**given, streaming=streams) for streams in (False, True))

    async def ask(self) -> str:
        return str(await self.silent.run(user_msg=QUESTION, max_iterations=self.most))

    async def watch(self) -> AsyncIterator[str]:
        handler = self.watched.run(user_msg=QUESTION)
        async for event in handler.stream_events():
            if type(event).__name__ == "AgentStream" and event.delta:
                yield event.delta
        await handler


class LangGraph(Contestant):
    """``create_react_agent``."""

    def __init__(self, url: str, most: int) -> None:
        from langchain_openai import ChatOpenAI  # type: ignore[import-not-found,unused-ignore]
        from langgraph.prebuilt import create_react_agent

        super().__init__(url, most)
        model = ChatOpenAI(model="m", base_url=url, api_key="none", max_retries=0)
        self.agent: Any = create_react_agent(model, [find_order], prompt=SYSTEM)
        self.asked: Any = {"messages": [("user", QUESTION)]}

    async def ask(self) -> str:
        ended = await self.agent.ainvoke(self.asked, {"recursion_limit": 2 * self.most + 10})
        return str(ended["messages"][-1].content)

    async def watch(self) -> AsyncIterator[str]:
        async for piece, _ in self.agent.astream(self.asked, stream_mode="messages"):
            if piece.content:
                yield piece.content


CONTESTANTS: dict[str, tuple[str, type[Contestant]]] = {
    "sdk": ("the bare SDK", Sdk),
    "sdk_there": ("the SDK that the peers use", Sdk),
    "wfc": ("wfc", Wfc),
    "wfc_kept": ("wfc, kept in a file", WfcKept),
    "llama_index": ("llama-index-core, FunctionAgent", LlamaIndex),
    "lang_graph": ("langgraph, create_react_agent", LangGraph),
}


# --- what is measured, in a process of its own


async def calls(asks: Contestant, size: int) -> dict[str, float]:
    """So many agents one after the other, each of which is answered at once, or calls its tool once before."""
    await asks.ask()
    began = time.process_time()
    for _ in range(size):
        await asks.ask()
    return {"seconds": time.process_time() - began}


async def first_token(asks: Contestant, size: int) -> dict[str, float]:
    """How long after the server has sent it the first piece of an answer is seen, in the middle, and in 95 of 100."""
    late = []
    for _ in range(size):
        watching = asks.watch()
        first = await anext(watching)
        late.append((time.perf_counter_ns() - int(first)) / 1e9)
        async for _ in watching:
            pass
    late = late[5:]  # without the first ones, which warm up
    return {"middle": statistics.median(late), "p95": statistics.quantiles(late, n=20)[-1]}


async def at_once(asks: Contestant, size: int) -> dict[str, float]:
    """So many agents at once: what computing they take, and by how much the process grows at its most."""
    await asks.ask()
    gc.collect()
    before, began, clock = resident(), time.process_time(), time.perf_counter()
    said = await asyncio.gather(*(asks.ask() for _ in range(size)))
    assert len(said) == size and all(said)
    seconds, clock = time.process_time() - began, time.perf_counter() - clock
    return {"seconds": seconds, "clock": clock, "bytes": peak() - before}


async def long_talk(asks: Contestant, size: int) -> dict[str, float]:
    """One agent that calls its tool that often: what a turn costs, by how many there have been."""
    await asks.ask()
    turns = [after - before for before, after in itertools.pairwise(CALLED)]
    return {str(end): statistics.median(turns[end - QUARTER : end]) for end in range(QUARTER, size, QUARTER)}


QUARTER = 40
"""How many turns of a long talk are taken together."""

MEASURES: dict[str, Callable[[Contestant, int], Any]] = {
    each.__name__: each for each in (calls, first_token, at_once, long_talk)
}


def resident() -> int:
    """Bytes of memory that this process has now."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak() -> int:
    """The most that it ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def child(name: str, measure: str, url: str, size: int, most: int) -> None:
    asks = CONTESTANTS[name][1](url, most)
    print(json.dumps(asyncio.run(MEASURES[measure](asks, size))), flush=True)
    os._exit(0)  # some have threads that never end


# --- who has it measured, and serves


class Bench:
    """A server, and processes that ask it."""

    def __init__(self, service: Any, pythons: dict[str, str], turns: int) -> None:
        self.service, self.pythons, self.turns = service, pythons, turns

    def measure(self, name: str, measure: str, size: int, most: int = 20) -> dict[str, float]:
        url = f"{self.service.url}/v1"
        command = [self.pythons[name], __file__, "--child", name, measure, url, str(size), str(most)]
        said = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
        assert said.returncode == 0, said.stderr[-3000:]
        self.service.asked.clear()
        return json.loads(said.stdout.splitlines()[-1])  # type: ignore[no-any-return]

    def rounds(self, measure: str, size: int, most: int = 20) -> dict[str, list[dict[str, float]]]:
        """Return what each contestant took in each round, in which they take turns."""
        found: dict[str, list[dict[str, float]]] = {name: [] for name in self.pythons}
        for _ in range(self.turns):
            for name in self.pythons:
                found[name].append(self.measure(name, measure, size, most))
        return found

    def medians(self, measure: str, size: int, most: int = 20) -> dict[str, dict[str, float]]:
        return {
            name: {key: statistics.median(one[key] for one in those) for key in those[0]}
            for name, those in self.rounds(measure, size, most).items()
        }

    def replies(self, looks: int, *, after: float = 0.0, is_timed: bool = False) -> None:
        """Let the model call its tool so often before it answers."""
        from model_wire import Asked, Call, Reply

        def answer(asked: Asked) -> Reply:
            if after:
                time.sleep(after)
            if asked.turns < looks:
                return Reply(calls=[Call("find_order", {"order": f"A{asked.turns}"}, f"call_{asked.turns}")])
            if is_timed:
                now = str(time.perf_counter_ns())
                return Reply(text=now.ljust(24) + " " * 72, pieces=4)
            return Reply(text="It is in Oslo, where the customs hold it.")

        self.service.answer = answer


def environment() -> dict[str, str]:
    return {**os.environ, "LANGCHAIN_TRACING_V2": "false", "LANGSMITH_TRACING": "false"}


def table(title: str, columns: list[str], rows: dict[str, list[str]]) -> None:
    print(f"\n| {title} | " + " | ".join(columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for name, cells in rows.items():
        print(f"| {CONTESTANTS[name][0]} | " + " | ".join(cells) + " |", flush=True)


def calls_table(bench: Bench, size: int) -> None:
    """What each call of a model costs: the only one of an agent, and one of ten."""
    rows: dict[str, list[str]] = {name: [] for name in bench.pythons}
    for looks, count in ((0, size), (9, max(1, size // 10))):
        bench.replies(looks)
        rounds = bench.rounds("calls", count)
        for name, those in rounds.items():
            middle = statistics.median(one["seconds"] for one in those) / count / (looks + 1) * 1e3
            pairs = zip(those, rounds["sdk"], strict=True)
            times = statistics.median(one["seconds"] / bare["seconds"] for one, bare in pairs)
            rows[name] += [f"{middle:.2f}", f"{times:.2f}"]
    head = ["the only call", "× the SDK", "a call of ten, with its tool", "× the SDK"]
    table("ms of computing for each call of the model", head, rows)


def first_token_table(bench: Bench, size: int) -> None:
    bench.replies(0, is_timed=True)
    found = {name: each for name, each in bench.medians("first_token", size).items() if name != "wfc_kept"}
    rows = {
        name: [
            f"{each['middle'] * 1e3:.2f}",
            f"{each['p95'] * 1e3:.2f}",
            f"{(each['middle'] - found['sdk']['middle']) * 1e3:+.2f}",
        ]
        for name, each in found.items()
    }
    table("ms by the clock from sending to seeing the first piece", ["middle", "p95", "the SDK's"], rows)


def at_once_table(bench: Bench, size: int) -> None:
    bench.replies(4, after=0.05)
    few = Bench(bench.service, bench.pythons, min(bench.turns, 3))  # each takes a thousand requests
    rows = {}
    for name, those in few.rounds("at_once", size).items():
        seconds, clock, grown = (
            sorted(one[key] / unit for one in those)
            for key, unit in (("seconds", 1.0), ("clock", 1.0), ("bytes", 1e6))
        )
        spread = f"({seconds[0]:.2f} to {seconds[-1]:.2f})"
        rows[name] = [
            f"{statistics.median(seconds):.2f} {spread}",
            f"{statistics.median(clock):.1f}",
            f"{statistics.median(grown):.0f} ({grown[0]:.0f} to {grown[-1]:.0f})",
        ]
    head = ["s of computing", "s by the clock", "MB grown"]
    table(f"{size} agents at once, four calls of a tool each", head, rows)


def long_talk_table(bench: Bench, size: int) -> None:
    bench.replies(size)
    found = bench.medians("long_talk", size, most=size + 10)
    ends = list(found["sdk"])
    head = [f"{int(end) - QUARTER + 1} to {end}" for end in ends]
    rows = {name: [f"{each[end] * 1e3:.1f}" for end in ends] for name, each in found.items()}
    table("ms of computing a turn, by its number", head, rows)


TABLES: dict[str, tuple[Callable[[Bench, int], None], int, int]] = {
    "calls": (calls_table, 200, 10),
    "first_token": (first_token_table, 105, 30),
    "at_once": (at_once_table, 200, 10),
    "long_talk": (long_talk_table, 201, 81),
}
"""Names → tables, sizes, and sizes with ``--quick``."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--turns", type=int, default=7)
    options.add_argument("--peers", metavar="PYTHON")
    options.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    options.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        name, measure, url, size, most = given.child
        child(name, measure, url, int(size), int(most))
    from model_wire import Reply, serving

    pythons = dict.fromkeys(["sdk", "wfc", "wfc_kept"], sys.executable)
    if given.peers:
        pythons |= dict.fromkeys(["sdk_there", "llama_index", "lang_graph"], given.peers)
    with serving(lambda asked: Reply(), keep=True) as service:
        bench = Bench(service, pythons, 1 if given.quick else given.turns)
        for name in given.only:
            make, size, quick = TABLES[name]
            make(bench, quick if given.quick else size)


if __name__ == "__main__":
    main()
