"""Programs written for llama-index-workflows run on ours once their imports are changed, and give the same."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))

spec = importlib.util.spec_from_file_location("run_programs", HERE / "run_programs.py")
assert spec is not None
assert spec.loader is not None
run_programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_programs)


def with_our_imports(text: str) -> str:
    return re.sub(r"^from workflows\b", "from wfc.runtime.llama_index", text, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    return {}


def run_ours(path: Path, kept: dict[str, Any]) -> Any:
    if path.stem not in kept:
        kept[path.stem] = run_programs.run(path, with_our_imports(path.read_text()))
    return kept[path.stem]


@pytest.fixture(scope="module")
def theirs() -> Any:
    if importlib.util.find_spec("llama_index_instrumentation") is None:
        pytest.skip("llama-index-workflows is not installed")
    # in a process of its own: other tests put ours under its name
    done = subprocess.run(
        [sys.executable, str(HERE / "run_programs.py")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_does_on_ours_what_it_says(path: Path, ours: dict[str, Any]) -> None:
    found = run_ours(path, ours)
    assert found["given"] == found["expected"]


@pytest.mark.full  # it judges the expectation
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_and_the_same_on_theirs(path: Path, ours: dict[str, Any], theirs: Any) -> None:
    assert theirs[path.stem]["given"] == theirs[path.stem]["expected"]
    assert run_ours(path, ours)["tables"] == theirs[path.stem]["tables"]
