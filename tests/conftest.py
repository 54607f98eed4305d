"""What every room's tests share: golden files, rewritten by ``pytest --golden`` and read in review."""

from __future__ import annotations

import gc
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

LONG = {"run_mypy", "passes_mypy", "program", "wheel", "agents_on_ours", "mutants"}
"""Fixtures that take seconds, or whose tests do."""

collect_ignore_glob = ["*.yaml"]
"""The specs here are what tests are about, and many of them are wrong on purpose: our own plugin leaves them alone."""

Golden = Callable[[Path, str], None]

os.environ["WFC_NO_CACHE"] = (
    "1"  # no test may see what the developer's own checks, or other tests, have found
)
os.environ["WFC_TRUST"] = "1"  # tests start programs; those about who has agreed to that take this away
# A change is judged by itself: no test is about time, on no machine, and all try the same examples at each run.
# `WFC_SEED` makes all tests that choose by chance choose otherwise; `--hypothesis-profile search` tries many examples.
CHANCE = os.environ.get("WFC_SEED")
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SAME = settings(UNHURRIED, derandomize=not CHANCE, database=None)
settings.register_profile("few", SAME, max_examples=25)
settings.register_profile("same", SAME, max_examples=100)
settings.register_profile("search", UNHURRIED, max_examples=2_000)


def _shared(name: str) -> Any:
    """A module beside this one, which tests import by its name."""
    found = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert found is not None and found.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


_shared("kept_ports")
_server = _shared("postgres_server")
browser = _shared("chromium").browser
_shared("npm_packages")
_shared("model_wire")
_shared("idle_host")
_shared("pdf_files")
postgres, database, store = _server.postgres, _server.database, _server.store
store_address = _server.store_address


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples a search by chance tries: a part of them, unless the tests marked `full` run too.

    It is chosen before the tests are imported, whose own numbers are multiples of it.
    """
    settings.load_profile("few" if "not full" in config.getoption("markexpr") else "same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--golden", action="store_true", help="rewrite golden files with what the code gives now"
    )
    parser.addoption(
        "--full-share", default="1/1", help="of the tests marked full only those of one share, such as 1/2"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take the share that was asked for, those first that take longest: no process is left with one at the end."""
    share, shares = map(int, config.getoption("full_share").split("/"))
    others = [
        item
        for item in items
        if item.get_closest_marker("full") and crc32(item.nodeid.encode()) % shares != share - 1
    ]
    if others:
        config.hook.pytest_deselected(items=others)
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: LONG.isdisjoint(getattr(item, "fixturenames", ())))


def pytest_collection_finish() -> None:
    """Take what the collected tests are made of out of the garbage collector's sight.

    Those that look for what is left behind collect garbage, and would walk through all of it each time.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def nothing_left_open() -> Iterator[None]:
    """Collects garbage after each file of tests, so that what it left open fails there and not in a later test."""
    yield
    gc.collect()


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

    It is asked as it is of the houses themselves, so that it learns of them and of the libraries once.
    """

    def check(*modules: str | Path) -> str:
        folder = Path(modules[0]).parent
        with alone(root / ".mypy_cache"):
            done = subprocess.run(
                [sys.executable, "-m", "mypy", *map(str, modules)],
                cwd=root,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "MYPYPATH": "" if str(folder) == "." else str(folder)},
            )
        assert done.returncode in {0, 1}, done.stderr
        return done.stdout

    return check


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other process of these tests is in this block with the same folder."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as file:
        if sys.platform == "win32":
            import msvcrt

            while True:
                with suppress(OSError):  # it gives up after ten seconds
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def passes_mypy(run_mypy: Callable[..., str]) -> Callable[..., None]:
    """Asserts that modules of one folder pass mypy at its strictest."""

    def check(*modules: str | Path) -> None:
        printed = run_mypy(*modules)
        assert printed.startswith("Success"), printed

    return check


if os.environ.get("WFC_FOLD"):
    # `WFC_FOLD=1 pytest tests/runtime/driver`: every run gets a port to a fold of its ticks, which must be the same run
    _FOLDING = Path(__file__).parent / "runtime" / "core" / "folding.py"

    def _folding() -> Any:
        if "folding" not in sys.modules:
            found = importlib.util.spec_from_file_location("folding", _FOLDING)
            assert found is not None and found.loader is not None
            sys.modules["folding"] = module = importlib.util.module_from_spec(found)
            found.loader.exec_module(module)
        return sys.modules["folding"]

    @pytest.fixture(autouse=True)
    def _folded(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
        from wfc.runtime.driver.engine import Engine
        from wfc.runtime.driver.run import Run

        ports, begin = _folding().FoldingPort, Run.__init__

        def init(run: Any, *arguments: Any, **options: Any) -> None:
            begin(run, *arguments, **options)
            run.port = ports(run)

        if "stored" not in request.path.stem:  # those have a port to a store
            monkeypatch.setattr(Run, "__init__", init)
            monkeypatch.setattr(
                Engine, "recovered", lambda engine, run: None
            )  # nothing is posted without a store
        ports.differences.clear()
        yield
        assert not ports.differences, ports.differences[0]
