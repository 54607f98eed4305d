"""Workers that share the runs of a store on PostgreSQL: real processes, one of which is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TOOLS = """\
import json, os, time


def work(run: str, n: int) -> int:
    line = json.dumps({"at": time.time(), "run": run, "n": n, "pid": os.getpid()}) + "\\n"
    handle = os.open(os.environ["EFFECTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, line.encode())
    os.close(handle)
    time.sleep(0.3)
    return n + 1
"""

LOOP = """\
wfc: 1
workflow: loop
start: Go
end: Done
events:
  Go: {}
  Turn: {n: integer}
  Done: {n: integer}
steps:
  begin:
    kind: transform
    accepts: Go
    emit: {event: Turn, with: {n: 0}}
  work:
    kind: tool
    accepts: Turn
    tool: {python: "effects:work"}
    with: {run: "${{ run.id }}", n: "${{ event.n }}"}
    output: integer
    max_runs: 100
    on_limit: {event: Done, with: {n: 0}}
    emit:
      - {event: Done, when: result >= 30, with: {n: "${{ result }}"}}
      - {event: Turn, with: {n: "${{ result }}"}}
"""

WFC = [sys.executable, "-c", "from wfc.compiler.cli import main; raise SystemExit(main())"]


class Site:
    """A folder with a workflow, whose runs are in a database."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.effects = folder, folder / "effects.log"
        (folder / "effects.py").write_text(TOOLS)
        (folder / "wfc.toml").write_text('modules = ["effects"]\n')
        (folder / "loop.yaml").write_text(LOOP)
        self.effects.touch()
        self.environment = {**os.environ, "EFFECTS": str(self.effects), "WFC_STORE": database}

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        with (self.folder / "processes.log").open("a") as log:
            return subprocess.Popen(
                [*WFC, *command], cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )

    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.effects.read_text().splitlines()]

    def statuses(self) -> list[str]:
        listed = [*WFC, "runs", "list", "--format", "json"]
        found = subprocess.run(listed, cwd=self.folder, env=self.environment, capture_output=True, check=True)
        return [json.loads(line)["status"] for line in found.stdout.splitlines()]


def until(holds: Callable[[], object], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def stalled(calls: list[dict[str, Any]], since: float) -> float:
    """Return by how many seconds the machine has held up the steps of a live process at most, each 0.3 s long."""
    latest: dict[tuple[int, str], float] = {}
    longest = 0.3
    for call in sorted(calls, key=lambda call: call["at"]):
        before = latest.get((call["pid"], call["run"]), call["at"])
        latest[call["pid"], call["run"]] = call["at"]
        if before >= since:
            longest = max(longest, call["at"] - before)
    return longest - 0.3


@pytest.mark.full
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_what_a_dead_worker_had_goes_on_with_the_others(
    tmp_path: Path, database: str, how: signal.Signals
) -> None:
    site = Site(tmp_path, database)
    runs = [f"run-{number}" for number in range(4)]
    begun = [site.start("run", "loop.yaml", "--detach", "--run-id", run) for run in runs]
    assert [process.wait(240) for process in begun] == [0] * 4, (tmp_path / "processes.log").read_text()
    workers = [site.start("worker", "--at-once", "2") for _ in range(3)]
    try:
        until(lambda: {call["run"] for call in site.calls()} == set(runs))
        victim = next(one for one in workers if one.pid == site.calls()[-1]["pid"])
        victim.send_signal(how)
        at = time.time()
        lost = {call["run"] for call in site.calls() if call["pid"] == victim.pid}

        def taken_over() -> set[str]:
            return {
                call["run"] for call in site.calls() if call["pid"] != victim.pid and call["at"] > at
            } & lost

        until(lambda: taken_over() == lost)
        first = {
            run: min(c["at"] for c in site.calls() if c["run"] == run and c["pid"] != victim.pid)
            for run in lost
        }
        longest = max(first.values()) - at - stalled(site.calls(), at)
        print(f"{how.name}: the next step after {longest:.2f} s")
        # a dead one is told by its session, two seconds after its last beat; one that stands still after five
        assert longest < {signal.SIGKILL: 5, signal.SIGSTOP: 8}[how]
        if how == signal.SIGSTOP:
            victim.send_signal(signal.SIGCONT)  # whatever it writes now is refused
        until(lambda: Counter(c["n"] for c in site.calls())[29] >= 4)
        time.sleep(1.0)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait(240)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait(240)
    assert site.statuses() == ["done"] * 4
    made = Counter((call["run"], call["n"]) for call in site.calls())
    assert set(made) == {(run, n) for run in runs for n in range(30)}, "nothing is lost"
    twice = [call for call, count in made.items() if count > 1]
    assert len(twice) <= 2 * len(lost) and all(made[call] == 2 for call in twice), (
        "only what was under way is repeated"
    )


@pytest.mark.full
def test_runs_at_once_are_counted_over_all_workers_one_of_which_is_killed(
    tmp_path: Path, database: str
) -> None:
    site = Site(tmp_path, database)
    bounded = LOOP.replace("result >= 30", "result >= 5").replace(
        "steps:\n", "limits: {concurrent_runs: 2}\nsteps:\n"
    )
    (tmp_path / "loop.yaml").write_text(bounded)
    runs = [f"run-{number}" for number in range(6)]
    begun = [site.start("run", "loop.yaml", "--detach", "--run-id", run) for run in runs]
    assert [process.wait(240) for process in begun] == [0] * 6, (tmp_path / "processes.log").read_text()
    workers = [site.start("worker", "--at-once", "2") for _ in range(3)]
    try:
        until(lambda: len({call["run"] for call in site.calls()}) >= 2)
        next(one for one in workers if one.pid == site.calls()[-1]["pid"]).kill()
        until(lambda: site.statuses() == ["done"] * 6)
        for worker in workers:
            worker.terminate()
            worker.wait(240)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait(240)
    calls = sorted(site.calls(), key=lambda call: call["at"])
    assert {(call["run"], call["n"]) for call in calls} == {(run, n) for run in runs for n in range(5)}
    first, last = {}, {}
    for at, call in enumerate(calls):
        first.setdefault(call["run"], at)
        last[call["run"]] = at
    at_once = [sum(first[run] <= at <= last[run] for run in runs) for at in range(len(calls))]
    assert max(at_once) == 2, "also while a killed worker's run waits to be taken over"
