"""Every endpoint is given everything wrong that can be given to it: a clear problem comes back, and nothing happens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from asgi_client import Answer, Client, Served, started, until

from wfc.runtime.server.endpoint import Endpoint
from wfc.runtime.server.routes import ENDPOINTS

JSON = [("Content-Type", "application/json")]
LIST: bytes = b"[]"
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "get"}

OF_ANOTHER_KIND: dict[str | None, list[Any]] = {
    "string": [3, None, True, [], {}, "a\0b"],
    "object": ["text", 3, None, False, []],
    "integer": ["3", 3.5, None, True, {}, -1, 10**16],
    "array": ["text", 3, None, {}, []],
    "boolean": ["true", 1, None, [], {}],
    None: [],
}


NO_VALUES = (
    b"NaN",
    b"1e999",
    b"-1e999",
    b'"\\ud800"',
    b'{"b": 1, "b": 2}',
    b'{"\\udfff": 1}',
    b"[" * 100_000,
)
"""What stands for no value of JSON that is to be kept."""


class Wrong(NamedTuple):
    """A request with one mistake, and what is to come back."""

    what: str
    status: int
    code: str
    body: bytes = b""
    headers: Sequence[tuple[str, str]] = ()
    query: str = ""
    pointer: str | None = None


def good_member(name: str, schema: dict[str, Any]) -> Any:
    return {"string": "a", "object": {}, "integer": 1, "array": [{}], "boolean": True, None: {"ok": True}}[
        schema.get("type")
    ]


def mistakes(endpoint: Endpoint) -> Iterator[Wrong]:
    """Yield requests to an endpoint, each with one mistake."""
    yield Wrong("a parameter that there is not", 400, "query", query="?nope=1")
    for name, schema in endpoint.query.items():
        yield Wrong(f"{name} twice", 400, "query", query=f"?{name}=1&{name}=1")
        yield Wrong(f"{name} with NUL", 400, "query", query=f"?{name}=%00")
        if "enum" in schema or schema.get("type") == "integer":
            for value in ("x", "-1", "1.5", "%FF", "9" * 40, "+1", "1_0", "%D9%A1"):
                yield Wrong(f"{name} {value[:5]}", 400, "query", query=f"?{name}={value}")
    for name in set(endpoint.headers) - {"Accept"}:  # of which there may be several
        yield Wrong(f"{name} twice", 400, "header.twice", headers=[(name, "1"), (name, "2")])
    if "Idempotency-Key" in endpoint.headers:
        for key in ("", "k" * 256, "a\x07b"):
            sent = body(endpoint, inputs={"text": "a"})
            yield Wrong(f"the key {key[:5]!r}", 400, "key", sent, [*JSON, ("Idempotency-Key", key)])
    if endpoint.body is None:
        yield Wrong("a body", 400, "body.members", b"{}", JSON)
    else:
        yield from wrong_bodies(endpoint, endpoint.body)
    yield Wrong("a compressed body", 415, "body.encoding", b"x", [*JSON, ("Content-Encoding", "gzip")])
    yield Wrong("a large body", 413, "body.large", b" " * 1_000_001, JSON)
    yield Wrong("a length that is none", 413, "body.large", b"{}", [*JSON, ("Content-Length", "1e9")])


def wrong_bodies(endpoint: Endpoint, schema: Any) -> Iterator[Wrong]:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json;charset=latin1"):
        yield Wrong(kind, 415, "body.type", body(endpoint), [("Content-Type", kind)])
    for data in (
        b"{",
        LIST,
        b"3",
        b"\xff",
        *(b'{"a": %b}' % value for value in NO_VALUES),
        b'{"a": 1, "a": 2}',
    ):
        yield Wrong(f"{data!r}", 400, "body.json", data, JSON)
    yield Wrong("an unknown member", 422, "body.members", body(endpoint, nope=1), JSON, pointer="/nope")
    members: dict[str, Any] = schema["properties"]
    for name in schema.get("required", ()):
        rest = {one: good_member(one, members[one]) for one in schema["required"] if one != name}
        yield Wrong(f"no {name}", 422, "body.members", json.dumps(rest).encode(), JSON, pointer=f"/{name}")
    for name, member in members.items():
        for value in OF_ANOTHER_KIND[member.get("type")]:
            sent = body(endpoint, **{name: value})
            yield Wrong(f"{name} {value!r}", 422, "body.members", sent, JSON, pointer=f"/{name}")


def body(endpoint: Endpoint, **more: Any) -> bytes:
    """Return a body that fits, but for what is given."""
    assert endpoint.body is not None
    members = endpoint.body["properties"]
    fitting = {name: good_member(name, members[name]) for name in endpoint.body.get("required", ())}
    return json.dumps(fitting | more).encode()


def check(answer: Answer, wrong: Wrong) -> None:
    assert (answer.status, answer.code) == (wrong.status, wrong.code), (wrong, answer.body)
    told = answer.json
    assert told["status"] == wrong.status
    assert told["detail"]
    assert told["request_id"] == answer.headers["x-request-id"]
    assert "Traceback" not in answer.body.decode()
    if wrong.pointer is not None:
        assert wrong.pointer in [one["pointer"] for one in told["errors"]], told


FITTED = [one for one in ENDPOINTS if not one.is_raw]  # what is raw is judged by itself


@pytest.mark.parametrize("endpoint", FITTED, ids=lambda one: one.name)
def test_each_mistake_is_told_and_nothing_happens(served: Served, endpoint: Endpoint) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "approval", text="a")
        await until(client, run, "parked")
        (task,) = (await client.get(f"/v1/tasks?run={run}")).json["tasks"]
        made = await client.post(f"/v1/tasks/{task['task']}/link", {"for": "user:eve"})
        tokens = {"task": made.json["token"]}
        for kind, name in (("form", "invited"), ("chat", "desk")):
            other = await client.post(f"/v1/{kind}s/{name}/link", {"for": "user:eve"})
            tokens[kind] = other.json["token"]
        link = [("Authorization", f"Link {tokens[endpoint.link]}")]
        places = {"run": run, "workflow": "echo", "task": task["task"], "seq": "1"}
        places |= {"file": "app.js", "form": "ask", "chat": "desk"}
        path = endpoint.path.format_map(places)
        is_linked = endpoint.path.startswith("/v1/links")
        who = client.as_("") if is_linked else client
        before = [(await client.get(one)).body for one in (f"/v1/runs/{run}", f"/v1/runs/{run}/history")]
        runs = (await client.get("/v1/runs?most=500")).body
        for wrong in mistakes(endpoint):
            headers = [*wrong.headers, *(link if is_linked else [])]
            check(await who.send(endpoint.method, path + wrong.query, wrong.body, headers), wrong)
        there = {one.method for one in ENDPOINTS if one.match(path) is not None} | {"HEAD"}
        for method in METHODS - there:
            check(
                await who.send(method, path, headers=link if is_linked else []), Wrong(method, 405, "method")
            )
        after = [(await client.get(one)).body for one in (f"/v1/runs/{run}", f"/v1/runs/{run}/history")]
        assert after == before
        assert (await client.get("/v1/runs?most=500")).body == runs

    served(use)
