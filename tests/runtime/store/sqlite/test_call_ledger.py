"""Limited calls of several processes that share a store: counted together, in turns, and given back by who dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.calls.turns import Turns
from wfc.runtime.errors import StoreError
from wfc.runtime.store.opening import open_store
from wfc.runtime.store.sql import call_ledger
from wfc.runtime.store.sql.journal import SqlJournal

CALLER = """
import asyncio, json, sys, time
from pathlib import Path
from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.calls.turns import Turns
from wfc.runtime.store.opening import open_store
from wfc.runtime.store.sql import call_ledger

address, name, count, takes, rate, at_once, lease, go = json.loads(sys.argv[1])
call_ledger.LEASE = lease

async def main():
    journal = open_store(address)
    if go is not None:
        Path(go).with_suffix("." + name).touch()
        while not Path(go).exists():
            time.sleep(0.005)
    turns, limit = Turns(journal.calls), CallLimit("x", tuple(rate) if rate else None, at_once)

    async def make(number):
        async with turns.turn(limit, lambda why: None):
            began = time.time()
            print(json.dumps([name, number, began, began]), flush=True)
            await asyncio.sleep(takes)
            print(json.dumps([name, number, began, time.time()]), flush=True)

    await asyncio.gather(*map(make, range(count)))
    journal.close()

