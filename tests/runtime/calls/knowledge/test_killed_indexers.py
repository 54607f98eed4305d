"""A process that indexes may be killed at any point: the old index stands, and the next update goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("killed_indexer.py")
NEW = 10
"""How many texts are new: three that say something else, and seven more."""
QUESTIONS = 2
"""How many are asked while one looks what stands."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("index", "least", "batch"), [("keyword", 25, 0), ("hybrid", 35, 4), ("keyword_table", 30, 10)]
)
def test_whenever_it_is_killed_the_index_is_whole(tmp_path: Path, index: str, least: int, batch: int) -> None:
    """What a model has given is kept: no more is asked for again than what was on its way."""
    done = subprocess.run(
        [sys.executable, "-P", PROGRAM, tmp_path / "trial", index, "20"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    writes = [row for row in rows if row["where"].startswith("write")]
    chances = [row for row in rows if row["where"].startswith("chance")]
    assert len(writes) > least and len(chances) == 20 and len(rows) == len(writes) + len(chances)
    asked = (NEW + QUESTIONS) * bool(batch)
    for row in rows:
        assert row["state"] in {"old", "new"}, row
        assert (row["after"], row["whole"]) == (True, "ok"), row
        assert row["files"] == (index == "hybrid"), row
        assert asked <= row["asked"] <= asked + batch, row
    states = [row["state"] for row in writes]
    assert states == sorted(states, reverse=True)  # at one write the new index is in force, and all of it
    assert set(states) == {"old", "new"}
