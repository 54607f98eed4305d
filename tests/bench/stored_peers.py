"""Measures one run of small steps that is kept in SQLite, beside what others keep there. Run it by hand::

    python tests/bench/stored_peers.py --dbos ENVIRONMENT/bin/python    # about three minutes
    python tests/bench/stored_peers.py --quick                          # small sizes, to see that it works

``langgraph`` with ``langgraph-checkpoint-sqlite`` takes part if they are installed. ``llama-agents-dbos`` needs
another dbos than ours: ``--dbos`` is the Python of an environment with ``llama-agents-dbos dbos<3``.

Each contestant counts down by one a step, in a process of its own, with full syncs; they take turns, and medians are
shown. Only the steps are timed, neither the start of a process nor the opening of its store.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any


async def timed(work: Awaitable[Any]) -> tuple[float, float]:
    """Return the seconds that something takes, by the clock and of the processor."""
    began, computed = time.perf_counter(), time.process_time()
    await work
    return time.perf_counter() - began, time.process_time() - computed


# --- the contestants, which import what they need: no environment has all of it


def wfc(path: Path, steps: int) -> tuple[float, float]:
    """A run of a hand-written workflow."""
    from wfc.runtime import Engine, Event, StartEvent, StopEvent, Workflow, step

    class Go(StartEvent):
        left: int

    class Turn(Event):
        left: int

    class End(StopEvent):
        left: int

    class Counting(Workflow):
        @step
        async def count(self, ev: Go | Turn) -> Turn | End:
            return Turn(left=ev.left - 1) if ev.left > 1 else End(left=0)

    async def main() -> tuple[float, float]:
        engine = Engine(store=path)
        workflow = Counting(engine=engine, timeout=None)
        await workflow.run(left=1)
        found = await timed(workflow.run(left=steps))
        engine.close()
        return found

    return asyncio.run(main())


def langgraph(path: Path, steps: int) -> tuple[float, float]:
    """A graph of one node with an edge to itself, each of whose steps is kept before the next one begins."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import END, START, StateGraph
    from pydantic import BaseModel

    class Left(BaseModel):
        left: int

    graph = StateGraph(Left)
    graph.add_node("count", lambda state: {"left": state.left - 1})
    graph.add_edge(START, "count")
    graph.add_conditional_edges("count", lambda state: "count" if state.left else END, ["count", END])

    async def main() -> tuple[float, float]:
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            compiled = graph.compile(checkpointer=saver)

            async def run(thread: str, left: int) -> None:
                config: Any = {"configurable": {"thread_id": thread}, "recursion_limit": left + 10}
                await compiled.ainvoke(Left(left=left), config, durability="sync")

            await run("first", 1)
            return await timed(run("run", steps))

    return asyncio.run(main())


def llama_agents_dbos(path: Path, steps: int) -> tuple[float, float]:
    """The same workflow as ours, of llama-index-workflows."""
    from dbos import DBOS  # type: ignore[import-not-found,unused-ignore]
    from llama_agents.dbos import DBOSRuntime  # type: ignore[import-not-found,unused-ignore]
    from workflows import Workflow, step  # type: ignore[import-not-found,unused-ignore]
    from workflows.events import Event, StartEvent, StopEvent  # type: ignore[import-not-found,unused-ignore]

    class Turn(Event):
        left: int

    class Counting(Workflow):
        @step
        async def count(self, ev: StartEvent | Turn) -> Turn | StopEvent:
            return Turn(left=ev.left - 1) if ev.left > 1 else StopEvent(result=0)

    DBOS(
        config={
            "name": "bench",
            "system_database_url": f"sqlite:///{path}",
            "application_version": "1",
            "log_level": "CRITICAL",
        }
    )
    for kind in (Turn, Counting):  # which it finds by their names, as it does not keep JSON
        kind.__qualname__ = kind.__name__
        globals()[kind.__name__] = kind

    async def main() -> tuple[float, float]:
        runtime = DBOSRuntime(polling_interval_sec=0.01)
        workflow = Counting(timeout=None, runtime=runtime)
        await runtime.launch()

        async def run(left: int) -> None:
            await workflow.run(left=left)

        await run(1)
        return await timed(run(steps))

    return asyncio.run(main())


CONTESTANTS: dict[str, Callable[[Path, int], tuple[float, float]]] = {
    "wfc": wfc,
    "langgraph": langgraph,
    "llama-agents-dbos": llama_agents_dbos,
}


# --- what is measured


def measure(python: str, name: str, folder: Path, steps: int) -> tuple[float, float]:
    """Return the microseconds of a step, by the clock and of the processor, in a process of its own."""
    command = [python, __file__, "--do", name, str(folder / "runs.db"), str(steps)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr[-2000:]
    clock, computed = json.loads(said.stdout.splitlines()[-1])
    return clock / steps * 1e6, computed / steps * 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--dbos", metavar="PYTHON")
    options.add_argument("--do", nargs=3, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.do:
        name, path, steps = given.do
        print(json.dumps(CONTESTANTS[name](Path(path), int(steps))), flush=True)
        sys.stdout.flush()
        os._exit(0)  # some have threads that never end
    steps, turns = (50, 1) if given.quick else (300, 7)
    pythons = {"wfc": sys.executable}
    if importlib.util.find_spec("langgraph") and importlib.util.find_spec("aiosqlite"):
        pythons["langgraph"] = sys.executable
    if given.dbos:
        pythons["llama-agents-dbos"] = given.dbos
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in pythons}
    for _ in range(turns):
        for name, python in pythons.items():
            with tempfile.TemporaryDirectory(dir=os.environ.get("WFC_BENCH_FOLDER")) as folder:
                found[name].append(measure(python, name, Path(folder), steps))
    print(
        f"| one run of {steps} steps | µs a step by the clock | of the processor | × wfc: clock, processor |"
    )
    print("|---|--:|--:|--:|")
    for name, those in found.items():
        clock, computed = (statistics.median(one) for one in zip(*those, strict=True))
        ratios = [
            statistics.median(one[at] / ours[at] for one, ours in zip(those, found["wfc"], strict=True))
            for at in (0, 1)
        ]
        print(f"| {name} | {clock:,.0f} | {computed:,.0f} | {ratios[0]:.1f}, {ratios[1]:.1f} |")


if __name__ == "__main__":
    main()