asyncio.run(main())
"""


def caller(
    store: str | Path,
    name: str,
    count: int,
    takes: float,
    limit: CallLimit,
    lease: float = 10.0,
    go: Path | None = None,
) -> subprocess.Popen[str]:
    """Start a process that makes calls; with ``go`` it says by a file that it is there, and waits for that one."""
    waits_for = None if go is None else str(go)
    given = json.dumps([str(store), name, count, takes, limit.rate, limit.at_once, lease, waits_for])
    return subprocess.Popen([sys.executable, "-c", CALLER, given], stdout=subprocess.PIPE, text=True)


def calls_of(*processes: subprocess.Popen[str]) -> list[tuple[str, float, float]]:
    """Return who made each call, when it began and when it ended, in the order of their beginnings."""
    found: dict[tuple[str, int], tuple[str, float, float]] = {}
    for process in processes:
        said, _ = process.communicate(timeout=240)
        for name, number, began, ended in map(json.loads, said.splitlines()):
            found[name, number] = name, began, ended
    return sorted(found.values(), key=lambda call: call[1])


class Caller:
    """Makes calls in one process of a store, and notes them; each ends when it is let go."""

    def __init__(self, journal: SqlJournal, seen: list[str]) -> None:
        self.turns = Turns(journal.calls)
        self.seen = seen
        self.begins, self.waits = asyncio.Event(), asyncio.Event()

    async def call(self, name: str, limit: CallLimit, end: asyncio.Event | None = None) -> None:
        async with self.turns.turn(limit, lambda why: self.waits.set()):
            self.seen.append(name)
            self.begins.set()
            if end is not None:
                await end.wait()
                self.seen.append(f"{name} ends")


ONE = CallLimit("x", at_once=1)


def test_two_that_share_a_store_are_counted_together(store: str | Path) -> None:
    async def main() -> list[str]:
        first, second = open_store(store), open_store(store)  # what tells processes apart is their name
        seen: list[str] = []
        one, two, end = Caller(first, seen), Caller(second, seen), asyncio.Event()
        held = asyncio.create_task(one.call("a", ONE, end))
        await one.begins.wait()
        waiting = asyncio.create_task(two.call("b", ONE))
        await two.waits.wait()
        await two.call("y", CallLimit("y", at_once=1))
        end.set()
        await asyncio.gather(held, waiting)
        first.close()
        second.close()
        return seen

    assert asyncio.run(main()) == ["a", "y", "a ends", "b"]


def test_who_gives_up_in_the_line_of_a_store_is_out_of_it(store: str | Path) -> None:
    async def main() -> list[str]:
        first, second = open_store(store), open_store(store)
        seen: list[str] = []
        one, two, end = Caller(first, seen), Caller(second, seen), asyncio.Event()
        held = asyncio.create_task(one.call("a", ONE, end))
        await one.begins.wait()
        gone = [asyncio.create_task(two.call(name, ONE)) for name in "bc"]
        await two.waits.wait()
        for task in gone:
            task.cancel()
        await asyncio.wait(gone)
        second.close()
        end.set()
        await held
        await one.call("d", ONE)  # nobody of the other process is before it
        assert not one.waits.is_set()
        first.close()
        return seen

    assert asyncio.run(main()) == ["a", "a ends", "d"]


def test_a_ledger_that_cannot_be_asked_is_an_error_of_the_call(tmp_path: Path) -> None:
    journal = open_store(f"sqlite:///{tmp_path}/runs.db")
    (tmp_path / "runs.db-workers" / "calls.db").write_bytes(b"nothing of ours" * 1000)

    async def main() -> None:
        with pytest.raises(
            StoreError, match=r"the calls in the store .*runs\.db cannot be counted: file is not a database"
        ):
            await Caller(journal, []).call("a", ONE)

    asyncio.run(main())
    journal.close()


def test_nothing_is_kept_of_calls_that_no_rate_looks_at(tmp_path: Path) -> None:
    async def main() -> None:
        journal = open_store(f"sqlite:///{tmp_path}/runs.db")
        turns = Turns(journal.calls)
        for _ in range(12):
            async with turns.turn(CallLimit("x", (5, 0.001)), lambda why: None):
                pass
        journal.close()

    asyncio.run(main())
    with contextlib.closing(sqlite3.connect(tmp_path / "runs.db-workers" / "calls.db")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM calls_begun").fetchone()[0] <= 5
        assert connection.execute("SELECT COUNT(*) FROM calls_under_way").fetchone()[0] == 0
        assert connection.execute("SELECT COUNT(*) FROM calls_waiting").fetchone()[0] == 0


@pytest.mark.full
def test_processes_keep_a_rate_together_and_take_turns(store: str | Path, tmp_path: Path) -> None:
    limit = CallLimit("x", (4, 0.5), 3)
    go = tmp_path / "go"
    callers = [caller(store, name, 10, 0.05, limit, go=go) for name in "abc"]
    while not all(go.with_suffix(f".{name}").exists() for name in "abc"):
        assert all(one.poll() is None for one in callers)
        time.sleep(0.01)
    go.touch()
    calls = calls_of(*callers)
    assert len(calls) == 30
    begins = [began for _, began, _ in calls]
    slack = (
        0.05  # what passes between the ledger's answer and the call; on a busy machine now and then far more
    )
    stretches = sorted(later - earlier for earlier, later in zip(begins, begins[4:], strict=False))
    assert stretches[len(stretches) // 2] > 0.5 - slack
    assert stretches[0] > 0.2, "without a rate four calls would take less than 0.1 seconds"
    for _, began, _ in calls:
        assert sum(start <= began < end - slack for _, start, end in calls) <= 3
    assert begins[-1] - begins[0] < 7 * 0.5 + 3  # and they do not wait much longer than they must
    names = "".join(name for name, _, _ in calls)
    middle = names[6:-6]
    assert {*middle} == set("abc")
    assert max(len(run) for other in "abc" for run in middle.split(other)) <= 12, names


@pytest.mark.full
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_process_that_is_killed_or_stands_still_holds_nothing_for_long(
    store: str | Path, how: signal.Signals
) -> None:
    limit = CallLimit("x", at_once=1)
    holder = caller(store, "a", 2, 60, limit, lease=2.0)
    assert holder.stdout is not None
    began = json.loads(holder.stdout.readline())[2]
    other = caller(store, "b", 1, 0, limit, lease=2.0)
    time.sleep(5)
    assert other.poll() is None  # it is renewed as long as its process lives
    holder.send_signal(how)
    stopped = time.time()
    (call,) = calls_of(other)
    holder.kill()
    holder.communicate()
    assert began + 4 < stopped < call[1] < stopped + 8
    assert call_ledger.LEASE == 10.0


@pytest.mark.full
def test_who_is_killed_in_the_line_holds_up_nobody(store: str | Path) -> None:
    limit = CallLimit("x", at_once=1)
    holder = caller(store, "a", 1, 1.5, limit)
    assert holder.stdout is not None
    holder.stdout.readline()
    waiting = caller(store, "b", 1, 0, limit)
    time.sleep(0.7)
    last = caller(store, "c", 1, 0, limit)
    waiting.kill()
    waiting.communicate()
    stopped = time.time()
    (call,) = calls_of(last)
    holder.communicate()
    assert call[1] < stopped + 6
