"""Workflows as tools: ``wfc serve --mcp``, over HTTP and over standard streams, driven by the official client."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from kept_ports import kept_port
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from wfc.runtime.server.access import Principal
from wfc.runtime.server.tool_calls import flat_form

_FOUND = importlib.util.spec_from_file_location(
    "serving_process", Path(__file__).with_name("serving_process.py")
)
assert _FOUND is not None
assert _FOUND.loader is not None
sys.modules["serving_process"] = _process = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(_process)
PROGRAM, Serving = _process.PROGRAM, _process.Serving

COUNT = _process.COUNT
DESK = _process.DESK.replace('    assign: ["user:eve"]\n', "")
OTHERS = _process.DESK.replace("workflow: desk", "workflow: others")
LISTS = DESK.replace("workflow: desk", "workflow: lists").replace(
    "form: {granted: boolean, why: string}", "form: {granted: boolean, why: string, which: list of string}"
)
FAILING = """\
wfc: 1
workflow: failing
start: Asked
end: Never
events: {Asked: {often: {type: integer, default: 1}}, Never: {}}
steps:
  give_up: {kind: transform, accepts: Asked, emit: [{fail: nothing works, when: inputs.often == 1}, Never]}
"""


class Person:
    """Somebody who answers what a client is asked."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[Any] = []

    async def __call__(self, context: object, params: Any) -> types.ElicitResult:
        self.asked.append(params)
        reply = self.replies.pop(0)
        if isinstance(reply, str):
            return types.ElicitResult(action=reply)
        return types.ElicitResult(action="accept", content=reply)


