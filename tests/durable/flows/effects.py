"""Tools that write down when each call begins and ends, in a file that outlives the processes that are killed."""

from __future__ import annotations

import asyncio
import json
import os
import time
from typing import Any

from wfc.runtime.driver.current_step import CURRENT_STEP
from wfc.runtime.driver.run.step_runs import idempotency_key

HELD_AT = 6
"""At this number naps are held for as long as there is a file that says so."""


def note(what: str, run: str, call: str, number: int) -> None:
    """Write a line of its own, in one call of the system."""
    step_run, key = CURRENT_STEP.get().step_run, ""
    if step_run is not None:
        key = idempotency_key(step_run, run)
    line: dict[str, Any] = {
        "at": time.time_ns(),
        "what": what,
        "run": run,
        "call": call,
        "n": number,
        "key": key,
    }
    line["process"] = os.getpid()
    handle = os.open(os.environ["WFC_EFFECTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, (json.dumps(line) + "\n").encode())
    os.close(handle)


def ends(run: str, call: str, number: int) -> int:
    """Return how often a call has come to an end so far, good or bad."""
    with open(os.environ["WFC_EFFECTS"]) as file:
        lines: list[dict[str, Any]] = [json.loads(line) for line in file]
    return sum(
        (one["what"], one["run"], one["call"], one["n"]) == ("end", run, call, number) for one in lines
    )


def work(run: str, n: int) -> int:
    note("begin", run, "work", n)
    time.sleep(0.002)
    note("end", run, "work", n)
    return n + 1


def flaky(run: str, n: int) -> int:
    """Fails at first where the number can be divided by three."""
    note("begin", run, "flaky", n)
    has_failed = ends(run, "flaky", n) > 0
    note("end", run, "flaky", n)
    if n % 3 == 0 and not has_failed:
        raise ConnectionError("not now")
    return n * n


def hopeless(run: str, n: int) -> int:
    note("begin", run, "hopeless", n)
    note("end", run, "hopeless", n)
    raise ConnectionError("never")


async def linger(run: str, n: int) -> int:
    """Lets others have their turn meanwhile."""
    note("begin", run, "linger", n)
    await asyncio.sleep(0.01)
    note("end", run, "linger", n)
    return n + 1


async def dawdle(run: str, n: int) -> int:
    """Never comes to an end."""
    note("begin", run, "dawdle", n)
    await asyncio.sleep(3600)
    return n


def kill(run: str, n: int) -> int:
    """Takes its process with it."""
    note("begin", run, "kill", n)
    os.kill(os.getpid(), 9)
    return n


def nap(run: str, n: int) -> int:
    note("begin", run, "nap", n)
    time.sleep(0.05)
    while n >= HELD_AT and os.path.exists(f"{os.environ['WFC_EFFECTS']}.held"):
        time.sleep(0.02)
    note("end", run, "nap", n)
    return n + 1


async def count(run: str, n: int) -> int:
    note("begin", run, "count", n)
    return n
