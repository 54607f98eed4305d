"""Lets the tests of agents share two processes, for each of them imports llama_index.core for seconds."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("run_agents.py")


@pytest.fixture(scope="session")
def agents_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """What `run_agents.py` prints in two processes, one after the other, on ``ours`` or ``theirs``; by session."""

    def play(whose: str) -> dict[str, str]:
        found: dict[str, str] = {}
        folder = tmp_path_factory.mktemp(whose)
        for phase in ("begin", "resume"):
            done = subprocess.run(
                [sys.executable, str(SCRIPT), whose, phase, str(folder)],
                capture_output=True,
                text=True,
                check=False,
                timeout=240,
            )
            assert done.returncode == 0, done.stderr
            found |= json.loads(done.stdout)
        return found

    return play


@pytest.fixture(scope="session")
def agents_on_ours(agents_of: Callable[[str], dict[str, str]]) -> dict[str, str]:
    """What the agents and their snapshots print on this runtime."""
    return agents_of("ours")
