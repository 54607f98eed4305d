"""A secret's value is in no text that leaves a call: no error, no repr, no result, nothing streamed."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from aimock_pytest import AIMockServer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from idle_host import Host as IdleHost

from wfc.runtime.calls.bindings import Basic, Bearer, PythonTool, Secret
from wfc.runtime.calls.http import call_http
from wfc.runtime.calls.llm import Model, call_llm
from wfc.runtime.calls.python_tools import call_tool
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import WorkflowError

# long enough to be told from innocent text; what a header may carry. Put together of characters, since hypothesis also
# takes whole texts from the modules that are loaded, such as `wfc.runtime.`, and these stand in errors in any case
CHARACTERS = st.characters(min_codepoint=0x21, max_codepoint=0x7E)
VALUES = st.lists(CHARACTERS, min_size=12, max_size=40).map("".join).filter(lambda value: len(set(value)) > 5)

NAME = "WFC_TEST_SECRET"
quickly = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


class Host(IdleHost):
    """Keeps what it is told, and takes no result for right."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def unmet(self, result: object) -> list[str]:
        return [f"not {result}"]

    def report(self, text: str) -> None:
        self.told.append(text)

    def write_event_to_stream(self, ev: object) -> None:
        self.told.append(ev)

    def state_now(self) -> Any:
        return None


@contextmanager
def environment(value: str) -> Iterator[None]:
    os.environ[NAME] = value
    try:
        yield
    finally:
        del os.environ[NAME]


def everything_told(error: BaseException) -> str:
    """All that a log might hold of an error: its traceback with causes, its repr, its parts."""
    lines = traceback.format_exception(error)
    return "".join([*lines, repr(error), repr(vars(error)), repr(error.__context__), repr(error.__cause__)])


def assert_hidden(value: str, text: str) -> None:
    forms = {value, json.dumps(value)[1:-1], quote(value), base64.b64encode(f"ann:{value}".encode()).decode()}
    assert not [form for form in forms if form in text]


@given(value=VALUES)
@quickly
def test_names_and_reprs_hold_no_value(value: str) -> None:
    secret = Secret(NAME)
    with environment(value):
        revealed = Revealed()
        assert revealed.read(secret) == value
        bindings = [
            secret,
            Bearer(secret),
            Basic("ann", secret),
            Model("openai:gpt", api_key=secret),
            PythonTool("a:b", secrets={"key": secret}),
            revealed,
        ]
        assert_hidden(value, repr(bindings) + str(bindings))


@given(value=VALUES, status=st.sampled_from([200, 400, 401, 500]), as_basic=st.booleans())
@quickly
def test_a_service_that_repeats_what_it_was_sent(value: str, status: int, as_basic: bool) -> None:
    auth = Basic("ann", Secret(NAME)) if as_basic else Bearer(Secret(NAME))
    with environment(value):
        try:
            outcome: object = asyncio.run(echoed(status, auth))
        except WorkflowError as error:
            outcome = everything_told(error)
        assert_hidden(value, repr(outcome) + str(outcome))


async def echoed(status: int, auth: Bearer | Basic) -> object:
    """The result of a request to a service that repeats its headers, as text, as JSON and in a header."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = [line for line in head.split("\r\n")[1:] if line]
        seen = dict(line.split(": ", 1) for line in lines)
        body = json.dumps({"you sent": head, **{name: [value] for name, value in seen.items()}}).encode()
        reply = [
            f"HTTP/1.1 {status} OK",
            "Content-Type: application/json",
            f"X-Seen: {seen['authorization']}",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        writer.write("\r\n".join(reply).encode() + b"\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        return await call_http("GET", f"http://127.0.0.1:{port}/", auth=auth, headers={"X-Key": Secret(NAME)})


@given(value=VALUES, fails=st.booleans())
@quickly
def test_a_tool_that_tells_all_it_knows(value: str, fails: bool, tmp_path: Path) -> None:
    module = tmp_path / "leaky.py"
    if not module.exists():
        module.write_text(
            "def tell(key, fails, context):\n"
            "    context.report('key ' + key)\n"
            "    if fails:\n"
            "        raise ValueError({'key': key})\n"
            "    return {'key': key, key: [key]}\n"
        )
    host = Host()
    tool: PythonTool[Any] = PythonTool("leaky:tell", beside=tmp_path, secrets={"key": Secret(NAME)})
    with environment(value):
        try:
            outcome: object = asyncio.run(call_tool(host, tool, {"fails": fails}))
        except WorkflowError as error:
            outcome = everything_told(error)
        assert_hidden(value, repr(outcome) + str(outcome) + repr(host.told))


@given(value=VALUES, status=st.sampled_from([200, 400, 401, 429, 500]))
@settings(quickly, max_examples=10)
def test_a_model_that_repeats_its_key(value: str, status: int, aimock: AIMockServer) -> None:
    aimock.reset()
    said = f"Incorrect API key provided: {value}"
    reply = (
        {"content": said} if status == 200 else {"error": {"message": said, "type": "t"}, "status": status}
    )
    aimock.add_fixture({}, reply)
    model = Model("openai:gpt-4o-mini", base_url=f"{aimock.base_url}/v1", api_key=Secret(NAME))
    with environment(value):
        with pytest.raises(WorkflowError) as caught:
            asyncio.run(call_llm(Host(), model, "Hello"))
        assert "API key" in str(caught.value)
        assert_hidden(value, everything_told(caught.value))
