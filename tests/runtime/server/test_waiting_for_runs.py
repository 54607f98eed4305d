"""Whoever waits for a run is told once it rests, not of a rest that is over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asgi_client import KEY, PRINCIPALS
from served_flows import Approval, Asked

from wfc.runtime import Engine
from wfc.runtime.server.access import Access
from wfc.runtime.server.installation import Installation
from wfc.runtime.store.sql import paging
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.paging import Progress

RUN = "waited-for"
AT_REST = Progress(1, "parked")


@pytest.fixture
def installation(store: str | Path) -> Iterator[Installation]:
    """A server with a run, on which nobody works."""
    engine = Engine(store=store)
    made = Approval(engine=engine)
    asyncio.run(engine.enqueue(made, Asked(text="a"), RUN))
    yield Installation(engine, [made], Access(PRINCIPALS), key=KEY)
    engine.close()


def becomes(installation: Installation, status: str, *, woken: bool = False) -> None:
    """Give the run a status, and something in its inbox or nothing."""

    def write(connection: Connection) -> None:
        connection.execute("UPDATE runs SET status = ? WHERE run_id = ?", (status, RUN))
        connection.execute("DELETE FROM inbox")
        if woken:
            connection.execute(
                """INSERT INTO inbox (run, kind, body, by, at)
                    SELECT run, 'event', '{}', '', 0 FROM runs WHERE run_id = ?""",
                (RUN,),
            )

    asyncio.run(installation.engine.store.write(write))


@pytest.mark.parametrize(
    ("status", "woken", "goes_on"),
    [
        ("queued", False, True),
        ("live", False, True),
        ("live", True, True),
        ("parked", False, False),
        ("parked", True, True),
        ("halted", False, False),
        ("halted", True, False),  # it is somebody else who lets it go on
        ("done", False, False),
        ("failed", True, False),
        ("cancelled", False, False),
        ("dead", False, False),
    ],
)
def test_a_run_goes_on_that_is_at_work_or_is_woken(
    installation: Installation, status: str, woken: bool, goes_on: bool
) -> None:
    becomes(installation, status, woken=woken)
    assert asyncio.run(installation.goes_on(RUN)) is goes_on


def test_a_run_that_there_is_not_does_not_go_on(installation: Installation) -> None:
    assert installation.engine.store.select(partial(paging.goes_on, run_id="none")) is False


def test_a_rest_that_is_over_by_now_is_not_told(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker has taken up the run between the look at how far it has come, and the one at its inbox."""
    seen: list[Any] = []

    async def changed(run_id: str, before: Progress | None, seconds: float) -> Progress:
        seen.append(before)
        if len(seen) == 3:
            await asyncio.to_thread(becomes, installation, "parked")
        return AT_REST

    monkeypatch.setattr(installation.watch, "changed", changed)
    becomes(installation, "live")
    asyncio.run(installation.wait_for(RUN, 240))
    assert seen == [None, AT_REST, AT_REST]
