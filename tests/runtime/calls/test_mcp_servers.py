"""MCP servers that others have written, by both transports."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_ports import kept_port

from wfc.runtime.authoring.resource import ResourceManager, Resources
from wfc.runtime.calls.bindings import McpServer, Secret
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


def calls(
    server: McpServer,
    *wanted: Call,
    host: Host | None = None,
    wait: float = WAIT,
    pinned: str = "",
    output: Any = None,
) -> list[Any]:
    async def main() -> list[Any]:
        used, found = host or Host(), list[Any]()
        try:
            for operation, args in wanted:
                try:
                    found.append(
                        await call_mcp(used, server, operation, args, wait=wait, pinned=pinned, output=output)
                    )
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
    port = kept_port()
    environment = {**os.environ, "PORT": str(port)}
    started = subprocess.Popen(
        [*command, "streamableHttp"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with started:
        for _ in range(3000):
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


BAD = str(Path(__file__).parent / "bad_mcp_service.py")
CANARY = "canary-7c1e0f5b-not-for-anybodys-eyes"


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], McpServer]:
    """Makes a server that misbehaves."""
    monkeypatch.setenv("BAD_KEY", CANARY)
    (tmp_path / "wfc.toml").write_text(f'commands = ["{sys.executable}"]')

    def made(how: str) -> McpServer:
        return McpServer(command=[sys.executable, BAD, how], env={"KEY": Secret("BAD_KEY")}, beside=tmp_path)

    return made


MISBEHAVIOUR = {
    "floods with progress": "done",
    "floods its errors": "done",
    "prints rubbish": "done",
    "asks for ever": "tool.failed: ",
    "says its secret": "the key is [secret BAD_KEY]",
    "gives 20 MB": "tool.too_large: ",
    "dies": "connection: ",
    "says nothing": "timeout: ",
    "is no server": "timeout: ",
    "ends at once": "connection: ",
}


LONG = {"gives 20 MB"}  # which the package reads slowly


@pytest.mark.parametrize(
    "how", [pytest.param(each, marks=[pytest.mark.slow] * (each in LONG)) for each in MISBEHAVIOUR]
)
def test_a_server_that_misbehaves_is_told_and_bounded(
    how: str, bad: Callable[[str], McpServer], capfd: pytest.CaptureFixture[str]
) -> None:
    host = Host()
    wait = 2.0 if how in {"says nothing", "is no server"} else WAIT
    (found,) = calls(bad(how), ("act", {"text": "x"}), host=host, wait=wait, output=str)
    said = f"{found.name}: {found.message}" if isinstance(found, StepError) else str(found)
    assert said.startswith(MISBEHAVIOUR[how])
    assert len(said) < 2_000
    assert len(host.told) <= 1_000
    assert how != "says its secret" or "half, with [secret BAD_KEY]" in "".join(host.told)
    kept = said + capfd.readouterr().err + "".join(host.told)
    assert CANARY not in kept
    assert "eeee" not in kept  # its errors are not mixed with ours


@pytest.mark.parametrize("how", ["changes its tools", "changes its tools in silence"])
def test_a_server_that_changes_its_tools_between_calls_is_refused(
    how: str, bad: Callable[[str], McpServer]
) -> None:
    """One that says so is asked again when it has been heard, one that does not before each call."""
    server = bad(how)
    _, (tool,) = asyncio.run(tools_of(server, WAIT))
    pinned = digest(tool.description or "", tool.input_schema, tool.output_schema)

    async def main() -> list[Any]:
        used, found = Host(), list[Any]()
        try:
            while len(found) < 100:
                found.append(await call_mcp(used, server, "act", {"text": "x"}, output=str, pinned=pinned))
                await asyncio.sleep(0.01 if how == "changes its tools" else 0)
        except StepError as error:
            found.append(error)
        finally:
            await used.resources.pool.close()
        return found

    first, *_, last = found = asyncio.run(main())
    assert first == "done"
    assert (last.name, "is not what was pinned" in last.message) == ("tool.changed", True)
    assert how == "changes its tools" or len(found) == 2
