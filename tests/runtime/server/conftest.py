"""What tests of the server share is imported by name: ``from asgi_client import OPENINGS, serving``."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from postgres_server import KINDS

for _name in ("served_flows", "asgi_client"):
    _spec = importlib.util.spec_from_file_location(_name, Path(__file__).with_name(f"{_name}.py"))
    assert _spec is not None
    assert _spec.loader is not None
    sys.modules[_name] = _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)


@pytest.fixture(scope="session", params=KINDS)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[asyncio.Runner, Any]]:
    """Gives one server for all tests that need none of their own, and the loop that it is in."""
    from asgi_client import OPENINGS, serving
    from served_flows import WORKFLOWS

    with asyncio.Runner() as runner:
        store: Any = tmp_path_factory.mktemp("server")
        if request.param == "postgresql":
            store = request.getfixturevalue("postgres").new_database()
        context = serving(store, *WORKFLOWS, openings=OPENINGS)
        yield runner, runner.run(context.__aenter__())
        runner.run(context.__aexit__(None, None, None))


@pytest.fixture
def served(running: tuple[asyncio.Runner, Any]) -> Callable[..., None]:
    """Runs a coroutine function with a client of a server of all workflows of ``served_flows``."""
    runner, client = running

    def run(use: Callable[[Any], Awaitable[None]]) -> None:
        async def main() -> None:
            async with asyncio.timeout(240):
                await use(client)

        runner.run(main())

    return run


@pytest.fixture
def served_anew(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., None]:
    """Runs a coroutine function with a client of a server of its own; by itself over a file."""
    from asgi_client import OPENINGS, serving
    from served_flows import WORKFLOWS

    store: Any = tmp_path
    if getattr(request, "param", "") == "postgresql":
        store = request.getfixturevalue("postgres").new_database()

    def run(use: Callable[[Any], Awaitable[None]]) -> None:
        async def main() -> None:
            async with (
                serving(store, *WORKFLOWS, openings=OPENINGS) as client,
                asyncio.timeout(240),
            ):
                await use(client)

        asyncio.run(main())

    return run
