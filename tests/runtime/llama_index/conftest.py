"""Lets the tests of agents share two processes, for each of them imports llama_index.core for seconds.

Where servers listen is imported by name: ``from served_ports import listens``.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("served_ports", Path(__file__).with_name("served_ports.py"))
assert _spec is not None
assert _spec.loader is not None
sys.modules["served_ports"] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

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
