"""Real processes are killed, at chosen points and at random moments, until their runs are over; then all is held
against what the journal says and what the steps have written down outside.

The slow part is ``pytest tests/durable -m slow``: ``WFC_KILLS`` is how many random kills there are, ``WFC_SEED``
the seed.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from durable_flows import FLOWS, TOOLS, Flow

from wfc.runtime.calls.sibling_modules import sibling_workflow
from wfc.runtime.driver.engine import Engine

POINTS = ("encode", "advanced", "commit", "committed", "release", "snapshot", "pruned", "recovered")


class Nursery:
    """A process that forks those that are to be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "runs.db"
        self.effects = folder / "effects.log"
        self.effects.touch()
        (folder / "effects.py").write_text(TOOLS)
        (folder / "wfc.toml").write_text('modules = ["effects"]\n')
        for flow in FLOWS.values():
            (folder / f"{flow.name}.yaml").write_text(flow.spec)
        specs = [str(folder / f"{name}.yaml") for name in FLOWS]
        subprocess.run(
            [
                sys.executable,
                "-c",
                "from wfc.compiler.cli import main; raise SystemExit(main())",
                "compile",
                *specs,
            ],
            check=True,
            capture_output=True,
            cwd=folder,
        )
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("nursery.py")), str(self.store)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "WFC_EFFECTS": str(self.effects), "WFC_CRASH_AT": "nowhere"},
        )
        assert self.read() == "ready"

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ask(self, *command: Any) -> int:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return int(self.read())

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    with contextlib.closing(Nursery(tmp_path_factory.mktemp("durable"))) as found:
        yield found


def play(nursery: Nursery, flow: Flow, run_id: str, points: list[str], delays: list[float]) -> int:
    """Runs a flow to its end, by processes that die at points or after delays; returns how many have died."""
    died = 0
    # whoever answers dies once too, when the answer is in the inbox, if it gets there
    answering = nursery.ask("answer", flow.name, run_id, "posted:1") if flow.name == "ask" else 0
    for point, delay in [*((point, 0.0) for point in points), *(("", delay) for delay in delays), ("", 0.0)]:
        pid = nursery.ask("start", flow.name, run_id, point)
        if delay:
            time.sleep(delay)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        status = nursery.ask("wait", pid)
        died += status == -signal.SIGKILL
        assert status in {0, -signal.SIGKILL}, f"{run_id} {point} {delay}"
    if answering and (status := nursery.ask("wait", answering)):
        assert status == -signal.SIGKILL
        again = nursery.ask("answer", flow.name, run_id, "")
        assert nursery.ask("wait", again) == 0, "the same answer once more"
    check(nursery, flow, run_id, died)
    return died


def check(nursery: Nursery, flow: Flow, run_id: str, died: int) -> None:
    """Holds the journal of a run, and the calls that it has made, against what must be true of them."""
    kind = sibling_workflow(nursery.folder, flow.name)
    assert kind is not None
    with contextlib.closing(Engine(store=nursery.store)) as engine:
        engine.add(kind)
        row = engine.show(run_id)
        assert row.status == "done", run_id
        assert engine.outcome(run_id).model_dump() == flow.end, run_id
        assert engine.store.problems() == []
        ticks = engine.history(run_id)
    assert [tick.seq for tick in ticks] == list(range(ticks[0].seq, ticks[-1].seq + 1))
    assert [tick.at for tick in ticks] == sorted(tick.at for tick in ticks)
    with nursery.effects.open() as file:
        calls = [one for one in map(json.loads, file) if one["run"] == run_id]
    made = Counter((one["call"], one["n"]) for one in calls)
    assert made.keys() == flow.expected.keys(), run_id
    assert all(made[call] >= flow.expected[call] for call in made), run_id
    extra = sum((made - Counter(flow.expected)).values())
    assert extra <= died * flow.at_once, f"{run_id}: {extra} calls too many for {died} deaths"
    if flow.name != "batch":  # one call after the other: none begins again once the next one has begun
        assert [one["n"] for one in calls] == sorted(one["n"] for one in calls), run_id
    asked = [tick for tick in ticks if tick.kind == "answered"]
    assert len(asked) <= 1, f"{run_id}: an answer was taken twice"


@pytest.mark.parametrize("flow", FLOWS.values(), ids=list(FLOWS))
def test_a_process_that_dies_at_any_point_loses_nothing_and_repeats_nothing(
    nursery: Nursery, flow: Flow
) -> None:
    """Each process dies at another point, and the next one goes on."""
    died = play(
        nursery, flow, f"{flow.name}-points", [f"{point}:{2 + at % 2}" for at, point in enumerate(POINTS)], []
    )
    assert died >= 3


@pytest.mark.parametrize("flow", FLOWS.values(), ids=list(FLOWS))
def test_a_process_that_is_killed_at_any_moment_loses_nothing(nursery: Nursery, flow: Flow) -> None:
    chance = random.Random(flow.name)  # noqa: S311 - the same each time
    play(nursery, flow, f"{flow.name}-moments", [], [chance.uniform(0.02, 0.4) for _ in range(4)])


@pytest.mark.slow
def test_a_thousand_kills(nursery: Nursery) -> None:
    seed, left = os.environ.get("WFC_SEED", "1"), int(os.environ.get("WFC_KILLS", "1000"))
    chance = random.Random(seed)  # noqa: S311 - the same each time
    died = number = 0
    while died < left:
        flow = chance.choice(list(FLOWS.values()))
        points = [f"{chance.choice(POINTS)}:{chance.randint(1, 12)}" for _ in range(chance.randint(0, 6))]
        delays = [chance.expovariate(5) + 0.01 for _ in range(chance.randint(0, 6))]
        died += play(nursery, flow, f"{flow.name}-{seed}-{number}", points, delays)
        number += 1
