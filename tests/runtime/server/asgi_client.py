"""Requests to an ASGI application in this process, byte by byte as a test wants them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wfc.runtime.driver.engine import Engine
from wfc.runtime.server.access import ROLES, Access, Principal, digest_of
from wfc.runtime.server.application import Application
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.openings import Opening, Openings

Headers = Iterable[tuple[str, str]]

KEY = b"k" * 32
ENDLESS = "/v1/stream"
TOKENS = {
    name: f"{name}-" + "t" * 32
    for name in ("ann", "bob", "bob again", "viewer", "starter", "answerer", "other", "old")
}
PRINCIPALS = (
    Principal("user:ann", frozenset(ROLES), digest=digest_of(TOKENS["ann"])),
    Principal("user:bob", frozenset({"answer"}), groups=("leads",), digest=digest_of(TOKENS["bob"])),
    Principal("user:viewer", frozenset({"see"}), digest=digest_of(TOKENS["viewer"])),
    Principal("user:starter", frozenset({"start"}), digest=digest_of(TOKENS["starter"])),
    Principal("user:answerer", frozenset({"answer"}), digest=digest_of(TOKENS["answerer"])),
    Principal("user:other", frozenset(ROLES), ("nothing_*",), digest=digest_of(TOKENS["other"])),
    Principal("user:old", frozenset(ROLES), digest=digest_of(TOKENS["old"]), expires=1.0),
)


OPENINGS = Openings(
    {
        "ask": Opening("form", "ask", "echo", "anybody", title="What is it?"),
        "invited": Opening("form", "invited", "echo", "links"),
    },
    {
        "desk": Opening("chat", "desk", "talk", "anybody", replies={"Answered": "text"}),
        "own": Opening("chat", "own", "talk", "principals", replies={"Answered": "text"}),
    },
)


@dataclass
class Answer:
    """A reply: its status, its headers by names in lower case, and its body."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a problem."""
        assert self.headers["content-type"] == "application/problem+json"
        return str(self.json["code"])


class Client:
    """Somebody who sends requests to an application."""

    def __init__(self, app: Any, who: str = "ann") -> None:
        self.app = app
        self.who = who

    def as_(self, who: str) -> Client:
        return Client(self.app, who)

    async def get(self, path: str, headers: Headers = ()) -> Answer:
        return await self.send("GET", path, headers=headers)

    async def post(self, path: str, data: object = None, headers: Headers = ()) -> Answer:
        body = b"" if data is None else json.dumps(data).encode()
        return await self.send("POST", path, body, [("Content-Type", "application/json"), *headers])

    async def send(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Headers = (),
        *,
        host: str | None = "127.0.0.1:8470",
    ) -> Answer:
        answer = Answer()
        async with aclosing(self.parts(method, path, body, headers, host=host)) as events:
            async for event in events:
                if event["type"] == "http.response.start":
                    answer.status = event["status"]
                    answer.headers = {name.decode(): value.decode() for name, value in event["headers"]}
                    continue
                answer.body += event.get("body", b"")
                if path == ENDLESS and answer.status == 200:
                    break
        return answer

    async def parts(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Headers = (),
        *,
        host: str | None = "127.0.0.1:8470",
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield what the application sends, as it comes; closing it is leaving."""
        raw, _, query = path.partition("?")
        sent = [] if host is None else [("Host", host)]
        if self.who:
            sent.append(("Authorization", f"Bearer {TOKENS[self.who]}"))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": raw,
            "raw_path": raw.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [
                (name.lower().encode(), value.encode("latin-1")) for name, value in (*sent, *headers)
            ],
            "server": ("127.0.0.1", 8470),
        }
        out: asyncio.Queue[dict[str, Any]] = asyncio.Queue(1)
        left = asyncio.Event()
        incoming = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if incoming:
                return incoming.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(event: Any) -> None:
            await out.put(event)

        task = asyncio.create_task(self.app(scope, receive, send))
        try:
            while True:
                getting = asyncio.ensure_future(out.get())
                await asyncio.wait([getting, task], return_when=asyncio.FIRST_COMPLETED)
                if not getting.done():
                    getting.cancel()
                    await task
                    return
                event = getting.result()
                yield event
                if event["type"] == "http.response.body" and not event.get("more_body"):
                    await task
                    return
        finally:
            left.set()
            await asyncio.wait([task], timeout=120)
            assert task.done()

    async def stream(self, path: str, headers: Headers = ()) -> AsyncIterator[dict[str, Any]]:
        """Yield the messages of a stream, read as lines of JSON."""
        rest = b""
        accept = ("Accept", "application/x-ndjson")
        events = self.parts("GET", path, headers=(accept, *headers))
        try:
            async for event in events:
                if event["type"] == "http.response.start":
                    assert event["status"] == 200, event
                    continue
                *lines, rest = (rest + event.get("body", b"")).split(b"\n")
                for line in filter(None, lines):
                    yield json.loads(line)
        finally:
            await events.aclose()  # type: ignore[attr-defined]


@asynccontextmanager
async def serving(
    store: Path | str, *workflows: Any, principals: Iterable[Principal] = PRINCIPALS, **options: Any
):  # type: ignore[no-untyped-def]
    """Give a client of a server over a new store: one at an address, or in a folder."""
    address = store if isinstance(store, str) else f"sqlite:///{store}/runs.db?synchronous=normal"
    engine = Engine(store=address)
    if engine.store.has_queue:
        from wfc.runtime.driver.dbos import QueueWorker

        options = {"worker": QueueWorker, **options}
    made = [one(engine=engine) for one in workflows]
    try:
        server = Installation(engine, made, Access(principals), key=KEY, **options)
        async with server.at_work():
            yield Client(Application(server))
    finally:
        engine.close()


Served = Callable[[Callable[[Client], Awaitable[None]]], None]
"""Runs a coroutine function with a client of a server."""


async def until(client: Client, run: str, status: str) -> dict[str, Any]:
    end = time.monotonic() + 240
    while True:
        told: dict[str, Any] = (await client.get(f"/v1/runs/{run}")).json
        if told["status"] == status:
            return told
        assert time.monotonic() < end, told
        await asyncio.sleep(0.01)


async def started(client: Client, workflow: str, **inputs: object) -> str:
    answer = await client.post(f"/v1/workflows/{workflow}/runs", {"inputs": inputs})
    assert answer.status == 201, answer.body
    return str(answer.json["run"])
