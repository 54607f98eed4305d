"""Measures runs that are kept on a PostgreSQL server, beside dbos, which keeps its own there. Run it by hand::

    python tests/bench/server.py          # about three minutes
    python tests/bench/server.py --quick  # small sizes, to see that it works

The server is one of its own, with full syncs. Contestants take turns, each in a process of its own, and medians are
shown, with the least and the most: ratios of one line count, on a machine that does other work.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from postgres_server import running

from wfc.runtime import Engine, Event, StartEvent, StopEvent, Workflow, step
from wfc.runtime.errors import RunLostError

WAITS = 0.25
"""The seconds that a step of a worker's run waits."""

AT_ONCE = 1
"""The runs that a worker has under way at once."""


class Go(StartEvent):
    most: int
    waits: float = 0.0


class Turn(Event):
    n: int
    most: int
    waits: float


class End(StopEvent):
    n: int


DIES_AT = [-1]
"""The step in which a process ends at once."""

SEEN: list[float] = []
"""When steps began, by the monotonic clock."""


class Acting(Workflow):
    """Actions alone, each with a commit of its own."""

    @step
    async def act(self, ev: Go | Turn) -> Turn | End:
        n = ev.n if isinstance(ev, Turn) else 0
        SEEN.append(time.monotonic())
        if n == DIES_AT[0]:
            os._exit(0)
        if ev.waits:
            await asyncio.sleep(ev.waits)
        return Turn(n=n + 1, most=ev.most, waits=ev.waits) if n + 1 < ev.most else End(n=n + 1)


# --- what the processes do; each prints what it has found


def kept(address: str, runs: int, most: int) -> float:
    """Runs in a store; returns the steps a second."""

    async def main() -> float:
        engine = Engine(store=address)
        workflow = Acting(engine=engine, timeout=None)
        began = time.perf_counter()
        await asyncio.gather(*(workflow.run(most=most) for _ in range(runs)))
        taken = time.perf_counter() - began
        engine.close()
        return runs * most / taken

    return asyncio.run(main())


def _dbos(address: str, calls: list[int]) -> Any:
    from dbos import DBOS

    @DBOS.step(name="one")
    async def one(n: int) -> int:
        calls.append(n)
        SEEN.append(time.monotonic())
        return n + 1

    @DBOS.workflow(name="flow")
    async def flow(most: int) -> int:
        n = 0
        while n < most:
            n = await one(n)
            if n == DIES_AT[0]:
                os._exit(0)
        return n

    DBOS(
        config={
            "name": "bare",
            "system_database_url": address,
            "application_version": "1",
            "executor_id": "one",
            "log_level": "CRITICAL",
        }
    )
    return DBOS, flow


def bare(address: str, runs: int, most: int) -> float:
    """Workflows of dbos; returns the steps a second."""
    library, flow = _dbos(address, [])
    library.launch()

    async def main() -> float:
        began = time.perf_counter()
        handles = [await library.start_workflow_async(flow, most) for _ in range(runs)]
        for handle in handles:
            await handle.get_result()
        return runs * most / (time.perf_counter() - began)

    found = asyncio.run(main())
    library.destroy(destroy_registry=True)
    return found


def kept_dies(address: str, runs: int, most: int) -> float:
    async def main() -> None:
        engine = Engine(store=address)
        Acting(engine=engine, timeout=None).run(most=most + 5, run_id="one")
        DIES_AT[0] = most
        await asyncio.sleep(600)

    asyncio.run(main())
    return 0.0


def kept_again(address: str, runs: int, most: int) -> float:
    """A program that lost its process is started anew; returns the seconds until its run's next step."""

    async def main() -> float:
        began = time.monotonic()
        engine = Engine(store=address)
        engine.add(Acting(engine=engine, timeout=None))
        handler = None
        while handler is None:
            try:
                handler = await engine.resume("one")
            except RunLostError:  # the server's workers count as alive for two seconds after their last beat
                await asyncio.sleep(0.02)
        await handler
        engine.close()
        return SEEN[0] - began

    return asyncio.run(main())


def bare_dies(address: str, runs: int, most: int) -> float:
    DIES_AT[0] = most
    return bare(address, 1, most + 5)


def bare_again(address: str, runs: int, most: int) -> float:
    calls: list[int] = []
    library, _ = _dbos(address, calls)
    began = time.monotonic()
    library.launch()
    while not calls:
        time.sleep(0.001)
    assert calls[0] in {most - 1, most}
    found = SEEN[0] - began
    library.destroy(destroy_registry=True)
    return found


