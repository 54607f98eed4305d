"""The tests of hand-written flows once more, each run beside a fold of its ticks: nothing happens that is no tick."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.parametrize("room", ["runtime/driver", "semantics", "runtime/testing", "runtime/llama_index"])
def test_the_ticks_of_hand_written_flows_are_all_that_happens_in_them(room: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", f"tests/{room}"],
        cwd=ROOT,
        env={**os.environ, "WFC_FOLD": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
