"""The runs of all specs of the repository, folded from their ticks: nothing happens in them that is no tick."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli import main
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Tick
from wfc.runtime.driver import run as runs
from wfc.runtime.driver.run import workers

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "runtime" / "core"
SPECS = sorted([*(ROOT / "docs" / "language").glob("*.yaml"), *(ROOT / "specs").glob("*.yaml")])


def load_fold() -> Any:
    found = importlib.util.spec_from_file_location("folding", FOLDER / "folding.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.Fold


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(path, id=path.stem, marks=pytest.mark.full if number % 4 else ())
        for number, path in enumerate(SPECS)
    ],
)
def test_the_ticks_of_a_spec_s_runs_are_all_that_happens_in_them(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make = load_fold()
    folds: dict[int, tuple[Execution, Any]] = {}
    differences: list[str] = []

    def advance(execution: Execution, tick: Tick, at: int) -> None:
        if id(execution) not in folds:
            folds[id(execution)] = execution, make(execution)
        try:
            folds[id(execution)][1].advance(execution, tick, at)
        except AssertionError as error:
            differences.append(str(error))
            raise

    monkeypatch.setattr(workers, "advance", advance)
    monkeypatch.setattr(runs, "advance", advance)
    monkeypatch.chdir(ROOT)
    status = main(["test", str(spec)])
    assert not differences, differences[0]
    assert status == 0, capsys.readouterr().out
