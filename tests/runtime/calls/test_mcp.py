"""Tools of MCP servers: a program of others, and one of ours by both of its transports."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_ports import kept_port

from wfc.runtime.authoring.resource import ResourceManager, Resources
from wfc.runtime.calls import mcp
from wfc.runtime.calls.bindings import Bearer, McpServer, Secret
from wfc.runtime.calls.mcp import call_mcp
from wfc.runtime.errors import SettingsError, StepError
from wfc.runtime.events import Record

KEY = "sk-not-for-anybodys-eyes-0123456789"
PROGRAM = str(Path(__file__).parent / "mcp_service.py")
TIME = str(Path(sys.executable).parent / "mcp-server-time")


class Host:
    def __init__(self) -> None:
        self.told: list[str] = []
        self.resources = Resources(ResourceManager())

    async def resource(self, resource: Any) -> Any:
        return await self.resources.get(resource)

    async def ends(self) -> None:
        """Does what the end of a run does."""
        await self.resources.pool.close()

    def report(self, text: str) -> None:
        self.told.append(text)


class Sum(Record):
    value: int


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "wfc.toml").write_text(f'commands = ["{sys.executable}", "{TIME}"]')
    monkeypatch.setenv("DESK_KEY", KEY)
    return tmp_path


@pytest.fixture
def program(folder: Path) -> McpServer:
    return McpServer(
        command=[sys.executable, PROGRAM], env={"TOKEN": Secret("DESK_KEY"), "A": "b"}, beside=folder
    )


@pytest.fixture(scope="session")
def _address() -> Iterator[str]:
    port = kept_port()
    with subprocess.Popen([sys.executable, PROGRAM, str(port)], stderr=subprocess.DEVNULL) as running:
        for _ in range(3000):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
        running.kill()


@pytest.fixture(params=["address", pytest.param("program", marks=pytest.mark.full)])
def server(request: pytest.FixtureRequest) -> McpServer:
    if request.param == "program":
        found: McpServer = request.getfixturevalue("program")
        return found
    return McpServer(url=request.getfixturevalue("_address"))


def calls(
    server: McpServer, *wanted: tuple[str, dict[str, Any]], host: Host | None = None, wait: float = 60.0
) -> list[Any]:
    """The results of calls of one run, one after the other, or their errors."""

    async def one(host: Host, operation: str, args: dict[str, Any]) -> Any:
        output = args.pop("output", None)
        try:
            return await call_mcp(host, server, operation, args, output=output, wait=wait)
        except StepError as error:
            return error

    async def main() -> list[Any]:
        used = host or Host()
        try:
            return [await one(used, operation, dict(args)) for operation, args in wanted]
        finally:
            await used.ends()
            assert len(asyncio.all_tasks()) == 1  # nothing is left behind

    return asyncio.run(main())


def call(server: McpServer, operation: str, **args: Any) -> Any:
    (found,) = calls(server, (operation, args))
    return found


def test_results(server: McpServer) -> None:
    found = calls(
        server,
        ("add", {"numbers": [1, 2], "output": Sum}),
        ("add", {"numbers": [1, 2]}),
        ("words", {"text": "a b", "output": list[str]}),
        ("large", {"size": 3, "output": str}),
    )
    assert found == [Sum(value=3), {"value": 3, "of": [1, 2]}, ["a", "b"], "xxx"]


def test_errors(server: McpServer) -> None:
    found = calls(
        server,
        ("fail", {"why": "too late"}),
        ("nobody", {}),
        ("add", {"numbers": "none"}),
        ("add", {"numbers": [1], "output": bool}),
        ("add", {"numbers": [1, 2], "output": Sum}),
    )
    assert [each.name for each in found[:-1]] == [
        "tool.failed",
        "tool.changed",
        "tool.failed",
        "tool.invalid_output",
    ]
    assert "too late" in found[0].message
    assert "`nobody`" in found[1].message
    assert "`words`" in found[1].message
    assert found[-1] == Sum(value=3)  # which none of these ends


def test_a_result_that_is_too_large(server: McpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "LARGEST_RESULT", 100_000)
    error = call(server, "large", size=100_001, output=str)
    assert error.name == "tool.too_large"


@pytest.mark.full
def test_a_server_of_others(folder: Path) -> None:
    class Moment(Record):
        timezone: str
        is_dst: bool

    clock = McpServer(command=[TIME, "--local-timezone", "UTC"], beside=folder)
    moment, error = calls(
        clock,
        ("get_current_time", {"timezone": "Europe/Berlin", "output": Moment}),
        ("get_current_time", {"timezone": "Nowhere"}),
    )
    assert moment.timezone == "Europe/Berlin"
    assert (error.name, "Nowhere" in error.message) == ("tool.failed", True)


def test_progress_is_reported(server: McpServer) -> None:
    host = Host()
    assert calls(server, ("slow", {"seconds": 0.01, "output": str}), host=host) == ["done"]
    assert host.told == ["half of it"]


@pytest.mark.full  # it waits for the clock
def test_a_server_that_takes_too_long(server: McpServer) -> None:
    (error,) = calls(server, ("slow", {"seconds": 60.0}), wait=4.0)
    assert error.name == "timeout"


@pytest.mark.full
def test_a_run_has_its_servers_until_it_ends(program: McpServer) -> None:
    async def main() -> set[int]:
        host = Host()
        asked = (call_mcp(host, program, "process", {}, output=int) for _ in range(5))
        numbers = set(await asyncio.gather(*asked))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await call_mcp(host, program, "slow", {"seconds": 60.0})
        numbers.add(await call_mcp(host, program, "process", {}, output=int))
        (number,) = numbers
        os.kill(number, 0)
        await host.ends()
        assert len(asyncio.all_tasks()) == 1
        return numbers

    (number,) = asyncio.run(main())
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


@pytest.mark.full
def test_a_program_that_ends_is_started_again(program: McpServer) -> None:
    error, found = calls(program, ("die", {}), ("add", {"numbers": [1], "output": Sum}))
    assert error.name == "connection"
    assert "I have seen enough" in error.message
    assert found == Sum(value=1)


@pytest.mark.full
def test_its_complaints_are_not_ours(program: McpServer, capfd: pytest.CaptureFixture[str]) -> None:
    call(program, "add", numbers=[])
    assert "desk opens" not in capfd.readouterr().err


@pytest.mark.full
def test_secrets_go_in_and_never_out(program: McpServer) -> None:
    names = ("TOKEN", "A", "DESK_KEY")
    asked = [("variable", {"name": name, "output": str}) for name in names]
    *found, error = calls(program, *asked, ("fail", {"why": f"no {KEY}"}))
    assert found == ["TOKEN is [secret DESK_KEY]", "A is b", "DESK_KEY is None"]
    assert "[secret DESK_KEY]" in error.message
    assert KEY not in error.message


def test_only_what_the_settings_allow_is_started(program: McpServer, folder: Path) -> None:
    (folder / "wfc.toml").write_text("commands = []")
    with pytest.raises(SettingsError, match="not allowed"):
        call(program, "add", numbers=[])


def test_a_program_that_is_no_server(folder: Path) -> None:
    wrong = McpServer(command=[sys.executable, "-c", "import sys; sys.exit('no server here')"], beside=folder)
    error = call(wrong, "add")
    assert error.name == "connection"
    assert "no server here" in error.message


def test_an_address_where_nobody_listens(nobody: str) -> None:
    assert call(McpServer(url=f"{nobody}/mcp"), "add").name == "connection"


def test_an_address_that_refuses(service: Any, folder: Path) -> None:
    from http_service import Reply

    service.answer = lambda _: Reply(status=401)
    error = call(McpServer(url=service.url, auth=Bearer(Secret("DESK_KEY"))), "add")
    assert error.matches("http.401", "tool", "connection"), error.name
    assert service.last.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in error.message
