"""A server within somebody's application of FastAPI: all of it works under a path, also behind middleware of theirs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Client, serving, until
from served_flows import Echo, Order

fastapi = pytest.importorskip("fastapi")


class Mounted(Client):
    """Somebody who asks an application in which ours is under `/flows`."""

    async def get(self, path: str, headers: Any = ()) -> Any:
        return await self.send("GET", f"/flows{path}", headers=headers)


@pytest.mark.parametrize("has_middleware", [False, True])
def test_a_server_within_an_application_of_fastapi(tmp_path: Path, has_middleware: bool) -> None:
    async def use() -> None:
        async with serving(tmp_path, Echo, Order) as inner:
            app = fastapi.FastAPI()

            @app.get("/own")
            async def own() -> dict[str, str]:
                return {"own": "yes"}

            if has_middleware:

                @app.middleware("http")
                async def passed_on(request: Any, call_next: Any) -> Any:
                    reply = await call_next(request)
                    reply.headers["x-theirs"] = "yes"
                    return reply

            app.mount("/flows", inner.app)
            client = Mounted(app)
            assert (await client.send("GET", "/own")).json == {"own": "yes"}
            assert b"echo" in (await client.get("/v1/workflows")).body
            assert (await client.send("GET", "/v1/workflows")).status == 404
            path = "/flows/v1/workflows/echo/runs?wait=20"
            done = await client.post(path, {"inputs": {"text": "a"}})
            assert done.json["result"] == {"event": "Done", "with": {"text": "a"}}
            told = [one async for one in client.stream(f"/flows/v1/runs/{done.json['run']}/stream")]
            assert [told[0]["event"], told[-1]["event"]] == ["hello", "end"]

            begun = await client.post("/flows/v1/workflows/order/runs", {"inputs": {"order": "A1"}})
            await until(client, begun.json["run"], "parked")
            stream = client.stream(f"/flows/v1/runs/{begun.json['run']}/stream")
            assert (await anext(stream))["event"] == "hello"
            assert inner.app._streams.total() == 1
            await stream.aclose()  # type: ignore[attr-defined]
            for _ in range(12_000):
                if not inner.app._streams:
                    break
                await asyncio.sleep(0.01)
            assert not inner.app._streams  # whoever leaves gives the place back at once
            assert (await client.send("GET", "/flows/v1/me", host="evil.example")).status == 421

    asyncio.run(use())
