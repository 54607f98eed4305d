"""Measures the runtime against its peers and the floor, and prints tables in Markdown. Run it by hand::

    python tests/bench/bench.py            # some minutes
    python tests/bench/bench.py --quick    # small sizes, to see that it works
    python tests/bench/bench.py --long     # a million hops, and the like, too
    python tests/bench/bench.py --only ping_pong runs

The peers come with ``pip install -e .[bench]``; one that is not installed is left out. Each measurement is made
in a process of its own, after a warm-up; the contestants take turns, and medians are shown. Counted is the time
of the processor, as none of the work waits for anything, and a busy machine then disturbs less.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

CONTESTANTS = {"ours": None, "llama_index": "workflows", "lang_graph": "langgraph", "bare": None}
HEADINGS = {
    "ours": "wfc",
    "llama_index": "llama-index-workflows",
    "lang_graph": "langgraph",
    "bare": "bare asyncio",
}

# work → (title, what is counted, sizes, the largest size that each peer is made to do)
WORK: dict[str, tuple[str, str, Sequence[int], dict[str, int]]] = {
    "ping_pong": (
        "two steps hand one event back and forth",
        "hops",
        (2_000, 20_000, 100_000, 1_000_000),
        {"llama_index": 20_000, "lang_graph": 20_000},
    ),
    "fan_out_list": (
        "fan-out by a list, and join",
        "events",
        (100, 800, 10_000, 100_000),
        {"llama_index": 800, "lang_graph": 10_000},
    ),
    "fan_out_send": (
        "fan-out by sending, and collecting",
        "events",
        (100, 800, 10_000, 100_000),
        {"llama_index": 800, "lang_graph": 10_000},
    ),
    "backlog": (
        "a backlog at four workers",
        "events",
        (1_000, 10_000, 100_000),
        {"llama_index": 1_000, "lang_graph": 1_000},
    ),
    "runs": ("runs of three steps, all at once", "runs", (5_000,), {}),
    "paused": (
        "runs that ask a person and wait, and get answers",
        "runs",
        (1_000, 100_000),
        {"llama_index": 1_000},
    ),
    "stream": ("a stream and one reader", "events", (100_000,), {"lang_graph": 100_000}),
    "stream_three": ("a stream and three readers; peers with one", "events", (100_000,), {}),
}

# work whose runs are held half-way → (what they are, how many, the most that each peer is made to hold)
HELD: dict[str, tuple[str, int, dict[str, int]]] = {
    "runs": ("runs of three steps, half-way, each with its task", 5_000, {}),
    "paused": ("runs that wait for a person", 100_000, {"llama_index": 1_000}),
}

# snapshots → (what of, the largest size that each peer is made to do)
SNAPSHOTS: dict[str, tuple[str, Sequence[int], dict[str, int]]] = {
    "snapshot_queued": ("events in a queue", (1_000,), {}),
    "snapshot_past": ("hops behind it, and nothing in a queue", (2_000, 1_000_000), {"llama_index": 2_000}),
}

LONG = 200_000
"""From here on a size takes ``--long``."""

QUICK = 2_000


def child(module: str, work: str, size: int) -> None:
    """Does one piece of work in this process and prints what it took."""
    function = getattr(importlib.import_module(module), work, None)
    if function is None:
        print(json.dumps(None))  # it has nothing of the kind
        return

    async def once(count: int) -> dict[str, float]:
        gc.collect()
        before, peak_before, start = resident(), peak(), time.process_time()
        held, done = 0, 0.0  # what looking at the memory takes is not counted
        doing = function(count)
        if hasattr(doing, "__aiter__"):
            async for _ in doing:
                done = time.process_time() - start
                gc.collect()
                held = resident() - before
                start = time.process_time()
        elif (said := await doing) is not None:
            return {"seconds": said}  # it has measured itself
        seconds = done + time.process_time() - start
        return {"seconds": seconds, "bytes": held, "peak": peak(), "grown": peak() - peak_before}

    async def main() -> dict[str, float]:
        await once(min(size, 50))
        return await once(size)

    print(json.dumps(asyncio.run(main())))


def resident() -> int:
    """Bytes of memory that this process has now."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf(
            "SC_PAGE_SIZE"
        )
    except OSError:  # no Linux
        return peak()


