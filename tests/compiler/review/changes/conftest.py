"""Two versions of a spec, compared."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wfc.compiler.cli.reviewing.comparison import Comparison, compare_sides
from wfc.compiler.cli.reviewing.sides import DiskSide

# imported by name: `from changes_cases import CASES`
_spec = importlib.util.spec_from_file_location("changes_cases", Path(__file__).parent / "changes_cases.py")
assert _spec is not None
assert _spec.loader is not None
sys.modules["changes_cases"] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
Case = _module.Case

SPECS = Path(__file__).parent / "specs"

Compare = Callable[..., Comparison]


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The specs, twice: as they are, and for changes."""
    top = tmp_path_factory.mktemp("versions")
    for name in ("old", "new"):
        shutil.copytree(SPECS, top / name)
    return top / "old", top / "new"


@pytest.fixture
def compare(folders: tuple[Path, Path]) -> Compare:
    """Compares an example with what a case makes of it, or the other way round."""
    old, new = folders

    def call(case: Case, *, is_back: bool = False) -> Comparison:
        text = (old / f"{case.spec}.yaml").read_text(encoding="utf-8")
        changed = new / f"{case.spec}.yaml"
        changed.write_text(case.edited(text), encoding="utf-8")
        try:
            paths = str(old / f"{case.spec}.yaml"), str(changed)
            sides = DiskSide("old", paths[:1]), DiskSide("new", paths[1:])
            found = compare_sides(*(sides[::-1] if is_back != case.is_back else sides))
        finally:
            changed.write_text(text, encoding="utf-8")
        return found

    return call
