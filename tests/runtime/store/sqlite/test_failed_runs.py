"""Failed runs are listed without going through all that they have done."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wfc.runtime import Engine
from wfc.runtime.store.sql import paging

OUTCOME = {"of": {"name": "connection", "has": {"step": "pay"}}}


def failed_after(store: sqlite3.Connection, ticks: int, at: int) -> None:
    """Keeps a run that failed, went on by its second tick, was taken up after a number of its ticks, and failed alike
    by its last."""
    store.execute(
        """INSERT INTO runs (run_id, workflow, shape, version, key, status, start, parent_number, attached, started,
            ended, is_quiet, epoch, claimed_seq, outcome)
            VALUES (?, 'payment', '', '', '', 'failed', '', 0, 0, 0, 9, 0, 0, ?, ?)""",
        (f"r{ticks}", at, json.dumps(OUTCOME).encode()),
    )
    (number,) = store.execute("SELECT max(run) FROM runs").fetchone()
    bodies: dict[int, object] = {
        1: ["failed", 5, 3, OUTCOME],
        2: ["rewound", 6, 0],
        ticks: ["failed", 9, 3, OUTCOME],
    }
    store.executemany(
        "INSERT INTO ticks (run, seq, body) VALUES (?, ?, ?)",
        [
            (number, seq, json.dumps(bodies.get(seq, ["succeeded", 7, seq])).encode())
            for seq in range(1, ticks + 1)
        ],
    )


@pytest.mark.parametrize("at", [2, 40])
def test_the_work_does_not_grow_with_what_the_runs_have_done(at: int, tmp_path: Path) -> None:
    steps = {}
    for ticks in (50, 5000):
        path = tmp_path / f"{ticks}.db"
        Engine(f"sqlite:///{path}").close()
        with closing(sqlite3.connect(path)) as store:
            failed_after(store, ticks, at)
            done: list[int] = []
            store.set_progress_handler(lambda done=done: done.append(1), 1)  # type: ignore[misc]
            (found,) = paging.failed_runs(store, workflows=None)  # type: ignore[arg-type]
            store.set_progress_handler(None, 0)
        assert found.since == 5  # by the failure before it went on
        steps[ticks] = len(done)
    assert steps[5000] < 1.1 * steps[50], steps
