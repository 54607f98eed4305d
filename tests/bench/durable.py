"""Measures runs that are kept in SQLite, against appends of the same bytes by a bare writer thread. Run it by hand::

    python tests/bench/durable.py          # about two minutes
    python tests/bench/durable.py --quick  # small sizes, to see that it works
    python tests/bench/durable.py --long   # a run of a million ticks and 100,000 runs that wait, and nothing else

Ratios count: contestants take turns in one process, and medians are shown. With full syncs all depends on the disk.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import queue
import resource
import signal
import sqlite3
import statistics
import tempfile
import threading
import time
from pathlib import Path

from wfc.runtime import Engine, Event, Question, StartEvent, StopEvent, Workflow, pause, step, transform
from wfc.runtime.errors import RunParkedError
from wfc.runtime.store.folding import fold
from wfc.runtime.store.snapshots import values_for


class Go(StartEvent):
    most: int


class Turn(Event):
    n: int


class Act(Event):
    n: int


class Stay(Event):
    pass


class End(StopEvent):
    n: int


EACH = 50
"""How many steps of the long run come to one that acts, and so to a commit of its own."""

AT_THE_END: list[asyncio.Event] = []
"""What the last run is to set when it stays."""


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


class Counting(Workflow):
    """Steps without an action, with an action in between, and one that goes on for ever at the end."""

    @transform
    def count(self, ev: Go | Turn) -> Turn | Act | Stay:
        n = ev.most if isinstance(ev, Go) else ev.n - 1
        return Stay() if n <= 0 else Act(n=n) if n % EACH == 0 else Turn(n=n)

    @step
    async def act(self, ev: Act) -> Turn:
        return Turn(n=ev.n - 1)

    @step
    async def stay(self, ev: Stay) -> End:
        AT_THE_END[-1].set()
        await asyncio.Event().wait()
        return End(n=0)


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


def resident() -> float:
    """Returns the megabytes of memory that this process has now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


async def counting(path: Path, ticks: int) -> tuple[float, float]:
    """Lets a run begin, or go on, until it stays; returns the seconds by the clock and of computing."""
    stays = asyncio.Event()
    AT_THE_END.append(stays)
    engine = Engine(store=path)
    workflow = Counting(engine=engine, timeout=None)
    engine.add(workflow)
    began, computed = time.perf_counter(), time.process_time()
    if engine.list_runs():
        await engine.resume("long")
    else:
        workflow.run(most=ticks, run_id="long")
    await stays.wait()
    return time.perf_counter() - began, time.process_time() - computed


def long_run(folder: Path, ticks: int) -> None:
    """Prints what a run of so many ticks costs, and how soon it goes on after its process was killed."""
    path = folder / f"long-{ticks}.db"
    before = resident()
    if os.fork() == 0:
        clock, computed = asyncio.run(counting(path, ticks))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{ticks:,} steps: {clock:.0f} s by the clock, {computed / ticks * 1e6:.0f} µs of computing a step; "
            f"memory {before:.0f} MB before, {peak:.0f} MB at the most",
            flush=True,
        )
        os.kill(os.getpid(), signal.SIGKILL)
    os.wait()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (count, last), (at, size) = (
            connection.execute(f"SELECT {what}").fetchone()
            for what in ("count(*), max(seq) FROM ticks", "seq, length(body) FROM snapshots")
        )
    print(
        f"  {count:,} rows of ticks up to {last:,}, a snapshot of {size} bytes at {at:,}; "
        f"{path.stat().st_size / ticks:.0f} bytes of file a step",
        flush=True,
    )
    clock, computed = asyncio.run(counting(path, ticks))
    print(f"  going on: {clock * 1000:.0f} ms by the clock, {computed * 1000:.0f} of computing", flush=True)


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

    async def wake() -> None:
        engine = Engine(store=path)
        engine.add(Asking(engine=engine, timeout=None))
        for most in (100, count):
            began, computed = time.perf_counter(), time.process_time()
            listed = len(engine.tasks(most=most))
            taken, computed = time.perf_counter() - began, time.process_time() - computed
            print(
                f"listing {listed:,} tasks: {taken * 1000:.1f} ms by the clock, {computed * 1000:.1f} of computing"
            )
        for n in (count // 2, 1, count - 1):
            began, computed = time.perf_counter(), time.process_time()
            handler = await engine.answer(f"run-{n}/ask/1", by="user:ann")
            assert handler is not None
            await handler
            taken, computed = time.perf_counter() - began, time.process_time() - computed
            print(
                f"answering one, to its end: {taken * 1000:.1f} ms by the clock, {computed * 1000:.1f} of computing"
            )
        engine.close()

    before, computed = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    asyncio.run(park())
    print(
        f"{(time.process_time() - computed) / count * 1e6:.0f} µs of computing for a run that begins and rests"
    )
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    size = path.stat().st_size / count
    print(f"{count:,} parked runs: {size:,.0f} bytes of file each; {grown / 1024:.0f} MB of memory meanwhile")
    asyncio.run(wake())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--long", action="store_true")
    given = options.parse_args()
    quick = given.quick
    with tempfile.TemporaryDirectory(dir=os.environ.get("WFC_BENCH_FOLDER")) as folder:
        if given.long:
            for ticks in (10_000, 100_000, 1_000_000):
                long_run(Path(folder), ticks)
            parked(Path(folder), 100_000)
            return
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
