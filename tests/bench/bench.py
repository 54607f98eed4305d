"""Measures the runtime against its peers and the floor, and prints tables in Markdown. Run it by hand::

    python tests/bench/bench.py            # some minutes
    python tests/bench/bench.py --quick    # small sizes, to see that it works
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
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
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
        (2_000, 20_000, 100_000),
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
        (100, 800, 10_000),
        {"llama_index": 800, "lang_graph": 10_000},
    ),
    "backlog": (
        "a backlog at four workers",
        "events",
        (1_000, 10_000, 100_000),
        {"llama_index": 1_000, "lang_graph": 10_000},
    ),
    "runs": ("runs of three steps, all at once", "runs", (5_000,), {}),
}

QUICK = 2_000


def child(module: str, work: str, size: int, memory: bool) -> None:
    """Does one piece of work in this process and prints what it took."""
    contestant = importlib.import_module(module)
    function = getattr(contestant, work)

    async def once(count: int, measure: bool) -> dict[str, float]:
        gc.collect()
        if measure and memory:
            tracemalloc.start()
        start = time.process_time()
        held = 0
        doing = function(count)
        if work == "runs":
            async for _ in doing:
                if memory and measure:
                    gc.collect()
                    held = tracemalloc.get_traced_memory()[0]
        else:
            await doing
        return {"seconds": time.process_time() - start, "bytes": held}

    async def main() -> dict[str, float]:
        await once(min(size, 50), False)
        return await once(size, True)

    print(json.dumps(asyncio.run(main())))


def measure(module: str, work: str, size: int, *, memory: bool = False) -> dict[str, float] | None:
    """Has a process of its own do one piece of work; ``None`` if it failed."""
    command = [
        sys.executable,
        __file__,
        "--child",
        module,
        work,
        str(size),
        *(["--memory"] if memory else []),
    ]
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


def speed_table(works: Sequence[str], repeats: int, quick: bool) -> None:
    names = present()
    peers = [name for name in names if name != "ours"]
    print("| work | size | " + " | ".join(f"{HEADINGS[name]} /s" for name in names), end="")
    print(" | " + " | ".join(f"× {HEADINGS[name]}" for name in peers) + " |")
    print("|---|--:|" + "--:|" * (len(names) + len(peers)))
    for work in works:
        title, unit, sizes, limits = WORK[work]
        for size in [size for size in sizes if not quick or size <= QUICK] or [500]:
            found = rates(work, size, repeats, limits)
            ours = found.get("ours", 0.0)
            cells = [f"{found[name]:,.0f}" if name in found else "–" for name in names]
            ratios = [f"{ours / found[name]:.3g}" if name in found else "–" for name in peers]
            print(f"| {title} | {size:,} {unit} | " + " | ".join([*cells, *ratios]) + " |", flush=True)


def memory_table(quick: bool) -> None:
    size = 500 if quick else WORK["runs"][2][0]
    print(f"\n| memory of {size:,} runs that are half-way | KiB a run | wfc's part of it |")
    print("|---|--:|--:|")
    found = {name: measure(name, "runs", size, memory=True) for name in present()}
    ours = (found["ours"] or {"bytes": 0.0})["bytes"]
    for name, one in found.items():
        if one is not None:
            print(f"| {HEADINGS[name]} | {one['bytes'] / size / 1024:.1f} | {ours / one['bytes']:.2f} |")


def check_table(repeats: int) -> None:
    """`wfc check` of specs of ten and 1,000 steps, whole process, as a multiple of a Python that does nothing."""
    wfc = Path(sys.executable).parent / "wfc"
    if not wfc.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        commands = {"python -c pass": [sys.executable, "-c", "pass"]}
        commands["asyncio and pydantic alone"] = [
            sys.executable,
            "-c",
            "import asyncio; from pydantic import BaseModel, TypeAdapter",
        ]
        commands["import wfc.runtime"] = [sys.executable, "-c", "import wfc.runtime"]
        for steps in (10, 1_000):
            path = Path(folder, f"chain_{steps}.yaml")
            path.write_text(chain(steps), encoding="utf-8")
            commands[f"wfc check, {steps:,} steps"] = [str(wfc), "check", str(path)]
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        # compiled modules are kept, as they are where somebody works with them
        kept = {
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(Path(folder, "cache")),
        }
        for turn in range(repeats + 1):
            for name, command in commands.items():
                start = time.perf_counter()
                done = subprocess.run(command, capture_output=True, text=True, check=False, env=kept)
                if done.returncode:
                    print(f"{name}: {done.stdout}{done.stderr}", file=sys.stderr)
                elif turn:  # the first one warms the disk
                    seconds[name].append(time.perf_counter() - start)
    nothing = statistics.median(seconds["python -c pass"])
    print("\n| whole process | ms | × `python -c pass` |\n|---|--:|--:|")
    for name, found in seconds.items():
        if found:
            print(
                f"| {name} | {statistics.median(found) * 1000:.0f} | {statistics.median(found) / nothing:.1f} |"
            )


def chain(steps: int) -> str:
    """A spec of so many steps, one after the other."""
    events = "".join(f"  Event{number}: {{number: integer}}\n" for number in range(steps + 1))
    written = "".join(
        f"  step_{number}:\n    kind: transform\n    accepts: Event{number}\n    emit:\n"
        f"      - event: Event{number + 1}\n        when: event.number < {number + 100}\n"
        f"        with: {{number: '${{{{ event.number + 1 }}}}'}}\n"
        f"      - {{event: Event{steps}, with: {{number: '${{{{ event.number }}}}'}}}}\n"
        if number + 1 < steps
        else f"  step_{number}: {{kind: transform, accepts: Event{number}, emit: Event{number + 1}}}\n"
        for number in range(steps)
    )
    return (
        "wfc: 1\nworkflow: chain\ndescription: Steps in a row.\nstart: Event0\n"
        f"end: [Event{steps}]\nevents:\n{events}steps:\n{written}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the runtime against its peers.")
    parser.add_argument(
        "--only", nargs="+", choices=[*WORK, "memory", "check"], default=[*WORK, "memory", "check"]
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--child", nargs=3, metavar=("MODULE", "WORK", "SIZE"), help=argparse.SUPPRESS)
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child[0], given.child[1], int(given.child[2]), given.memory)
        return
    python = f"Python {platform.python_version()}, {os.cpu_count()} × {machine()}"
    print(f"{python}, medians of {given.repeats}, processor time\n")
    works = [work for work in WORK if work in given.only]
    if works:
        speed_table(works, given.repeats, given.quick)
    if "memory" in given.only:
        memory_table(given.quick)
    if "check" in given.only:
        check_table(given.repeats)


def machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