def specs(folder: Path) -> Path:
    """A folder with some specs."""
    for name, text in (("desk", DESK), ("count", COUNT), ("others", OTHERS), ("lists", LISTS)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    (folder / "failing.yaml").write_text(FAILING, encoding="utf-8")
    return folder


def over_streams(folder: Path, person: Person | None = None, mode: Any = "auto") -> Client:
    command = ["-c", PROGRAM, "serve", str(folder), "--mcp", "--stdio"]
    started = StdioServerParameters(command=sys.executable, args=command, cwd=folder)
    return Client(stdio_client(started), mode=mode, elicitation_callback=person)


@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.full)])
def test_a_foreign_client_starts_a_workflow_and_answers_its_question(tmp_path: Path, mode: str) -> None:
    person = Person({"granted": True, "why": ""}, {"granted": True, "why": "it is cold"})
    reported: list[str] = []

    async def hear(number: float, total: float | None, said: str | None) -> None:
        reported.append(f"{number:g} {said}")

    async def talk() -> None:
        async with over_streams(specs(tmp_path), person, mode) as client:
            tools = {each.name: each for each in (await client.list_tools()).tools}
            assert set(tools) == {"desk", "count", "others", "lists", "failing", "run_status", "answer_task"}
            assert tools["count"].input_schema["properties"]["to"]["type"] == "integer"
            ended = tools["count"].output_schema["properties"]
            assert ended["event"]["enum"] == ["Over"]
            assert ended["result"]["anyOf"][0]["properties"]["n"]["type"] == "integer"
            counted = await client.call_tool("count", {"to": 5}, progress_callback=hear)
            assert counted.structured_content["result"] == {"n": 5}
            assert reported
            assert reported[-1].endswith("done")
            settled = await client.call_tool("desk", {"what": "tea"})
            assert settled.structured_content["result"] == {"granted": True, "why": "it is cold"}
            shown = await client.call_tool("run_status", {"run": settled.structured_content["run"]})
            assert shown.structured_content == settled.structured_content

    asyncio.run(talk())
    first, second = person.asked
    assert "May they have tea?" in first.message
    assert set(first.requested_schema["properties"]) == {"granted", "why"}
    assert "say why" in second.message  # why the first answer did not count


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server over HTTP."""
    serving = Serving(specs(tmp_path_factory.mktemp("tools")), ".", "--mcp")
    yield serving
    status, told = serving.end()
    assert status == 0, told
    assert "Traceback" not in told


@asynccontextmanager
async def over_http(
    server: Any, person: Person | None = None, mode: Any = "auto", **headers: str
) -> AsyncIterator[Client]:
    sent = {"Authorization": f"Bearer {server.token}", **headers}
    async with httpx2.AsyncClient(headers=sent, timeout=300) as http:
        address = f"http://127.0.0.1:{server.port}/mcp"
        async with Client(
            streamable_http_client(address, http_client=http), mode=mode, elicitation_callback=person
        ) as client:
            yield client


@pytest.mark.full
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_it_is_the_same_over_http(server: Any, mode: str) -> None:
    person = Person({"granted": False, "why": "no tea"}, {"granted": True, "why": "x"})

    async def talk() -> None:
        async with over_http(server, person, mode) as client:
            settled = await client.call_tool("desk", {"what": "tea"})
            assert settled.structured_content["result"] == {"granted": False, "why": "no tea"}
            several = await asyncio.gather(*(client.call_tool("count", {"to": n}) for n in range(5)))
            assert [each.structured_content["result"]["n"] for each in several] == list(range(5))

    asyncio.run(talk())
    status, audit = server.call("GET", "/v1/audit")
    done = {(each["via"], each["action"]) for each in audit["entries" if "entries" in audit else "audit"]}
    assert status == 200
    assert {("mcp", "start_run"), ("mcp", "answer_task")} <= done


@pytest.mark.full
def test_what_a_client_cannot_be_asked_waits_and_can_be_answered_later(server: Any) -> None:
    async def talk() -> None:
        async with over_http(server) as client:  # it takes no questions
            waits = (await client.call_tool("desk", {"what": "tea"})).structured_content
            (task,) = waits["waiting"]
            assert "result" not in waits
            assert task["yours"]
            wrong = await client.call_tool("answer_task", {"task": task["task"], "answer": {"granted": 5}})
            assert wrong.is_error
            answer = {"granted": True, "why": "yes"}
            done = await client.call_tool("answer_task", {"task": task["task"], "answer": answer})
            assert done.structured_content["result"] == answer
            again = await client.call_tool("answer_task", {"task": task["task"], "answer": answer})
            assert again.structured_content["result"] == answer

    asyncio.run(talk())


@pytest.mark.full
@pytest.mark.parametrize("reply", ["decline", "cancel"])
def test_who_does_not_want_to_answer_is_not_asked_again(server: Any, reply: str) -> None:
    person = Person(reply)

    async def talk() -> None:
        async with over_http(server, person) as client:
            waits = (await client.call_tool("desk", {"what": "tea"})).structured_content
            assert len(waits["waiting"]) == 1

    asyncio.run(talk())
    assert len(person.asked) == 1


@pytest.mark.full
def test_a_form_with_lists_is_answered_by_a_link(server: Any) -> None:
    answer = {"granted": True, "why": "there is enough", "which": ["green", "black"]}

    class Browser(Person):
        async def __call__(self, context: object, params: Any) -> types.ElicitResult:
            self.asked.append(params)
            token = params.url.partition("#")[2]
            sent = {"Authorization": f"Link {token}"}
            status, shown = await asyncio.to_thread(server.call, "GET", "/v1/links/task", None, **sent)
            assert (status, shown["title"]) == (200, "May they have tea?")
            body = {"answer": answer}
            status, _ = await asyncio.to_thread(server.call, "POST", "/v1/links/task", body, **sent)
            assert status == 200
            return types.ElicitResult(action="accept")

    browser = Browser()

    async def talk() -> None:
        async with over_http(server, browser) as client:
            settled = await client.call_tool("lists", {"what": "tea"})
            assert settled.structured_content["event"] == "Settled"

    asyncio.run(talk())
    (asked,) = browser.asked
    assert asked.mode == "url"


@pytest.mark.full
def test_what_others_are_asked_is_not_asked_here(server: Any) -> None:
    person = Person()

    async def talk() -> None:
        async with over_http(server, person) as client:
            waits = (await client.call_tool("others", {"what": "tea"})).structured_content
            (task,) = waits["waiting"]
            assert (task["assign"], task["yours"]) == (["user:eve"], False)
            refused = await client.call_tool("answer_task", {"task": task["task"], "answer": {}})
            assert refused.is_error

    asyncio.run(talk())
    assert person.asked == []


@pytest.mark.full
def test_what_does_not_fit_is_told_to_the_model(server: Any) -> None:
    async def talk() -> None:
        async with over_http(server) as client:
            for arguments in ({"to": "five"}, {}, {"to": 1.5}, {"to": 1, "more": 2}):
                wrong = await client.call_tool("count", arguments)
                assert wrong.is_error, arguments
            failed = await client.call_tool("failing", {})
            assert failed.is_error
            assert "nothing works" in failed.content[0].text
            for name, arguments in (
                ("run_status", {"run": "none"}),
                ("run_status", {"run": 5}),
                ("run_status", {}),
            ):
                assert (await client.call_tool(name, arguments)).is_error
            assert (await client.call_tool("answer_task", {"task": "none", "answer": 1})).is_error
            with pytest.raises(MCPError):
                await client.call_tool("no_such_workflow", {})

    asyncio.run(talk())


@pytest.mark.full
def test_who_has_no_token_or_comes_from_elsewhere_is_refused(server: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers, status in (
        ({"Authorization": "Bearer nobody"}, 401),
        ({"Authorization": ""}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
    ):
        found, refused = server.call("POST", "/mcp", body, **headers)
        assert found == status, refused
    with httpx2.Client() as http:
        sent = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
        large = json.dumps({"x": "y" * 2_000_000})
        assert (
            http.post(f"http://127.0.0.1:{server.port}/mcp", content=large, headers=sent).status_code == 413
        )


@pytest.mark.full
def test_the_state_of_a_call_cannot_be_made_up(server: Any) -> None:
    waits = server.start("desk", what="tea")

    async def talk() -> None:
        async with over_http(server) as client:
            forged = json.dumps([waits["run"], {}])
            for state in (forged, f"{'0' * 64}.{forged}", "", "\x00", "x" * 100_000):
                params = types.CallToolRequestParams(
                    name="desk", arguments={"what": "tea"}, request_state=state, input_responses={}
                )
                found = await client.session.send_request(
                    types.CallToolRequest(params=params), types.CallToolResult
                )
                assert found.is_error
                assert "not the state" in found.content[0].text

    asyncio.run(talk())


def until_parked(serving: Any) -> None:
    end = time.monotonic() + 120
    while not serving.call("GET", "/v1/runs?status=parked")[1]["runs"]:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.full
def test_it_ends_at_once_while_a_call_waits(tmp_path: Path) -> None:
    rests = "    kind: wait\n    for: 1h\n    accepts: Begun\n"
    text = COUNT.replace("workflow: count", "workflow: rests")
    waiting = text.replace("    kind: transform\n    accepts: Begun\n", rests)
    (tmp_path / "rests.yaml").write_text(waiting, encoding="utf-8")
    patient = "from wfc.runtime.server import mcp_door; mcp_door.WAITS = 3000\n"
    serving = Serving(tmp_path, ".", "--mcp", before=patient)

    async def talk(ends: ThreadPoolExecutor) -> Any:
        ended: Any = None
        with suppress(Exception):  # the call may be cut off
            async with over_http(serving) as client:
                calling = asyncio.create_task(client.call_tool("rests", {"to": 1}))
                await asyncio.to_thread(until_parked, serving)
                ended = None if calling.done() else ends.submit(serving.end)
                with suppress(MCPError):
                    await calling
        return ended

    began = time.monotonic()
    with ThreadPoolExecutor() as ends:
        status, told = asyncio.run(talk(ends)).result()
    assert (status, "Traceback" in told) == (0, False), told
    assert time.monotonic() - began < 600


@pytest.mark.full
def test_roles_decide_which_tools_there_are(tmp_path: Path) -> None:
    from wfc.runtime.server.installation import Installation
    from wfc.runtime.server.tool_calls import ToolCalls

    def names(*roles: str, workflows: tuple[str, ...] = ("*",)) -> set[str]:
        calls = object.__new__(ToolCalls)
        calls.server = object.__new__(Installation)
        calls.server.offered = {}
        principal = Principal("user:ann", frozenset(roles), workflows)
        return {each.name for each in calls.offered(principal)}

    assert names("start") == set()
    assert names("see") == {"run_status"}
    assert names("answer") == {"answer_task"}


def test_forms_that_are_not_flat_are_not_asked() -> None:
    choice = {"enum": ["a", "b"], "type": "string"}
    form = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/Choice"},
            "b": {"anyOf": [{"type": "integer", "maximum": 5}, {"type": "null"}], "default": None},
        },
        "required": ["a"],
        "$defs": {"Choice": choice},
    }
    assert flat_form(form) == {
        "type": "object",
        "properties": {"a": choice, "b": {"type": "integer", "maximum": 5}},
        "required": ["a"],
    }
    assert flat_form(None) == {"type": "object", "properties": {}}
    for field in (
        {"type": "array", "items": {"type": "string"}},
        {"type": "object"},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"enum": [1, 2], "type": "integer"},
        {},
    ):
        assert flat_form({"type": "object", "properties": {"x": field}}) is None


class Interrupted(Person):
    """Somebody who is asked, and meanwhile the server is killed and begins anew; then the answer is sent."""

    def __init__(self, serving: Any, folder: Path, answer: Any) -> None:
        super().__init__(answer)
        self.serving, self.folder = serving, folder

    async def __call__(self, context: object, params: Any) -> types.ElicitResult:
        if not self.asked:
            await asyncio.to_thread(self.begin_anew)
        return await super().__call__(context, params)

    def begin_anew(self) -> None:
        port = self.serving.port
        self.serving.kill()
        self.serving = Serving(self.folder, ".", "--mcp", port=port)


@pytest.mark.full
def test_a_call_outlives_the_server_that_is_killed_while_a_person_thinks(
    tmp_path: Path, store_address: str
) -> None:
    answer = {"granted": True, "why": "it is cold"}
    serving = Serving(specs(tmp_path), ".", "--mcp", port=kept_port())
    person = Interrupted(serving, tmp_path, answer)

    async def talk() -> Any:
        async with over_http(serving, person) as client:
            return (await client.call_tool("desk", {"what": "tea"})).structured_content

    settled = asyncio.run(talk())
    assert settled["result"] == answer
    _, listed = person.serving.call("GET", "/v1/runs")
    assert [(one["run"], one["status"]) for one in listed["runs"]] == [(settled["run"], "done")]
    assert person.serving.end()[0] == 0


@pytest.mark.full
def test_what_a_killed_server_was_asked_can_be_answered_at_the_next_one(
    tmp_path: Path, store_address: str
) -> None:
    """A client of an older protocol is asked within its call, which breaks off with the server; the run does not."""
    answer = {"granted": True, "why": "it is cold"}
    serving = Serving(specs(tmp_path), ".", "--mcp", port=kept_port())
    person = Interrupted(serving, tmp_path, answer)

    async def talk() -> None:
        with suppress(Exception):
            async with over_http(serving, person, "legacy") as client:
                calling = asyncio.create_task(client.call_tool("desk", {"what": "tea"}))
                while person.serving is serving and not calling.done():  # noqa: ASYNC110 - it tells nobody
                    await asyncio.sleep(0.05)
                calling.cancel()

    asyncio.run(talk())
    assert person.serving is not serving
    _, listed = person.serving.call("GET", "/v1/tasks")
    (task,) = listed["tasks"]

    async def later() -> Any:
        async with over_http(person.serving) as client:
            done = await client.call_tool("answer_task", {"task": task["task"], "answer": answer})
            return done.structured_content

    assert asyncio.run(later())["result"] == answer
    _, listed = person.serving.call("GET", "/v1/runs")
    assert [one["status"] for one in listed["runs"]] == ["done"]
    assert person.serving.end()[0] == 0


@pytest.mark.full
def test_many_calls_at_once_are_each_answered(tmp_path: Path, store_address: str) -> None:
    serving = Serving(specs(tmp_path), ".", "--mcp")

    async def talk() -> None:
        async with over_http(serving) as client:
            several = await asyncio.gather(*(client.call_tool("count", {"to": n % 7}) for n in range(60)))
            found = [each.structured_content for each in several]
            for each in found:
                for _ in range(600):  # it may go on longer than the call waits
                    if "result" in each:
                        break
                    await asyncio.sleep(0.2)
                    told = await client.call_tool("run_status", {"run": each["run"]})
                    each.update(told.structured_content)
            assert [each["result"]["n"] for each in found] == [n % 7 for n in range(60)]
            assert len({each["run"] for each in found}) == 60

    asyncio.run(talk())
    assert serving.end()[0] == 0
