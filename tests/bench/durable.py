"""Measures runs that are kept in SQLite, against appends of the same bytes by a bare writer thread. Run it by hand::

    python tests/bench/durable.py          # about two minutes
    python tests/bench/durable.py --quick  # small sizes, to see that it works

Ratios count: contestants take turns in one process, and medians are shown. With full syncs all depends on the disk.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import queue
import resource
import sqlite3
import statistics
import tempfile
import threading
import time
from pathlib import Path

from wfc.runtime import Engine, Event, Question, StartEvent, StopEvent, Workflow, pause, step
from wfc.runtime.errors import RunParkedError
from wfc.runtime.store.folding import fold
from wfc.runtime.store.snapshots import values_for


class Go(StartEvent):
    most: int


class Turn(Event):
    n: int


class End(StopEvent):
    n: int


class Acting(Workflow):
    """Actions alone, each with a commit of its own."""

    @step
    async def act(self, ev: Go | Turn) -> Turn | End:
        if isinstance(ev, Go):
            return Turn(n=ev.most)
        return Turn(n=ev.n - 1) if ev.n > 1 else End(n=0)


class Asking(Workflow):
    @pause
    def ask(self, ev: Go) -> Question[None]:
        return Question(None, title="Go on?")

    @ask.then
    def asked(self, ev: Go) -> End:
        return End(n=1)


async def bare(path: Path, bodies: list[bytes], runs: int) -> float:
    """Appends the bodies from each of some tasks, one after the other, by a thread that commits what has come in."""
    jobs: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = queue.SimpleQueue()
    loop = asyncio.get_running_loop()

    def work() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS ticks (id INTEGER PRIMARY KEY, body BLOB)")
        while (job := jobs.get()) is not None:
            batch = [job]
            with contextlib.suppress(queue.Empty):
                while (job := jobs.get_nowait()) is not None:
                    batch.append(job)
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO ticks (body) VALUES (?)", [(body,) for body, _ in batch])
            connection.execute("COMMIT")
            loop.call_soon_threadsafe(lambda batch=batch: [done.set_result(None) for _, done in batch])
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()

    async def one() -> None:
        for body in bodies:
            done: asyncio.Future[None] = loop.create_future()
            jobs.put((body, done))
            await done

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(runs)))
    taken = time.perf_counter() - began
    jobs.put(None)
    thread.join()
    return taken


async def kept(path: Path, steps: int, runs: int) -> float:
    engine = Engine(store=path)
    workflow = Acting(engine=engine, timeout=None)
    began = time.perf_counter()
    await asyncio.gather(*(workflow.run(most=steps) for _ in range(runs)))
    taken = time.perf_counter() - began
    engine.close()
    return taken


async def in_memory(steps: int, runs: int) -> float:
    workflow = Acting(timeout=None)
    began = time.perf_counter()
    await asyncio.gather(*(workflow.run(most=steps) for _ in range(runs)))
    return time.perf_counter() - began


def rates(folder: Path, steps: int, runs: int, turns: int) -> None:
    """Prints the microseconds of a step in the store, of a bare append, and of a step in memory."""
    body = b'["completed",1795393472229402886,1234,{"$":"model","of":["Turn",{"n":1234}]},null]'
    contestants = {
        "bare": lambda turn: bare(folder / f"bare-{runs}-{turn}.db", [body] * steps, runs),
        "kept": lambda turn: kept(folder / f"kept-{runs}-{turn}.db", steps, runs),
        "memory": lambda turn: in_memory(steps, runs),
    }
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    computing: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(turns):
        for name, contestant in contestants.items():
            before = time.process_time()
            taken[name].append(asyncio.run(contestant(turn)) / (steps * runs) * 1e6)
            computing[name].append((time.process_time() - before) / (steps * runs) * 1e6)
    for what, those in (("by the clock", taken), ("of the processor", computing)):
        ours, floor, memory = (statistics.median(those[name]) for name in ("kept", "bare", "memory"))
        shares = f"{floor / ours:.2f} | {(floor + memory) / ours:.2f}"
        print(
            f"| {runs} runs of {steps} steps, {what} | {ours:.0f} | {floor:.0f} | {memory:.1f} | {shares} |"
        )


def bytes_of_a_step(folder: Path, steps: int) -> None:
    path = folder / "bytes.db"
    asyncio.run(kept(path, steps, 1))
    print(f"bytes in the file a step, over {steps:,} steps: {path.stat().st_size / steps:.0f}")


def recovery(folder: Path) -> None:
    """Prints how long it takes to read and fold the ticks of a run, without a snapshot."""
    engine = Engine(store=folder / "bytes.db")
    (row,) = engine.list_runs()
    engine.store.write_now(lambda c: c.execute("DELETE FROM snapshots"))
    engine.store.write_now(lambda c: c.execute("UPDATE runs SET ended = NULL"))
    found = engine.store.described(row.run_id)
    assert found is not None
    began = time.perf_counter()
    body = asyncio.run(engine.store.read(found.lease))
    plan = Acting()._wfc.plan
    fold(body, plan, row.run_id, found.start, values_for(plan, None))
    print(f"recovery of {len(body.ticks):,} ticks: {time.perf_counter() - began:.2f} s")
    engine.close()


def parked(folder: Path, count: int) -> None:
    """Prints what runs cost that wait for a person, and how long one takes to go on."""
    path = folder / "parked.db"

    async def park() -> None:
        engine = Engine(store=path)
        workflow = Asking(engine=engine, timeout=None)
        for first in range(0, count, 500):
            handlers = [
                workflow.run(most=1, run_id=f"run-{n}") for n in range(first, min(first + 500, count))
            ]
            await asyncio.gather(*(engine.park(one.run_id) for one in handlers))
            for one in handlers:
                with contextlib.suppress(RunParkedError):
                    await one
        engine.close()

    async def wake() -> float:
        engine = Engine(store=path)
        engine.add(Asking(engine=engine, timeout=None))
        began = time.perf_counter()
        listed = len(engine.tasks(most=count))
        print(f"listing {listed:,} tasks: {time.perf_counter() - began:.3f} s")
        began = time.perf_counter()
        handler = await engine.answer(f"run-{count // 2}/ask/1", by="user:ann")
        assert handler is not None
        await handler
        taken = time.perf_counter() - began
        engine.close()
        return taken

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    asyncio.run(park())
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    size = path.stat().st_size / count
    print(f"{count:,} parked runs: {size:,.0f} bytes of file each; {grown / 1024:.0f} MB of memory meanwhile")
    print(f"answering one and its end: {asyncio.run(wake()) * 1000:.1f} ms")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    quick = options.parse_args().quick
    with tempfile.TemporaryDirectory(dir=os.environ.get("WFC_BENCH_FOLDER")) as folder:
        print(
            "| µs a step | kept | bare | in memory | of bare | of bare and memory |\n|---|--:|--:|--:|--:|--:|"
        )
        rates(Path(folder), 100 if quick else 1_000, 1, 1 if quick else 5)
        rates(Path(folder), 20 if quick else 100, 100, 1 if quick else 5)
        bytes_of_a_step(Path(folder), 500 if quick else 10_000)
        recovery(Path(folder))
        parked(Path(folder), 200 if quick else 10_000)


if __name__ == "__main__":
    main()
