"""Circles of imports: what is found does not depend on the file that was read first."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

NAMES = "abcdef"


def write(folder: Path, imports: dict[str, list[str]]) -> None:
    """Write files of declarations that import each other, and a workflow for each of them."""
    for name, targets in imports.items():
        listed = ", ".join(f"./{each}.yaml" for each in targets)
        (folder / f"{name}.yaml").write_text(
            f"wfc: 1\nimports: [{listed}]\ntypes:\n  T_{name}: {{text: string}}\n"
        )
        (folder / f"use_{name}.yaml").write_text(
            f"wfc: 1\nworkflow: use_{name}\nimports: [./{name}.yaml]\nstart: Asked{name.upper()}\n"
            f"end: Done{name.upper()}\nevents:\n  Asked{name.upper()}: {{text: string}}\n"
            f"  Done{name.upper()}: {{text: string}}\nsteps:\n"
            f"  go: {{kind: transform, accepts: Asked{name.upper()}, emit: Done{name.upper()}}}\n"
        )


def reach(imports: dict[str, list[str]], start: str) -> set[str]:
    """Return the files that a file needs, by way of others or not."""
    found: set[str] = set()
    waiting = list(imports[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imports[name]
    return found


@pytest.mark.parametrize("seed", range(25))
def test_any_order_finds_the_same_circles(wfc, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    imports = {name: rng.sample(NAMES, rng.choice([0, 1, 1, 2])) for name in NAMES}
    write(tmp_path, imports)
    found: list[set[tuple[str, str]]] = []
    for _turn in range(4):
        paths = [f"use_{name}.yaml" for name in rng.sample(NAMES, len(NAMES))]
        report = json.loads(wfc("check", "--no-cache", "--format", "json", *paths).out)
        found.append({(each["path"], each["message"]) for each in report if each["code"] == "import-cycle"})
    assert all(each == found[0] for each in found)
    needed = {name: reach(imports, name) for name in NAMES}
    circles = {frozenset(other for other in needed[name] if name in needed[other]) for name in NAMES}
    for circle in circles - {frozenset()}:
        assert any(file.removesuffix(".yaml") in circle for file, _message in found[0])
    assert all(name in needed[name] for name in (file.removesuffix(".yaml") for file, _message in found[0]))
