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
settings.register_profile("no_deadline", deadline=None)  # no test is about time
settings.load_profile("no_deadline")


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
