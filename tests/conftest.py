"""What every room's tests share: golden files, rewritten by ``pytest --golden`` and read in review."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

Golden = Callable[[Path, str], None]

os.environ["WFC_NO_CACHE"] = (
    "1"  # no test may see what the developer's own checks, or other tests, have found
)
# A change is judged by itself: no test is about time, on no machine, and all try the same examples at each run.
# `WFC_SEED` makes all tests that choose by chance choose otherwise; `--hypothesis-profile search` tries many examples.
CHANCE = os.environ.get("WFC_SEED")
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", UNHURRIED, derandomize=not CHANCE, database=None)
settings.register_profile("search", UNHURRIED, max_examples=2_000)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--golden", action="store_true", help="rewrite golden files with what the code gives now"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with a golden file, or writes it there under ``--golden``."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        assert path.exists(), f"{path} is not there; `pytest --golden` writes it"
        assert text == path.read_text(encoding="utf-8"), f"{path} differs; `pytest --golden` rewrites it"

    return compare


@pytest.fixture(scope="session")
def seed() -> str:
    """What tests take their own chances from; see above."""
    print(f"WFC_SEED={CHANCE or 'wfc'}")
    return CHANCE or "wfc"


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def run_mypy(root: Path) -> Callable[..., str]:
    """Returns what mypy at its strictest prints of modules of one folder, which may import each other.

    What it has learnt of the libraries and of the houses is kept from run to run, apart for tests at the same time.
    """
    kept = root / ".mypy_cache" / os.environ.get("PYTEST_XDIST_WORKER", "alone")

    def check(*modules: str | Path) -> str:
        options = ("--strict", "--config-file=", "--namespace-packages", "--explicit-package-bases")
        beside = f"{root / 'tests/as_installed'}{os.pathsep}{Path(modules[0]).parent}"
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *options, "--cache-dir", str(kept), *map(str, modules)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "MYPYPATH": beside},
        )
        assert done.returncode in {0, 1}, done.stderr
        return done.stdout

    return check


@pytest.fixture(scope="session")
def passes_mypy(run_mypy: Callable[..., str]) -> Callable[..., None]:
    """Asserts that modules of one folder pass mypy at its strictest."""

    def check(*modules: str | Path) -> None:
        printed = run_mypy(*modules)
        assert printed.startswith("Success"), printed

    return check
