"""What every room's tests share: golden files, rewritten by ``pytest --golden`` and read in review."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

Golden = Callable[[Path, str], None]

os.environ["WFC_NO_CACHE"] = (
    "1"  # no test may see what the developer's own checks, or other tests, have found
)
# A change is judged by itself: the same examples at each run, and no test is about time. `--hypothesis-profile search`
# tries others.
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.register_profile("search", max_examples=2_000, deadline=None)
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
def root() -> Path:
    """The top of the repository."""
    return Path(__file__).parent.parent
