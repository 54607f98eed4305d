"""Runs that a server is asked for begin in it at once, as far as it has room; all the same they are durable."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Client, serving, until
from served_flows import Asked, Done, Echo, Order

from wfc.runtime import Workflow, transform
from wfc.runtime.server.endpoint import Table
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.routes import ENDPOINTS


class Quick(Workflow, name="quick"):
    @transform
    def echo(self, event: Asked) -> Done:
        return Done(text=event.text)


def server_of(client: Client) -> Installation:
    found: Installation = client.app.server
    return found


def use(store: Path, use: Any, *workflows: Any, **options: Any) -> None:
    async def main() -> None:
        async with serving(store, *workflows, **options) as client, asyncio.timeout(240):
            await use(client)

    asyncio.run(main())


def test_a_run_is_written_with_its_end_and_its_entry_in_the_audit_by_one_commit(tmp_path: Path) -> None:
    async def look(client: Client) -> None:
        store = server_of(client).engine.store
        before = store.commits[0]
        answer = await client.post("/v1/workflows/quick/runs?wait=60", {"inputs": {"text": "a"}})
        assert (answer.status, answer.json["status"]) == (201, "done")
        assert store.commits[0] - before == 1
        entries = (await client.get("/v1/audit")).json["entries"]
        assert [(one["action"], one["target"], one["result"]) for one in entries] == [
            ("start_run", answer.json["run"], "201")
        ]
        assert (await client.get(f"/v1/runs/{answer.json['run']}")).json == answer.json

    use(tmp_path, look, Quick)


@pytest.mark.parametrize(("workflow", "inputs"), [(Echo, {"text": "a"}), (Order, {"order": "A1"})])
def test_what_has_no_room_here_is_due_and_begins_later(
    tmp_path: Path, workflow: Any, inputs: dict[str, str]
) -> None:
    async def look(client: Client) -> None:
        working = server_of(client)._working
        assert working is not None
        working._at_once = 0
        answer = await client.post(f"/v1/workflows/{workflow.__name__.lower()}/runs", {"inputs": inputs})
        assert (answer.status, answer.json["status"]) == (201, "queued")
        working._at_once = 10
        server_of(client).look_now()
        await until(client, answer.json["run"], "done" if workflow is Echo else "parked")

    use(tmp_path, look, workflow)


def test_nobody_is_told_of_a_run_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    async def look(client: Client) -> None:
        server = server_of(client)
        key = [("Idempotency-Key", "order 7")]
        with monkeypatch.context() as patched:
            patched.setattr("wfc.runtime.store.sql.creating._insert", fails)
            two = [client.post("/v1/workflows/echo/runs", {"inputs": {"text": "a"}}, key) for _ in range(2)]
            assert [(one.status, one.code) for one in await asyncio.gather(*two)] == [
                (503, "store.unavailable")
            ] * 2
        assert server.engine.live_runs() == []
        assert (await client.get("/v1/runs")).json["runs"] == []
        again = await client.post("/v1/workflows/echo/runs?wait=60", {"inputs": {"text": "a"}}, key)
        assert (again.status, again.json["status"]) == (201, "done")

    use(tmp_path, look, Echo)


def test_a_request_is_held_against_the_endpoint_that_a_look_at_all_would_find() -> None:
    table = Table(ENDPOINTS)
    for one in ENDPOINTS:
        path = one.path.replace("{", "some-").replace("}", "/1" if "{run}" in one.path else "")
        found = next(
            other for other in ENDPOINTS if other.match(path) is not None and other.method == one.method
        )
        assert table.find(one.method, path)[0] is found
    assert table.find("PATCH", "/v1/runs") == (None, {}, ["GET"])
    for path in ("/", "/v1", "/v1/", "/v1/nothing", "/page/", "//v1/runs", "/v1/runs/"):
        all_of_it = sorted({one.method for one in ENDPOINTS if one.match(path) is not None})
        assert table.find("PATCH", path)[2] == all_of_it
