"""Random edits of all specs: of those that mean nothing nothing is told, and of one key seldom more than two things."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).parents[3] / "bench/reported.py"


@pytest.fixture(scope="module")
def reported() -> ModuleType:
    """``tests/bench/reported.py``."""
    spec = importlib.util.spec_from_file_location("reported", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(reported: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("reported")
    reported.copied(made)
    return made


def unheard(reported: ModuleType, folder: Path, paths: list[Path]) -> int:
    """Return of how many specs, written otherwise with the same meaning, nothing was told; of others this fails."""
    compared = 0
    for path in paths:
        data = reported.data_of(path)
        if not isinstance(data, dict) or "workflow" not in data:
            continue
        copy = json.loads(json.dumps(data))
        written = reported.rewritten(copy, random.Random(path.name))  # noqa: S311 - edits, no secrets
        found = reported.told(reported.as_text(data), written, folder, path.name)
        assert not found, (path, [each.told for each in found])
        compared += found is not None
    return compared


def test_of_another_layout_and_order_nothing_is_told(reported: ModuleType, folder: Path) -> None:
    assert unheard(reported, folder, reported.SPECS[::8]) >= 8


@pytest.mark.full
def test_of_another_layout_and_order_of_any_spec_nothing_is_told(reported: ModuleType, folder: Path) -> None:
    assert unheard(reported, folder, reported.SPECS) >= 90


@pytest.mark.slow  # what is edited changes with every spec
def test_of_one_key_seldom_more_than_two_things_are_told(reported: ModuleType, folder: Path) -> None:
    chance, counts = random.Random(11), []  # noqa: S311 - edits, no secrets
    while len(counts) < 60:
        path = chance.choice(reported.SPECS)
        data = reported.data_of(path)
        made = reported.edited(data, chance) if isinstance(data, dict) and "workflow" in data else None
        found = made and reported.told(reported.as_text(data), reported.as_text(made[1]), folder, path.name)
        if found is not None:
            counts.append(len(found))
    assert sum(number <= 2 for number in counts) >= 0.85 * len(counts), sorted(counts)
    assert max(counts) <= 12
