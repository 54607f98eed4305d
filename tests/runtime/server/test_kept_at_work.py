"""A server works on runs as long as it lasts: also after its store was away, and after it could not begin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from asgi_client import KEY, PRINCIPALS, Client
from served_flows import Approval
from waiting import until

from wfc.runtime import Engine
from wfc.runtime.driver.engine.starting import TriggerStarter
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.errors import StoreError
from wfc.runtime.server import installation
from wfc.runtime.server.access import Access
from wfc.runtime.server.application import Application
from wfc.runtime.server.installation import Installation


class GivesUp(Worker):
    """A worker that gives up at first; the next one works."""

    begun: ClassVar[list[GivesUp]] = []

    async def run(self, *, grace: float = 30.0, until_idle: bool = False) -> None:
        self.begun.append(self)
        if len(self.begun) < 3:
            if len(self.begun) == 2:
                self.drain()  # as one that takes from a queue
            raise StoreError("the store is away")
        await super().run(grace=grace, until_idle=until_idle)


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Installation]:
    def make(**options: Any) -> Installation:
        engine = Engine(store=tmp_path / "runs.db")
        return Installation(engine, [Approval(engine=engine)], Access(PRINCIPALS), key=KEY, **options)

    return make


def test_a_worker_that_has_given_up_begins_again(
    made: Callable[..., Installation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "ANEW_AFTER", 0.05)
    monkeypatch.setattr(GivesUp, "begun", [])
    notes: list[str] = []

    async def main() -> Any:
        server = made(worker=GivesUp, note=notes.append)
        async with server.at_work():
            await until(lambda: len(GivesUp.begun) == 3)
            client = Client(Application(server))
            begun = (await client.post("/v1/workflows/approval/runs", {"inputs": {"text": "a"}})).json["run"]
            shown = await client.get(f"/v1/runs/{begun}?wait=60")
        server.engine.close()
        return shown.json["status"]

    assert asyncio.run(main()) == "parked"
    assert notes == ["no run is worked on until this is mended: the store is away"]  # once for the same
    first, second, third = GivesUp.begun
    assert first is second  # which still has what is under way
    assert third is not second


def test_a_server_without_a_worker_is_not_ready(
    made: Callable[..., Installation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GivesUp, "begun", [])

    async def main() -> tuple[int, str]:
        server = made(worker=GivesUp)
        async with server.at_work():
            await until(lambda: server.has_no_worker)
            answer = await Client(Application(server)).get("/readyz")
        server.engine.close()
        return answer.status, answer.code

    assert asyncio.run(main()) == (503, "worker.unavailable")


def test_who_begins_again_after_a_failure_begins_all(
    made: Callable[..., Installation], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    look = TriggerStarter.look

    async def fails_once(self: TriggerStarter) -> None:
        looks.append("look")
        if len(looks) == 1:
            raise StoreError("the store is away")
        await look(self)

    monkeypatch.setattr(TriggerStarter, "look", fails_once)

    async def main() -> None:
        server = made()
        with pytest.raises(StoreError):
            await server.begin()
        async with server.at_work():
            await until(lambda: len(looks) > 2)  # at the beginning, and later by itself
        server.engine.close()

    asyncio.run(main())


def test_a_worker_that_cannot_be_made_is_told_each_time(made: Callable[..., Installation]) -> None:
    class NoWorker(Worker):
        def __init__(self, *_: Any, **__: Any) -> None:
            raise StoreError("this worker is for other stores")

    async def main() -> None:
        server = made(worker=NoWorker)
        for _ in range(2):  # the second time is not taken for one that has begun already
            with pytest.raises(StoreError):
                await server.begin()
        server.engine.close()

    asyncio.run(main())