def peak() -> int:
    """The most that it ever had."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def measure(module: str, work: str, size: int) -> dict[str, float] | None:
    """Has a process of its own do one piece of work; ``None`` if it failed, or has nothing of the kind."""
    command = [sys.executable, __file__, "--child", module, work, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        print(f"{module} {work} {size}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def environment() -> dict[str, str]:
    return {**os.environ, "LANGCHAIN_TRACING_V2": "false", "LANGSMITH_TRACING": "false"}


def rates(work: str, size: int, repeats: int, limits: dict[str, int]) -> dict[str, float]:
    """How much of the work each contestant does in a second: the median of so many measurements."""
    seconds: dict[str, list[float]] = {}
    for _ in range(repeats):
        for module in present():
            if size <= limits.get(module, size):
                found = measure(module, work, size)
                if found is not None:
                    seconds.setdefault(module, []).append(found["seconds"])
    return {module: size / statistics.median(found) for module, found in seconds.items()}


def present() -> list[str]:
    return [
        name
        for name, package in CONTESTANTS.items()
        if package is None or importlib.util.find_spec(package) is not None
    ]


def speed_table(works: Sequence[str], repeats: int, most: int) -> None:
    names = present()
    peers = [name for name in names if name != "ours"]
    print("| work | size | " + " | ".join(f"{HEADINGS[name]} /s" for name in names), end="")
    print(" | " + " | ".join(f"× {HEADINGS[name]}" for name in peers) + " |")
    print("|---|--:|" + "--:|" * (len(names) + len(peers)))
    for work in works:
        title, unit, sizes, limits = WORK[work]
        for size in [size for size in sizes if size <= most] or [500]:
            found = rates(work, size, repeats, limits)
            ours = found.get("ours", 0.0)
            cells = [f"{found[name]:,.0f}" if name in found else "–" for name in names]
            ratios = [f"{ours / found[name]:.3g}" if name in found else "–" for name in peers]
            print(f"| {title} | {size:,} {unit} | " + " | ".join([*cells, *ratios]) + " |", flush=True)


def memory_table(most: int) -> None:
    """What runs that are held half-way take, each contestant's own number of them."""
    names = present()
    print("\n| memory, KiB a run | runs | " + " | ".join(HEADINGS[name] for name in names) + " |")
    print("|---|--:|" + "--:|" * len(names))
    for work, (title, size, limits) in HELD.items():
        count = min(size, most)
        cells = []
        for name in names:
            own = min(count, limits.get(name, count))
            found = measure(name, work, own)
            cells.append("–" if found is None else f"{found['bytes'] / own / 1024:.1f}")
        print(f"| {title} | {count:,} | " + " | ".join(cells) + " |", flush=True)


def snapshot_table(repeats: int, most: int) -> None:
    """What a snapshot of a run takes."""
    names = [name for name in present() if name in {"ours", "llama_index"}]
    print("\n| a snapshot of a run, ms | size | " + " | ".join(HEADINGS[name] for name in names) + " |")
    print("|---|--:|" + "--:|" * len(names))
    for work, (title, sizes, limits) in SNAPSHOTS.items():
        for size in (size for size in sizes if size <= most):
            found = rates(work, size, repeats, limits)
            cells = [f"{size / found[name] * 1000:.2f}" if name in found else "–" for name in names]
            print(f"| {title} | {size:,} | " + " | ".join(cells) + " |", flush=True)


def growth_table(most: int) -> None:
    """Whether memory stays flat over a long run."""
    print("\n| hops in one run | most memory, MB | grown in the run, bytes a hop |\n|--:|--:|--:|")
    for size in WORK["ping_pong"][2]:
        found = measure("ours", "ping_pong", size) if size <= most else None
        if found is not None:
            print(f"| {size:,} | {found['peak'] / 1e6:.1f} | {found['grown'] / size:.2f} |", flush=True)


STARTS = {
    "python -c pass": "pass",
    "asyncio and pydantic alone": "import asyncio; from pydantic import BaseModel, TypeAdapter",
    "import wfc.runtime": "import wfc.runtime",
}


def start_table(repeats: int) -> None:
    """The import of the runtime, whole process, as a multiple of what it cannot do without."""
    seconds: dict[str, list[float]] = {name: [] for name in STARTS}
    with tempfile.TemporaryDirectory() as folder:
        # compiled modules are kept, as they are where somebody works with them
        kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        for turn in range(max(repeats, 10) + 1):
            for name, program in STARTS.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([sys.executable, "-c", program], check=True, env=kept)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                if turn:  # the first one compiles
                    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                    seconds[name].append(used)
    floor = statistics.median(seconds["asyncio and pydantic alone"])
    print("\n| whole process | ms | × asyncio and pydantic alone |\n|---|--:|--:|")
    for name, found in seconds.items():
        middle = statistics.median(found)
        print(f"| {name} | {middle * 1000:.0f} | {middle / floor:.2f} |")


def main() -> None:
    rest = ["memory", "snapshots", "growth", "start"]
    parser = argparse.ArgumentParser(description="Measure the runtime against its peers.")
    parser.add_argument("--only", nargs="+", choices=[*WORK, *rest], default=[*WORK, *rest])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--long", action="store_true", help="the largest sizes too")
    parser.add_argument("--child", nargs=3, metavar=("MODULE", "WORK", "SIZE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child[0], given.child[1], int(given.child[2]))
        return
    python = f"Python {platform.python_version()}, {os.cpu_count()} × {machine()}"
    print(f"{python}, medians of {given.repeats}, processor time\n")
    most = QUICK if given.quick else sys.maxsize if given.long else LONG
    works = [work for work in WORK if work in given.only]
    if works:
        speed_table(works, given.repeats, most)
    if "memory" in given.only:
        memory_table(most)
    if "snapshots" in given.only:
        snapshot_table(given.repeats, most)
    if "growth" in given.only:
        growth_table(most)
    if "start" in given.only:
        start_table(given.repeats)


def machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