def enqueue(address: str, runs: int, most: int) -> float:
    async def main() -> None:
        engine = Engine(store=address)
        workflow = Acting(engine=engine, timeout=None)
        for number in range(runs):
            await engine.enqueue(workflow, Go(most=most, waits=WAITS), f"run-{number}")
        engine.close()

    asyncio.run(main())
    return 0.0


def worker(address: str, runs: int, most: int) -> float:
    """One of some workers; returns when it has nothing more to do."""
    from wfc.runtime.driver.dbos import QueueWorker

    async def main() -> None:
        engine = Engine(store=address)
        engine.add(Acting(engine=engine, timeout=None))
        working = QueueWorker(engine, lambda due: None, lambda note: None, at_once=AT_ONCE)
        going = asyncio.create_task(working.run(grace=1))
        while any(row.ended is None for row in await asyncio.to_thread(engine.list_runs)):
            await asyncio.wait((going,), timeout=0.1)
        working.drain()
        await going
        engine.close()

    asyncio.run(main())
    print(json.dumps([SEEN[0], SEEN[-1]] if SEEN else []), file=sys.stderr)
    return 0.0


DONE: dict[str, Callable[[str, int, int], float]] = {
    one.__name__: one for one in (kept, bare, kept_dies, kept_again, bare_dies, bare_again, enqueue, worker)
}


# --- what is measured


def process(what: str, address: str, runs: int, most: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--do", what, address, str(runs), str(most)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def measure(what: str, address: str, runs: int, most: int) -> float:
    said, error = process(what, address, runs, most).communicate()
    assert said or what.endswith("_dies"), error
    return float(said or 0)


def shown(found: list[float], digits: int = 0) -> str:
    middle, least, most = (f"{one:,.{digits}f}" for one in (statistics.median(found), min(found), max(found)))
    return f"{middle} ({least}–{most})"


def compare(
    server: Any, about: str, ours: list[str], theirs: list[str], sizes: tuple[int, int], turns: int
) -> None:
    """Prints a line: what the last of some processes finds, for us and for bare dbos, each on a new database."""
    found: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(turns):
        for name, processes in (("ours", ours), ("theirs", theirs)):
            address = server.new_database()
            found[name].append([measure(one, address, *sizes) for one in processes][-1])
    one, other = found["ours"], found["theirs"]
    ratio = statistics.median(mine / their for mine, their in zip(one, other, strict=True))
    digits = 0 if one[0] > 10 else 3
    print(f"| {about} | {shown(one, digits)} | {shown(other, digits)} | {ratio:.2f} |", flush=True)


def workers(server: Any, count: int, runs: int, most: int) -> float:
    """Returns the steps a second of some workers, from the first step of them all to the last."""
    address = server.new_database()
    measure("enqueue", address, runs, most)
    processes = [process("worker", address, runs, most) for _ in range(count)]
    moments = [moment for one in processes for moment in json.loads(one.communicate()[1].splitlines()[-1])]
    return runs * most / (max(moments) - min(moments) + WAITS)


def compare_workers(server: Any, runs: int, most: int, turns: int) -> None:
    """Prints how many steps a second one, two and four workers make, which take turns, and by how much that is more."""
    found: dict[int, list[float]] = {1: [], 2: [], 4: []}
    for _ in range(turns):
        for count, rates in found.items():
            rates.append(workers(server, count, runs, most))
    for count, rates in found.items():
        times = statistics.median(one / alone for one, alone in zip(rates, found[1], strict=True))
        waits = f"{count} workers, {runs * most} steps that wait {WAITS} s, {AT_ONCE} at a time each"
        print(f"| {waits} | {shown(rates, 2)} a second | {times:.2f} × one |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--workers", action="store_true", help="only how much more several workers do")
    options.add_argument("--do", nargs=4)
    chosen = options.parse_args()
    if chosen.do:
        what, address, runs, most = chosen.do
        print(DONE[what](address, int(runs), int(most)))
        return
    steps, turns = (50, 1) if chosen.quick else (1_000, 3)
    with running(is_safe=True) as server:
        if chosen.workers:
            compare_workers(server, *((8, 2, 1) if chosen.quick else (40, 10, 1)))
            return
        print("| | wfc | bare dbos | wfc by bare dbos |\n|---|--:|--:|--:|")
        compare(server, f"steps a second, one run of {steps}", ["kept"], ["bare"], (1, steps), turns)
        many = steps // 5
        compare(server, f"steps a second, 20 runs of {many} at once", ["kept"], ["bare"], (20, many), turns)
        again = ["kept_dies", "kept_again"], ["bare_dies", "bare_again"]
        compare(server, f"seconds to the next step after {steps // 2} steps", *again, (1, steps // 2), turns)
        compare_workers(server, *((8, 2, 1) if chosen.quick else (40, 10, turns)))


if __name__ == "__main__":
    main()
