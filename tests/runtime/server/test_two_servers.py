"""Two servers over one store: what one person does by both at the same moment is done once, and one of them says so."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Client, serving, started, until
from served_flows import Approval, Echo

from wfc.runtime.store.sql import inbox


async def asked(client: Client) -> str:
    run = await started(client, "approval", text="it")
    await until(client, run, "parked")
    found = (await client.get(f"/v1/tasks?run={run}")).json["tasks"]
    return str(found[0]["task"])


@pytest.mark.parametrize("kind", ["link", "token"])
def test_of_two_answers_of_one_person_by_two_servers_one_counts(store: Path | str, kind: str) -> None:
    address = store if isinstance(store, str) else str(store.parent)

    async def main() -> None:
        async with AsyncExitStack() as stack:
            place: Any = address if "://" in address else Path(address)
            works = await stack.enter_async_context(serving(place, Approval))
            tasks = [await asked(works) for _ in range(6)]
            await stack.aclose()
            # nobody works: what was answered stays in the inbox
            one, other = [
                await stack.enter_async_context(serving(place, Approval, worker=None)) for _ in "12"
            ]
            for task in tasks:
                headers, who, path = [("Content-Type", "application/json")], "bob", f"/v1/tasks/{task}/answer"
                if kind == "link":
                    made = await one.post(f"/v1/tasks/{task}/link", {"for": "user:eve"})
                    headers.append(("Authorization", f"Link {made.json['token']}"))
                    who, path = "", "/v1/links/task"
                body = b'{"answer": {"ok": true}}'
                told = await asyncio.gather(
                    *(each.as_(who).send("POST", path, body, headers) for each in (one, other))
                )
                codes = sorted(one.code if one.status >= 400 else "taken" for one in told)
                late = {"link": {"task.answered", "link.used"}, "token": {"task.answered", "taken"}}[kind]
                assert "taken" in codes and (set(codes) - {"taken"}) <= late, codes
                replays = ["idempotent-replay" in one.headers for one in told if one.status < 400]
                assert replays.count(False) == 1
                read = partial(inbox.answering, run_id=task.partition("/")[0], task_id=task)
                waiting = await asyncio.to_thread(one.app.server.engine.store.select, read)
                assert waiting == ["user:eve" if kind == "link" else "user:bob"]

    asyncio.run(main())


def test_a_key_starts_one_run_over_two_servers(store: Path | str) -> None:
    address: Any = store if isinstance(store, str) else store.parent

    async def main() -> None:
        async with serving(address, Echo) as one, serving(address, Echo) as other:
            key = [("Idempotency-Key", "k1")]
            data = {"inputs": {"text": "a"}}
            told = await asyncio.gather(
                *(each.post("/v1/workflows/echo/runs", data, key) for each in (one, other) * 5)
            )
            assert sorted(one.status for one in told) == [200] * 9 + [201]
            assert len({one.json["run"] for one in told}) == 1
            assert len((await one.get("/v1/runs")).json["runs"]) == 1

    asyncio.run(main())
