"""MCP servers that others have written, by both transports."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.authoring.resource import ResourceManager, Resources
from wfc.runtime.calls.bindings import McpServer
from wfc.runtime.calls.mcp import call_mcp, tools_of
from wfc.runtime.errors import StepError
from wfc.schemas.lock import digest

pytestmark = pytest.mark.full

FILES = "@modelcontextprotocol/server-filesystem"
EVERYTHING = "@modelcontextprotocol/server-everything"
WAIT = 60.0


class Host:
    """What a call needs of a step."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.resources = Resources(ResourceManager())

    async def resource(self, resource: Any) -> Any:
        return await self.resources.get(resource)

    def report(self, text: str) -> None:
        self.told.append(text)


Call = tuple[str, dict[str, Any]]


def calls(server: McpServer, *wanted: Call, host: Host | None = None, pinned: str = "") -> list[Any]:
    async def main() -> list[Any]:
        used, found = host or Host(), list[Any]()
        try:
            for operation, args in wanted:
                try:
                    found.append(await call_mcp(used, server, operation, args, wait=WAIT, pinned=pinned))
                except StepError as error:
                    found.append(error)
            return found
        finally:
            await used.resources.pool.close()

    return asyncio.run(main())


@pytest.fixture
def files(tmp_path: Path, npm_server: Callable[[str], list[str]]) -> McpServer:
    """A server of files, and a folder with one."""
    command = npm_server(FILES)
    (tmp_path / "wfc.toml").write_text(f'commands = ["{command[0]}"]')
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("hello")
    return McpServer(command=[*command, str(tmp_path / "data")], beside=tmp_path)


@pytest.fixture(params=["program", "address"])
def everything(
    request: pytest.FixtureRequest, tmp_path: Path, npm_server: Callable[[str], list[str]]
) -> Iterator[McpServer]:
    """The server that shows all that there is, by either transport."""
    command = npm_server(EVERYTHING)
    if request.param == "program":
        (tmp_path / "wfc.toml").write_text(f'commands = ["{command[0]}"]')
        yield McpServer(command=[*command, "stdio"], beside=tmp_path)
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PORT": str(port)}
    started = subprocess.Popen(
        [*command, "streamableHttp"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with started:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield McpServer(url=f"http://127.0.0.1:{port}/mcp")
        started.kill()


def test_files_are_read_and_those_outside_are_refused(files: McpServer, tmp_path: Path, capfd: Any) -> None:
    (tmp_path / "secret.txt").write_text("a canary")
    data = tmp_path / "data"
    listed, read, outside, missing = calls(
        files,
        ("list_directory", {"path": str(data)}),
        ("read_text_file", {"path": str(data / "a.txt")}),
        ("read_text_file", {"path": str(tmp_path / "secret.txt")}),
        ("read_text_file", {"path": str(data / "b.txt")}),
    )
    assert "a.txt" in str(listed)
    assert "hello" in str(read)
    assert (outside.name, missing.name) == ("tool.failed", "tool.failed")
    assert "canary" not in str(outside)
    assert capfd.readouterr().err == ""  # what the server complains of is not mixed with ours


def test_what_is_pinned_is_what_is_called(files: McpServer, tmp_path: Path) -> None:
    name, tools = asyncio.run(tools_of(files, WAIT))
    assert name.startswith("secure-filesystem-server")
    tool = next(each for each in tools if each.name == "list_directory")
    pinned = digest(tool.description or "", tool.input_schema, tool.output_schema)
    wanted = ("list_directory", {"path": str(tmp_path / "data")})
    assert "a.txt" in str(calls(files, wanted, pinned=pinned)[0])
    changed = calls(files, wanted, pinned="another")[0]
    assert changed.name == "tool.changed"
    assert "is not what was pinned: `wfc tools pin`" in changed.message


def test_results_progress_and_errors(everything: McpServer) -> None:
    host = Host()
    _, tools = asyncio.run(tools_of(everything, WAIT))
    names = {each.name for each in tools}
    assert {"echo", "get-sum", "trigger-long-running-operation", "get-structured-content"} <= names
    said, sum_, long, data, wrong, nothing = calls(
        everything,
        ("echo", {"message": "hello"}),
        ("get-sum", {"a": 1, "b": 2}),
        ("trigger-long-running-operation", {"duration": 0.2, "steps": 2}),
        ("get-structured-content", {"location": "New York"}),
        ("get-sum", {"a": "x"}),
        ("no-such-tool", {}),
        host=host,
    )
    assert "hello" in said
    assert "3" in sum_
    assert "completed" in long
    assert set(data) == {"temperature", "conditions", "humidity"}
    assert wrong.name == "tool.failed"
    assert nothing.name == "tool.changed"
