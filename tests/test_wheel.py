"""What is built is what is in the tree: a package missing from the list vanishes from the wheel without a word."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.full  # a wheel is built as a user of pip would build it

ROOT = Path(__file__).parent.parent
ROOMS = ("compiler", "runtime", "schemas", "specs")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in a wheel built from a copy of the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "tree"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for room in ROOMS:
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--quiet"]
    done = subprocess.run(
        [*command, "--wheel-dir", str(folder), str(copy)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        return set(archive.namelist())


def files(room: str) -> set[str]:
    return {
        f"wfc/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("room", ROOMS)
def test_the_wheel_has_each_file_of_the_tree(wheel: set[str], room: str) -> None:
    assert {name for name in wheel if name.startswith(f"wfc/{room}/")} == files(room)


def test_the_wheel_has_nothing_else(wheel: set[str]) -> None:
    others = {name for name in wheel if not name.startswith(tuple(f"wfc/{room}/" for room in ROOMS))}
    assert all(".dist-info/" in name for name in others), others
    assert any(name.endswith("/licenses/LICENSE") for name in others)


@pytest.mark.parametrize("name", ["wfc/compiler/py.typed", "wfc/runtime/py.typed", "wfc/schemas/py.typed"])
def test_the_wheel_says_that_it_is_typed(wheel: set[str], name: str) -> None:
    assert name in wheel


def test_the_wheel_has_schema_and_templates(wheel: set[str]) -> None:
    assert "wfc/schemas/workflow.schema.json" in wheel
    assert any(name.startswith("wfc/compiler/codegen/templates/") for name in wheel)


def test_wfc_is_a_namespace(wheel: set[str]) -> None:
    assert "wfc/__init__.py" not in wheel
